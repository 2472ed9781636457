"""PageRank on a graph that is given as a function, never as a matrix.

Brin and Page (1998), "The anatomy of a large-scale hypertextual Web search engine", Computer Networks 30.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mderank.parameters import Param
from mderank.util.arrays import Ints, Reals

MAX_DAMPING = 0.99  # nearer to 1 the iteration takes ever longer, and in the end does not converge
_TOLERANCE = 1e-10  # of scores that sum to 1; far below the digits that rankings are made from
_MAX_ROUNDS = 3_000  # 0.99 ** 3000 is below 1e-13

DAMPING = Param(ge=0, le=MAX_DAMPING, help="Probability that the walk of PageRank follows an edge.")


def pagerank(flow: Callable[[Reals], Reals], leaving: Reals, damping: float, bias: Reals | None = None) -> Reals:
    """Compute the share of time that a random walk spends at each node.

    The walk follows an edge with probability ``damping``, the likelier the higher its weight. Otherwise, and from
    nodes without edges, it restarts at a node drawn by ``bias``: S = (1 − d) p + d Wᵀ (S / leaving), with p the bias.
    It is iterated until the rest, at most d / (1 − d) of the last step, is below the tolerance.

    Args:
        flow: Computes Wᵀ x, where W_ij is the weight of the edge from i to j.
        leaving: Sums ``(n,)`` of the rows of W; 0 for nodes without edges.
        damping: Probability of following an edge.
        bias: Probabilities ``(n,)`` of the nodes where the walk restarts, up to a factor; None for all alike.

    Returns:
        Scores ``(n,)`` that sum to 1.
    """
    nodes = len(leaving)
    if nodes == 0:
        return np.zeros(0)
    restart = np.full(nodes, 1 / nodes) if bias is None else bias / bias.sum()
    stuck = leaving == 0
    scores: Reals = restart
    for _ in range(_MAX_ROUNDS):
        sent = np.divide(scores, leaving, out=np.zeros(nodes), where=~stuck)
        following = (1 - damping) * restart + damping * (flow(sent) + scores[stuck].sum() * restart)
        step = np.abs(following - scores).sum()
        scores = following
        if step * damping <= _TOLERANCE * (1 - damping):
            break
    return scores / float(scores.sum())


def undirected_pagerank(sources: Ints, targets: Ints, weights: Reals, bias: Reals, damping: float) -> Reals:
    """Compute PageRank on an undirected graph that is given by its edges.

    Args:
        sources: One node ``(e,)`` of each edge.
        targets: The other node ``(e,)``.
        weights: Weights ``(e,)`` of the edges.
        bias: Probabilities ``(n,)`` of the nodes where the walk restarts, up to a factor.
        damping: Probability of following an edge.

    Returns:
        Scores ``(n,)`` that sum to 1.
    """
    origins, ends = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    both = np.concatenate([weights, weights])

    def flow(sent: Reals) -> Reals:
        return sum_at_nodes(ends, both * sent[origins], len(bias))

    return pagerank(flow, sum_at_nodes(origins, both, len(bias)), damping, bias)


def sum_at_nodes(nodes: Ints, values: Reals, count: int) -> Reals:
    """Sum values by their node.

    Args:
        nodes: The node of each value.
        values: The values.
        count: Number of nodes.

    Returns:
        The sum at each node ``(count,)``.
    """
    return np.bincount(nodes, weights=values, minlength=count).astype(np.float64, copy=False)

"""From hidden states to the embedding of a document and its change under each mask.

What matters is a small difference of two nearly equal vectors: on a long text 1 − cos reaches 1e-8, below what
float32 can tell. So every pooling gathers, in float64, the document's embedding E(d) and for every mask the *change*
E(d_M) − E(d), from differences of states and never from two finished embeddings.

Special tokens' states are pooled like any other, as the paper's authors do. Over several windows, ``mean`` divides
the sum over all of them by their number of tokens, ``max`` is the maximum over all of them, ``cls`` is the mean of
their first states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from mderank.encoding.base import PoolingName
from mderank.util.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Hidden:
    """The tokens that one mask hides in one window.

    Attributes:
        mask: Number of the mask.
        rows: Rows ``(k,)`` of the window that are hidden.
        states: Hidden states ``(k, d)`` of the mask tokens in their place.
    """

    mask: int
    rows: Ints  # (k,) rows of the window
    states: Floats  # (k, d)


@dataclass(frozen=True)
class Embeddings:
    """Embeddings of a document, of its masked variants and of its phrases.

    Attributes:
        document: Embedding ``(d,)`` of the document.
        changes: Changes ``(masks, d)`` of that embedding under each mask.
        phrases: Embeddings ``(phrases, d)`` of phrases alone.
        contexts: Mean hidden states ``(masks, d)``, unmasked, of the tokens that each mask hides.
        share: Share of the tokens that count; less than 1 if some windows count less than others.
    """

    document: Floats  # (d,)
    changes: Floats  # (masks, d)
    phrases: Floats  # (phrases, d) embedded by themselves
    contexts: Floats  # (masks, d) the mean state, unmasked, of the tokens that each mask hides
    share: float = 1.0  # of the tokens that count, less than 1 where some windows count less than others


class Pool(Protocol):
    """Interface of a pooling: collects the hidden states of one document, window by window.

    Attributes:
        name: Name of the pooling.
    """

    name: ClassVar[PoolingName]

    def add(self, window: int, states: Floats) -> None:
        """Add the unmasked hidden states of a window, once per window.

        Args:
            window: Number of the window.
            states: Hidden states ``(n, d)``.
        """
        ...

    def replace(self, window: int, states: Floats, hidden: Iterable[Hidden]) -> None:
        """One-pass masking: add the masks of a window, each of which changes some rows.

        Args:
            window: Number of the window.
            states: Unmasked hidden states ``(n, d)``.
            hidden: The hidden rows of each mask.
        """
        ...

    def reencode(self, window: int, states: Floats, mask: int, masked: Floats) -> None:
        """Exact masking: add a masked variant of a window, in which all rows change.

        Args:
            window: Number of the window.
            states: Unmasked hidden states ``(n, d)``.
            mask: Number of the mask.
            masked: Hidden states ``(n, d)`` of the variant.
        """
        ...

    def add_change(self, window: int, mask: int, change: Floats) -> None:
        """Exact masking: add a change that `CHANGES` computed before.

        Args:
            window: Number of the window.
            mask: Number of the mask.
            change: The change ``(d,)``.
        """
        ...

    def pool_phrase(self, states: Floats) -> Floats:
        """Compute the embedding of a phrase alone.

        Args:
            states: Hidden states ``(k, d)``, special tokens included.

        Returns:
            The embedding ``(d,)``.
        """
        ...

    def add_phrase(self, phrase: int, embedding: Floats) -> None:
        """Add the embedding of a phrase that is embedded alone.

        Args:
            phrase: Number of the phrase.
            embedding: The embedding ``(d,)`` that `pool_phrase` computed.
        """
        ...

    def add_contexts(self, states: Floats, masks: Sequence[tuple[int, Ints]]) -> None:
        """Add the unmasked hidden states of the tokens that masks hide.

        Args:
            states: Unmasked hidden states ``(n, d)`` of a window.
            masks: The number of each mask, and the rows of the window that it hides.
        """
        ...

    def finish(self) -> Embeddings:
        """Compute the embeddings over all windows.

        Returns:
            The embeddings of the document.
        """
        ...


class _Beside:
    """Gathers what is beside the document: phrases' embeddings, and the states of what masks hide."""

    name: ClassVar[PoolingName]

    def __init__(self, masks: int, dimension: int, phrases: int) -> None:
        self._phrases = np.zeros((phrases, dimension))
        self._contexts = np.zeros((masks, dimension))
        self._hidden = np.zeros(masks, dtype=np.int64)

    def add_contexts(self, states: Floats, masks: Sequence[tuple[int, Ints]]) -> None:
        some = [(mask, rows) for mask, rows in masks if len(rows)]
        if not some:
            return
        sizes = [len(rows) for _, rows in some]
        owners = [mask for mask, _ in some]
        held = states[np.concatenate([rows for _, rows in some])].astype(np.float64)
        np.add.at(self._contexts, owners, np.add.reduceat(held, np.cumsum([0, *sizes[:-1]]), axis=0))
        np.add.at(self._hidden, owners, sizes)

    def _mean_contexts(self) -> Floats:
        means: Floats = self._contexts / np.maximum(1, self._hidden)[:, None]
        return means

    def reencode(self, window: int, states: Floats, mask: int, masked: Floats) -> None:
        self.add_change(window, mask, CHANGES[self.name](states, masked))

    def add_change(self, window: int, mask: int, change: Floats) -> None:
        raise NotImplementedError

    def add_phrase(self, phrase: int, embedding: Floats) -> None:
        self._phrases[phrase] = embedding


def _sum_of_changes(states: Floats, masked: Floats) -> Floats:
    change: Floats = (masked.astype(np.float64) - states).sum(axis=0)
    return change


def _maximum(states: Floats, masked: Floats) -> Floats:
    top: Floats = masked.max(axis=0).astype(np.float64)
    return top


def _change_of_first(states: Floats, masked: Floats) -> Floats:
    return _sum_of_changes(states[:1], masked[:1])


# Exact: what a pool has to know of a window's states ``(n, d)`` and what became of them under a mask. ``(d,)``
CHANGES: dict[PoolingName, Callable[[Floats, Floats], Floats]] = {
    "mean": _sum_of_changes,
    "max": _maximum,
    "cls": _change_of_first,
}


def _changes_in_window(states: Floats, hidden: Iterable[Hidden]) -> tuple[list[int], Floats]:
    """The masks that hide something in a window, and for each the sum of what it changes there, ``(masks, d)``."""
    blocks = [block for block in hidden if len(block.rows)]
    if not blocks:
        return [], np.zeros((0, states.shape[1]))
    rows = np.concatenate([block.rows for block in blocks])
    change = np.concatenate([block.states for block in blocks]).astype(np.float64) - states[rows]
    first = np.cumsum([0, *(len(block.rows) for block in blocks[:-1])])
    return [block.mask for block in blocks], np.add.reduceat(change, first, axis=0)


class MeanPool(_Beside):
    """Mean over all tokens: ``E(d_M) − E(d) = Σ (z_t − h_t) / n``.

    Args:
        masks: Number of masks.
        dimension: Length ``d`` of a hidden state.
        phrases: Number of phrases to embed alone.
    """

    name: ClassVar[PoolingName] = "mean"

    def __init__(self, masks: int, dimension: int, phrases: int = 0) -> None:
        super().__init__(masks, dimension, phrases)
        self._sum = np.zeros(dimension)
        self._count = 0
        self._changes = np.zeros((masks, dimension))

    def pool_phrase(self, states: Floats) -> Floats:
        pooled: Floats = states.mean(axis=0, dtype=np.float64)
        return pooled

    def add(self, window: int, states: Floats) -> None:
        self._sum += states.sum(axis=0, dtype=np.float64)
        self._count += len(states)

    def replace(self, window: int, states: Floats, hidden: Iterable[Hidden]) -> None:
        masks, sums = _changes_in_window(states, hidden)
        if masks:
            np.add.at(self._changes, masks, sums)

    def add_change(self, window: int, mask: int, change: Floats) -> None:
        self._changes[mask] += change

    def finish(self) -> Embeddings:
        count = max(1, self._count)
        return Embeddings(self._sum / count, self._changes / count, self._phrases, self._mean_contexts())


class FocusedMeanPool(_Beside):
    """Mean over all tokens, where windows count by how near they are to the subject of the document.

    The subject is the mean of two directions. One is the embedding of the first window, because the opening of a paper
    or a news story says what it is about. The other is the embedding of all windows, because some texts open with a
    page of something else. A window's weight is its cosine with the subject, relative to the nearest window's, to the
    power ``focus``. Attention-Seeker (arXiv 2409.10907) weights the segments of long documents by attention.

    Args:
        masks: Number of masks.
        dimension: Length ``d`` of a hidden state.
        phrases: Number of phrases to embed alone.
        focus: How fast windows count less the further they are from the subject.
    """

    name: ClassVar[PoolingName] = "mean"

    def __init__(self, masks: int, dimension: int, phrases: int, focus: float) -> None:
        super().__init__(masks, dimension, phrases)
        self._focus = focus
        self._means: dict[int, Floats] = {}
        self._counts: dict[int, int] = {}
        # What masks change in windows: window, masks (k,), sums of changes (k, d). Weights are known at the end only.
        self._changes: list[tuple[int, list[int], Floats]] = []
        self._shape = (masks, dimension)

    def pool_phrase(self, states: Floats) -> Floats:
        pooled: Floats = states.mean(axis=0, dtype=np.float64)
        return pooled

    def add(self, window: int, states: Floats) -> None:
        self._means[window] = states.mean(axis=0, dtype=np.float64)
        self._counts[window] = len(states)

    def replace(self, window: int, states: Floats, hidden: Iterable[Hidden]) -> None:
        masks, sums = _changes_in_window(states, hidden)
        if masks:
            self._changes.append((window, masks, sums.astype(np.float32)))  # differences: float32 has enough digits

    def add_change(self, window: int, mask: int, change: Floats) -> None:
        self._changes.append((window, [mask], change[None]))

    def finish(self) -> Embeddings:
        weights = self._weights()
        changes = np.zeros(self._shape)
        for window, masks, sums in self._changes:
            np.add.at(changes, masks, weights[window] * sums.astype(np.float64))
        total: Floats = np.zeros(self._shape[1])
        count = 0.0
        for window, weight in weights.items():
            total = total + weight * self._counts[window] * self._means[window]
            count += weight * self._counts[window]
        whole = count or 1.0
        share = count / sum(self._counts.values()) if self._counts else 1.0
        return Embeddings(total / whole, changes / whole, self._phrases, self._mean_contexts(), share)

    def _weights(self) -> dict[int, float]:
        """Each window's weight; that of the window nearest to the subject is 1."""
        order = sorted(self._means)
        if len(order) < 2:
            return dict.fromkeys(order, 1.0)
        means = np.stack([self._means[window] for window in order])
        counts = np.asarray([self._counts[window] for window in order], dtype=np.float64)
        units = _directions(means)
        subject = units[0] + _directions((counts[:, None] * means).sum(axis=0, keepdims=True))[0]
        near = np.maximum(0.0, units @ _directions(subject[None])[0])
        if near.max() <= 0:
            return dict.fromkeys(order, 1.0)
        return dict(zip(order, ((near / near.max()) ** self._focus).tolist(), strict=True))


def _directions(vectors: Floats) -> Floats:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = vectors / np.where(norms == 0, 1, norms)
    return scaled


class MaxPool(_Beside):
    """Maximum over all tokens, dimension by dimension (equation 1 of the paper).

    Args:
        masks: Number of masks.
        dimension: Length ``d`` of a hidden state.
        phrases: Number of phrases to embed alone.
    """

    name: ClassVar[PoolingName] = "max"

    def __init__(self, masks: int, dimension: int, phrases: int = 0) -> None:
        super().__init__(masks, dimension, phrases)
        self._windows: dict[int, Floats] = {}
        self._masked: list[dict[int, Floats]] = [{} for _ in range(masks)]
        self._dimension = dimension

    def pool_phrase(self, states: Floats) -> Floats:
        pooled: Floats = states.max(axis=0).astype(np.float64)
        return pooled

    def add(self, window: int, states: Floats) -> None:
        self._windows[window] = states.max(axis=0).astype(np.float64)

    def replace(self, window: int, states: Floats, hidden: Iterable[Hidden]) -> None:
        top = states.max(axis=0).astype(np.float64)
        winners = states.argmax(axis=0)
        for block in hidden:
            if not len(block.rows):
                continue
            masked = top.copy()
            # Only where a hidden row held the maximum must the other rows be asked again.
            lost = np.flatnonzero(np.isin(winners, block.rows))
            left = np.delete(states[:, lost], block.rows, axis=0)
            masked[lost] = left.max(axis=0, initial=-np.inf)
            self._masked[block.mask][window] = np.maximum(masked, block.states.max(axis=0))

    def add_change(self, window: int, mask: int, change: Floats) -> None:
        self._masked[mask][window] = change

    def finish(self) -> Embeddings:
        changes = np.zeros((len(self._masked), self._dimension))
        if not self._windows:
            return Embeddings(np.zeros(self._dimension), changes, self._phrases, self._mean_contexts())
        order = sorted(self._windows)
        tops = np.stack([self._windows[window] for window in order])
        document = tops.max(axis=0)
        index = {window: row for row, window in enumerate(order)}
        ordered = np.argsort(-tops, axis=0, kind="stable")  # (windows, d), for each dimension the highest first
        for mask, windows in enumerate(self._masked):
            if windows:
                hidden = np.zeros(len(order), dtype=np.bool_)
                hidden[[index[window] for window in windows]] = True
                masked = np.maximum(_highest_shown(tops, ordered, hidden), np.max(list(windows.values()), axis=0))
                changes[mask] = masked - document
        return Embeddings(document, changes, self._phrases, self._mean_contexts())


def _highest_shown(tops: Floats, ordered: Ints, hidden: Bools) -> Floats:
    """The maximum ``(d,)`` over the windows that are not hidden; only as many are looked at as are hidden, and one."""
    highest = np.full(tops.shape[1], -np.inf)
    open_ = np.arange(tops.shape[1])
    for row in ordered[: hidden.sum() + 1]:
        shown = ~hidden[row[open_]]
        highest[open_[shown]] = tops[row[open_[shown]], open_[shown]]
        open_ = open_[~shown]
        if not len(open_):
            break
    return highest


class ClsPool(_Beside):
    """Hidden state of the first token. For exact masking only: in one pass it attends to no mask.

    Args:
        masks: Number of masks.
        dimension: Length ``d`` of a hidden state.
        phrases: Number of phrases to embed alone.
    """

    name: ClassVar[PoolingName] = "cls"

    def __init__(self, masks: int, dimension: int, phrases: int = 0) -> None:
        super().__init__(masks, dimension, phrases)
        self._mean = MeanPool(masks, dimension)

    def pool_phrase(self, states: Floats) -> Floats:
        pooled: Floats = states[0].astype(np.float64)
        return pooled

    def add(self, window: int, states: Floats) -> None:
        self._mean.add(window, states[:1])

    def replace(self, window: int, states: Floats, hidden: Iterable[Hidden]) -> None:
        raise NotImplementedError("cls pooling exists in the exact form only")

    def add_change(self, window: int, mask: int, change: Floats) -> None:
        self._mean.add_change(window, mask, change)

    def finish(self) -> Embeddings:
        return replace(self._mean.finish(), phrases=self._phrases, contexts=self._mean_contexts())


def make_pool(name: PoolingName, masks: int, dimension: int, phrases: int = 0, focus: float = 0.0) -> Pool:
    """Make an empty pool for one document.

    Args:
        name: Name of the pooling.
        masks: Number of masks.
        dimension: Length ``d`` of a hidden state.
        phrases: Number of phrases to embed alone.
        focus: For mean pooling; see `FocusedMeanPool`. 0 counts all windows alike.

    Returns:
        The pool.
    """
    if name == "mean" and focus:
        return FocusedMeanPool(masks, dimension, phrases, focus)
    kinds: dict[PoolingName, type[MeanPool | MaxPool | ClsPool]] = {"mean": MeanPool, "max": MaxPool, "cls": ClsPool}
    return kinds[name](masks, dimension, phrases)

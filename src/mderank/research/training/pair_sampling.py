"""Pairs of phrases to compare: absolute and relative sampling (section 4 of the paper).

Everything random is a function of the seed and the position: the order of an epoch depends on (seed, epoch), and draws
from a document on (seed, epoch, document). Neither the number of processes nor a restart changes them, and the position
of a run is one number, its step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mderank.encoding.base import EncoderSpec, TokenizedText
from mderank.research.training.pseudo_labels import PseudoLabelledDocument
from mderank.research.training.recipe import Recipe
from mderank.research.training.settings import SamplingSettings
from mderank.util.arrays import Bools, Ints

IGNORED = -100  # the target of a token that the language model does not predict

# BERT's masking (Devlin et al. 2019, section 3.1).
_PREDICTED = 0.15  # share of the tokens
_MASKED, _RANDOM = 0.8, 0.1  # shares of those; the others are left as they are


@dataclass(frozen=True)
class Sample:
    """A document as the objective takes it, and the phrases of it that are compared.

    Attributes:
        ids: Token ids with special tokens. (n,)
        rows: For each of m phrases the rows of ``ids`` that it hides. m × (k,)
        better: ``better[i, j]`` is True if phrase ``i`` should rank above phrase ``j``. (m, m)
        mlm_ids: The document with some tokens hidden, for the masked language model. (n,)
        mlm_targets: The hidden tokens, IGNORED elsewhere. (n,)
    """

    ids: Ints
    rows: tuple[Ints, ...]
    better: Bools
    mlm_ids: Ints
    mlm_targets: Ints

    @property
    def blocks(self) -> Sequence[tuple[int, Ints]]:
        """The masks of a packed sequence, as `one_pass` takes them: number and hidden rows."""
        return list(enumerate(self.rows))

    @property
    def phrases(self) -> Sequence[tuple[int, Ints]]:
        """Phrases that are embedded by themselves: none."""
        return ()

    @property
    def length(self) -> int:
        """The number of tokens of the packed sequence."""
        return len(self.ids) + sum(map(len, self.rows))

    @property
    def pairs(self) -> int:
        """The number of comparisons."""
        return int(self.better.sum())


def epoch_order(seed: int, epoch: int, documents: Ints) -> Ints:
    """Shuffle the documents for an epoch.

    Args:
        seed: The recipe's seed.
        epoch: The epoch, from 0.
        documents: The numbers of the documents.

    Returns:
        The numbers in another order.
    """
    return np.random.default_rng([seed, 1, epoch]).permutation(documents)


def split_held_out(seed: int, documents: int, count: int) -> tuple[Ints, Ints]:
    """Draw the held-out documents, once for the whole run.

    Args:
        seed: The recipe's seed.
        documents: The number of documents.
        count: The number of documents to hold out.

    Returns:
        The numbers of the documents to train on, and those of the others; both in ascending order.
    """
    drawn = np.random.default_rng([seed, 0]).permutation(documents)
    return np.sort(drawn[count:]), np.sort(drawn[:count])


def step_documents(seed: int, step: int, batch: int, documents: Ints) -> list[tuple[int, int]]:
    """Return the documents of a step. Those that do not fill a last batch of an epoch are left out of it.

    Args:
        seed: The recipe's seed.
        step: The step, from 0.
        batch: Documents per step.
        documents: The numbers of the documents to train on.

    Returns:
        Epoch and document number of each.
    """
    epoch, index = divmod(step, len(documents) // batch)
    numbers = epoch_order(seed, epoch, documents)[index * batch : (index + 1) * batch]
    return [(epoch, int(number)) for number in numbers]


class Sampler:
    """Makes samples of labelled documents.

    Args:
        recipe: Sampling, objective and limits are used.
        spec: The encoder's.
        vocabulary: Number of tokens that the encoder knows.
    """

    def __init__(self, recipe: Recipe, spec: EncoderSpec, vocabulary: int) -> None:
        self._sampling = recipe.sampling
        self._triplet = recipe.objective.kind == "triplet"
        self._mlm = recipe.objective.mlm_weight > 0
        self._room = recipe.training.max_packed_tokens
        self._spec = spec
        self._tokens = min(recipe.training.max_tokens, spec.max_length) - (spec.max_length - spec.capacity)
        self._vocabulary = vocabulary

    def sample(self, document: PseudoLabelledDocument, pieces: TokenizedText, seed: Sequence[int]) -> Sample:
        """Choose the phrases of a document that are compared.

        Args:
            document: The document.
            pieces: Its tokens.
            seed: The key of its random draws.

        Returns:
            The sample. It has no pair if all phrases are beyond the limit of tokens.
        """
        rng = np.random.default_rng([*seed])
        spec = self._spec
        seen = pieces.upto(self._tokens)
        ids = spec.add_special_tokens(seen.ids)
        phrases = [
            (phrase.rank, hidden + len(spec.prefix))
            for phrase in document.phrases
            if len(hidden := _hidden_rows(seen, phrase.spans)) and len(hidden) < len(seen)
        ]
        ranks = np.asarray([_NONE if rank is None else rank for rank, _ in phrases], dtype=np.int64)
        rows = [each for _, each in phrases]
        kept = select_phrases(self._sampling, ranks, rows, rng)
        better = compare_ranks(self._sampling, ranks[kept])
        if not better.any() and self._sampling.kind != "unlabelled":  # nothing to compare
            kept, better = kept[:0], better[:0, :0]
        elif self._triplet:
            kept, better = _draw_pair(kept, better, rng)
        else:  # every phrase is in a pair with another
            kept, better = _select_fitting(kept, better, rows, self._room - len(ids))
        hidden, targets = self._hide_tokens(ids, rng) if self._mlm else (ids, np.full_like(ids, IGNORED))
        return Sample(ids, tuple(rows[index] for index in kept), better, hidden, targets)

    def _hide_tokens(self, ids: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """Hide the tokens that the language model predicts, and return what they were."""
        first, last = len(self._spec.prefix), len(ids) - len(self._spec.suffix)
        wanted = first + np.flatnonzero(rng.random(last - first) < _PREDICTED)
        if not len(wanted):
            wanted = rng.integers(first, last, 1)
        hidden, targets = ids.copy(), np.full_like(ids, IGNORED)
        targets[wanted] = ids[wanted]
        draws, words = rng.random(len(wanted)), rng.integers(0, self._vocabulary, len(wanted))
        hidden[wanted[draws < _MASKED]] = self._spec.mask_id
        random = (draws >= _MASKED) & (draws < _MASKED + _RANDOM)
        hidden[wanted[random]] = words[random]
        return hidden, targets


_NONE = np.iinfo(np.int64).max  # the rank of what θ does not rank


def _hidden_rows(pieces: TokenizedText, spans: Sequence[tuple[int, int]]) -> Ints:
    """Return the tokens that touch one of the spans."""
    return np.asarray(sorted({piece for place in pieces.touching(spans) for piece in place}), dtype=np.int64)


def select_phrases(sampling: SamplingSettings, ranks: Ints, rows: Sequence[Ints], rng: np.random.Generator) -> Ints:
    """Select the phrases that take part: all labels and, except in relative sampling, other candidates.

    Args:
        sampling: The recipe's settings.
        ranks: The rank of each phrase; a large number if it is not ranked. (m,)
        rows: The tokens that each phrase hides. m × (k,)
        rng: Draws the other candidates, if their number is limited.

    Returns:
        The indices of the selected phrases, labels first.
    """
    label = ranks < sampling.label_count
    if sampling.kind == "relative":
        return np.flatnonzero(label)
    others = np.flatnonzero(~label)
    if sampling.disjoint:
        taken = {row for index in np.flatnonzero(label).tolist() for row in rows[index].tolist()}
        apart = [index for index in others.tolist() if not taken.intersection(rows[index].tolist())]
        others = np.asarray(apart, dtype=np.int64)
    if sampling.negatives is not None and len(others) > sampling.negatives:
        others = rng.choice(others, sampling.negatives, replace=False)
    # Labels first, so that what does not fit into a sequence is what they are compared with.
    return np.concatenate([np.flatnonzero(label), others]).astype(np.int64)


def compare_ranks(sampling: SamplingSettings, ranks: Ints) -> Bools:
    """Decide which phrase should rank above which. Two forms of one label are not compared.

    Args:
        sampling: The recipe's settings.
        ranks: The rank of each phrase; a large number if it is not ranked. (m,)

    Returns:
        A matrix that is True at ``[i, j]`` if phrase ``i`` should rank above phrase ``j``. (m, m)
    """
    label = ranks < sampling.label_count
    across = label[:, None] & ~label[None]
    within = label[:, None] & label[None] & (ranks[:, None] < ranks[None])
    none = np.zeros_like(across)
    return {"absolute": across, "relative": within, "graded": across | within, "unlabelled": none}[sampling.kind]


def _draw_pair(kept: Ints, better: Bools, rng: np.random.Generator) -> tuple[Ints, Bools]:
    """Draw one pair at random: the paper's d⁺ and d⁻."""
    pairs = np.argwhere(better)
    pair = pairs[rng.integers(len(pairs))]
    return kept[pair], np.asarray([[False, True], [False, False]])


def _select_fitting(kept: Ints, better: Bools, rows: Sequence[Ints], room: int) -> tuple[Ints, Bools]:
    """Select the first phrases that fit into a sequence."""
    fits = np.cumsum([len(rows[index]) for index in kept]) <= room
    return kept[fits], better[fits][:, fits]

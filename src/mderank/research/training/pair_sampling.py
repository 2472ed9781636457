"""Which phrases of which documents are compared: absolute and relative sampling (section 4 of the paper).

Everything random is a function of the seed and of the place: the order of an epoch of (seed, epoch), what is drawn
from a document of (seed, epoch, document). So it does not matter how many processes there are, nor where one of them
began, and the position of a run is one number, its step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mderank.encoding.base import EncoderSpec, TokenizedText
from mderank.research.training.pseudo_labels import Labelled
from mderank.research.training.recipe import Recipe, Sampling
from mderank.util.arrays import Bools, Ints

IGNORED = -100  # the target of a token that the language model need not guess

# BERT's masking (Devlin et al. 2019, section 3.1).
_GUESSED = 0.15  # of the tokens
_MASKED, _RANDOM = 0.8, 0.1  # of those; the others stay as they are


@dataclass(frozen=True)
class Sample:
    """A document as the objective takes it, and the phrases of it that are compared.

    ``better[i, j]`` says that phrase ``i`` should rank above phrase ``j``.
    """

    ids: Ints  # (n,) with special tokens
    rows: tuple[Ints, ...]  # m times (k,): the rows of ``ids`` that each phrase hides
    better: Bools  # (m, m)
    mlm_ids: Ints  # (n,) the document with some tokens hidden, for the language model
    mlm_targets: Ints  # (n,) what they were, IGNORED elsewhere

    @property
    def blocks(self) -> Sequence[tuple[int, Ints]]:
        """The masks of a packed sequence."""
        return list(enumerate(self.rows))

    @property
    def phrases(self) -> Sequence[tuple[int, Ints]]:
        """Nothing is embedded by itself."""
        return ()

    @property
    def length(self) -> int:
        """Tokens of the packed sequence."""
        return len(self.ids) + sum(map(len, self.rows))

    @property
    def pairs(self) -> int:
        """How many comparisons there are."""
        return int(self.better.sum())


def order(seed: int, epoch: int, documents: Ints) -> Ints:
    """The documents of an epoch in the order in which they are learned from."""
    return np.random.default_rng([seed, 1, epoch]).permutation(documents)


def held_out(seed: int, documents: int, count: int) -> tuple[Ints, Ints]:
    """The documents to learn from, and ``count`` others, drawn once for the whole run."""
    drawn = np.random.default_rng([seed, 0]).permutation(documents)
    return np.sort(drawn[count:]), np.sort(drawn[:count])


def step_documents(seed: int, step: int, batch: int, documents: Ints) -> list[tuple[int, int]]:
    """The (epoch, document) pairs of a step. What is left over at the end of an epoch waits for the next order."""
    epoch, place = divmod(step, len(documents) // batch)
    chosen = order(seed, epoch, documents)[place * batch : (place + 1) * batch]
    return [(epoch, int(document)) for document in chosen]


class Sampler:
    """Makes samples of labelled documents."""

    def __init__(self, recipe: Recipe, spec: EncoderSpec, vocabulary: int) -> None:
        self._sampling = recipe.sampling
        self._triplet = recipe.objective.kind == "triplet"
        self._mlm = recipe.objective.mlm > 0
        self._room = recipe.training.longest
        self._spec = spec
        self._pieces = max(1, min(recipe.training.max_pieces, spec.max_length) - (spec.max_length - spec.capacity))
        self._vocabulary = vocabulary

    def sample(self, document: Labelled, pieces: TokenizedText, seed: Sequence[int]) -> Sample:
        """What is compared in ``document``; there is no pair if all of its phrases are beyond the limit."""
        rng = np.random.default_rng([*seed])
        spec = self._spec
        seen = pieces.upto(self._pieces)
        ids = spec.add_special_tokens(seen.ids)
        phrases = [
            (phrase.rank, hidden + len(spec.prefix))
            for phrase in document.phrases
            if len(hidden := _hidden(seen, phrase.spans)) and len(hidden) < len(seen)
        ]
        ranks = np.asarray([_NONE if rank is None else rank for rank, _ in phrases], dtype=np.int64)
        rows = [each for _, each in phrases]
        kept = chosen(self._sampling, ranks, rows, rng)
        better = comparisons(self._sampling, ranks[kept])
        if self._triplet:
            kept, better = _one_pair(kept, better, rng)
        else:
            compared = better.any(axis=0) | better.any(axis=1) | (self._sampling.kind == "unlabelled")
            kept, better = _fitting(kept, better, np.flatnonzero(compared), rows, self._room - len(ids))
        guessed, targets = self._hide(ids, rng) if self._mlm else (ids, np.full_like(ids, IGNORED))
        return Sample(ids, tuple(rows[index] for index in kept), better, guessed, targets)

    def _hide(self, ids: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
        """The tokens to guess hidden, and what they were."""
        first, last = len(self._spec.prefix), len(ids) - len(self._spec.suffix)
        wanted = first + np.flatnonzero(rng.random(last - first) < _GUESSED)
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


def _hidden(pieces: TokenizedText, spans: Sequence[tuple[int, int]]) -> Ints:
    """The pieces that touch one of the spans."""
    return np.asarray(sorted({piece for place in pieces.touching(spans) for piece in place}), dtype=np.int64)


def chosen(sampling: Sampling, ranks: Ints, rows: Sequence[Ints], rng: np.random.Generator) -> Ints:
    """The phrases that take part: all labels and, except in relative sampling, the others as the settings have it."""
    label = ranks < sampling.places
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


def comparisons(sampling: Sampling, ranks: Ints) -> Bools:
    """Which phrase should be above which ``(m, m)``. Two forms of one label are not compared."""
    label = ranks < sampling.places
    across = label[:, None] & ~label[None]
    within = label[:, None] & label[None] & (ranks[:, None] < ranks[None])
    none = np.zeros_like(across)
    return {"absolute": across, "relative": within, "graded": across | within, "unlabelled": none}[sampling.kind]


def _one_pair(kept: Ints, better: Bools, rng: np.random.Generator) -> tuple[Ints, Bools]:
    """One pair at random: the paper's d⁺ and d⁻."""
    pairs = np.argwhere(better)
    if not len(pairs):
        return kept[:0], better[:0, :0]
    pair = pairs[rng.integers(len(pairs))]
    return kept[pair], np.asarray([[False, True], [False, False]])


def _fitting(kept: Ints, better: Bools, used: Ints, rows: Sequence[Ints], room: int) -> tuple[Ints, Bools]:
    """Those that are used, as many of them as fit into a sequence."""
    sizes = np.asarray([len(rows[kept[index]]) for index in used], dtype=np.int64)
    used = used[np.cumsum(sizes) <= room]
    return kept[used], better[np.ix_(used, used)]

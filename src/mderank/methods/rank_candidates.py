"""Scores to keyphrases: sorting, variants, overlap, diversity. All methods rank in the same way."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mderank.document import Span
from mderank.keyphrase import Keyphrase
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.ranking import Dedupe, Diversity, Overlap, family_members, family_order, rank
from mderank.ranking.dedupe import Entry, form_key, forms, merge
from mderank.text import SEGMENTED
from mderank.variants import variant_key


def rank_candidates(
    item: ScoringInput,
    scored: CandidateScores,
    top_k: int | None,
    *,
    dedupe: Dedupe,
    overlap: Overlap,
    diversity: Diversity | None,
    min_score: float | None,
    keep: Callable[[int], bool],
) -> list[Keyphrase]:
    """Sort candidates, merge variants, leave out phrases that overlap, and diversify.

    Args:
        item: The document with its candidates.
        scored: Their scores.
        top_k: Number of keyphrases; None returns all.
        dedupe: Which surface forms are one keyphrase.
        overlap: How much keyphrases may overlap.
        diversity: How the best are selected; None for the order of their scores.
        min_score: The lowest score, after what a phrase loses by overlap.
        keep: Whether a candidate, by its index, meets the method's thresholds.

    Returns:
        The keyphrases, the best first.
    """
    candidates, scores = item.candidates, scored.scores
    ranked = scored.ranked if scored.ranked is not None else [True] * len(candidates)
    order = rank(scores.tolist(), [each.first for each in candidates], ranked)
    entries = merge(item.document, candidates, order, dedupe)
    first = [entry for entry in entries if ranked[entry[0]]]
    last = [entry for entry in entries[len(first) :] if keep(entry[0])]
    family = _Family(item, scored, first, overlap)
    least = -np.inf if min_score is None else min_score
    first = [
        entry
        for entry in family.entries
        if keep(entry[0]) and scores[entry[0]] - family.lost.get(entry[0], 0.0) >= least
    ]
    if diversity is not None and scored.vectors is not None:
        index = [best for best, _ in first]
        lowered = scores[index] - np.asarray([family.lost.get(best, 0.0) for best in index])
        taken = diversity.order(lowered, scored.vectors[index], top_k)
        first = [first[each] for each in taken]
    key = form_key(item.document, "variant")
    return [
        _keyphrase(item, scored, best, spans, key, family.related.get(best, ()), family.lost.get(best, 0.0))
        for best, spans in [*first, *last][:top_k]
    ]


class _Family:
    """The entries of a ranking without those that overlap a better one too much.

    Attributes:
        entries: what is left, in its new order.
        lost: what entries that were moved down lost of their score, by the index of their best candidate.
        related: the texts of entries that were left out, each under the best candidate of the first that it overlaps.
    """

    def __init__(self, item: ScoringInput, scored: CandidateScores, entries: list[Entry], overlap: Overlap) -> None:
        self.entries, self.lost, self.related = entries, dict[int, float](), dict[int, tuple[str, ...]]()
        if overlap == "any" or len(entries) < 2:
            return
        document = item.document
        texts = [forms(document, spans)[0] for _, spans in entries]
        keys = [
            variant_key(_spaced(item, best, text), document.language)
            for (best, _), text in zip(entries, texts, strict=True)
        ]
        best = [each for each, _ in entries]
        order, lost = family_order(
            scored.scores[best],
            keys,
            [item.candidates[each].unithood for each in best],
            [spans for _, spans in entries],
            overlap,
        )
        self.entries = [entries[index] for index in order]
        self.lost = {best[index]: loss for index, loss in lost.items()}
        self.related = {
            best[index]: tuple(texts[other] for other in others)
            for index, others in family_members(keys, order).items()
        }


def _spaced(item: ScoringInput, candidate: int, text: str) -> str:
    """The phrase with spaces between its words."""
    if item.document.language not in SEGMENTED:
        return text
    return " ".join(item.document.tokens[word].text for word in item.candidates[candidate].occurrences[0].words)


def _keyphrase(
    item: ScoringInput,
    scored: CandidateScores,
    best: int,
    spans: tuple[Span, ...],
    key: Callable[[str], str],
    related: tuple[str, ...],
    lost: float,
) -> Keyphrase:
    variants = forms(item.document, spans)
    return Keyphrase(
        variants[0],
        float(scored.scores[best]) - lost,
        float(scored.raw_scores[best]),
        spans,
        variants,
        item.candidates[best].match_count,
        _contributions(scored, best, lost),
        {name: values[best].item() for name, values in scored.features.items()},
        None if scored.confidences is None else float(scored.confidences[best]),
        related,
        item.candidates[best].concept,
        key(variants[0]),
    )


def _contributions(scored: CandidateScores, best: int, lost: float) -> dict[str, float]:
    """Return the terms of a score, with what the phrase lost because it is part of a better one."""
    terms = {name: float(values[best]) + 0.0 for name, values in scored.contributions.items()}  # never −0
    return {**terms, "overlap": -lost} if terms and lost else terms

"""Common parts of methods that take seeds: the similarity of each candidate to the nearest seed.

A seed is a phrase that says what the reader looks for. It need not stand in the text. It is embedded as the candidates
are, beside them, so that the document is read no second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar, Unpack

import numpy as np

from mderank.encoding import BUNDLED_MODEL, EmbeddingFunction, Embeddings, Encoder, TextEmbedder
from mderank.methods.encoder_base import EMBEDDING_MODEL, EncoderExtractor, EncoderOptions
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import Param, check_arguments
from mderank.ranking import SimilarityName, nearest_similarity
from mderank.seeds import check_seeds
from mderank.text import comparable, stem_phrase
from mderank.util.arrays import Bools, Floats


class GuidedOptions(EncoderOptions, total=False):
    """The options that all methods with seeds have."""

    seeds: Sequence[str]
    seed_weight: float | None


class GuidedExtractor(EncoderExtractor):
    """Base of the methods that take seeds.

    The score is (1 − w) · score without seeds + w · s(c), with s(c) the similarity of the candidate and the seed that
    is nearest to it. A candidate that is a seed, or a form of it, has the highest similarity, whatever the encoder.

    Args:
        model: As for `EncoderExtractor`.
        seeds: Phrases that pull the ranking towards a topic, in texts that come without seeds of their own.
        seed_weight: How much seeds count, from 0 (not at all) to 1 (nothing else counts); None for the method's own.
        options: Options of `EncoderExtractor`.

    Raises:
        ModelError: If the model cannot be loaded.
        OptionError: If an option has the wrong type, is out of range or does not suit the others.
    """

    takes_seeds: ClassVar[bool] = True
    default_seed_weight: ClassVar[float] = 0.5

    @check_arguments
    def __init__(
        self,
        model: Annotated[str | Path | Encoder | TextEmbedder | EmbeddingFunction, EMBEDDING_MODEL] = BUNDLED_MODEL,
        *,
        seeds: Sequence[str] = (),
        seed_weight: Annotated[float | None, Param(ge=0, le=1)] = None,
        **options: Unpack[EncoderOptions],
    ) -> None:
        super().__init__(model, **options)
        self.seeds = check_seeds(seeds)
        self.seed_weight = seed_weight

    def _seeds_of(self, item: ScoringInput) -> Sequence[str]:
        """The seeds of a text: its own, or the extractor's."""
        return self.seeds if item.guide is None or item.guide.seeds is None else item.guide.seeds

    def _weight_of(self, item: ScoringInput) -> float:
        """The weight of a text's seeds."""
        own = None if item.guide is None else item.guide.weight
        chosen = self.seed_weight if own is None else own
        return self.default_seed_weight if chosen is None else chosen

    def _near_seeds(
        self, item: ScoringInput, phrases: Floats, seeds: Floats, similarity: SimilarityName = "cosine"
    ) -> Floats:
        """Compare candidates with the seeds of a text.

        Args:
            item: The text with its candidates.
            phrases: Embeddings ``(m, d)`` of the candidates.
            seeds: Embeddings ``(s, d)`` of the seeds; at least one.
            similarity: How embeddings are compared.

        Returns:
            Similarities ``(m,)`` to the nearest seed.
        """
        same = 1.0 if similarity == "cosine" else 0.0
        return np.where(self._are_seeds(item), same, nearest_similarity(seeds, phrases, similarity))

    def _are_seeds(self, item: ScoringInput) -> Bools:
        """Whether each candidate ``(m,)`` is a seed, or a form of one."""
        language = item.document.language

        def key(phrase: str) -> str:
            return comparable(stem_phrase(phrase.lower(), language), language)

        seeds = {key(seed) for seed in self._seeds_of(item)}
        forms = (item.document.surface_form(each.occurrences[0].span) for each in item.candidates)
        return np.asarray([key(form) in seeds for form in forms], dtype=np.bool_)


def split_seeds(item: ScoringInput, embeddings: Embeddings) -> tuple[Embeddings, Floats]:
    """Take the seeds, which were embedded after the candidates, out of the phrases of a document.

    Args:
        item: The text with its candidates.
        embeddings: Its embeddings, with those of the candidates, then those of the seeds.

    Returns:
        The embeddings without the seeds, and those of the seeds ``(s, d)``.
    """
    count = len(item.candidates)
    if len(embeddings.phrases) == count:
        return embeddings, embeddings.phrases[:0]
    return replace(embeddings, phrases=embeddings.phrases[:count]), embeddings.phrases[count:]


def guide_scores(scored: CandidateScores, near: Floats, weight: float, scale: float = 1.0) -> CandidateScores:
    """Pull scores towards the seeds.

    Args:
        scored: Scores without seeds, with the terms that they are the sum of. The confidences stay those of these
            scores: readers who know of no seeds were asked.
        near: Similarity ``(m,)`` of each candidate to the nearest seed.
        weight: How much the seeds count, from 0 to 1.
        scale: Factor of the similarity, where scores have another range.

    Returns:
        The guided scores, with the term "seeds".
    """
    term = weight * scale * near
    kept = {name: (1 - weight) * each for name, each in scored.contributions.items()}
    return replace(
        scored,
        scores=(1 - weight) * scored.scores + term,
        contributions={**kept, "seeds": term},
        features={**scored.features, "seeds": near},
    )

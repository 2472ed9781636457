"""FusionRank: what one encoder pass and the text itself say of a phrase, added up.

MDERank asks how much the document changes without a phrase (Zhang et al. (2022), Findings of ACL), EmbedRank how near
the phrase is to the document (Bennani-Smires et al. (2018), CoNLL). One pass answers both, and tells besides how much
weight the encoder gives the phrase's own words. Where a phrase stands, how often, and how many words it has are
evidence too, as in PromptRank (Kong et al. (2023), ACL) and YAKE (Campos et al. (2020), Information Sciences).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Unpack

import numpy as np

from mderank.candidates import CandidateSource, Terms
from mderank.document import surface
from mderank.encoding import BUNDLED_MODEL, Embeddings, Encoder
from mderank.errors import OptionError
from mderank.masking import MaskAll
from mderank.methods.base import CandidateScores, ScoringInput
from mderank.methods.encoder_base import EncoderExtractor, EncoderOptions
from mderank.ranking import Overlap, closeness, compare
from mderank.ranking.dedupe import form_key
from mderank.util.arrays import Floats, Numbers

# Words after which a place begins to count as late; an abstract or a first paragraph is about as long.
_LEAD = 100
# How fast windows of long texts count less the further they are from its subject; see FocusedMeanPool.
_FOCUS = 10.0
_LONG = 1000  # words of a text after which further ones do not make its phrases less likely to be key
# Of a text of fewer words than this, phrases are left out that a reader would rather not accept: ten phrases of a
# greeting would be all its words.
_SHORT, _SURE = 50, 0.6
_USUAL = 3  # words that a keyphrase rarely exceeds
# What recurrences of a single word count, those of a longer phrase being 1: a term recurs, but so does any common word.
_SINGLE_RECURS = 0.5
_EACH_FURTHER = 1.0  # what each further word costs, that of a single word being 1
_TINY = 1e-30  # whose logarithm exists


@dataclass(frozen=True)
class Confidence:
    """The chance that a reader accepts a phrase: σ(slope · score − length · ln(n / 100) − single · [one word] − level).

    ``n`` are the words of the text, 1,000 at most: of a longer text fewer phrases are key, but what comes later still
    has a low score already.
    """

    slope: float
    length: float
    single: float
    level: float

    def of(self, scores: Floats, words: Numbers, text_words: Floats | int) -> Floats:
        """The chances of phrases of so many ``words`` in a text of so many words."""
        logits = (
            self.slope * scores
            - self.length * np.log(np.clip(text_words, 1, _LONG) / 100)
            - self.single * (words == 1)
            - self.level
        )
        chances: Floats = 1 / (1 + np.exp(-logits))
        return chances


WEIGHTS = {
    "closeness": 1.0,
    "change": 0.065,
    "emphasis": 0.18,
    "frequency": 0.15,
    "position": 0.2,
    "length": 0.1,
    "unithood": 1.0,
}
# Fitted to the everyday dataset by benchmarks/confidence.py; of these weights and the bundled encoder.
CONFIDENCE = Confidence(slope=4.56, length=0.16, single=1.11, level=1.77)


class FusionRank(EncoderExtractor):
    """Ranks the terms of a text by seven kinds of evidence, each in its own measure, added up.

    >>> extractor = FusionRank()
    >>> keyphrases = extractor.extract("Coral reefs feed fish. Warm water harms coral reefs.")
    >>> keyphrases[0].text, keyphrases[0].spans
    ('Coral reefs', (Span(start=0, end=11), Span(start=40, end=51)))

    1. Tag the text and find the candidates: terms and names, and the parts of them (`Terms`).
    2. In one encoder pass embed the document E(d), each candidate by itself E(c), and the document without each
       candidate E(d_c). Windows of a long text count less the further they are from its subject.
    3. Closeness: cos(E(d), E(c)).
    4. Change: ln(n² · (1 − cos(E(d), E(d_c)))) for a text of n tokens. What a mask changes falls with the
       square of the length, so that this can be compared between texts.
    5. Emphasis: ln |h_c|, the length of the candidate's mean state in the document. An encoder that averages its
       states makes those long that are to count for much.
    6. Frequency: ln f, with f the number of its places, half of that for a single word; "network" and "networks"
       count together.
    7. Position: − ln(1 + p / 100), with p the number of words before its first place.
    8. Length: − 1 for a single word, which is often too general, and for each word after the third.
    9. Unithood: how much of a unit the candidate is, 0 for one that stands by itself, less for a fragment (`Terms`).
    10. Score the sum of closeness and ``change``, ``emphasis``, ``frequency``, ``position``, ``length`` and
        ``unithood`` times the others.
    11. Of phrases that are part of each other keep few: ``overlap="little"``.
    12. With the default weights and the bundled encoder, give the chance that a reader accepts the phrase
        (`Confidence`); ``min_confidence`` leaves out phrases with a lower one. By default that is 0, and 0.6 for the
        terms of a text of fewer than 50 words.
    """

    default_candidates: ClassVar[CandidateSource] = Terms()
    default_overlap: ClassVar[Overlap] = "little"

    def __init__(
        self,
        model: str | Path | Encoder = BUNDLED_MODEL,
        *,
        change: float = WEIGHTS["change"],
        emphasis: float = WEIGHTS["emphasis"],
        frequency: float = WEIGHTS["frequency"],
        position: float = WEIGHTS["position"],
        length: float = WEIGHTS["length"],
        unithood: float = WEIGHTS["unithood"],
        min_confidence: float | None = None,
        **options: Unpack[EncoderOptions],
    ) -> None:
        super().__init__(model, **options)
        self.weights = {
            "closeness": 1.0,
            "change": change,
            "emphasis": emphasis,
            "frequency": frequency,
            "position": position,
            "length": length,
            "unithood": unithood,
        }
        if min_confidence is not None and not 0 <= min_confidence <= 1:
            raise OptionError(f"min_confidence is a chance between 0 and 1, not {min_confidence}")
        if min_confidence is not None and not self._calibrated():
            raise OptionError(
                "min_confidence is known for the bundled encoder and the default weights only: leave it out, or use "
                "min_score"
            )
        self.min_confidence = min_confidence

    def _calibrated(self) -> bool:
        """Whether scores are those that confidence was fitted to."""
        spec = self.encoder.spec
        as_fitted = (self.pooling, self.layer, self.similarity) == (spec.pooling, spec.layers, "cosine")
        return spec.name == BUNDLED_MODEL and as_fitted and not self.exact and self.weights == WEIGHTS

    def _meets_thresholds(self, reading: ScoringInput, scored: CandidateScores, candidate: int) -> bool:
        least = self.min_confidence
        if least is None:
            is_short = len(reading.document.tokens) < _SHORT and isinstance(self.candidates, Terms)
            least = _SURE if is_short else 0.0
        sure = scored.confidences is None or bool(scored.confidences[candidate] >= least)
        return sure and super()._meets_thresholds(reading, scored, candidate)

    def _score(self, readings: Sequence[ScoringInput]) -> list[CandidateScores]:
        masks = [MaskAll().masks(item.document, item.candidates) for item in readings]
        embeddings = self._embed(
            readings,
            masks=[[mask for (mask,) in own] for own in masks],
            phrases=[
                [surface(item.document, candidate.occurrences[0].span) for candidate in item.candidates]
                for item in readings
            ],
            focus=_FOCUS,
        )
        return [self._fused(reading, each) for reading, each in zip(readings, embeddings, strict=True)]

    def _fused(self, reading: ScoringInput, embeddings: Embeddings) -> CandidateScores:
        near, _ = closeness(embeddings.document, embeddings.phrases, self.similarity)
        _, changes = compare(embeddings.document, embeddings.changes, "cosine")
        lengths = np.linalg.norm(embeddings.contexts, axis=1)
        facts = {"closeness": near, "change": changes, "emphasis": lengths, **self._places(reading)}
        parts = self._evidence(facts, embeddings.share * len(reading.tokenized or ()))
        weighted = {name: weight * parts[name] for name, weight in self.weights.items()}
        scores: Floats = np.sum(list(weighted.values()), axis=0)
        sure = CONFIDENCE.of(scores, facts["length"], len(reading.document.tokens)) if self._calibrated() else None
        return CandidateScores(scores, near, embeddings.phrases, parts=weighted, facts=facts, confidences=sure)

    def _evidence(self, facts: dict[str, Numbers], tokens: float) -> dict[str, Floats]:
        """Each fact in its own measure, in a text of so many tokens."""
        return {
            "closeness": facts["closeness"].astype(np.float64),
            "change": np.log(np.maximum(facts["change"], _TINY)) + 2 * np.log(max(1.0, tokens)),
            "emphasis": np.log(np.maximum(facts["emphasis"], _TINY)),
            "frequency": np.log(facts["frequency"]) * np.where(facts["length"] == 1, _SINGLE_RECURS, 1.0),
            "position": -np.log1p(facts["position"] / _LEAD),
            "length": -np.where(facts["length"] == 1, 1.0, _EACH_FURTHER * np.maximum(0, facts["length"] - _USUAL)),
            "unithood": facts["unithood"].astype(np.float64),
        }

    def _places(self, reading: ScoringInput) -> dict[str, Numbers]:
        """How often and how early, of each candidate and its variants, and how many words."""
        document = reading.document
        key = form_key(document, "variant")
        keys = [key(surface(document, each.occurrences[0].span)) for each in reading.candidates]
        counts: dict[str, int] = {}
        firsts: dict[str, int] = {}
        for name, each in zip(keys, reading.candidates, strict=True):
            counts[name] = counts.get(name, 0) + len(each.occurrences)
            firsts[name] = min(firsts.get(name, each.occurrences[0].words.start), each.occurrences[0].words.start)
        return {
            "frequency": np.asarray([counts[name] for name in keys], dtype=np.int64),
            "position": np.asarray([firsts[name] for name in keys], dtype=np.int64),
            "length": np.asarray([len(each.key.split()) for each in reading.candidates], dtype=np.int64),
            "unithood": np.asarray([each.unithood for each in reading.candidates], dtype=np.float64),
        }

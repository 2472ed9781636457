"""FusionRank: one encoder pass and the text itself, as a weighted sum of features.

MDERank measures how much the document changes without a phrase (Zhang et al. (2022), Findings of ACL). EmbedRank
measures how near the phrase is to the document (Bennani-Smires et al. (2018), CoNLL). One encoder pass gives both, and
the norm of the phrase's hidden state. Position, frequency and number of words are features too, as in PromptRank (Kong
et al. (2023), ACL) and YAKE (Campos et al. (2020), Information Sciences).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, ClassVar, Unpack

import numpy as np

from mderank.candidates import CandidateSource, Terms
from mderank.candidates.base import ListedSource
from mderank.encoding import BUNDLED_MODEL, Embeddings, Encoder
from mderank.errors import OptionError
from mderank.keyphrase import LanguageInfo
from mderank.masking import MaskAll
from mderank.methods.encoder_base import MODEL
from mderank.methods.guided import GuidedExtractor, GuidedOptions, guide_scores, split_seeds
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.methods.style_features import STYLE_FEATURES, style_features
from mderank.parameters import Param, check_arguments
from mderank.ranking import Overlap, centred_similarity, masked_similarity, phrase_similarity
from mderank.ranking.dedupe import form_key
from mderank.style import Style, load_style
from mderank.util.arrays import Floats, Numbers
from mderank.util.environment import encoder_sha256

# Words after which an occurrence begins to count as late: about the length of an abstract or a first paragraph.
_LEAD = 100
# How fast windows of a long text count less the further they are from its subject; see FocusedMeanPool.
_FOCUS = 10.0
_LONG = 1000  # words of a text after which further ones do not make its phrases less likely to be key
# Of a text of fewer words than this, phrases are left out that a reader would rather not accept: ten phrases of a
# greeting would be all its words.
_SHORT, _SURE = 50, 0.6
_USUAL = 3  # words that a keyphrase rarely exceeds
# Factor of a single word's recurrences, relative to a longer phrase: a term recurs, but so does any common word.
_SINGLE_RECURS = 0.5
_EACH_FURTHER = 1.0  # cost of each further word, relative to that of a single word
# Factor of the similarity to the seeds: cosines of phrases spread less than scores do.
_SEED_SCALE = 2.0
_TINY = 1e-30  # smallest number that a logarithm is taken of


@dataclass(frozen=True)
class Confidence:
    """Model of the chance that a reader accepts a phrase.

    The chance is σ(slope · score − length · ln(n / 100) − single · [one word] − level) in a text of n words, of which
    at most 1,000 count. In a longer text fewer phrases are key, but later phrases have a low score already.

    Attributes:
        slope: Factor of the score.
        length: Factor of the logarithm of the text's length.
        single: Malus of a single word.
        level: Constant.
    """

    slope: float
    length: float
    single: float
    level: float

    def estimate(self, scores: Floats, words: Numbers, text_words: Floats | int) -> Floats:
        """Estimate the chance that a reader accepts each phrase.

        Args:
            scores: Scores ``(m,)`` of phrases.
            words: Numbers of words ``(m,)`` of these phrases.
            text_words: Number of words of the text, or of each phrase's text ``(m,)``.

        Returns:
            Chances ``(m,)`` between 0 and 1.
        """
        logits = (
            self.slope * scores
            - self.length * np.log(np.clip(text_words, 1, _LONG) / 100)
            - self.single * (words == 1)
            - self.level
        )
        chances: Floats = 1 / (1 + np.exp(-logits))
        return chances


@dataclass(frozen=True)
class FusionWeights:
    """Weights of the terms that `FusionRank` sums.

    The other weights are relative to that of the similarity. They were chosen on the tuning datasets.

    Attributes:
        similarity: Weight of the cosine of phrase and document.
        mask_effect: Weight of the change of the document when the phrase is masked.
        norm: Weight of the norm of the phrase's hidden state.
        frequency: Weight of the number of occurrences.
        position: Weight of the position of the first occurrence.
        length: Weight of the number of words.
        unithood: Weight of how much of a unit the phrase is.
    """

    similarity: float = 1.0
    mask_effect: Annotated[float, Param(help="Weight of the change of the document when the phrase is masked.")] = 0.065
    norm: Annotated[float, Param(help="Weight of the norm of the phrase's hidden state.")] = 0.18
    frequency: Annotated[float, Param(help="Weight of the number of occurrences.")] = 0.15
    position: Annotated[float, Param(help="Weight of the position of the first occurrence.")] = 0.2
    length: Annotated[float, Param(help="Weight of the number of words.")] = 0.1
    unithood: Annotated[float, Param(help="Weight of how much of a unit the phrase is.")] = 1.0


# What the default weights are for a text that is not English, whatever the encoder; chosen on French and Portuguese
# texts. The bundled encoder knows few of their words, so that the similarity says less, and counts more.
WEIGHTS_OF_OTHER_LANGUAGES = FusionWeights(
    similarity=0.4, mask_effect=0.065, norm=0.2, frequency=0.3, position=0.25, length=0.05, unithood=0.5
)
# An encoder that knows no words of a language reads it letter by letter, or as unknown words. The English one has 0.22
# tokens per character of English, 0.33 of French, 0.96 of Russian, 0.02 of Thai. Then only the mask effect is of use.
_FEWEST_TOKENS, _MOST_TOKENS = 0.1, 0.8
WEIGHTS_OF_UNKNOWN_LANGUAGES = replace(WEIGHTS_OF_OTHER_LANGUAGES, similarity=0.0, norm=0.0)

# All features by the names that a style has.
FEATURES = (*(each.name for each in fields(FusionWeights)), *STYLE_FEATURES)
STYLE = Param(expects="the name of a style, its file, or a Style")

# Fitted to the everyday dataset by benchmarks/confidence.py, for these weights and the bundled encoder.
CONFIDENCE = Confidence(slope=4.56, length=0.16, single=1.11, level=1.77)


class FusionRank(GuidedExtractor):
    """Ranks the terms of a text by the weighted sum of seven features.

    >>> extractor = FusionRank()
    >>> keyphrases = extractor.extract("Coral reefs feed fish. Warm water harms coral reefs.")
    >>> keyphrases[0].text, keyphrases[0].spans
    ('Coral reefs', (Span(start=0, end=11), Span(start=40, end=51)))

    1. Tag the text and find the candidates: terms and names, and the parts of them (`Terms`).
    2. In one encoder pass embed the document E(d), each candidate alone E(c), and the document without each
       candidate E(d_c). Windows of a long text count less the further they are from its subject.
    3. Similarity: cos(E(d), E(c)). Of an anisotropic encoder (`EncoderSpec`) cos(E(d) − μ, E(c) − μ), with μ the mean
       of all E(c): its other cosines lie too close together to be told apart.
    4. Mask effect: ln(n² · (1 − cos(E(d), E(d_c)))) for a text of n tokens. The effect of a mask falls with the
       square of the length; the factor n² makes it comparable between texts.
    5. Norm: ln |h_c|, with h_c the mean hidden state of the candidate in the document. Encoders trained with mean
       pooling give important words hidden states with a larger norm. Of an anisotropic encoder ln |h_c − E(d)|: its
       states have one norm, and important words are far from the mean.
    6. Frequency: ln f, with f the number of occurrences; half of that for a single word. "network" and "networks"
       count together.
    7. Position: − ln(1 + p / 100), with p the number of words before the first occurrence.
    8. Length: − 1 for a single word, which is often too general, and − 1 for each word after the third.
    9. Unithood: how much of a unit the candidate is, 0 for one that occurs alone, less for a fragment (`Terms`).
    10. Score the sum of these terms, each times its weight (``weights``). The default weights of English are those of
        `FusionWeights`. Texts of other languages have weights of their own. In a language that the encoder has no words
        of, similarity and norm do not count.
    11. Keep few of the phrases that are part of each other: ``overlap="little"``.
    12. With the default weights, the bundled encoder and an English text, estimate the chance that a reader accepts
        the phrase (`Confidence`). ``min_confidence`` leaves out phrases with a lower one. By default it is 0, and 0.6
        for the terms of a text of fewer than 50 words.
    13. With ``seeds``, embed them beside the candidates and score (1 − w) · score + 2w · cos(E(s), E(c)), with s the
        nearest seed and w their weight. The confidence stays that of the score without seeds.

    A ``style`` replaces the weights by learned ones, adds the features of `style_features`, and has an overlap, a
    lowest score and a confidence of its own (`Style`).

    Args:
        model: Name or folder of a model, or an `Encoder`; see `load_encoder`.
        weights: Weights of the terms that are summed; ``FusionWeights()`` for the default ones of the text's language.
        style: A learned style: a `Style`, the name of one that is part of mderank, or a file of ``mderank tune``.
        min_confidence: The lowest chance that a reader accepts a phrase, from 0 to 1; None for the default of step 12.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for `Terms`.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "little", and for "any" with a
            list of phrases.
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.
        pooling: How hidden states become an embedding: "mean", "max" or "cls"; None for what suits the encoder.
        layer: Number of the layer; negative numbers count from the last. None for the last.
        similarity: How embeddings are compared: "cosine" or "euclidean".
        exact: Encode every masked variant whole, as in MDERank's paper, which takes many times longer.
        batch_tokens: Number of tokens that exact masking computes at once; None for what suits the device.
        max_tokens: Number of tokens of a text to read, special tokens included; None for all.
        seeds: Phrases that pull the ranking towards a topic, in texts that come without seeds of their own.
        seed_weight: How much seeds count, from 0 (not at all) to 1 (nothing else counts); None for 0.5.

    Raises:
        ModelError: If the model cannot be loaded.
        InputError: If the style cannot be read.
        OptionError: If an option has the wrong type, is out of range or does not suit the others. Also if
            ``min_confidence`` is given with other weights or another encoder than it was fitted to, or a style with
            another encoder than it was learned with.
    """

    default_candidates: ClassVar[CandidateSource] = Terms()
    default_overlap: ClassVar[Overlap] = "little"

    @check_arguments
    def __init__(
        self,
        model: Annotated[str | Path | Encoder, MODEL] = BUNDLED_MODEL,
        *,
        weights: Annotated[FusionWeights, Param(expects="FusionWeights(norm=0.3, …)")] = FusionWeights(),
        style: Annotated[Style | str | Path | None, STYLE] = None,
        min_confidence: Annotated[float | None, Param(ge=0, le=1)] = None,
        **options: Unpack[GuidedOptions],
    ) -> None:
        super().__init__(model, **options)
        self.weights = weights
        self.style = load_style(style) if isinstance(style, str | Path) else style
        if self.style is not None:
            self._check_style(self.style)
            listed = isinstance(self.candidates, ListedSource) and self.candidates.is_closed
            if options.get("overlap") is None and not listed:
                self.overlap = self.style.overlap
        if min_confidence is not None and not self._has_confidence():
            raise OptionError(
                "min_confidence is known for the bundled encoder and the default weights only: leave it out, or use "
                "min_score"
            )
        self.min_confidence = min_confidence

    def _check_style(self, style: Style) -> None:
        """Refuse a style that was learned with other features or another encoder."""
        if self.weights != FusionWeights():
            raise OptionError(f"the style '{style.name}' has weights of its own: leave out style or weights")
        unknown = [name for name in style.weights if name not in FEATURES]
        if unknown:
            raise OptionError(
                f"the style '{style.name}' weighs '{unknown[0]}', which this version does not know: learn it again "
                "(mderank tune)"
            )
        spec = self.encoder.spec
        same = (style.encoder, style.encoder_sha256) == (spec.name, encoder_sha256(self.encoder))
        if not same or not self._measures_as_fitted():
            raise OptionError(
                f"the style '{style.name}' was learned with the encoder '{style.encoder}' in one pass, not with "
                f"'{spec.name}' as it is used here: leave out the options of the encoder, or learn a style with them "
                "(mderank tune)"
            )

    def _measures_as_fitted(self) -> bool:
        """Whether features are computed as they were when weights were chosen."""
        spec = self.encoder.spec
        as_fitted = (self.pooling, self.layer, self.similarity) == (spec.pooling, spec.layers, "cosine")
        return as_fitted and not self.exact

    def _is_calibrated(self) -> bool:
        """Whether scores are those that the confidence was fitted to."""
        as_fitted = self.encoder.spec.name == BUNDLED_MODEL and self._measures_as_fitted()
        return as_fitted and self.weights == FusionWeights() and self.style is None

    def _has_confidence(self) -> bool:
        return self._is_calibrated() if self.style is None else self.style.confidence is not None

    def _lowest_score(self, scored: CandidateScores) -> float | None:
        if self.min_score is not None or self.style is None or self.style.min_score is None:
            return self.min_score
        return min(self.style.min_score, float(scored.scores.max(initial=-np.inf)))  # the best is always given

    def _meets_thresholds(self, item: ScoringInput, scored: CandidateScores, candidate: int) -> bool:
        least = self.min_confidence
        if least is None and self.style is not None:
            least = 0.0
        if least is None:
            is_short = len(item.document.tokens) < _SHORT and isinstance(self.candidates, Terms)
            least = _SURE if is_short else 0.0
        sure = scored.confidences is None or bool(scored.confidences[candidate] >= least)
        return sure and super()._meets_thresholds(item, scored, candidate)

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        masks = [MaskAll().masks(item.document, item.candidates) for item in inputs]
        embeddings = self._embed(
            inputs,
            masks=[[mask for (mask,) in own] for own in masks],
            phrases=[
                [
                    *(item.document.surface_form(candidate.occurrences[0].span) for candidate in item.candidates),
                    *self._seeds_of(item),
                ]
                for item in inputs
            ],
            focus=_FOCUS,
        )
        return [self._guide(item, *split_seeds(item, each)) for item, each in zip(inputs, embeddings, strict=True)]

    def _guide(self, item: ScoringInput, embeddings: Embeddings, seeds: Floats) -> CandidateScores:
        """Score the candidates of a text, with its seeds if it has any."""
        scored = self._fuse(item, embeddings)
        if not len(seeds):
            return scored
        phrases = embeddings.phrases
        if self.encoder.spec.anisotropic:
            common = phrases.mean(axis=0)
            phrases, seeds = phrases - common, seeds - common
        near = self._near_seeds(item, phrases, seeds)
        if self._weights_for(item) is WEIGHTS_OF_UNKNOWN_LANGUAGES:
            near = self._are_seeds(item).astype(np.float64)
        return guide_scores(scored, near, self._weight_of(item), _SEED_SCALE)

    def _fuse(self, item: ScoringInput, embeddings: Embeddings) -> CandidateScores:
        near, lengths = self._compare(embeddings)
        _, changes = masked_similarity(embeddings.document, embeddings.changes, "cosine")
        features = {"similarity": near, "mask_effect": changes, "norm": lengths, **self._count_features(item)}
        terms = self._scale_features(features, embeddings.share * len(item.tokenized or ()))
        weights: Mapping[str, float] = asdict(self._weights_for(item))
        if self.style is not None:
            own = style_features(item, embeddings, terms, self.style.labels)
            terms, features = {**terms, **own}, {**features, **own}
            weights = {name: self.style.weights[name] for name in FEATURES if name in self.style.weights}
        weighted = {name: weight * terms[name] for name, weight in weights.items()}
        scores: Floats = np.sum(list(weighted.values()), axis=0)
        calibrated = item.document.language == "en" or self.style is not None
        confidences = (
            self._estimate_confidences(scores, features["length"], len(item.document.tokens)) if calibrated else None
        )
        return CandidateScores(
            scores, near, embeddings.phrases, contributions=weighted, features=features, confidences=confidences
        )

    def _describe_language(self, item: ScoringInput) -> LanguageInfo:
        known = super()._describe_language(item)
        if not self.min_confidence or known.code == "en" or self.style is not None:
            return known
        unknown = "confidence is known for English texts only: min_confidence leaves nothing out here; min_score does"
        return replace(known, warnings=(*known.warnings, unknown))

    def _warn_of_language(self, item: ScoringInput) -> str:
        name = self.encoder.spec.name
        if self._weights_for(item) is WEIGHTS_OF_UNKNOWN_LANGUAGES:
            return f"the encoder '{name}' has no words of this language: only the effect of masking is taken from it"
        if name == BUNDLED_MODEL:
            return f"the encoder '{name}' is for English: it has less weight than frequency and position"
        return ""

    def _weights_for(self, item: ScoringInput) -> FusionWeights:
        """The weights of the user, or the default ones of the text's language and of how the encoder reads it."""
        if item.document.language == "en" or self.weights != FusionWeights():
            return self.weights
        letters = sum(map(len, item.document.text.split()))
        knows = _FEWEST_TOKENS * letters <= len(item.tokenized or ()) <= _MOST_TOKENS * letters
        return WEIGHTS_OF_OTHER_LANGUAGES if knows else WEIGHTS_OF_UNKNOWN_LANGUAGES

    def _compare(self, embeddings: Embeddings) -> tuple[Floats, Floats]:
        """Compute the similarity and the norm of each candidate; for an anisotropic encoder without the common part."""
        if self.encoder.spec.anisotropic and self.similarity == "cosine":
            near = centred_similarity(embeddings.document, embeddings.phrases)
            return near, np.linalg.norm(embeddings.contexts - embeddings.document, axis=1)
        near, _ = phrase_similarity(embeddings.document, embeddings.phrases, self.similarity)
        return near, np.linalg.norm(embeddings.contexts, axis=1)

    def _estimate_confidences(self, scores: Floats, words: Numbers, text_words: int) -> Floats | None:
        if self.style is not None and self.style.confidence is not None:
            chances: Floats = 1 / (1 + np.exp(-(self.style.confidence.slope * scores + self.style.confidence.level)))
            return chances
        return CONFIDENCE.estimate(scores, words, text_words) if self._is_calibrated() else None

    def _scale_features(self, features: dict[str, Numbers], tokens: float) -> dict[str, Floats]:
        """Scale each feature so that it can be summed, in a text of so many tokens."""
        return {
            "similarity": features["similarity"].astype(np.float64),
            "mask_effect": np.log(np.maximum(features["mask_effect"], _TINY)) + 2 * np.log(max(1.0, tokens)),
            "norm": np.log(np.maximum(features["norm"], _TINY)),
            "frequency": np.log(features["frequency"]) * np.where(features["length"] == 1, _SINGLE_RECURS, 1.0),
            "position": -np.log1p(features["position"] / _LEAD),
            "length": -np.where(
                features["length"] == 1, 1.0, _EACH_FURTHER * np.maximum(0, features["length"] - _USUAL)
            ),
            "unithood": features["unithood"].astype(np.float64),
        }

    def _count_features(self, item: ScoringInput) -> dict[str, Numbers]:
        """Count occurrences, position and words of each candidate, its variants together."""
        document = item.document
        key = form_key(document, "variant")
        keys = [key(document.surface_form(each.occurrences[0].span)) for each in item.candidates]
        counts: dict[str, int] = {}
        firsts: dict[str, int] = {}
        for name, each in zip(keys, item.candidates, strict=True):
            counts[name] = counts.get(name, 0) + len(each.occurrences)
            firsts[name] = min(firsts.get(name, each.occurrences[0].words.start), each.occurrences[0].words.start)
        return {
            "frequency": np.asarray([counts[name] for name in keys], dtype=np.int64),
            "position": np.asarray([firsts[name] for name in keys], dtype=np.int64),
            "length": np.asarray([len(each.key.split()) for each in item.candidates], dtype=np.int64),
            "unithood": np.asarray([each.unithood for each in item.candidates], dtype=np.float64),
        }

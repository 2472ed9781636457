"""SIFRank and SIFRank+: phrases that are near the document, both as means of contextual word vectors, rare words first.

Sun et al. (2020), "SIFRank: A new baseline for unsupervised keyphrase extraction based on pre-trained language model",
IEEE Access 8. The authors' vectors are ELMo's (``model=`` a folder with its files); any encoder will do. What the
paper leaves open is as in the authors' code: which words make the document, and how positions are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Unpack

import numpy as np

from mderank.candidates.base import is_word
from mderank.candidates.stopwords import stop_words_of
from mderank.document import Document, Span, Tagset
from mderank.encoding import BUNDLED_MODEL, Encoder
from mderank.errors import OptionError
from mderank.keyphrase import Candidate
from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.encoder_base import checked_layer
from mderank.methods.frequencies import WordFrequencies, general_frequency, inverse, require_wordfreq
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.methods.sifrank.load import load_word_encoder
from mderank.methods.sifrank.word_encoder import WordEncoder
from mderank.parameters import Param, check_arguments
from mderank.ranking import phrase_similarity
from mderank.util.arrays import Floats, Ints

# The words that a document is about.
_TAGS: dict[Tagset, frozenset[str]] = {
    "penn": frozenset("NN NNS NNP NNPS JJ VBG".split()),
    "universal": frozenset("NOUN PROPN ADJ".split()),
    "words": frozenset("WORD LOWER".split()),
}


WORD_MODEL = Param(expects="the name of a model, its folder, an Encoder, or a WordEncoder")


class SIFRankOptions(BaseOptions, total=False):
    """The options of SIFRank, which SIFRank+ has too."""

    domain: WordFrequencies | None
    layer: int | None
    average_layers: bool
    a: float
    mix: float | None
    segment: int | None
    alignment: bool


class SIFRank(BaseExtractor):
    """Ranks the phrases of a text by how near they are to it, as means of word vectors weighted by rarity.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Cut the text into segments of whole sentences, at least ``segment`` words each (document segmentation), and
       have each of them encoded. ``layer``: whose states are taken; ``average_layers``: the mean of all.
    3. With ``alignment``, a word's vector is the mean over its occurrences in the document (embeddings alignment).
    4. A word's weight is a / (a + f), with f its frequency in the language. With the frequencies of a ``domain`` it is
       mix · a / (a + f) + (1 − mix) · a / (a + f_domain); ``mix`` is 0.6 if not given.
    5. The document is the weighted mean of its nouns, adjectives and gerunds, a candidate that of its words.
    6. Score their cosine, the mean over the candidate's occurrences.

    Args:
        model: Name or folder of a model, also ELMo's, an `Encoder` or a `WordEncoder`.
        domain: Word frequencies of a corpus of the domain; None for those of the language alone.
        layer: Number of the layer; negative numbers count from the last. None for the encoder's own choice.
        average_layers: Whether the mean of all layers is used; it excludes ``layer``.
        a: Smoothing parameter of the weight a / (a + f) of a word.
        mix: Weight of the language beside the domain, from 0 to 1; None for 0.6. It needs ``domain``.
        segment: Minimum number of words of a segment that is encoded alone; None encodes the text whole.
        alignment: Whether a word's vector is the mean over its occurrences.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        MissingExtraError: If the frequencies of the language are needed and the package wordfreq is missing.
        ModelError: If the model cannot be loaded.
        OptionError: If an option has the wrong type, is out of range or does not suit the others.
    """

    has_vectors: ClassVar[bool] = True
    load_model: ClassVar[Callable[..., WordEncoder]] = staticmethod(load_word_encoder)

    @check_arguments
    def __init__(
        self,
        model: Annotated[str | Path | Encoder | WordEncoder, WORD_MODEL] = BUNDLED_MODEL,
        *,
        domain: WordFrequencies | None = None,
        layer: int | None = None,
        average_layers: Annotated[bool, Param(help="Use the mean of all layers.")] = False,
        a: Annotated[float, Param(gt=0, help="Smoothing of word weights a / (a + f); 0.001 to 0.0001.")] = 2.7e-4,
        mix: Annotated[float | None, Param(ge=0, le=1, help="Weight of the language beside the domain.")] = None,
        segment: Annotated[int | None, Param(ge=1, help="Least words of a segment that is encoded alone.")] = 16,
        alignment: Annotated[bool, Param(help="Use the mean vector of a word's occurrences.")] = True,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        if mix is not None and domain is None:
            raise OptionError("mix weighs a corpus of the domain: give one too (domain=..., --frequencies PATH)")
        if average_layers and layer is not None:
            raise OptionError("layer and average_layers exclude each other: give one of them")
        self.domain = domain
        self.a = a
        self.mix = 1.0 if domain is None else 0.6 if mix is None else mix
        if self.mix > 0:
            require_wordfreq()
        self.segment = segment
        self.alignment = alignment
        self.encoder: WordEncoder = load_word_encoder(model)
        spec = self.encoder.spec
        chosen = spec.layer if layer is None else checked_layer(layer, spec.layers, spec.name)
        self.layer = None if average_layers else chosen

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        return [self._score_one(item.document, item.candidates) for item in inputs]

    def _score_one(self, document: Document, candidates: Sequence[Candidate]) -> CandidateScores:
        if not candidates:
            return CandidateScores(np.zeros(0), np.zeros(0))
        kinds, vectors = self._vectors(document)
        weights = self._weights(document)
        content = _content(document)
        about = np.bincount(kinds[content], weights[content], minlength=len(vectors)) @ vectors
        cosines = np.zeros(len(candidates))
        means = np.zeros((len(candidates), vectors.shape[1]))
        for number, each in enumerate(candidates):
            # Aligned vectors are the same at every place of a phrase.
            places = Counter(
                (tuple(kinds[place.words].tolist()), tuple(weights[place.words].tolist())) for place in each.occurrences
            )
            phrases = np.stack([np.asarray(weight) @ vectors[list(kind)] / len(kind) for kind, weight in places])
            share = np.asarray(list(places.values())) / places.total()
            cosines[number] = share @ phrase_similarity(about, phrases, "cosine")[0]
            means[number] = share @ phrases
        return CandidateScores(self._scores(cosines, candidates), cosines, means)

    def _scores(self, cosines: Floats, candidates: Sequence[Candidate]) -> Floats:
        """What the candidates are ranked by."""
        return cosines

    def _vectors(self, document: Document) -> tuple[Ints, Floats]:
        """The kind of each word ``(n,)``, and the vector of each kind ``(k, d)``: one a word if nothing is aligned."""
        if self.alignment:
            known: dict[str, int] = {}
            kinds = np.asarray([known.setdefault(token.text.lower(), len(known)) for token in document.tokens])
        else:
            kinds = np.arange(len(document.tokens))
        sums = np.zeros((int(kinds.max()) + 1, self.encoder.spec.dimension))
        counts = np.zeros(len(sums))
        words = [Span(token.start, token.end) for token in document.tokens]
        breaks = document.sentence_ends()
        segments = _segments(words, breaks, self.segment)
        for some, states in self.encoder.word_states(document.text, words, segments, breaks, self.layer):
            np.add.at(sums, kinds[some], states)
            np.add.at(counts, kinds[some], 1)
        return kinds, sums / np.maximum(1, counts)[:, None]

    def _weights(self, document: Document) -> Floats:
        """The weight of each word ``(n,)``, 0 for what is none."""
        language = document.language
        return np.asarray(
            [self._weight(token.text.lower(), language) if is_word(token) else 0.0 for token in document.tokens]
        )

    def _weight(self, word: str, language: str) -> float:
        weight = self.mix * inverse(general_frequency(word, language), self.a) if self.mix > 0 else 0.0
        return weight if self.domain is None else weight + (1 - self.mix) * inverse(self.domain.frequency(word), self.a)


class SIFRankPlus(SIFRank):
    """SIFRank for long texts, which prefers phrases that occur early.

    Steps 1 to 6 are those of `SIFRank`.

    7. The candidate's position p is the number of phrases in the text up to its first occurrence, itself counted.
    8. Score softmax(1 / (p + bias)), over the candidates, times (1 + cosine) / 2.

    Args:
        model: Name or folder of a model, also ELMo's, an `Encoder` or a `WordEncoder`.
        bias: The larger it is, the less early phrases are preferred.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.
        domain: Word frequencies of a corpus of the domain; None for those of the language alone.
        layer: Number of the layer; negative numbers count from the last. None for the encoder's own choice.
        average_layers: Whether the mean of all layers is used; it excludes ``layer``.
        a: Smoothing parameter of the weight a / (a + f) of a word.
        mix: Weight of the language beside the domain, from 0 to 1; None for 0.6. It needs ``domain``.
        segment: Minimum number of words of a segment that is encoded alone; None encodes the text whole.
        alignment: Whether a word's vector is the mean over its occurrences.

    Raises:
        MissingExtraError: If the frequencies of the language are needed and the package wordfreq is missing.
        ModelError: If the model cannot be loaded.
        OptionError: If an option has the wrong type, is out of range or does not suit the others.
    """

    @check_arguments
    def __init__(
        self,
        model: Annotated[str | Path | Encoder | WordEncoder, WORD_MODEL] = BUNDLED_MODEL,
        *,
        bias: Annotated[float, Param(gt=-1, help="The larger, the less early phrases are preferred.")] = 3.4,
        **options: Unpack[SIFRankOptions],
    ) -> None:
        super().__init__(model, **options)
        self.bias = bias

    def _scores(self, cosines: Floats, candidates: Sequence[Candidate]) -> Floats:
        early = np.exp(1 / (_positions(candidates) + self.bias))
        scores: Floats = early / early.sum() * (1 + cosines) / 2
        return scores


def _positions(candidates: Sequence[Candidate]) -> Floats:
    """For each candidate the number of phrases that begin at or before its first word; those inside others are none."""
    starts: list[int] = []
    end = 0
    for place in sorted((o.words for each in candidates for o in each.occurrences), key=lambda w: (w.start, -w.stop)):
        if place.start >= end:
            starts.append(place.start)
            end = place.stop
    return np.searchsorted(starts, [each.occurrences[0].words.start for each in candidates], side="right").astype(float)


def _content(document: Document) -> Ints:
    """The words that the document's vector is made of; all but stop words if no word has one of the tags."""
    stop_words = stop_words_of(document.language)
    words = [index for index, token in enumerate(document.tokens) if token.text.lower() not in stop_words]
    tagged = [index for index in words if document.tokens[index].tag in _TAGS[document.tagset]]
    return np.asarray(tagged or words, dtype=np.int64)


def _segments(words: Sequence[Span], breaks: Sequence[int], shortest: int | None) -> list[range]:
    """Stretches of words that end where a sentence does and are no shorter than ``shortest``, but for the last."""
    if shortest is None:
        return [range(len(words))]
    ends = frozenset(breaks)
    segments = []
    start = 0
    for index, word in enumerate(words, start=1):
        if index - start >= shortest and word.end in ends:
            segments.append(range(start, index))
            start = index
    if start < len(words):
        segments.append(range(start, len(words)))
    return segments

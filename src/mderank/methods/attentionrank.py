"""AttentionRank: phrases that their sentences attend to, and that the document is about.

Ding and Luo (2021), "AttentionRank: Unsupervised keyphrase extraction using self and cross attentions", EMNLP.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Unpack

import numpy as np

from mderank.candidates.base import is_word
from mderank.candidates.stopwords import stop_words_of
from mderank.document import Document
from mderank.encoding import BUNDLED_MODEL, AttentionEncoder, Encoder, TokenizedText
from mderank.encoding.padding import batch_by_tokens, pad_texts
from mderank.encoding.windows import windows
from mderank.errors import ModelError, OptionError
from mderank.methods.base import BaseOptions
from mderank.methods.encoder_base import MODEL, EncoderExtractor
from mderank.methods.frequencies import DocumentFrequencies
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import Param, check_arguments
from mderank.text import stem_phrase
from mderank.util.arrays import Floats

# Attention costs the square of the length, also where an encoder takes thousands: what is longer is no sentence.
LONGEST_SENTENCE = 512  # tokens
BATCH = 640  # tokens encoded at once, padding included
# Vectors attend to each other in parts of no more than this; only the sentences of a book are more.
LONGEST_PART = 1024
_NUMBERS = 8_000_000  # floats computed at once


class AttentionRank(EncoderExtractor):
    """Ranks phrases by the attention that they get in their sentences and by their relevance to all sentences.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Encode every sentence. A token gets the attention of all tokens of its sentence, over all heads of the last layer
       (or ``layer``). A candidate gets the attention of its tokens, over all its occurrences: a.
    3. Encode every candidate by itself. Its words E_c attend to each other, softmax(E_c·E_cᵀ)·E_c; their mean is c.
    4. The words E_i of a sentence without stop words and the candidate's attend to each other, with S = E_i·E_cᵀ:
       A = softmax(S)·E_c and B = softmax(S)·softmax(Sᵀ)·E_i give V = (E_i + A + E_i∘A + E_i∘B) / 4. V attends to itself
       as in 3 and gives the sentence's vector; these do the same and give the document's, d. The relevance is
       r = cos(c, d).
    5. Stem variants have the sum of their a and the maximum of their r. Over the document, both are brought to 0 … 1.
    6. Score ``weight``·a + (1 − ``weight``)·r.
    7. With document frequencies, what is a candidate in more than ``max_df`` documents comes last.

    The encoder must return attention weights, as those that run on torch do.

    Args:
        model: Name or folder of a model, or an `Encoder`; see `load_encoder`.
        weight: Share of self-attention in the score, from 0 to 1.
        max_df: Phrases of more documents of the corpus than this come last; None for no limit.
        frequencies: Document frequencies of a corpus, for ``max_df``.
        layer: Number of the layer, from 1; negative numbers count from the last. None for the last.
        max_tokens: Number of tokens of a text to read, special tokens included; None for all.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        ModelError: If the model cannot be loaded or does not return attention weights.
        OptionError: If an option has the wrong type or is out of range, or if only one of ``max_df`` and
            ``frequencies`` is given.
    """

    @check_arguments
    def __init__(
        self,
        model: Annotated[str | Path | Encoder, MODEL] = BUNDLED_MODEL,
        *,
        weight: Annotated[float, Param(ge=0, le=1, help="Share of self-attention in the score.")] = 0.8,
        max_df: Annotated[int | None, Param(ge=1, help="Leave out phrases of more documents of the corpus.")] = None,
        frequencies: DocumentFrequencies | None = None,
        layer: int | None = None,
        max_tokens: Annotated[int | None, Param(ge=3)] = None,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(model, layer=layer, max_tokens=max_tokens, **options)
        if max_df is not None and frequencies is None:
            raise OptionError("max_df counts the documents of a corpus: give its frequencies too (--frequencies)")
        if max_df is None and frequencies is not None:
            raise OptionError("frequencies (--frequencies) are of use with max_df only: give it too (--set max_df=N)")
        if self.layer == 0:
            raise OptionError("layer 0 has no attention: take one from 1 on")
        self.attention = _attention_of(self.encoder)
        self.weight = weight
        self.max_df = max_df
        self.frequencies = frequencies

    def _exact_only(self) -> bool:
        """Nothing is packed here, and nothing approximated."""
        return False

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        return [self._score_one(item) for item in inputs]

    def _score_one(self, item: ScoringInput) -> CandidateScores:
        assert item.tokenized is not None
        if not item.candidates:
            return CandidateScores(np.zeros(0), np.zeros(0), np.zeros((0, self.encoder.spec.dimension)))
        received, sentences = self._read_sentences(item.document, item.tokenized)
        attention = np.asarray(
            [
                sum(received[place.start : place.stop].sum() for place in item.tokenized.touching(spans))
                for spans in ([each.span for each in candidate.occurrences] for candidate in item.candidates)
            ]
        )
        vectors, relevance = _relevance(self._phrases(item), sentences)
        stems = [stem_phrase(each.key, item.document.language) for each in item.candidates]
        attention, relevance = _by_stem(stems, attention, relevance)
        scores = self.weight * _spread(attention) + (1 - self.weight) * _spread(relevance)
        return CandidateScores(scores, relevance, vectors, [self._is_specific(stem) for stem in stems])

    def _is_specific(self, stem: str) -> bool:
        """Whether a phrase is not one that many documents have."""
        if self.max_df is None or self.frequencies is None:
            return True
        return self.frequencies.counts.get(stem, 0) <= self.max_df

    def _read_sentences(self, document: Document, tokenized: TokenizedText) -> tuple[Floats, list[Floats]]:
        """The attention ``(n,)`` that every token gets, and the vectors ``(words, d)`` of every sentence's words."""
        received = np.zeros(len(tokenized))
        rows = _sentences(tokenized, document.sentence_ends(), min(self.encoder.spec.capacity, LONGEST_SENTENCE))
        words = _content_words(document, tokenized)
        sentences: list[Floats] = [np.zeros((0, self.encoder.spec.dimension))] * len(rows)
        begin = len(self.encoder.spec.prefix)
        parts = [tokenized.part(each) for each in rows]
        for some in self._batches(parts):
            inputs = pad_texts(self.encoder.spec, [parts[each].ids for each in some])
            states, weights = self.attention.hidden_states_and_attentions(inputs, self.layer)
            # Padding attends to itself alone.
            for number, own, attended in zip(some, states, weights.sum(axis=(1, 2), dtype=np.float64), strict=True):
                place = rows[number]
                received[place.start : place.stop] = attended[begin : begin + len(place)]
                sentences[number] = _means(own[begin:], place, words)
        return received, [each for each in sentences if len(each)]

    def _phrases(self, item: ScoringInput) -> list[Floats]:
        """The vectors ``(words, d)`` of every candidate's words, the candidate being encoded by itself."""
        texts = [item.document.surface_form(each.occurrences[0].span) for each in item.candidates]
        tokenized = [self.encoder.tokenize(text).upto(self.encoder.spec.capacity) for text in texts]
        phrases: list[Floats] = [np.zeros(0)] * len(texts)
        begin = len(self.encoder.spec.prefix)
        for some in self._batches(tokenized):
            inputs = pad_texts(self.encoder.spec, [tokenized[each].ids for each in some])
            states = self.encoder.hidden_states(inputs, self.layer)
            for number, own in zip(some, states, strict=True):
                phrases[number] = _means(
                    own[begin:], range(len(tokenized[number])), _words(texts[number], tokenized[number])
                )
        return phrases

    def _batches(self, texts: Sequence[TokenizedText]) -> Iterator[list[int]]:
        """The numbers of texts, the shortest first, that are encoded at once; one by one if there can be no padding."""
        special = self.encoder.spec.max_length - self.encoder.spec.capacity
        room = BATCH if self.encoder.spec.one_pass else 0

        def length(number: int) -> int:
            return len(texts[number])

        return batch_by_tokens(sorted(range(len(texts)), key=length), room, length, special)


def _attention_of(encoder: Encoder) -> AttentionEncoder:
    """``encoder``, if it gives its attentions."""
    if not isinstance(encoder, AttentionEncoder):
        raise ModelError(
            f"AttentionRank needs an encoder that gives its attentions, which '{encoder.spec.name}' does not, as none "
            "in ONNX form does: name one that runs on torch (pip install 'mderank[torch]'), such as --model "
            "bert-base-uncased, or a folder that holds one; mderank models lists some"
        )
    return encoder


def _sentences(tokenized: TokenizedText, ends: Sequence[int], longest: int) -> list[range]:
    """The tokens of every sentence, or of its parts if it is too long to be encoded at once."""
    cuts = sorted({0, *np.searchsorted(tokenized.ends, ends, side="right").tolist(), len(tokenized)})
    return [
        range(start + part.start, start + part.stop)
        for start, stop in pairwise(cuts)
        for part in windows(tokenized.part(range(start, stop)), (), longest)
    ]


def _content_words(document: Document, tokenized: TokenizedText) -> list[range]:
    """The tokens of every word that is no stop word."""
    stop_words = stop_words_of(document.language)
    return tokenized.touching(
        [(each.start, each.end) for each in document.tokens if is_word(each) and each.text.lower() not in stop_words]
    )


def _words(text: str, tokenized: TokenizedText) -> list[range]:
    """The tokens of every word of a phrase."""
    return tokenized.touching([match.span() for match in re.finditer(r"\S+", text)])


def _means(states: Floats, place: range, words: Sequence[range]) -> Floats:
    """For every word that begins in ``place`` the mean of its tokens' states, which ``states`` begins with."""
    begin, end = (bisect_left(words, offset, key=lambda word: word.start) for offset in (place.start, place.stop))
    means = [
        states[word.start - place.start : min(word.stop, place.stop) - place.start].mean(axis=0)
        for word in words[begin:end]
        if word
    ]
    return np.stack(means) if means else np.zeros((0, states.shape[1]), dtype=states.dtype)


def _chunks(numbers: Sequence[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(numbers), max(1, size)):
        yield list(numbers[start : start + max(1, size)])


def _relevance(phrases: Sequence[Floats], sentences: Sequence[Floats]) -> tuple[Floats, Floats]:
    """The vector of every candidate ``(m, d)``, and its cosine ``(m,)`` with that of the document beside it."""
    dimension = phrases[0].shape[1]
    vectors, relevance = np.zeros((len(phrases), dimension)), np.zeros(len(phrases))
    by_words: dict[int, list[int]] = defaultdict(list)
    for number, phrase in enumerate(phrases):
        by_words[len(phrase)].append(number)
    longest = max([len(sentences), *map(len, sentences)])
    for words, numbers in by_words.items():
        if not words or not sentences:  # nothing that the encoder could read
            continue
        for some in _chunks(numbers, _NUMBERS // (dimension * longest)):
            queries = np.stack([phrases[number] for number in some])  # (b, k, d)
            seen = np.stack([_attended(_crossed(sentence, queries)) for sentence in sentences], axis=1)  # (b, s, d)
            vectors[some] = _attended(queries)
            relevance[some] = _cosines(vectors[some], _attended(seen))
    return vectors, relevance


def _crossed(sentence: Floats, queries: Floats) -> Floats:
    """The words ``(n, d)`` of a sentence as some phrases ``(b, k, d)`` see them: V of step 4, ``(b, n, d)``."""
    similarity = (queries @ sentence.T).swapaxes(1, 2)  # (b, n, k)
    to_phrase = _softmax(similarity, axis=2)
    to_sentence = _softmax(similarity, axis=1).swapaxes(1, 2)  # (b, k, n)
    from_phrase = to_phrase @ queries  # A
    from_sentence = to_phrase @ (to_sentence @ sentence)  # B
    # E + A + E∘A + E∘B with fewer large arrays
    crossed: Floats = (sentence * (1 + from_phrase + from_sentence) + from_phrase) / 4
    return crossed


def _attended(vectors: Floats) -> Floats:
    """The means ``(b, d)`` of vectors ``(b, n, d)`` that attend to each other: of the rows of softmax(V·Vᵀ)·V."""
    count = vectors.shape[1]
    total = np.zeros((vectors.shape[0], vectors.shape[2]), dtype=vectors.dtype)
    for part in np.array_split(vectors, -(-count // LONGEST_PART), axis=1):
        weights = _softmax(part @ part.swapaxes(1, 2), axis=2).sum(axis=1, keepdims=True)  # (b, 1, part)
        total += (weights @ part)[:, 0]
    means: Floats = total / count
    return means


def _softmax(values: Floats, axis: int) -> Floats:
    powers = np.exp(values - values.max(axis=axis, keepdims=True))
    shares: Floats = powers / powers.sum(axis=axis, keepdims=True)
    return shares


def _cosines(ones: Floats, others: Floats) -> Floats:
    lengths = np.linalg.norm(ones, axis=1) * np.linalg.norm(others, axis=1)
    cosines: Floats = np.divide((ones * others).sum(axis=1), lengths, out=np.zeros(len(ones)), where=lengths > 0)
    return cosines


def _by_stem(stems: Sequence[str], attention: Floats, relevance: Floats) -> tuple[Floats, Floats]:
    """The attention that all variants of a phrase get together, and the relevance of the most relevant."""
    number: dict[str, int] = {}
    variant = np.asarray([number.setdefault(stem, len(number)) for stem in stems])
    most = np.full(len(number), -np.inf)
    np.maximum.at(most, variant, relevance)
    return np.bincount(variant, attention)[variant], most[variant]


def _spread(values: Floats) -> Floats:
    """``values`` brought to 0 … 1; all 0 if they are all the same."""
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros(len(values))

"""YAKE: statistics of the words of a single text, and nothing else.

Campos et al. (2020), "YAKE! Keyword extraction from single documents using multiple local features", Information
Sciences 509. Where the paper leaves something open, it is as in the authors' own program, unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf, prod
from typing import Annotated, ClassVar, Unpack

import numpy as np

from mderank.candidates import CandidateSource
from mderank.candidates.base import locate
from mderank.document import Document
from mderank.errors import OptionError
from mderank.keyphrase import Candidate, Keyphrase
from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.checks import at_least, check_words, one_of
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.methods.yake.features import FEATURES, Terms, Words, read_words, score_terms
from mderank.methods.yake.near_duplicates import StringSimilarity, drop_near_duplicates
from mderank.parameters import Param, check_arguments

_NGRAM = 3  # words


@dataclass(frozen=True)
class KeywordNGrams:
    """YAKE's candidates: all n-grams that neither begin nor end with a stop word.

    Stop words may stand inside. Punctuation, a possessive 's, the end of a paragraph, numbers and words that are not
    made of letters may not. Words of one or two letters are stop words, except in scripts with whole words so short.

    >>> from mderank import Document
    >>> document = Document.from_tagged([("theory", "NN"), ("of", "IN"), ("games", "NNS")])
    >>> [candidate.key for candidate in KeywordNGrams().find(document)]
    ['theory of games', 'theory', 'games']

    Attributes:
        longest: Maximum number of words.
        stop_words: Stop words beside those of the language.

    Raises:
        OptionError: If ``longest`` is less than 1.
    """

    longest: int = _NGRAM
    stop_words: frozenset[str] = field(default=frozenset())

    def __post_init__(self) -> None:
        at_least("longest", self.longest, 1)
        object.__setattr__(self, "stop_words", frozenset(word.lower() for word in self.stop_words))

    def find(self, document: Document) -> list[Candidate]:
        """Find the n-grams of a document.

        Args:
            document: The tagged text.

        Returns:
            The n-grams with all their occurrences, by first occurrence.
        """
        return locate(document, self._ngrams(read_words(document, self.stop_words)))

    def _ngrams(self, words: Words) -> Iterator[range]:
        may_end = words.parsable & ~words.stop[words.term] if len(words.stop) else words.parsable
        last = len(words.term)
        parsable, ends, blocks = words.parsable.tolist(), may_end.tolist(), words.block.tolist()
        for start in np.flatnonzero(may_end).tolist():
            for index in range(start, min(last, start + self.longest)):
                if not parsable[index] or blocks[index] != blocks[start]:
                    break
                if ends[index]:
                    yield range(start, index + 1)


class YAKE(BaseExtractor):
    """Ranks n-grams by where, how often, in which case and among which words their words stand.

    1. Take as candidates all n-grams of up to ``ngram`` words that do not begin or end with a stop word.
    2. Compute five features of every term: casing, median sentence, frequency, number of sentences, and number of
       different words within ``window`` words. They make its score S(t), the smaller the better.
    3. Score a candidate Π S(t) / (KF · (1 + Σ S(t))), with KF its frequency. A stop word inside has no S(t). Let p be
       the probability that it stands between these two words: it is 2 − p in the product, and p − 1 in the sum.
    4. Going down the list, drop what is spelled like a better one: ``string_similarity`` above ``threshold``.

    `Keyphrase.raw_score` is YAKE's own score, where less is better. `Keyphrase.score` is its reciprocal.

    Args:
        ngram: Maximum number of words of a candidate; it excludes ``candidates``.
        window: Number of words on each side that are neighbours of a word.
        features: Names of the features of step 2 to use, separated by commas.
        string_similarity: Measure that finds near-duplicates: "sequence", "levenshtein" or "jaro"; "none" keeps them.
        threshold: String similarity above which phrases are duplicates, from 0 to 1.
        stop_words: Stop words beside those of the language.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for YAKE's own n-grams (`KeywordNGrams`).
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        OptionError: If an option has the wrong type, is out of range or does not suit the others.
    """

    default_candidates: ClassVar[CandidateSource] = KeywordNGrams()

    @check_arguments
    def __init__(
        self,
        *,
        ngram: Annotated[int, Param(ge=1, http_le=5, help="Most words of a candidate.")] = _NGRAM,
        window: Annotated[int, Param(ge=1, help="Words on each side that are neighbours of a word.")] = 1,
        features: Annotated[str, Param(help="Names of the features, with commas.")] = ",".join(FEATURES),
        string_similarity: Annotated[
            StringSimilarity, Param(help="Measure that finds near-duplicates; none keeps them.")
        ] = "sequence",
        threshold: Annotated[float, Param(ge=0, le=1, help="Phrases that are more alike are duplicates.")] = 0.9,
        stop_words: Iterable[str] = (),
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self.features = _features(features)
        self.window = window
        self.string_similarity: StringSimilarity = string_similarity
        self.threshold = threshold
        self.stop_words = frozenset(word.lower() for word in check_words("stop_words", stop_words))
        if options.get("candidates") is not None:
            if ngram != _NGRAM:
                raise OptionError("ngram is about YAKE's own candidates: give it or candidates, not both")
        else:
            self.candidates = KeywordNGrams(ngram, self.stop_words)
            without_tags = getattr(self.tagger, "without_tags", None)
            if without_tags is not None:  # of tags, only those of the marks that end a sentence are used
                self.tagger = without_tags()

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for item in inputs:
            words = read_words(item.document, self.stop_words)
            terms = score_terms(words, self.window, self.features)
            keywords = np.asarray(list(_score_keywords(item.candidates, words, terms)), np.float64)
            keywords = keywords.clip(_LEAST, 1 / _LEAST)  # hundreds of words may be beyond what a number can be
            scores.append(CandidateScores(1 / keywords, keywords))
        return scores

    def _rank(self, item: ScoringInput, scored: CandidateScores, top_k: int | None) -> list[Keyphrase]:
        """As ever, without what is spelled like a better one."""
        ranked = super()._rank(item, scored, None)
        kept = drop_near_duplicates((each.text.lower() for each in ranked), self.string_similarity, self.threshold)
        return [ranked[index] for index in islice(kept, top_k)]


_LEAST = float(np.finfo(np.float64).tiny)


def _score_keywords(candidates: Iterable[Candidate], words: Words, terms: Terms) -> Iterator[float]:
    """YAKE's score of each candidate; infinite where it has no word.

    Only what others than YAKE take for a candidate begins or ends with a stop word ("IT staff"): there it counts as
    any other word. Stop words inside take at most 1 from the sum, so that no score is negative.
    """
    term, stop = words.term.tolist(), words.stop.tolist()
    scores, counts, bigrams = terms.scores.tolist(), terms.counts.tolist(), terms.bigrams
    for candidate in candidates:
        here = [term[index] for index in candidate.occurrences[0].words if term[index] >= 0]
        inside = [place for place in range(1, len(here) - 1) if stop[here[place]]]
        own = [scores[each] for place, each in enumerate(here) if place not in inside]
        missing = []  # 1 − p for each stop word inside
        for place in inside:
            left, middle, right = here[place - 1 : place + 2]
            after_left = bigrams.get((left, middle), 0) / counts[left]
            before_right = bigrams.get((middle, right), 0) / counts[right]
            missing.append(1 - after_left * before_right)
        total = sum(own) + max(0.0, 1 - sum(missing))
        product = prod(own) * prod(1 + each for each in missing)
        yield product / (len(candidate.occurrences) * total) if here else inf


def _features(names: str) -> frozenset[str]:
    chosen = frozenset(name.strip() for name in names.split(",")) - {""}
    for name in chosen:
        one_of("features", name, FEATURES)
    if chosen.isdisjoint(("frequency", "sentences")):
        raise OptionError(
            f"features={names!r} leaves words without a capital letter no score: add frequency or sentences"
        )
    return chosen

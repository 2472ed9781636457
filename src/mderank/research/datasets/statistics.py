"""Statistics of a dataset: the paper's Table 2, and how many gold keyphrases can be found at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mderank.document import Document
from mderank.research.datasets.base import Dataset, LabelledDocument, full_text, paper_text
from mderank.text import SEGMENTED, comparable, end_of_words, stem_phrase

if TYPE_CHECKING:
    from mderank.candidates import CandidateSource
    from mderank.tagging import Tagger

FIRST_WORDS = 512  # as far as the paper reads

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Statistics:
    """Statistics of a dataset. Shares are of all gold keyphrases, from 0 to 1.

    A keyphrase is present if its stemmed words follow each other in the document, whatever punctuation is between
    them. The title counts if the paper reads it. Stems are those of the document's language.

    Attributes:
        documents: Number of documents.
        keyphrases: Number of gold keyphrases.
        phrases: Gold keyphrases per document (N_KP).
        phrase_words: Words per gold keyphrase (L_KP): a mean over documents of each document's mean, as in Table 2.
        phrase_words_overall: Words per gold keyphrase, over all keyphrases.
        document_words: Words per document (L_Doc) of the text that is read: the paper's input, or the full text of a
            judged dataset and of one that is not English.
        present: Share of gold keyphrases that are present in the text.
        present_in_first_words: Share of gold keyphrases that are present in the first 512 words.

    """

    documents: int
    keyphrases: int
    phrases: float
    phrase_words: float
    phrase_words_overall: float
    document_words: float
    present: float
    present_in_first_words: float


def statistics(dataset: Dataset, tick: Callable[[], object] = lambda: None) -> Statistics:
    """Count documents, keyphrases and words.

    Args:
        dataset: The dataset.
        tick: Called after each document.

    Returns:
        The statistics.

    """
    stems = _Stems()
    words = lengths = present = early = 0
    averages = []
    for document in dataset.documents:
        words += len(_get_text(dataset, document).split())
        counts = [len(phrase.split()) for phrase in document.keyphrases]
        lengths += sum(counts)
        averages += [sum(counts) / len(counts)] if counts else []
        text = _get_original_text(dataset, document)
        present += stems.count_present(document, text)
        early += stems.count_present(document, _cut(text))
        tick()
    count, gold = len(dataset.documents), sum(len(document.keyphrases) for document in dataset.documents)
    return Statistics(
        documents=count,
        keyphrases=gold,
        phrases=_ratio(gold, count),
        phrase_words=_ratio(sum(averages), len(averages)),
        phrase_words_overall=_ratio(lengths, gold),
        document_words=_ratio(words, count),
        present=_ratio(present, gold),
        present_in_first_words=_ratio(early, gold),
    )


def coverage(dataset: Dataset, first_words: Sequence[int]) -> list[float]:
    """Measure how many gold keyphrases are in the first words of documents.

    Args:
        dataset: The dataset.
        first_words: Numbers of words to read.

    Returns:
        For each number of words, the share of a document's gold keyphrases that are present in so many first words, as
        a mean over documents. Documents without gold keyphrases do not count.

    """
    stems = _Stems()
    sums = [0.0] * len(first_words)
    labelled = [document for document in dataset.documents if document.keyphrases]
    for document in labelled:
        text = _get_original_text(dataset, document)
        for index, words in enumerate(first_words):
            sums[index] += stems.count_present(document, _cut(text, words)) / len(document.keyphrases)
    return [_ratio(each, len(labelled)) for each in sums]


def candidate_recall(
    dataset: Dataset,
    tagger: Tagger | None = None,
    candidates: CandidateSource | None = None,
    tick: Callable[[], object] = lambda: None,
) -> float:
    """Measure the recall that no ranking can exceed: the share of gold keyphrases whose stem is that of a candidate.

    Candidates are found in the first 512 words of the text that the paper reads.

    Args:
        dataset: The dataset.
        tagger: The tagger. Default: spaCy with spaCy's own tokens, as in the paper; for documents that are not
            English, what is installed for their language.
        candidates: The source of candidates. Default: the paper's noun phrases, of any length.
        tick: Called after each document.

    Returns:
        The share, from 0 to 1.

    """
    from mderank.candidates import NounPhrases

    source = candidates or NounPhrases(max_phrase_words=None)
    found = 0
    for document, tagged in _tag(dataset, tagger):
        reachable = _candidate_stems(source, tagged, document.language)
        found += sum(_key(phrase, document.language) in reachable for phrase in document.keyphrases)
        tick()
    return _ratio(found, sum(len(document.keyphrases) for document in dataset.documents))


def _tag(dataset: Dataset, tagger: Tagger | None) -> Iterator[tuple[LabelledDocument, Document]]:
    """Yield the documents with their tagged first words."""
    from mderank.tagging import LanguageTagger, SpacyTagger

    for language, group in groupby(dataset.documents, key=lambda document: document.language):
        documents = list(group)
        chosen = tagger or (SpacyTagger(tokenizer="spacy") if language == "en" else LanguageTagger(language))
        texts = (_cut(_get_text(dataset, document)) for document in documents)
        yield from zip(documents, chosen.tag(texts), strict=True)


def _key(phrase: str, language: str) -> str:
    return comparable(stem_phrase(phrase, language), language)


def _candidate_stems(source: CandidateSource, document: Document, language: str) -> set[str]:
    return {
        _key(document.surface_form(occurrence.span), language)
        for candidate in source.find(document)
        for occurrence in candidate.occurrences
    }


class _Stems:
    """Stems texts, each distinct word once: a paper has 8,000 words, a dataset 100,000 distinct ones."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def count_present(self, document: LabelledDocument, text: str) -> int:
        """Count the gold keyphrases of a document that are in a text."""
        language = document.language
        stemmed = self._stem_text(text, language)
        sought = (self._stem_text(phrase, language) for phrase in document.keyphrases)
        return sum(bool(phrase.strip()) and phrase in stemmed for phrase in sought)

    def _stem_text(self, text: str, language: str) -> str:
        """Return the stems with a space around each, so that a search finds whole words only.

        Where words need no spaces, there are none, and any part of the text is found.
        """
        stems = [self._stem(word, language) for word in _WORD.findall(text.lower())]
        return "".join(stems) if language in SEGMENTED else f" {' '.join(stems)} "

    def _stem(self, word: str, language: str) -> str:
        stem = self._known.get((word, language))
        if stem is None:
            stem = self._known[word, language] = stem_phrase(word, language)
        return stem


def _get_text(dataset: Dataset, document: LabelledDocument) -> str:
    return full_text(document) if dataset.judged or not dataset.english else paper_text(dataset.info, document)


def _get_original_text(dataset: Dataset, document: LabelledDocument) -> str:
    """Return the part of a document that the paper reads, before anything in it is rewritten."""
    reads_title = dataset.info is None or dataset.info.paper_input.title
    return f"{document.title} {document.text}" if reads_title and document.title else document.text


def _cut(text: str, words: int = FIRST_WORDS) -> str:
    return text[: end_of_words(text, words)]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0

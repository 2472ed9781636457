"""Counting a set: Table 2 of the paper, how much of the gold is there to be found, and how much a ranking can reach."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from mderank.document import Document, surface
from mderank.research.datasets.base import Dataset, LabelledDocument, paper_text, whole_text
from mderank.text import stem_phrase

if TYPE_CHECKING:
    from mderank.candidates import CandidateSource
    from mderank.tagging import Tagger

FIRST_WORDS = 512  # as far as the paper reads

_WORD = re.compile(r"\w+")
_RUN = re.compile(r"\S+")


@dataclass(frozen=True)
class Statistics:
    """What is in a set. Shares are of all gold phrases, from 0 to 1.

    Table 2 averages a phrase's length over each document first, and then over documents: ``phrase_words``.
    ``phrase_words_overall`` is the plain average. ``document_words`` counts the text that is read: the paper's, or the
    whole text of a judged dataset.
    A phrase is present if its words, stemmed, stand in the document (with its title, if the paper reads that) one
    after the other, whatever punctuation is between them.
    """

    documents: int
    keyphrases: int
    phrases: float  # N_KP
    phrase_words: float  # L_KP
    phrase_words_overall: float
    document_words: float  # L_Doc
    present: float
    present_in_first_words: float


def statistics(dataset: Dataset, tick: Callable[[], object] = lambda: None) -> Statistics:
    """Count ``dataset``; ``tick`` is called after every document."""
    stems = _Stems()
    words = lengths = present = early = 0
    averages = []
    for document in dataset.documents:
        words += len(_read(dataset, document).split())
        counts = [len(phrase.split()) for phrase in document.keyphrases]
        lengths += sum(counts)
        averages += [sum(counts) / len(counts)] if counts else []
        text = _as_it_stands(dataset, document)
        present += _present(document.keyphrases, stems.of(text))
        early += _present(document.keyphrases, stems.of(_beginning(text)))
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
    """The share of a document's gold phrases that stand in its first words, so many of them, as a mean over documents.

    Documents without gold phrases do not count.
    """
    stems = _Stems()
    sums = [0.0] * len(first_words)
    labelled = [document for document in dataset.documents if document.keyphrases]
    for document in labelled:
        text = _as_it_stands(dataset, document)
        for index, words in enumerate(first_words):
            found = _present(document.keyphrases, stems.of(_beginning(text, words)))
            sums[index] += found / len(document.keyphrases)
    return [_ratio(each, len(labelled)) for each in sums]


def ceiling(
    dataset: Dataset,
    tagger: Tagger | None = None,
    candidates: CandidateSource | None = None,
    tick: Callable[[], object] = lambda: None,
) -> float:
    """The recall that no ranking can pass: the share of gold phrases whose stem is that of a candidate.

    Candidates are the paper's noun phrases, of any length, in the first 512 words of the text that the paper reads.
    """
    from mderank.candidates import NounPhrases
    from mderank.tagging import SpacyTagger

    source = candidates or NounPhrases(max_words=None)
    texts = (_beginning(_read(dataset, document)) for document in dataset.documents)
    found = 0
    for document, tagged in zip(dataset.documents, (tagger or SpacyTagger(tokenizer="spacy")).tag(texts), strict=True):
        reachable = _candidate_stems(source, tagged)
        found += sum(stem_phrase(phrase) in reachable for phrase in document.keyphrases)
        tick()
    return _ratio(found, sum(len(document.keyphrases) for document in dataset.documents))


def _candidate_stems(source: CandidateSource, document: Document) -> set[str]:
    return {
        stem_phrase(surface(document, occurrence.span))
        for candidate in source.find(document)
        for occurrence in candidate.occurrences
    }


class _Stems:
    """Texts as their words' stems, each word stemmed once: a paper has 8,000 words, a set 100,000 different ones."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def of(self, text: str) -> str:
        """The stems with a space around each, so that finding one phrase in another is finding whole words."""
        return f" {' '.join(map(self._stem, _WORD.findall(text.lower())))} "

    def _stem(self, word: str) -> str:
        stem = self._known.get(word)
        if stem is None:
            stem = self._known[word] = stem_phrase(word)
        return stem


def _present(phrases: Iterable[str], text: str) -> int:
    sought = (" ".join(map(stem_phrase, _WORD.findall(phrase.lower()))) for phrase in phrases)
    return sum(bool(phrase) and f" {phrase} " in text for phrase in sought)


def _read(dataset: Dataset, document: LabelledDocument) -> str:
    return whole_text(document) if dataset.judged else paper_text(dataset.info, document)


def _as_it_stands(dataset: Dataset, document: LabelledDocument) -> str:
    """What the paper reads of a document, before anything in it is rewritten."""
    reads_title = dataset.info is None or dataset.info.paper_input.title
    return f"{document.title} {document.text}" if reads_title and document.title else document.text


def _beginning(text: str, words: int = FIRST_WORDS) -> str:
    last = next(islice(_RUN.finditer(text), words - 1, None), None)
    return text[: last.end()] if last else text


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0

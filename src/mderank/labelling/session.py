"""A session of labelling: documents, their labels, and the style that is learned from them."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from mderank.errors import InputError
from mderank.keyphrase import Keyphrase
from mderank.labelling.documents import DocumentPlace
from mderank.labelling.features import FeatureCache, rank_default, rank_with_style
from mderank.labelling.label_file import DocumentLabels, LabelFile, Verdict, phrase_key
from mderank.labelling.learner import StyleLearner, describe_gain
from mderank.methods.fusionrank import FusionRank
from mderank.reading import ReadOptions, SourceDocument
from mderank.util.files import atomic_write

_KEPT = 16  # documents whose text is kept in memory
_LONGEST_PHRASE = 12  # words of a phrase that is added
# Marks around a selection that are not part of the phrase; "C++" and ".NET" stay whole.
_BEFORE = ",;:!?()[]{}<>\"'«»“”„‘’…–—"
_AFTER = _BEFORE + "."


class LabelSession:
    """Documents to label, by number. Threads may share it.

    Args:
        documents: The documents.
        labels: The file of labels.
        extractor: The extractor that proposes phrases.
        reading: How to read files.
        top_k: Number of phrases that are proposed per document.
        style_file: File that the learned style is saved to.
    """

    def __init__(
        self,
        documents: Sequence[DocumentPlace],
        labels: LabelFile,
        extractor: FusionRank,
        *,
        reading: ReadOptions | None = None,
        top_k: int = 15,
        style_file: Path = Path("mine.json"),
    ) -> None:
        self.documents = documents
        self.labels = labels
        self.top_k = top_k
        self.style_file = style_file
        self._reading = reading or ReadOptions()
        self._features = FeatureCache(extractor)
        self._ahead = ThreadPoolExecutor(1, "mderank-ahead")
        self._sources: OrderedDict[int, SourceDocument] = OrderedDict()
        self._mutex = threading.Lock()  # of the sources
        self.learner = StyleLearner(self._features.training_set, style_file.stem)
        self.prepare(next((number for number, each in enumerate(documents) if not labels.is_done(each.id)), 0))
        self.learner.update(labels.all_done())

    def close(self) -> None:
        """End all threads and let other processes use the file of labels."""
        self.learner.close()
        self._ahead.shutdown(cancel_futures=True)
        self._features.close()
        self.labels.close()

    # --- documents ----------------------------------------------------------------------------------------------------

    def overview(self) -> dict[str, Any]:
        """Return all documents with their states, as plain data.

        Returns:
            Id and state of each document, how many are labelled, and the file of labels.
        """
        listed = [{"id": each.id, "state": self._state(each.id)} for each in self.documents]
        return {
            "documents": listed,
            "labelled": self.labelled(),
            "total": len(self.documents),
            "file": str(self.labels.file),
        }

    def _state(self, name: str) -> str:
        return "done" if self.labels.is_done(name) else "started" if self.labels.is_started(name) else "new"

    def labelled(self) -> int:
        """Return the number of documents that are labelled."""
        return sum(self.labels.is_done(each.id) for each in self.documents)

    def document(self, number: int) -> dict[str, Any]:
        """Return a document with its phrases and labels, as plain data. The next one is prepared meanwhile.

        Args:
            number: Number of the document, from 0.

        Returns:
            Text, phrases with their places and verdicts, and what the learned style would give.
        """
        place, source = self.documents[number], self._source(number)
        text = _read_text(source)
        labels = self.labels.get(place.id, text)
        answer: dict[str, Any] = {
            "number": number,
            "id": place.id,
            "text": source.text,
            "done": labels.done,
            "labelled": self.labelled(),
            "total": len(self.documents),
            "phrases": [],
            "learned": None,
            "error": None if source.error is None else str(source.error),
        }
        if source.error is not None:
            return answer
        try:
            answer |= self._phrases(text, labels)
        except InputError as error:
            answer["error"] = str(error)
        return answer

    def prepare(self, number: int) -> None:
        """Begin to compute the features of a document that will be asked for next.

        Args:
            number: Number of the document; one that does not exist is ignored.
        """
        if 0 <= number < len(self.documents):
            self._ahead.submit(self._prepare, number)

    def _prepare(self, number: int) -> None:
        source = self._source(number)
        if source.error is None:
            self._features.request(_read_text(source))

    def _source(self, number: int) -> SourceDocument:
        with self._mutex:
            found = self._sources.get(number)
        if found is None:
            found = self.documents[number].read(self._reading)
            with self._mutex:
                self._sources[number] = found
                while len(self._sources) > _KEPT:
                    self._sources.popitem(last=False)
        return found

    def _phrases(self, text: str, labels: DocumentLabels) -> dict[str, Any]:
        """The phrases of the extractor, then those that the style adds, then the user's own."""
        found = self._features.request(text).result()
        listed: dict[str, dict[str, Any]] = {}
        _list(listed, rank_default(found, self.top_k), "found")
        learned, given = self.learner.learned, None
        if learned is not None:
            own = labels if labels.id in learned.ids else None
            by_style = rank_with_style(found, learned.report.style, self.top_k, own)
            _list(listed, by_style, "learned")
            given = {
                "phrases": [each.text for each in by_style],
                "in_training": own is not None,
                "version": learned.version,
            }
        for phrase in (*labels.keyphrases, *labels.crossed_out):
            if phrase_key(phrase) not in listed:
                spans = find_spans(text, phrase)
                listed[phrase_key(phrase)] = {"text": phrase, "spans": spans, "forms": [phrase], "source": "own"}
        phrases = [{**each, "verdict": labels.verdict(each["text"])} for each in listed.values()]
        return {"phrases": phrases, "learned": given}

    # --- labels -------------------------------------------------------------------------------------------------------

    def mark(self, number: int, phrase: str, verdict: Verdict | None) -> dict[str, Any]:
        """Say whether a phrase is right or wrong, and save it.

        Args:
            number: Number of the document.
            phrase: The phrase. It has to occur in the text.
            verdict: Whether it is right or wrong; None takes a verdict back.

        Returns:
            The document, as `document` does.

        Raises:
            InputError: The phrase does not occur in the text.
            LabelsNotSavedError: The file of labels cannot be written.
        """
        key = phrase_key(phrase)
        listed = {phrase_key(each["text"]) for each in self.document(number)["phrases"]}
        if key not in listed and not find_spans(self._text(number), phrase):
            raise InputError(f"the phrase '{phrase[:80]}' does not occur in this text: add one by selecting it")
        return self._change(number, lambda labels: labels.mark(phrase, verdict))

    def add(self, number: int, start: int, end: int) -> dict[str, Any]:
        """Add the phrase at a place of the text, widened to whole words, and save it.

        If the place has a form of a phrase in the list, that phrase is ticked.

        Args:
            number: Number of the document.
            start: Its first character.
            end: The character after its last.

        Returns:
            The document, as `document` does, with the phrase as ``added``.

        Raises:
            InputError: There are no words at this place, or too many.
            LabelsNotSavedError: The file of labels cannot be written.
        """
        phrase = whole_words(self._text(number), start, end)
        words = len(phrase.split())
        if not words:
            raise InputError("there is no word in this selection: select a phrase")
        if words > _LONGEST_PHRASE:
            raise InputError(f"this selection has {words} words: a phrase has {_LONGEST_PHRASE} at most")
        key = phrase_key(phrase)
        listed = self.document(number)["phrases"]
        same = (each["text"] for each in listed if key in {phrase_key(form) for form in (each["text"], *each["forms"])})
        phrase = next(same, phrase)
        return {**self._change(number, lambda labels: labels.mark(phrase, "right")), "added": phrase}

    def finish(self, number: int, done: bool) -> dict[str, Any]:
        """Say that a document is labelled, or that it is not.

        Args:
            number: Number of the document. If it has no keyphrase, this says that none is right.
            done: Whether it is labelled.

        Returns:
            The document, as `document` does.

        Raises:
            InputError: The document cannot be read.
            LabelsNotSavedError: The file of labels cannot be written.
        """
        return self._change(number, lambda labels: replace(labels, done=done))

    def _text(self, number: int) -> str:
        source = self._source(number)
        if source.error is not None:
            raise source.error
        return _read_text(source)

    def _change(self, number: int, change: Callable[[DocumentLabels], DocumentLabels]) -> dict[str, Any]:
        name, text = self.documents[number].id, self._text(number)
        was_done = self.labels.is_done(name)
        if self.labels.change(name, text, change).done or was_done:
            self.learner.update(self.labels.all_done())
        return self.document(number)

    # --- the style ----------------------------------------------------------------------------------------------------

    def style(self) -> dict[str, Any]:
        """Return what was learned, and how sure it is that it helps, as plain data.

        Returns:
            Status, numbers of documents, and a sentence. Once learned: version, gain at 5, 10 and 15 phrases with
            interval, and preferences.
        """
        learner, learned = self.learner, self.learner.learned
        answer: dict[str, Any] = {
            "status": learner.status,
            "documents": learner.count,
            "needed": learner.needed,
            "file": str(self.style_file),
            "message": self._message(),
        }
        if learned is not None:
            report = learned.report
            answer |= {
                "version": learned.version,
                "gain": [round(each, 2) for each in report.gain],
                "low": [round(100 * each.low, 2) for each in report.comparisons],
                "high": [round(100 * each.high, 2) for each in report.comparisons],
                "preferences": list(report.style.preferences),
            }
        return answer

    def _message(self) -> str:
        learner, learned = self.learner, self.learner.learned
        if learner.failure is not None:
            return f"Nothing could be learned: {learner.failure}."
        if learned is not None:
            return describe_gain(learned.report)
        missing = learner.needed - learner.count
        if missing > 0:
            return f"Learning begins with {learner.needed} documents that have a right phrase: {missing} to go."
        return f"Learning from {learner.count} documents …"

    def save_style(self, *, overwrite: bool) -> dict[str, str]:
        """Save what was learned last.

        Args:
            overwrite: Whether to replace a file that exists.

        Returns:
            The file, the command that uses it, and a note if it is not certain that the style helps.

        Raises:
            InputError: Nothing was learned yet, or the file cannot be written.
            FileExistsError: The file exists.
        """
        learned = self.learner.learned
        if learned is None:
            raise InputError(f"nothing was learned yet: label {self.learner.needed} documents first")
        if not overwrite and self.style_file.exists():
            raise FileExistsError(f"{self.style_file} exists: save again to replace it")
        style = learned.report.style
        style = replace(style, learned_from={**style.learned_from, "name": self.labels.file.name})
        try:
            with atomic_write(self.style_file, sync=True) as temporary:
                temporary.write_text(style.to_json(), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{self.style_file} cannot be written: {error.strerror or error}") from error
        named = f"'{self.style_file}'" if " " in str(self.style_file) else str(self.style_file)
        note = "" if learned.report.is_certain else "It is not certain yet that it helps: label more documents."
        return {"file": str(self.style_file), "command": f"mderank extract --style {named} FILE", "note": note}


def _read_text(source: SourceDocument) -> str:
    """The text as the extractor reads it: without marks of Markdown, and of the same length."""
    return source.text if source.prose is None else source.prose


def _list(listed: dict[str, dict[str, Any]], phrases: Iterable[Keyphrase], source: str) -> None:
    known = {phrase_key(form) for each in listed.values() for form in each["forms"]}
    for each in phrases:
        if phrase_key(each.text) not in {*listed, *known}:
            spans = [list(span) for span in each.spans]
            listed[phrase_key(each.text)] = {
                "text": each.text, "spans": spans, "forms": list(each.forms), "source": source,
            }  # fmt: skip


def find_spans(text: str, phrase: str) -> list[list[int]]:
    """Find the places of a phrase in a text, whole words only, in any case and with any white space.

    >>> find_spans("A Coral reef. Coral reefs.", "coral reef")
    [[2, 12]]

    Args:
        text: The text.
        phrase: The phrase.

    Returns:
        First character of each place, and the one after its last.
    """
    words = phrase.split()
    if not words:
        return []
    pattern = r"\s+".join(map(re.escape, words))
    return [list(found.span()) for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE)]


def whole_words(text: str, start: int, end: int) -> str:
    """Return the phrase at a place, widened to whole words, without punctuation around it and with single spaces.

    >>> whole_words("The coral reefs, near.", 5, 13)
    'coral reefs'

    Args:
        text: The text.
        start: First character of the place.
        end: The character after its last.

    Returns:
        The phrase; empty if there is no word.
    """
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    while start < end and (text[start].isspace() or text[start] in _BEFORE):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in _AFTER):
        end -= 1
    if not any(map(str.isalnum, text[start:end])):
        return ""
    while start > 0 and _joins(text[start]) and _joins(text[start - 1]):
        start -= 1
    while end < len(text) and _joins(text[end - 1]) and _joins(text[end]):
        end += 1
    return " ".join(text[start:end].split())


def _joins(character: str) -> bool:
    return character.isalnum() or character == "_"

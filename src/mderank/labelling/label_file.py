"""The file of labels: JSON lines that ``mderank tune`` reads, replaced as a whole after every change.

A line has ``id``, ``text`` and ``keyphrases``, and beside them ``crossed_out`` and ``done``. Documents that are not
done are in the file too, so that nothing is lost; ``mderank tune`` leaves them out.
"""

from __future__ import annotations

import glob
import json
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeGuard

from mderank.errors import InputError, MDERankError
from mderank.util.files import TEMPORARY_SUFFIX, atomic_write, open_locked
from mderank.util.format import json_text

Verdict = Literal["right", "wrong"]
_FIELDS = ("id", "text", "keyphrases", "crossed_out", "done")


def phrase_key(phrase: str) -> str:
    """Return what two spellings of the same phrase have in common.

    >>> phrase_key("Coral  Reef")
    'coral reef'

    Args:
        phrase: A phrase.

    Returns:
        The phrase in lower case with single spaces.
    """
    return " ".join(phrase.split()).casefold()


@dataclass(frozen=True)
class DocumentLabels:
    """A user's labels of a document.

    Attributes:
        id: The document's id.
        text: Its text, as the extractor reads it.
        keyphrases: Phrases that are right.
        crossed_out: Phrases that are wrong.
        done: Whether the user said that the document is labelled.
        other: Further fields of its line, which are kept as they are.
    """

    id: str
    text: str
    keyphrases: tuple[str, ...] = ()
    crossed_out: tuple[str, ...] = ()
    done: bool = False
    other: Mapping[str, Any] = field(default_factory=dict)

    def verdict(self, phrase: str) -> Verdict | None:
        """Return what the user said about a phrase.

        Args:
            phrase: The phrase, in any spelling.

        Returns:
            Whether it is right or wrong; None if nothing was said.
        """
        key = phrase_key(phrase)
        if key in map(phrase_key, self.keyphrases):
            return "right"
        return "wrong" if key in map(phrase_key, self.crossed_out) else None

    def mark(self, phrase: str, verdict: Verdict | None) -> DocumentLabels:
        """Return the labels with another verdict on one phrase; those on all others stay.

        A labelled document whose last keyphrase is taken away is no longer done: the user says that none is right.

        Args:
            phrase: The phrase.
            verdict: Whether it is right or wrong; None takes a verdict back.

        Returns:
            The new labels.
        """
        if self.verdict(phrase) == verdict:
            return self
        key, words = phrase_key(phrase), " ".join(phrase.split())
        right = tuple(each for each in self.keyphrases if phrase_key(each) != key)
        wrong = tuple(each for each in self.crossed_out if phrase_key(each) != key)
        right, wrong = right + (words,) * (verdict == "right"), wrong + (words,) * (verdict == "wrong")
        emptied = bool(self.keyphrases) and not right
        return replace(self, keyphrases=right, crossed_out=wrong, done=self.done and not emptied)

    @property
    def is_blank(self) -> bool:
        """Whether nothing was said."""
        return not (self.keyphrases or self.crossed_out or self.done or self.other)

    def to_line(self) -> bytes:
        """Return the line of the file.

        Returns:
            A JSON object and a line feed. A lone surrogate is escaped, since UTF-8 cannot encode it.
        """
        plain = {
            **self.other,
            "id": self.id,
            "text": self.text,
            "keyphrases": self.keyphrases,
            "crossed_out": self.crossed_out,
            "done": self.done,
        }
        return (json_text(plain) + "\n").encode("utf-8")


class LabelFile:
    """The labels of all documents, in memory and on disk. Threads may share it; a second process may not.

    Args:
        file: Path of the file. It is created with the first label.

    Raises:
        InputError: The file is not a file of labels, cannot be read, or another process has it open.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._mutex = threading.Lock()
        self._resources = ExitStack()
        self._lines: dict[str, bytes] = {}
        self._labels: dict[str, DocumentLabels] = {}
        lock = file.with_name(f".{file.name}.lock")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._resources.enter_context(open_locked(lock))
        except BlockingIOError:
            raise InputError(
                f"another mderank label has {file} open: use its page, or choose another file (--output)"
            ) from None
        except OSError as error:
            raise InputError(f"{file} cannot be written: {error.strerror or error}") from error
        try:
            for left in file.parent.glob(f".{glob.escape(file.name)}.*{TEMPORARY_SUFFIX}"):  # by a killed process
                left.unlink(missing_ok=True)
            for labels in _read(file):
                self._labels[labels.id] = labels
                self._lines[labels.id] = labels.to_line()
        except BaseException:
            self._resources.close()
            raise
        self._signature = _signature(file)

    def close(self) -> None:
        """Let other processes use the file."""
        self._resources.close()

    def get(self, name: str, text: str) -> DocumentLabels:
        """Return the labels of a document.

        Args:
            name: The document's id.
            text: Its text.

        Returns:
            Its labels, with this text; blank ones if there are none.
        """
        with self._mutex:
            return self._get(name, text)

    def _get(self, name: str, text: str) -> DocumentLabels:
        found = self._labels.get(name)
        return DocumentLabels(name, text) if found is None else replace(found, text=text)

    def is_done(self, name: str) -> bool:
        """Whether a document is labelled."""
        found = self._labels.get(name)
        return found is not None and found.done

    def is_started(self, name: str) -> bool:
        """Whether anything was said about a document."""
        return name in self._labels

    def all_done(self) -> list[DocumentLabels]:
        """Return the labels of all documents that are labelled, also of those that are in the file only."""
        with self._mutex:
            return [each for each in self._labels.values() if each.done]

    def change(self, name: str, text: str, change: Callable[[DocumentLabels], DocumentLabels]) -> DocumentLabels:
        """Change the labels of one document, and write the file.

        Args:
            name: The document's id.
            text: Its text.
            change: From the labels as they are now to new ones. What other pages changed meanwhile is in them.

        Returns:
            The new labels, which are on disk.

        Raises:
            LabelsNotSavedError: The file cannot be written, or another program changed it. No label is changed.
        """
        with self._mutex:
            before = self._get(name, text)
            after = change(before)
            if after == before and name in self._labels:
                return after
            lines = {**self._lines, name: after.to_line()}
            if after.is_blank:
                del lines[name]
            self._write(lines)
            self._lines = lines
            if after.is_blank:
                self._labels.pop(name, None)
            else:
                self._labels[name] = after
            return after

    def _write(self, lines: Mapping[str, bytes]) -> None:
        if _signature(self.file) != self._signature:
            raise LabelsNotSavedError(
                f"another program changed {self.file}, and nothing was written: start mderank label again"
            )
        try:
            with atomic_write(self.file, sync=True) as temporary, temporary.open("wb") as stream:
                stream.writelines(lines.values())
        except OSError as error:
            raise LabelsNotSavedError(f"{self.file} could not be written: {error.strerror or error}") from error
        self._signature = _signature(self.file)


class LabelsNotSavedError(MDERankError):
    """The file of labels could not be written; the labels stay as they were."""


def _signature(file: Path) -> tuple[int, int, int] | None:
    """Return what changes when a file is changed; None if there is no file."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _read(file: Path) -> list[DocumentLabels]:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error
    lines = enumerate(data.split(b"\n"), start=1)
    found = [_parse(line, f"{file}:{number}") for number, line in lines if line.strip()]
    names = {each.id for each in found}
    if len(names) < len(found):
        raise InputError(f"{file}: two lines have the same id; choose another file (--output)")
    return found


def _parse(line: bytes, place: str) -> DocumentLabels:
    remedy = "this is not a line of labels; choose another file (--output)"
    try:
        plain = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: {remedy}: {error}") from error
    if not isinstance(plain, dict) or not isinstance(plain.get("text"), str):
        raise InputError(f"{place}: {remedy}")
    name, right, wrong = plain.get("id"), plain.get("keyphrases"), plain.get("crossed_out", [])
    done = plain.get("done", True)  # of files that people or programs made otherwise
    if isinstance(name, bool) or not isinstance(name, str | int) or not isinstance(done, bool):
        raise InputError(f"{place}: {remedy}")
    if not _is_phrases(right) or not _is_phrases(wrong):
        raise InputError(f"{place}: {remedy}")
    other = {key: value for key, value in plain.items() if key not in _FIELDS}
    return DocumentLabels(str(name), plain["text"], tuple(right), tuple(wrong), done, other)


def _is_phrases(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)

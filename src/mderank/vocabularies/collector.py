"""Collect the labels of concepts while a file is read, and make a vocabulary of them."""

from __future__ import annotations

from dataclasses import dataclass

from mderank.candidates import Concept, Vocabulary
from mderank.candidates.label_index import Match
from mderank.candidates.vocabulary import LabelKind
from mderank.errors import InputError
from mderank.text import collapse_whitespace, replace_surrogates
from mderank.util.format import format_count


@dataclass(frozen=True)
class VocabularyFile:
    """The contents of a vocabulary's file.

    Attributes:
        vocabulary: The vocabulary.
        deprecated: Number of deprecated concepts, which are left out.
        without_label: Number of concepts without any label, which are left out.
        comments: Number of lines that were taken for comments.
        second_preferred: Number of preferred labels that are alternative here, because their concept has another one in
            the same language.
        unused: Names of the columns or fields that were not used.
    """

    vocabulary: Vocabulary
    deprecated: int = 0
    without_label: int = 0
    comments: int = 0
    second_preferred: int = 0
    unused: tuple[str, ...] = ()


class Collector:
    """Collects the labels of concepts, in any order. Of two preferred labels in a language the second is alternative.

    Args:
        source: Name of the file, for errors.

    Attributes:
        comments: Number of lines that were taken for comments.
    """

    def __init__(self, source: str) -> None:
        self.comments = 0
        self._source = source
        self._labels: dict[str, list[tuple[LabelKind, str, str]]] = {}
        self._deprecated: set[str] = set()
        self._unused: dict[str, None] = {}

    def leave_unused(self, name: str) -> None:
        """Note that a column or field is not used.

        Args:
            name: Its name.
        """
        self._unused[collapse_whitespace(replace_surrogates(name))] = None

    def add(self, concept: str) -> None:
        """Add a concept, if it is not there.

        Args:
            concept: Its id.
        """
        self._labels.setdefault(replace_surrogates(concept), [])

    def label(self, concept: str, kind: LabelKind, text: str, language: str = "") -> None:
        """Add a label. One that is empty is left out.

        Args:
            concept: The concept's id.
            kind: Kind of the label.
            text: The label.
            language: Its language code.
        """
        single = collapse_whitespace(replace_surrogates(text))
        if single:
            own = self._labels.setdefault(replace_surrogates(concept), [])
            own.append((kind, language.strip().lower().replace("_", "-"), single))

    def deprecate(self, concept: str) -> None:
        """Leave a concept out.

        Args:
            concept: Its id.
        """
        self._deprecated.add(replace_surrogates(concept))

    def finish(self, match: Match, nested: bool, *, hint: str = "") -> VocabularyFile:
        """Make the vocabulary.

        Args:
            match: What counts as an occurrence of a label.
            nested: Whether occurrences inside those of longer labels count too.
            hint: What to do if there is no concept.

        Returns:
            The vocabulary and what was left out.

        Raises:
            InputError: If there is no concept with a label.
        """
        kept = {each: labels for each, labels in self._labels.items() if each not in self._deprecated}
        concepts = [_concept(each, labels) for each, labels in kept.items() if labels]
        deprecated = len(self._labels.keys() & self._deprecated)
        if not concepts:
            left_out = f" (deprecated: {format_count(deprecated, 'concept')})" if deprecated else ""
            raise InputError(f"{self._source}: has no concept with a label{left_out}" + (f": {hint}" if hint else ""))
        return VocabularyFile(
            Vocabulary(concepts, match, nested),
            deprecated,
            len(kept) - len(concepts),
            self.comments,
            sum(map(_count_second_preferred, kept.values())),
            tuple(name for name in self._unused if name),
        )


_TRUE, _FALSE = ("true", "yes", "1"), ("", "false", "no", "0")


def is_deprecated(value: object, where: str) -> bool:
    """Read whether a concept is deprecated.

    Args:
        value: What the file has: a truth value, a number, a text, or nothing.
        where: The concept's place in the file, for errors.

    Returns:
        Whether it is.

    Raises:
        InputError: If the value says neither.
    """
    text = "" if value is None else str(value).strip().lower()
    if text not in (*_TRUE, *_FALSE):
        raise InputError(f"{where}: deprecated is '{text[:40]}': write true or false")
    return text in _TRUE


def _concept(name: str, labels: list[tuple[LabelKind, str, str]]) -> Concept:
    preferred: dict[str, str] = {}
    others: dict[LabelKind, dict[str, list[str]]] = {"alternative": {}, "hidden": {}}
    for kind, language, text in labels:
        if kind == "preferred" and preferred.setdefault(language, text) is text:
            continue
        if text != preferred.get(language):
            others["hidden" if kind == "hidden" else "alternative"].setdefault(language, []).append(text)
    return Concept(name, preferred, others["alternative"], others["hidden"])


def _count_second_preferred(labels: list[tuple[LabelKind, str, str]]) -> int:
    preferred = {(language, text) for kind, language, text in labels if kind == "preferred"}
    return len(preferred) - len({language for language, _ in preferred})

"""A vocabulary of concepts, each with several labels: a thesaurus, a taxonomy, an authority file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, NamedTuple

from mderank.candidates.base import ListedSource, MissingPhrases
from mderank.candidates.label_index import LabelIndex, LabelMatch, Match
from mderank.candidates.phrase_list import check_match
from mderank.document import Document
from mderank.errors import OptionError
from mderank.keyphrase import Candidate, ConceptLabel
from mderank.text import collapse_whitespace

LabelKind = Literal["preferred", "alternative", "hidden", "without qualifier"]

# Labels that are looked for in texts of every language: those of no language, and Latin names of species.
_EVERYWHERE = frozenset(("", "la", "mul", "und", "zxx"))
_QUALIFIER = re.compile(r"([^()]*[^()\s])\s*\([^()]*\)")
_NONE: Mapping[str, tuple[str, ...]] = MappingProxyType({})


@dataclass(frozen=True)
class Concept:
    """A concept of a vocabulary, with its labels.

    >>> Concept("t1", "tide gauge", ["mareograph"]).label()
    'tide gauge'
    >>> Concept("t1", {"en": "tide gauge", "de": "Pegel"}, {"en": ["mareograph"]}).label("de")
    'Pegel'

    Args:
        id: Its id, such as a URI.
        preferred: Its preferred label: a text, or one text per language code.
        alternative: Synonyms and acronyms: texts, or texts per language code.
        hidden: Labels that are found and never shown, such as frequent misspellings; as ``alternative``.

    Attributes:
        id: See above.
        preferred: The preferred labels by language code, in lower case; "" for a label of no language.
        alternative: The synonyms and acronyms, likewise.
        hidden: The hidden labels, likewise.

    Raises:
        OptionError: If there is no id or no label, or a label is not a text.
    """

    id: str
    preferred: Mapping[str, str] = field(hash=False)
    alternative: Mapping[str, tuple[str, ...]] = field(hash=False)
    hidden: Mapping[str, tuple[str, ...]] = field(hash=False)

    def __init__(
        self,
        id: str,  # noqa: A002
        preferred: str | Mapping[str, str],
        alternative: Iterable[str] | Mapping[str, Iterable[str]] = (),
        hidden: Iterable[str] | Mapping[str, Iterable[str]] = (),
    ) -> None:
        if not isinstance(id, str) or not id.strip():
            raise OptionError(f"a concept's id is a text that is not empty, not {id!r}")
        named = {"": preferred} if isinstance(preferred, str) else preferred
        if not isinstance(named, Mapping):
            raise OptionError(f"the preferred label of '{id}' is a text, or a text per language, not {preferred!r}")
        preferred = {language: texts[0] for language, texts in _clean(id, {k: [v] for k, v in named.items()}).items()}
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "preferred", preferred)
        for name, given in (("alternative", alternative), ("hidden", hidden)):
            if isinstance(given, str):
                raise OptionError(f"the {name} labels of '{id}' are several texts, not one: {name}=[{given!r}]")
            cleaned = _clean(id, given if isinstance(given, Mapping) else {"": given})
            object.__setattr__(self, name, cleaned or _NONE)
        if not self.preferred and not self.alternative and not self.hidden:
            raise OptionError(f"the concept '{id}' has no label: give it a preferred label")

    def __getstate__(self) -> dict[str, object]:
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in ((name, getattr(self, name)) for name in ("id", "preferred", "alternative", "hidden"))
        }

    def label(self, language: str = "", otherwise: str = "") -> str:
        """Return the preferred label.

        Args:
            language: Language code.
            otherwise: Language of the label if there is none in ``language``.

        Returns:
            The preferred label in that language, in its form of another region, of no language, in ``otherwise``, or in
            the first. A concept without preferred labels has its first other label.
        """
        if self.preferred:
            primary = {tag.partition("-")[0]: text for tag, text in reversed([*self.preferred.items()])}
            tag = _normalise_tag(language)
            for each, wanted in ((self.preferred, tag), (primary, tag), (primary, _primary(tag))):
                if wanted in each:
                    return each[wanted]
            return self.preferred.get("") or primary.get(otherwise) or next(iter(self.preferred.values()))
        return next(texts[0] for texts in (*self.alternative.values(), *self.hidden.values()))

    def labels(self) -> Iterator[tuple[LabelKind, str, str]]:
        """Yield all labels.

        Yields:
            Kind, language code and text of each label, the preferred ones first.
        """
        yield from (("preferred", language, text) for language, text in self.preferred.items())
        yield from (("alternative", language, text) for language, texts in self.alternative.items() for text in texts)
        yield from (("hidden", language, text) for language, texts in self.hidden.items() for text in texts)


def _clean(concept: str, labels: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Labels by language code in lower case, with single spaces, without those that are empty."""
    found: dict[str, dict[str, None]] = {}
    for language, texts in labels.items():
        if not isinstance(language, str):
            raise OptionError(f"a label of the concept '{concept}' has the language {language!r}: a language is a code")
        if isinstance(texts, str):
            raise OptionError(f"the labels of '{concept}' in '{language}' are several texts, not one: [{texts!r}]")
        tag = _normalise_tag(language)
        for text in texts:
            if not isinstance(text, str):
                raise OptionError(f"a label of the concept '{concept}' is {text!r}: a label is a text")
            single = collapse_whitespace(text)
            if single:
                found.setdefault(tag, {})[single] = None
    return {language: tuple(texts) for language, texts in found.items()}


class AmbiguousLabel(NamedTuple):
    """A label of several concepts.

    Attributes:
        label: The label.
        concepts: The concepts, of which the first is found where the label occurs; with the kind that it has there.
        is_found: Whether it is found at all. Labels that are alike but for a qualifier in brackets are not.
    """

    label: str
    concepts: tuple[tuple[Concept, LabelKind], ...]
    is_found: bool = True


@dataclass(frozen=True)
class _Labels:
    """The labels for texts of one language.

    Attributes:
        texts: The labels. Of labels that read the same, the first is found.
        concepts: The index of each label's concept.
        kinds: The kind of each label.
        index: Finds them.
        left_out: Labels that are not found.
        instead: The language of the labels, if there are none in that of the texts.
    """

    texts: Sequence[str]
    concepts: Sequence[int]
    kinds: Sequence[LabelKind]
    index: LabelIndex
    left_out: frozenset[int]
    instead: str | None


@dataclass(frozen=True)
class Vocabulary(ListedSource):
    """Concepts that the user lists, found by any of their labels.

    All labels of a concept are one candidate. Its keyphrase names the concept, with the preferred label in the
    document's language. Labels are found as `PhraseList` finds phrases: in all inflections and spellings, in any case
    but for short acronyms in capitals.

    Labels of the document's language are looked for, and those of no language or in Latin. If there are none, those of
    the vocabulary's main language are, and the result says so.

    An occurrence inside that of a longer label does not count: "storm surge" is not a "surge" to an indexer, who takes
    the most specific concept. A label of several concepts belongs to the one that prefers it, then to one that has it
    as an alternative, then as a hidden label; of equals, to the first. A label with a qualifier, as in "Mercury
    (planet)", is found without it too, if no other concept has the rest as a label.

    >>> from mderank import Document
    >>> document = Document.from_tagged([("Mareographs", "NNS"), ("and", "CC"), ("tide", "NN"), ("gauges", "NNS")])
    >>> vocabulary = Vocabulary([Concept("t1", "tide gauge", ["mareograph"]), Concept("t2", "tide")])
    >>> [(each.concept.label, len(each.occurrences)) for each in vocabulary.find(document)]
    [('tide gauge', 2)]

    Args:
        concepts: The concepts.
        match: What counts as an occurrence: "variant" as above, "case" for the same words in any case, "exact" for the
            same words as they are written.
        nested: Whether occurrences inside those of longer labels count too.

    Attributes:
        concepts: See above.
        match: See above.
        nested: See above.

    Raises:
        OptionError: If there is no concept, two have the same id, or ``match`` is unknown.
    """

    concepts: tuple[Concept, ...]
    match: Match = "variant"
    nested: bool = False
    _made: dict[str, _Labels] = field(default_factory=dict, init=False, repr=False, compare=False, hash=False)
    _names: tuple[str, ...] = field(default=(), init=False, repr=False, compare=False, hash=False)
    _languages: tuple[str, ...] = field(default=(), init=False, repr=False, compare=False, hash=False)

    def __init__(self, concepts: Iterable[Concept], match: Match = "variant", nested: bool = False) -> None:
        if isinstance(concepts, Concept):
            raise OptionError("a vocabulary has several concepts, not one: Vocabulary([Concept('t1', 'tide gauge')])")
        concepts = tuple(concepts)
        wrong = next((each for each in concepts if not isinstance(each, Concept)), None)
        if wrong is not None:
            raise OptionError(
                f"a vocabulary has concepts, not {wrong!r}: Vocabulary([Concept('t1', 'tide gauge')]), or a PhraseList"
            )
        if not concepts:
            raise OptionError("the vocabulary is empty: give at least one concept")
        twice, count = Counter(each.id for each in concepts).most_common(1)[0]
        if count > 1:
            raise OptionError(f"the vocabulary has {count} concepts with the id '{twice}': join their labels in one")
        check_match(match)
        object.__setattr__(self, "concepts", concepts)
        object.__setattr__(self, "match", match)
        object.__setattr__(self, "nested", nested)
        self._prepare()

    def _prepare(self) -> None:
        counts = Counter(_primary(language) for each in self.concepts for _, language, _ in each.labels())
        languages = tuple(sorted(counts, key=lambda language: (language in _EVERYWHERE, -counts[language], language)))
        object.__setattr__(self, "_made", {})
        object.__setattr__(self, "_languages", languages)
        object.__setattr__(self, "_names", tuple(each.label(self.main_language) for each in self.concepts))

    def __getstate__(self) -> dict[str, object]:
        return {"concepts": self.concepts, "match": self.match, "nested": self.nested}

    def __setstate__(self, state: dict[str, object]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)
        self._prepare()

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self.concepts):,} concepts>"

    def __len__(self) -> int:
        return len(self.concepts)

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the labels' languages without regions, that with the most labels first; "" stands for none."""
        return self._languages

    @property
    def main_language(self) -> str:
        """The language with the most labels; "" if no label has one."""
        return "" if self._languages[0] in _EVERYWHERE else self._languages[0]

    def find(self, document: Document) -> list[Candidate]:
        """Find the concepts whose labels occur in a document.

        Args:
            document: The tagged text.

        Returns:
            A candidate for each concept, by first occurrence.
        """
        labels = self._labels(document.language)
        matches = (each for each in labels.index.find(document) if each.label not in labels.left_out)
        places: dict[int, list[LabelMatch]] = {}
        furthest = 0
        for each in sorted(matches, key=lambda match: (match.parts.start, -match.parts.stop)):
            if each.parts.stop <= furthest and not self.nested:
                continue
            furthest = max(furthest, each.parts.stop)
            own = places.setdefault(labels.concepts[each.label], [])
            if not own or own[-1].parts.stop <= each.parts.start:
                own.append(each)
        found = [
            Candidate(
                labels.texts[own[0].label].lower(),
                tuple(each.occurrence for each in own),
                len(own),
                listed=(number,),
                concept=self._name(number, document.language),
            )
            for number, own in places.items()
        ]
        return sorted(found, key=lambda each: (each.first, -len(each.key)))

    def missing(self, found: Sequence[Candidate]) -> Sequence[str]:
        """Return the concepts that do not occur.

        Args:
            found: The candidates that `find` returned.

        Returns:
            Their preferred labels in the vocabulary's main language, in the order of the vocabulary.
        """
        return MissingPhrases.of(self._names, (number for each in found for number in each.listed))

    def notes(self, document: Document) -> tuple[str, ...]:
        """Return what the reader of the keyphrases should know.

        Args:
            document: The tagged text.

        Returns:
            A note if the vocabulary has no labels in the document's language.
        """
        instead = self._labels(document.language).instead
        if instead is None:
            return ()
        return (
            f"the vocabulary has no labels in '{document.language}': those in '{instead}' were looked for; if the text "
            f"is in that language, name it: --language {instead}",
        )

    def concept_of(self, phrase: str, language: str | None = None) -> Concept | None:
        """Find the concept that a phrase is a label of, in any form that ``match`` allows.

        Args:
            phrase: The phrase.
            language: Language code; None takes the vocabulary's main language, or English if labels have none.

        Returns:
            The concept; None if there is none.
        """
        labels = self._labels((self.main_language or "en") if language is None else language)
        number = labels.index.find_whole(phrase)
        return None if number is None or number in labels.left_out else self.concepts[labels.concepts[number]]

    def ambiguous(self, language: str | None = None) -> list[AmbiguousLabel]:
        """List the labels that several concepts have.

        Args:
            language: Language code; None takes the vocabulary's main language, or English if labels have none.

        Returns:
            The labels, in the order of their concepts.
        """
        labels = self._labels((self.main_language or "en") if language is None else language)
        found = []
        for group in labels.index.collisions():
            kinds: dict[int, LabelKind] = {}
            for number in group:
                kinds.setdefault(labels.concepts[number], labels.kinds[number])
            named = {concept: kind for concept, kind in kinds.items() if kind != "without qualifier"}
            chosen = list((named or kinds).items())
            if len(chosen) > 1:
                some = tuple((self.concepts[concept], kind) for concept, kind in chosen)
                found.append((chosen[0][0], AmbiguousLabel(labels.texts[group[0]], some, bool(named))))
        return [each for _, each in sorted(found, key=lambda pair: pair[0])]

    def _name(self, number: int, language: str) -> ConceptLabel:
        concept = self.concepts[number]
        return ConceptLabel(concept.id, concept.label(language, self.main_language))

    def _labels(self, language: str) -> _Labels:
        """The labels for texts of a language, made when the first such text comes."""
        primary = _primary(language)
        if primary not in self._made:
            self._made[primary] = self._make_labels(primary)
        return self._made[primary]

    def _make_labels(self, primary: str) -> _Labels:
        own = primary if primary in self._languages else self.main_language
        wanted = {*self._languages} if not primary else {own, *_EVERYWHERE}
        rows: list[tuple[LabelKind, str, int]] = [
            (kind, text, number)
            for number, concept in enumerate(self.concepts)
            for kind, tag, text in concept.labels()
            if _primary(tag) in wanted
        ]
        rows += [
            ("without qualifier", match[1], number) for _, text, number in rows if (match := _QUALIFIER.fullmatch(text))
        ]
        rows.sort(key=lambda row: _ORDER[row[0]])  # in each kind, the order of the vocabulary stays
        concepts = [number for _, _, number in rows]
        texts = [text for _, text, _ in rows]
        index = LabelIndex(texts, primary, self.match)
        left_out = {
            group[0]
            for group in index.collisions()
            if rows[group[0]][0] == "without qualifier" and len({concepts[number] for number in group}) > 1
        }
        unknown = bool(primary) and own != primary and bool(own)
        kinds = [kind for kind, _, _ in rows]
        return _Labels(texts, concepts, kinds, index, frozenset(left_out), own if unknown else None)


_ORDER: dict[LabelKind, int] = {"preferred": 0, "alternative": 1, "hidden": 2, "without qualifier": 3}


def _primary(tag: str) -> str:
    return _normalise_tag(tag).partition("-")[0]


def _normalise_tag(tag: str) -> str:
    return tag.strip().lower().replace("_", "-")

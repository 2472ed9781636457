"""Each text tagged in its own language, which is detected or named."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from mderank.document import Document
from mderank.errors import InputError, MissingExtraError, OptionError
from mderank.languages import detect_language, get_language
from mderank.tagging.encoder_tagger import EncoderTagger
from mderank.tagging.word_tagger import WordTagger
from mderank.text import SEGMENTED

if TYPE_CHECKING:
    from mderank.tagging.base import Tagger

AUTO = "auto"

_UNCERTAIN = 0.5  # below this certainty the user is told
_FEWEST_CHARACTERS = 200  # of a text whose language can be told


class LanguageTagger:
    """Finds the language of each text, and tags the text with what is there for that language.

    - English: the bundled tagger.
    - Other languages: a spaCy pipeline of the language, if one is installed.
    - Chinese, Japanese, Korean, Thai without a pipeline: a segmenter, which is an extra.
    - Else the words without tags.

    Args:
        language: Code or English name of the language of all texts; "auto" finds out the language of each.
        tags: False finds the words only.

    Raises:
        OptionError: If the language is unknown.
    """

    def __init__(self, language: str = AUTO, *, tags: bool = True) -> None:
        self.language = language if language == AUTO else get_language(language).code
        self._tags = tags
        self._taggers: dict[str, Tagger] = {}

    @property
    def name(self) -> str:
        """Name of the tagger. Each document has the name of the one that read it."""
        if self.language in (AUTO, "en"):
            return EncoderTagger().name
        return str(getattr(self.tagger_of(self.language), "name", ""))

    def without_tags(self) -> LanguageTagger:
        """Return a tagger that assigns no tags.

        Returns:
            The tagger.
        """
        return LanguageTagger(self.language, tags=False)

    def for_language(self, language: str) -> LanguageTagger:
        """Return a tagger for another language, which shares what is loaded.

        Args:
            language: As for `LanguageTagger`.

        Returns:
            The tagger.

        Raises:
            OptionError: If the language is unknown.
        """
        tagger = LanguageTagger(language, tags=self._tags)
        tagger._taggers = self._taggers
        return tagger

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag texts, each in its language.

        Args:
            texts: Texts, which are read as documents are asked for.

        Yields:
            One document per text, in order.

        Raises:
            InputError: If the words of a language need an extra that is not installed.
        """
        for text in texts:
            yield from self.tag_in([(text, None)])

    def tag_in(self, texts: Sequence[tuple[str, str | None]]) -> Iterator[Document]:
        """Tag texts of which some have a known language.

        Args:
            texts: Each text, with its language or None.

        Yields:
            One document per text, in order.

        Raises:
            InputError: If the words of a language need an extra that is not installed.
        """
        found = [self._find_language(text, named) for text, named in texts]
        documents: dict[str, Iterator[Document]] = {}
        for code in dict.fromkeys(code for code, _, _ in found):
            own = [text for (text, _), (other, _, _) in zip(texts, found, strict=True) if other == code]
            documents[code] = self.tagger_of(code).tag(own)
        for (text, _), (code, certainty, unknown) in zip(texts, found, strict=True):
            try:
                document = next(documents[code])
            except MissingExtraError as error:
                raise InputError(str(error)) from error
            tagger = self.tagger_of(code)
            yield replace(
                document,
                language=code,
                certainty=certainty,
                tagger=str(getattr(tagger, "name", type(tagger).__name__)),
                warnings=(*unknown, *_warnings(code, certainty, tagger, text)),
            )

    def _find_language(self, text: str, named: str | None) -> tuple[str, float | None, tuple[str, ...]]:
        """The language of a text, how certain it is, and a warning where the record names an unknown one."""
        unknown: tuple[str, ...] = ()
        if named is not None:
            try:
                return get_language(named).code, None, ()
            except OptionError:
                unknown = (f"the record's language {named[:40]!r} is unknown, and was not used",)
        if self.language != AUTO:
            return self.language, None, unknown
        detected = detect_language(text)
        return detected.code, detected.certainty, unknown

    def tagger_of(self, code: str) -> Tagger:
        """Return the tagger of a language.

        Args:
            code: Language code.

        Returns:
            The tagger, which is made once.
        """
        if code not in self._taggers:
            self._taggers[code] = self._make(code)
        return self._taggers[code]

    def _make(self, code: str) -> Tagger:
        if code == "en":
            return EncoderTagger(tags=self._tags, warn=False)
        pipeline = find_pipeline(code)
        if pipeline is not None:
            from mderank.tagging.spacy import SpacyTagger

            return SpacyTagger(pipeline, tags=self._tags)
        if code in SEGMENTED:
            from mderank.tagging.segmenters import SegmenterTagger

            return SegmenterTagger(code, tags=self._tags)
        return WordTagger(code)


def describe_tagger(code: str) -> str:
    """Describe what reads texts of a language on this machine, without loading it.

    Args:
        code: Language code.

    Returns:
        A few words, with the command that installs what is missing.
    """
    language = get_language(code)
    pipeline = find_pipeline(code)
    if code == "en":
        return "bundled tagger"
    if pipeline is not None:
        return f"spaCy pipeline {pipeline}"
    if code in SEGMENTED:
        from mderank.tagging.segmenters import LIBRARIES

        library = LIBRARIES[code]
        return library if importlib.util.find_spec(library) else f"{library}, after pip install 'mderank[{code}]'"
    further = f"; better with spaCy's {language.pipelines[0]}" if language.pipelines else ""
    return f"words between stop words{further}"


@cache
def find_pipeline(code: str) -> str | None:
    """Find an installed spaCy pipeline of a language.

    Args:
        code: Language code.

    Returns:
        The name of the pipeline; None if there is none.
    """
    if importlib.util.find_spec("spacy") is None:
        return None
    return next((name for name in get_language(code).pipelines if importlib.util.find_spec(name)), None)


def _warnings(code: str, certainty: float | None, tagger: Tagger, text: str) -> Iterator[str]:
    if certainty is not None and certainty < _UNCERTAIN and len(text) >= _FEWEST_CHARACTERS:
        yield (
            f"the language is not certain, {get_language(code).name} was taken: name it with --language (language=…) "
            "if that is wrong"
        )
    if isinstance(tagger, WordTagger):
        language = get_language(code)
        better = (
            f"a spaCy pipeline gives better ones: python -m spacy download {language.pipelines[0]}"
            if language.pipelines
            else "verbs may be among them"
        )
        yield f"the words of {language.name} have no tags here, and phrases are words between stop words; {better}"

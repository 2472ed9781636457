"""Frequencies of phrases and words in a corpus, of words in general, and the weight of a word that follows from them.

Arora et al. (2017), "A simple but tough-to-beat baseline for sentence embeddings", ICLR: smooth inverse frequency.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from mderank.candidates import CandidateSource, NounPhrases
from mderank.candidates.base import is_word
from mderank.errors import InputError, MissingExtraError
from mderank.tagging import Tagger, load_tagger
from mderank.text import stem_phrase

# Maximum number of words of a candidate's part that is counted; longer candidates are counted whole.
_MAX_PART_WORDS = 8
MAX_BYTES = 500_000_000  # of a file of frequencies, unpacked


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many documents of a corpus each phrase is a candidate, or part of one.

    Attributes:
        documents: Number of documents of the corpus.
        counts: Number of documents of each stemmed phrase.
    """

    documents: int
    counts: Mapping[str, int]

    @classmethod
    def of(
        cls, texts: Iterable[str], *, tagger: str | Tagger | None = None, candidates: CandidateSource | None = None
    ) -> DocumentFrequencies:
        """Count the candidates of a corpus and their parts, text by text.

        Args:
            texts: The texts of the corpus.
            tagger: A tagger, or its name; None for the bundled tagger of English.
            candidates: The source of candidates; None for noun phrases.

        Returns:
            The document frequencies.
        """
        read = load_tagger(tagger)
        source = candidates or NounPhrases()
        counts: Counter[str] = Counter()
        number = 0
        for number, document in enumerate(read.tag(texts), start=1):  # noqa: B007
            found = {stem_phrase(each.key, document.language) for each in source.find(document) if each.occurrences}
            counts.update(found.union(*map(_parts, found)))
        return cls(number, dict(counts))

    def save(self, file: Path) -> None:
        """Write the counts as JSON.

        Args:
            file: The file to write; gzipped if its name ends in ".gz".
        """
        _write_json(file, {"documents": self.documents, "counts": dict(sorted(self.counts.items()))})

    @classmethod
    def load(cls, file: Path) -> DocumentFrequencies:
        """Read counts that `save` wrote.

        Args:
            file: The file.

        Returns:
            The document frequencies.

        Raises:
            InputError: If the file cannot be read or does not hold document frequencies.
        """
        with _refuse_other_files(file, "document frequencies"):
            record = _read_json(file)
            return cls(int(record["documents"]), {str(key): int(count) for key, count in record["counts"].items()})


def _parts(phrase: str) -> set[str]:
    """Return all runs of words of a phrase."""
    words = phrase.split()
    return {
        " ".join(words[start : start + length])
        for length in range(1, min(_MAX_PART_WORDS, len(words)) + 1)
        for start in range(len(words) - length + 1)
    }


@dataclass(frozen=True)
class WordFrequencies:
    """Frequencies of words in a corpus.

    Attributes:
        counts: Number of occurrences of each word, in lower case.
    """

    counts: Mapping[str, int]

    @classmethod
    def of(cls, texts: Iterable[str], *, tagger: str | Tagger | None = None) -> WordFrequencies:
        """Count the words of a corpus, text by text.

        Args:
            texts: The texts of the corpus.
            tagger: A tagger, or its name; None for the bundled tagger of English.

        Returns:
            The word frequencies.
        """
        read = load_tagger(tagger)
        counts: Counter[str] = Counter()
        for document in read.tag(texts):
            counts.update(token.text.lower() for token in document.tokens if is_word(token))
        return cls(dict(counts))

    @cached_property
    def words(self) -> int:
        """Number of words of the corpus."""
        return sum(self.counts.values())

    def frequency(self, word: str) -> float:
        """Return the share of a word among all words of the corpus.

        Args:
            word: The word, in any case.

        Returns:
            The share, from 0 to 1; 0 for a word that does not occur.
        """
        return self.counts.get(word.lower(), 0) / self.words if self.words else 0.0

    def save(self, file: Path) -> None:
        """Write the counts as JSON.

        Args:
            file: The file to write; gzipped if its name ends in ".gz".
        """
        _write_json(file, {"words": dict(sorted(self.counts.items()))})

    @classmethod
    def load(cls, file: Path) -> WordFrequencies:
        """Read counts that `save` wrote.

        Args:
            file: The file.

        Returns:
            The word frequencies.

        Raises:
            InputError: If the file cannot be read or does not hold word frequencies.
        """
        with _refuse_other_files(file, "word frequencies"):
            counts = {str(word): int(count) for word, count in _read_json(file)["words"].items()}
            if any(count < 0 for count in counts.values()):
                raise ValueError("a count below 0")
            return cls(counts)


def _write_json(file: Path, data: Mapping[str, Any]) -> None:
    encoded = json.dumps(data).encode()
    Path(file).write_bytes(gzip.compress(encoded, mtime=0) if Path(file).suffix == ".gz" else encoded)


def _read_json(file: Path) -> Any:
    with gzip.open(file) if Path(file).suffix == ".gz" else Path(file).open("rb") as stream:
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES:,} bytes, unpacked, which is the limit")
    return json.loads(data)


@contextmanager
def _refuse_other_files(file: Path, content: str) -> Iterator[None]:
    """Raise an `InputError` for a file that cannot be read or holds something else."""
    try:
        yield
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{file} does not hold {content} ({error!r}): write them with save()") from error


def inverse(frequency: float, a: float) -> float:
    """Return the weight of a word: 1 for an unknown one, 1/2 at the frequency ``a``, near 0 for "the".

    >>> [round(inverse(frequency, 1e-3), 2) for frequency in (0, 1e-3, 0.05)]
    [1.0, 0.5, 0.02]

    Args:
        frequency: Share of the word among all words.
        a: Smoothing parameter.

    Returns:
        The weight, from 0 to 1.
    """
    return a / (a + frequency)


def require_wordfreq() -> None:
    """Check that the frequencies of words in general are installed.

    Raises:
        MissingExtraError: If the package wordfreq is missing.
    """
    try:
        import wordfreq  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("the frequency of words in general", "sifrank") from error


@lru_cache(maxsize=65_536)
def general_frequency(word: str, language: str) -> float:
    """Return how frequent a word is in a language; 0 for an unknown word.

    Args:
        word: The word.
        language: Language code.

    Returns:
        The share of the word among all words of the language.

    Raises:
        InputError: If the language is unknown.
    """
    import wordfreq

    try:
        return float(wordfreq.word_frequency(word, language))
    except LookupError as error:
        raise InputError(
            f"the frequencies of words in the language '{language}' are not known: count them in a corpus of yours "
            "and take these alone (domain=WordFrequencies.of(texts), mix=0; --frequencies PATH --set mix=0)"
        ) from error

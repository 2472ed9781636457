"""How frequent words are, in general and in a corpus, and the weight of a word that follows from it.

Arora et al. (2017), "A simple but tough-to-beat baseline for sentence embeddings", ICLR: smooth inverse frequency.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from mderank.candidates.base import is_word
from mderank.errors import InputError, MissingExtraError
from mderank.tagging import SpacyTagger, Tagger


@dataclass(frozen=True)
class WordFrequencies:
    """How often each word, in lower case, occurs in a corpus."""

    counts: Mapping[str, int]

    @classmethod
    def of(cls, texts: Iterable[str], *, tagger: str | Tagger | None = None) -> WordFrequencies:
        """Count the words of a corpus, text by text, as ``tagger`` tells them apart."""
        read = SpacyTagger(tagger) if tagger is None or isinstance(tagger, str) else tagger
        counts: Counter[str] = Counter()
        for document in read.tag(texts):
            counts.update(token.text.lower() for token in document.tokens if is_word(token))
        return cls(dict(counts))

    @cached_property
    def words(self) -> int:
        """How many words the corpus has."""
        return sum(self.counts.values())

    def frequency(self, word: str) -> float:
        """The share of ``word`` among the corpus' words."""
        return self.counts.get(word.lower(), 0) / self.words if self.words else 0.0

    def save(self, file: Path) -> None:
        """Write them as JSON, gzipped if the name ends so."""
        data = json.dumps({"words": dict(sorted(self.counts.items()))}).encode()
        Path(file).write_bytes(gzip.compress(data, mtime=0) if Path(file).suffix == ".gz" else data)

    @classmethod
    def load(cls, file: Path) -> WordFrequencies:
        """Read what `save` wrote."""
        try:
            data = Path(file).read_bytes()
            record: Any = json.loads(gzip.decompress(data) if Path(file).suffix == ".gz" else data)
            counts = {str(word): int(count) for word, count in record["words"].items()}
            if any(count < 0 for count in counts.values()):
                raise ValueError("a count below 0")
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{file} does not hold word frequencies ({error!r}): write them with save()") from error
        return cls(counts)


def inverse(frequency: float, a: float) -> float:
    """The weight of a word: 1 for an unknown one, 1/2 at the frequency ``a``, near 0 for "the".

    >>> [round(inverse(frequency, 1e-3), 2) for frequency in (0, 1e-3, 0.05)]
    [1.0, 0.5, 0.02]
    """
    return a / (a + frequency)


def needs_wordfreq() -> None:
    """Refuse to go on where the frequencies of words in general are not installed."""
    try:
        import wordfreq  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("the frequency of words in general", "sifrank") from error


@lru_cache(maxsize=65_536)
def general_frequency(word: str, language: str) -> float:
    """How frequent a word is in a language, 0 for one that is not known."""
    import wordfreq

    try:
        return float(wordfreq.word_frequency(word, language))
    except LookupError as error:
        raise InputError(
            f"the frequencies of words in the language '{language}' are not known: count them in a corpus of yours "
            "and take these alone (domain=WordFrequencies.of(texts), mix=0; --frequencies PATH --set mix=0)"
        ) from error

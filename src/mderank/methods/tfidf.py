"""TF-IDF: what is frequent here and rare elsewhere.

Spärck Jones (1972), "A statistical interpretation of term specificity and its application in retrieval", Journal of
Documentation 28(1).
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from mderank.candidates import CandidateSource, NounPhrases
from mderank.errors import InputError
from mderank.methods.base import BaseExtractor, BaseOptions, CandidateScores, ScoringInput
from mderank.tagging import SpacyTagger, Tagger
from mderank.text import stem_phrase

# Words of a candidate's part that is counted too; candidates that are longer count whole.
_LONGEST_PART = 8


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many documents of a corpus each phrase, stemmed, is a candidate or part of one."""

    documents: int
    counts: Mapping[str, int]

    @classmethod
    def of(
        cls, texts: Iterable[str], *, tagger: str | Tagger | None = None, candidates: CandidateSource | None = None
    ) -> DocumentFrequencies:
        """Count the candidates of a corpus and their parts, text by text."""
        read = SpacyTagger(tagger) if tagger is None or isinstance(tagger, str) else tagger
        source = candidates or NounPhrases()
        counts: Counter[str] = Counter()
        number = 0
        for number, document in enumerate(read.tag(texts), start=1):  # noqa: B007
            found = {stem_phrase(each.key, document.language) for each in source.find(document) if each.occurrences}
            counts.update(found.union(*map(_parts, found)))
        return cls(number, dict(counts))

    def save(self, file: Path) -> None:
        """Write them as JSON, gzipped if the name ends so."""
        data = json.dumps({"documents": self.documents, "counts": dict(sorted(self.counts.items()))}).encode()
        Path(file).write_bytes(gzip.compress(data, mtime=0) if Path(file).suffix == ".gz" else data)

    @classmethod
    def load(cls, file: Path) -> DocumentFrequencies:
        """Read what `save` wrote."""
        try:
            data = Path(file).read_bytes()
            record: Any = json.loads(gzip.decompress(data) if Path(file).suffix == ".gz" else data)
            return cls(int(record["documents"]), {str(key): int(count) for key, count in record["counts"].items()})
        except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{file} does not hold document frequencies ({error!r}): write them with save()"
            ) from error


def _parts(phrase: str) -> set[str]:
    """The stretches of its words."""
    words = phrase.split()
    return {
        " ".join(words[start : start + length])
        for length in range(1, min(_LONGEST_PART, len(words)) + 1)
        for start in range(len(words) - length + 1)
    }


class TfIdf(BaseExtractor):
    """Ranks candidates by how often they occur, weighed by how rare they are in a corpus.

    1. Find the candidates.
    2. Count how often each was found, stem variants together: tf. With ``nested`` its places inside longer
       candidates count too.
    3. Score tf · log2(N / df), with N the corpus' documents and df those that have the phrase as a candidate or part
       of one, this text counted among them in both. Without a corpus all phrases are equally rare.
    """

    def __init__(
        self,
        frequencies: DocumentFrequencies | None = None,
        *,
        nested: bool = False,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self.frequencies = frequencies or DocumentFrequencies(0, {})
        self.nested = nested

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for item in inputs:
            language = item.document.language
            stems = [stem_phrase(each.key, language) for each in item.candidates]
            frequency: Counter[str] = Counter()
            for stem, each in zip(stems, item.candidates, strict=True):
                frequency[stem] += len(each.occurrences) if self.nested else each.match_count
            values = np.asarray([frequency[stem] * self._rarity(stem) for stem in stems], dtype=np.float64)
            scores.append(CandidateScores(values, values))
        return scores

    def _rarity(self, stem: str) -> float:
        if not self.frequencies.documents:
            return 1.0
        return log2((1 + self.frequencies.documents) / (1 + self.frequencies.counts.get(stem, 0)))

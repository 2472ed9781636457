"""Pseudo labels: what another method θ takes for the keyphrases of each document, computed once and kept on disk.

A file of JSON lines, one per document: its id, its text, and its candidates, each with its character spans and its rank
among the candidates that θ found (none for those that θ did not rank among its first). A phrase of θ that is not a
candidate is left out: the paper's keyphrases and non-keyphrases are both candidates. The file's name is a checksum of
all that it depends on. It is written to a temporary file and renamed when it is whole; a stopped run resumes.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from mderank._version import __version__
from mderank.candidates import NounPhrases
from mderank.document import Document, Span, surface
from mderank.errors import InputError, MDERankError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.methods.registry import get_method
from mderank.research.training import corpus as texts
from mderank.research.training.corpus import Text
from mderank.research.training.recipe import Labels, Recipe
from mderank.tagging import SpacyTagger, Tagger
from mderank.text import stem_phrase

_CHUNK = 32  # documents that go to a process at once
FORMAT = 2  # of the file: 1 also had phrases of θ that were not candidates


@dataclass(frozen=True)
class Phrase:
    """A candidate of a document: all its occurrences, and its rank from 0 among θ's phrases; None if it has none."""

    spans: tuple[Span, ...]
    rank: int | None


@dataclass(frozen=True)
class Labelled:
    """A document with its phrases."""

    id: str
    text: str
    phrases: tuple[Phrase, ...]

    def line(self) -> str:
        """The line of the file."""
        phrases = [[phrase.rank, [list(span) for span in phrase.spans]] for phrase in self.phrases]
        return json.dumps({"id": self.id, "text": self.text, "phrases": phrases}, ensure_ascii=False) + "\n"

    @classmethod
    def parse(cls, line: bytes, place: str) -> Labelled:
        """The document of a line."""
        try:
            data = json.loads(line)
            phrases = tuple(Phrase(tuple(Span(*span) for span in spans), rank) for rank, spans in data["phrases"])
            return cls(data["id"], data["text"], phrases)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{place} is no labelled document ({error!r}): remove the file, it is made again"
            ) from error


class LabelledCorpus:
    """The labelled documents of a file, of which only the places are held in memory."""

    def __init__(self, file: Path) -> None:
        self.file = file
        with file.open("rb") as stream:
            lengths = np.fromiter((len(line) for line in stream), dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(lengths)])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> Labelled:
        start, end = int(self._starts[number]), int(self._starts[number + 1])
        try:
            with self.file.open("rb") as stream:
                stream.seek(start)
                return Labelled.parse(stream.read(end - start), f"{self.file}:{number + 1}")
        except OSError as error:
            raise InputError(f"{self.file}: cannot be read: {error.strerror or error}") from error


class Labeller:
    """Labels documents by θ."""

    def __init__(self, settings: Labels, tagger: Tagger | None = None) -> None:
        self._keep = settings.keep
        self._tagger = tagger or SpacyTagger(settings.tagger, tokenizer="spacy")
        self._candidates = NounPhrases(max_phrase_words=settings.max_phrase_words)
        options = dict(settings.options)
        if settings.candidates == "noun-phrases":
            options["candidates"] = self._candidates
        self._method: Extractor = get_method(settings.method).make(tagger=self._tagger, **options)

    def label(self, some: Sequence[Text]) -> list[Labelled | InputError]:
        """The documents with their phrases; an error for those that θ failed on."""
        tagged = list(self._tagger.tag(text.text for text in some))
        found = self._method.extract_many(tagged, top_k=None)
        labelled: list[Labelled | InputError] = []
        for text, document, keyphrases in zip(some, tagged, found, strict=True):
            if keyphrases.error is not None:
                labelled.append(InputError(f"the document '{text.id}' cannot be labelled: {keyphrases.error}"))
            else:
                labelled.append(Labelled(text.id, document.text, self._ranked(document, keyphrases)))
        return labelled

    def _ranked(self, document: Document, keyphrases: Keyphrases) -> tuple[Phrase, ...]:
        """All candidates, those that θ ranks first among them with their ranks."""
        candidates = self._candidates.find(document)
        # A candidate is θ's phrase if their stems are equal: "network" and "networks" are one keyphrase, masked apart.
        stems = [stem_phrase(surface(document, candidate.occurrences[0].span)) for candidate in candidates]
        known = set(stems)
        ranks: dict[str, int] = {}
        for rank, matching in enumerate(islice(_matching(keyphrases, known), self._keep)):
            for stem in matching:
                ranks.setdefault(stem, rank)
        return tuple(
            Phrase(tuple(occurrence.span for occurrence in candidate.occurrences), ranks.get(stem))
            for candidate, stem in zip(candidates, stems, strict=True)
        )


def _matching(keyphrases: Keyphrases, stems: set[str]) -> Iterator[set[str]]:
    """The stems of each of θ's phrases that are stems of candidates, in θ's order; phrases without any are left out."""
    seen: set[str] = set()
    for keyphrase in keyphrases:
        matching = ({stem_phrase(form) for form in keyphrase.forms} & stems) - seen
        if matching:
            seen |= matching
            yield matching


def label_corpus(
    recipe: Recipe,
    folder: Path,
    *,
    process: int = 0,
    tagger: Tagger | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Path:
    """The file with the labelled corpus, in ``folder``; made if it is not there.

    ``process`` keeps those apart that do the same on several machines. With a ``tagger`` it is done in this process.
    """
    settings = _settings(recipe)
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
    file = folder / f"labels-{digest}.jsonl"
    if file.is_file():
        return file
    folder.mkdir(parents=True, exist_ok=True)
    get_method(recipe.labels.method)
    (folder / f"labels-{digest}.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    _write(recipe, file, folder / f".labels-{digest}.{process}.part", tagger, report)
    return file


def _settings(recipe: Recipe) -> dict[str, Any]:
    """All that the labels depend on."""
    labels = recipe.labels
    return {
        "format": FORMAT,
        "version": __version__,
        "corpus": texts.fingerprint(recipe.corpus, recipe.folder),
        "method": labels.method,
        "candidates": labels.candidates,
        "keep": labels.keep,
        "max_phrase_words": labels.max_phrase_words,
        "options": labels.options,
        "tagger": labels.tagger,
    }


def _write(recipe: Recipe, file: Path, draft: Path, tagger: Tagger | None, report: Callable[[str], None]) -> None:
    """Label what is not yet in the draft, and give it its name."""

    def passed_over(error: MDERankError) -> None:
        report(f"passed over: {error}")

    done, last = _resume(draft)
    remaining = texts.documents(recipe.corpus, recipe.folder, passed_over)
    if last is not None:
        # Documents that failed have no line: go on after the last that has one.
        for text in remaining:
            if text.id == last:
                break
    report(
        f"labelling {texts.describe(recipe.corpus, recipe.folder)} by {recipe.labels.method}"
        + (f", {done} documents are done" if done else "")
    )
    with draft.open("a", encoding="utf-8") as stream:
        for some in _labelled(recipe.labels, remaining, tagger):
            for each in some:
                if isinstance(each, Labelled):
                    stream.write(each.line())
                    done += 1
                    if done % 1000 == 0:
                        report(f"labelled {done} documents")
                else:
                    passed_over(each)
            stream.flush()
    if not done:
        draft.unlink()
        raise InputError(
            "the corpus has no document that could be labelled: look at corpus.files, corpus.min_words and what was "
            "passed over"
        )
    draft.replace(file)
    report(f"labelled {done} documents: {file}")


def _resume(draft: Path) -> tuple[int, str | None]:
    """How many documents are done, and the last one's id; a line that was being written is taken away."""
    if not draft.exists():
        return 0, None
    data = draft.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        draft.write_bytes(whole)
    lines = whole.splitlines()
    return len(lines), Labelled.parse(lines[-1], str(draft)).id if lines else None


def _labelled(
    settings: Labels, remaining: Iterable[Text], tagger: Tagger | None
) -> Iterator[list[Labelled | InputError]]:
    """Chunks in the corpus' order, computed by several processes if the settings say so."""
    chunks = _chunks(remaining)
    if tagger is not None or settings.workers == 1:
        labeller = Labeller(settings, tagger)
        yield from (labeller.label(chunk) for chunk in chunks)
        return
    context = multiprocessing.get_context("spawn")  # threads of torch and tokenizers do not survive a fork
    with ProcessPoolExecutor(settings.workers, context, _start, (settings,)) as pool:
        waiting: deque[Future[list[Labelled | InputError]]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(_work, chunk))
            if len(waiting) > 2 * settings.workers:  # the corpus is read no faster than it is labelled
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_LABELLER: list[Labeller] = []  # of a worker process


def _start(settings: Labels) -> None:
    _LABELLER.append(Labeller(settings))


def _work(chunk: list[Text]) -> list[Labelled | InputError]:
    return _LABELLER[0].label(chunk)


def _chunks(items: Iterable[Text]) -> Iterator[list[Text]]:
    remaining = iter(items)
    while chunk := list(islice(remaining, _CHUNK)):
        yield chunk

"""Pseudo labels: the keyphrases that another method θ finds in each document, computed once and kept on disk.

The file has a JSON line per document: its id, its text, and its candidates with their character spans and ranks. The
rank counts the candidates among θ's first phrases; other candidates have none. A phrase of θ that is not a candidate is
left out, because the paper's keyphrases and non-keyphrases are both candidates. The file's name is a checksum of
everything that it depends on. It is written to a temporary file and renamed when it is complete; a stopped run resumes.
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
from mderank.candidates import NounPhrases, Terms
from mderank.document import Document, Span
from mderank.errors import InputError, MDERankError
from mderank.factory import build_extractor, default_candidates
from mderank.keyphrase import Keyphrases
from mderank.methods.registry import get_method
from mderank.options import Options
from mderank.parameters import Params
from mderank.research.training.corpus import CorpusDocument, corpus_fingerprint, describe_corpus, read_documents
from mderank.research.training.recipe import Recipe
from mderank.research.training.settings import LabelSettings
from mderank.tagging import SpacyTagger, Tagger
from mderank.text import stem_phrase
from mderank.util.format import json_text

# The pattern of `NounPhrases` in both tagsets, for methods that would use parts of noun phrases too.
_NOUN_PHRASES = "<NN.*|JJ|NOUN|PROPN|ADJ>*<NN.*|NOUN|PROPN>"
_CHUNK = 32  # documents that go to a process at once
FORMAT = 2  # of the file: 1 also had phrases of θ that were not candidates


@dataclass(frozen=True)
class LabelledPhrase:
    """A candidate of a document.

    Attributes:
        spans: Character offsets of all its occurrences.
        rank: Its rank among θ's phrases, from 0; None if θ does not rank it.
    """

    spans: tuple[Span, ...]
    rank: int | None


@dataclass(frozen=True)
class PseudoLabelledDocument:
    """A document with its candidates.

    Attributes:
        id: Its name.
        text: Its text.
        phrases: Its candidates, with their ranks.
    """

    id: str
    text: str
    phrases: tuple[LabelledPhrase, ...]

    def as_line(self) -> str:
        """Return the line of the file."""
        phrases = [[phrase.rank, [list(span) for span in phrase.spans]] for phrase in self.phrases]
        return json_text({"id": self.id, "text": self.text, "phrases": phrases}) + "\n"

    @classmethod
    def parse(cls, line: bytes, position: str) -> PseudoLabelledDocument:
        """Make a document from a line of the file.

        Args:
            line: The line.
            position: File and line number, for the error.

        Returns:
            The document.

        Raises:
            InputError: The line is not such a document.
        """
        try:
            data = json.loads(line)
            phrases = tuple(
                LabelledPhrase(tuple(Span(*span) for span in spans), rank) for rank, spans in data["phrases"]
            )
            return cls(data["id"], data["text"], phrases)
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{position} is not a labelled document ({error!r}): remove the file, it is made again"
            ) from error


class LabelledCorpus:
    """The labelled documents of a file, which are read when they are asked for.

    Args:
        file: Path of the file.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        with file.open("rb") as stream:
            lengths = np.fromiter((len(line) for line in stream), dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(lengths)])

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, number: int) -> PseudoLabelledDocument:
        start, end = int(self._starts[number]), int(self._starts[number + 1])
        try:
            with self.file.open("rb") as stream:
                stream.seek(start)
                return PseudoLabelledDocument.parse(stream.read(end - start), f"{self.file}:{number + 1}")
        except OSError as error:
            raise InputError(f"{self.file}: cannot be read: {error.strerror or error}") from error


class Labeller:
    """Labels documents by the method θ.

    Args:
        settings: Method, candidates and number of labels.
        tagger: The tagger; by default that of the settings.

    Raises:
        OptionError: The method or one of its parameters is unknown.
    """

    def __init__(self, settings: LabelSettings, tagger: Tagger | None = None) -> None:
        self._keep = settings.keep
        self._tagger = tagger or SpacyTagger(settings.tagger, tokenizer="spacy")
        self._candidates = NounPhrases(max_phrase_words=settings.max_phrase_words)
        self._method = build_extractor(labelling_options(settings), tagger=self._tagger)

    def label(self, documents: Sequence[CorpusDocument]) -> list[PseudoLabelledDocument | InputError]:
        """Label some documents.

        Args:
            documents: The documents.

        Returns:
            Each document with its candidates, or the error if θ failed on it.
        """
        tagged = list(self._tagger.tag(text.text for text in documents))
        found = self._method.extract_many(tagged, top_k=None)
        labelled: list[PseudoLabelledDocument | InputError] = []
        for text, document, keyphrases in zip(documents, tagged, found, strict=True):
            if keyphrases.error is not None:
                labelled.append(InputError(f"the document '{text.id}' cannot be labelled: {keyphrases.error}"))
            else:
                labelled.append(
                    PseudoLabelledDocument(text.id, document.text, self._rank_candidates(document, keyphrases))
                )
        return labelled

    def _rank_candidates(self, document: Document, keyphrases: Keyphrases) -> tuple[LabelledPhrase, ...]:
        """Return all candidates, with the ranks of those that θ ranks first."""
        candidates = self._candidates.find(document)
        # A candidate is θ's phrase if their stems are equal: "network" and "networks" are one keyphrase, masked apart.
        stems = [stem_phrase(document.surface_form(candidate.occurrences[0].span)) for candidate in candidates]
        known = set(stems)
        ranks: dict[str, int] = {}
        for rank, matching in enumerate(islice(_matching_stems(keyphrases, known), self._keep)):
            for stem in matching:
                ranks.setdefault(stem, rank)
        return tuple(
            LabelledPhrase(tuple(occurrence.span for occurrence in candidate.occurrences), ranks.get(stem))
            for candidate, stem in zip(candidates, stems, strict=True)
        )


def labelling_options(settings: LabelSettings) -> Options:
    """Return the options of the method θ.

    Args:
        settings: The labels' settings.

    Returns:
        The options for `build_extractor`. Names in ``settings.options`` that are not options are the method's own
        parameters.

    Raises:
        OptionError: The method is unknown, or a value has the wrong type or is out of range.
    """
    method = get_method(settings.method)
    shared = {name: value for name, value in settings.options.items() if name in Options.parameters()}
    own = {name: value for name, value in settings.options.items() if name not in shared}
    if settings.candidates == "noun-phrases":
        shared["max_phrase_words"] = settings.max_phrase_words or 0
        if isinstance(default_candidates(method), Terms):
            shared["pattern"] = _NOUN_PHRASES
    return Options(method=settings.method, params=Params(own), **shared)


def _matching_stems(keyphrases: Keyphrases, stems: set[str]) -> Iterator[set[str]]:
    """Yield the stems of each of θ's phrases that are stems of candidates, in θ's order."""
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
    progress: Callable[[str], None] = lambda line: None,
) -> Path:
    """Label the corpus of a recipe, unless the file exists already.

    Args:
        recipe: Corpus and labels are used.
        folder: The folder of labelled corpora.
        process: Number of this process, so that processes that do the same do not meet.
        tagger: The tagger; by default that of the recipe. With a tagger, all work is done in this process.
        progress: Called with lines that report the progress.

    Returns:
        The path of the file.

    Raises:
        InputError: The corpus cannot be read, or none of its documents can be labelled.
        OptionError: The method or one of its parameters is unknown.
    """
    settings = _label_settings(recipe)
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]
    file = folder / f"labels-{digest}.jsonl"
    if file.is_file():
        return file
    folder.mkdir(parents=True, exist_ok=True)
    labelling_options(recipe.labels)
    (folder / f"labels-{digest}.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    _write(recipe, file, folder / f".labels-{digest}.{process}.part", tagger, progress)
    return file


def _label_settings(recipe: Recipe) -> dict[str, Any]:
    """Return everything that the labels depend on."""
    labels = recipe.labels
    return {
        "format": FORMAT,
        "version": __version__,
        "corpus": corpus_fingerprint(recipe.corpus, recipe.folder),
        "method": labels.method,
        "candidates": labels.candidates,
        "keep": labels.keep,
        "max_phrase_words": labels.max_phrase_words,
        "options": dict(labels.options),
        "tagger": labels.tagger,
    }


def _write(recipe: Recipe, file: Path, draft: Path, tagger: Tagger | None, progress: Callable[[str], None]) -> None:
    """Label the documents that the temporary file does not have yet, and rename it."""

    def report_error(error: MDERankError) -> None:
        progress(f"passed over: {error}")

    done, last = _resume(draft)
    remaining = read_documents(recipe.corpus, recipe.folder, report_error)
    if last is not None:
        # Documents that failed have no line: resume after the last one that has.
        for text in remaining:
            if text.id == last:
                break
    progress(
        f"labelling {describe_corpus(recipe.corpus, recipe.folder)} by {recipe.labels.method}"
        + (f", {done} documents are done" if done else "")
    )
    with draft.open("a", encoding="utf-8") as stream:
        for chunk in _label_chunks(recipe.labels, remaining, tagger):
            for each in chunk:
                if isinstance(each, PseudoLabelledDocument):
                    stream.write(each.as_line())
                    done += 1
                    if done % 1000 == 0:
                        progress(f"labelled {done} documents")
                else:
                    report_error(each)
            stream.flush()
    if not done:
        draft.unlink()
        raise InputError(
            "the corpus has no document that could be labelled: check corpus.files, corpus.min_words and the documents "
            "that were passed over"
        )
    draft.replace(file)
    progress(f"labelled {done} documents: {file}")


def _resume(draft: Path) -> tuple[int, str | None]:
    """Return the number of documents that are done, and the last one's id. An incomplete line is removed."""
    if not draft.exists():
        return 0, None
    data = draft.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        draft.write_bytes(whole)
    lines = whole.splitlines()
    return len(lines), PseudoLabelledDocument.parse(lines[-1], str(draft)).id if lines else None


def _label_chunks(
    settings: LabelSettings, remaining: Iterable[CorpusDocument], tagger: Tagger | None
) -> Iterator[list[PseudoLabelledDocument | InputError]]:
    """Label chunks in the corpus' order, in several processes if the settings say so."""
    chunks = _chunks(remaining)
    if tagger is not None or settings.workers == 1:
        labeller = Labeller(settings, tagger)
        yield from (labeller.label(chunk) for chunk in chunks)
        return
    context = multiprocessing.get_context("spawn")  # threads of torch and tokenizers do not survive a fork
    with ProcessPoolExecutor(settings.workers, context, _start_worker, (settings,)) as pool:
        waiting: deque[Future[list[PseudoLabelledDocument | InputError]]] = deque()
        for chunk in chunks:
            waiting.append(pool.submit(_label_chunk, chunk))
            if len(waiting) > 2 * settings.workers:  # the corpus is read no faster than it is labelled
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_LABELLER: list[Labeller] = []  # of a worker process


def _start_worker(settings: LabelSettings) -> None:
    _LABELLER.append(Labeller(settings))


def _label_chunk(chunk: list[CorpusDocument]) -> list[PseudoLabelledDocument | InputError]:
    return _LABELLER[0].label(chunk)


def _chunks(items: Iterable[CorpusDocument]) -> Iterator[list[CorpusDocument]]:
    remaining = iter(items)
    while chunk := list(islice(remaining, _CHUNK)):
        yield chunk

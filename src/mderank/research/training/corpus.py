"""The texts to train on, cut into documents and read one by one: WikiText, files of any kind, a dataset of the hub."""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from textwrap import shorten
from typing import Any

from mderank.errors import InputError, MDERankError, MissingExtraError, OptionError
from mderank.reading import ReadOptions, find_files, read_file
from mderank.research.datasets import DATA_DIR_VARIABLE
from mderank.research.training.recipe import Corpus
from mderank.util.files import file_sha256

_HEADING = re.compile(r" ?((?:= )+)(.+?)((?: =)+) ?$")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[^a-z\s])")
_PARAGRAPH = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class Text:
    """A document of the corpus."""

    id: str
    text: str


def documents(
    corpus: Corpus, folder: Path = Path(), unreadable: Callable[[MDERankError], None] | None = None
) -> Iterator[Text]:
    """The documents, in the corpus' order. What cannot be read is told to ``unreadable``, or raised without it."""
    return islice(_all(corpus, folder, unreadable), corpus.limit)


def _all(corpus: Corpus, folder: Path, unreadable: Callable[[MDERankError], None] | None) -> Iterator[Text]:
    seen: set[str] = set()  # WikiText has articles of the same title, and two files may have the same ids
    for name, paragraphs in _texts(corpus, folder, unreadable):
        unique = next(each for each in chain([name], (f"{name} ({n})" for n in count(2))) if each not in seen)
        seen.add(unique)
        for number, text in enumerate(cut(paragraphs, corpus.min_words, corpus.max_words), start=1):
            yield Text(f"{unique}#{number}", text)


def _texts(
    corpus: Corpus, folder: Path, unreadable: Callable[[MDERankError], None] | None
) -> Iterator[tuple[str, list[str]]]:
    """Every text by its name, in paragraphs."""
    if from_hub(corpus, folder):
        rows = _hub(corpus)
        if corpus.kind == "wikitext":
            yield from articles(rows)
        else:
            yield from ((str(number), _PARAGRAPH.split(row)) for number, row in enumerate(rows, start=1))
        return
    for file in files(corpus, folder):
        if corpus.kind == "wikitext":
            yield from articles(_lines(file))
            continue
        for source in read_file(file, ReadOptions(text_field=corpus.text_field)):
            if source.error is not None:
                if unreadable is None:
                    raise source.error
                unreadable(source.error)
            else:
                yield str(source.id), _PARAGRAPH.split(source.prose or source.text)


def from_hub(corpus: Corpus, folder: Path = Path()) -> bool:
    """Whether the corpus is fetched from the hub: the recipe names one there, and its files are not on this machine."""
    if corpus.hub is None:
        return False
    return not corpus.files or not all(Path(_place(file, folder)).exists() for file in corpus.files)


def describe(corpus: Corpus, folder: Path = Path()) -> str:
    """The corpus by name: that of the hub, or its files without their folders."""
    if from_hub(corpus, folder):
        return " ".join(filter(None, (corpus.hub, corpus.config)))
    return ", ".join(Path(file).name for file in corpus.files)


def files(corpus: Corpus, folder: Path = Path()) -> list[Path]:
    """The files that the corpus consists of."""
    if not corpus.files:
        raise OptionError(
            "the recipe has no corpus: name files or folders with texts after it (mderank train RECIPE TEXTS …), or "
            "set corpus.files or corpus.hub"
        )
    found = find_files([_place(file, folder) for file in corpus.files])
    if found.errors:
        raise found.errors[0].error or InputError(f"{found.errors[0].id}: cannot be read")
    missing = [file for file in found.files if not file.is_file()]
    if missing:
        raise InputError(
            f"the corpus file {missing[0]} does not exist, neither here nor in {DATA_DIR_VARIABLE} "
            f"({os.environ.get(DATA_DIR_VARIABLE, 'not set')}): name another with --set corpus.files=PATH"
        )
    return found.files


def _place(path: str, folder: Path) -> str:
    """Where a path of the recipe is: from here, from the data folder, from the recipe's own; else as it stands."""
    data = os.environ.get(DATA_DIR_VARIABLE)
    for base in (Path(), *((Path(data),) if data else ()), folder):
        if (base / path).exists():
            return str(base / path)
    return path


def fingerprint(corpus: Corpus, folder: Path = Path()) -> dict[str, Any]:
    """What tells this corpus from any other: its settings, and the checksums of its files."""
    settings: dict[str, Any] = {
        "kind": corpus.kind,
        "min_words": corpus.min_words,
        "max_words": corpus.max_words,
        "limit": corpus.limit,
    }
    if from_hub(corpus, folder):
        return settings | {name: getattr(corpus, name) for name in ("hub", "config", "split", "text_field")}
    sums = []
    for file in files(corpus, folder):
        try:
            sums.append([file.name, file_sha256(file)])
        except OSError:  # a file that cannot be read is for the reader to report
            sums.append([file.name, "unreadable"])
    return settings | {"files": sums, "text_field": corpus.text_field}


def _hub(corpus: Corpus) -> Iterator[str]:
    try:
        from datasets import load_dataset  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise MissingExtraError(f"the corpus '{corpus.hub}' of the Hugging Face hub", "train") from error
    try:
        rows = iter(load_dataset(corpus.hub, corpus.config, split=corpus.split, streaming=True))
        while (row := next(rows, None)) is not None:
            yield str(row[corpus.text_field])
    except KeyError as error:
        raise InputError(f"the corpus '{corpus.hub}' has no field {error}: name another (corpus.text_field)") from error
    except Exception as error:  # errors of the network, the hub and its files share no base but Exception
        reason = shorten(" ".join(str(error).split()), 300, placeholder=" …")
        looked = f" ({', '.join(corpus.files)} is not here, nor in {DATA_DIR_VARIABLE})" if corpus.files else ""
        raise InputError(
            f"the corpus '{corpus.hub}' cannot be fetched from the Hugging Face hub{looked}: {reason}. Without a "
            "network, train on files: mderank train RECIPE FILE_OR_FOLDER … for texts of your own, or --set "
            "corpus.files=PATH for WikiText's raw files"
        ) from error


def _lines(file: Path) -> Iterator[str]:
    try:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as stream:
            yield from stream
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: byte {error.start} is not UTF-8") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{file} is not a whole gzip file ({error}): get it again") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error


def articles(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The sections of WikiText's articles, each with its paragraphs: what stands under one heading is about one thing.

    A line `` = Title = `` begins an article, `` = = Section = = `` a section; those below are part of it. Headings
    are left out.
    """
    title, section, paragraphs = "", 0, list[str]()
    for line in lines:
        heading = _HEADING.match(line.rstrip("\n"))
        if heading and heading[1].count("=") == heading[3].count("="):
            level = heading[1].count("=")
            if level > 2:
                continue
            if paragraphs:
                yield f"{title}/{section}", paragraphs
            paragraphs = []
            title, section = (detokenise(heading[2]), 0) if level == 1 else (title, section + 1)
        elif line.strip():
            paragraphs.append(detokenise(line))
    if paragraphs:
        yield f"{title}/{section}", paragraphs


def detokenise(text: str) -> str:
    r"""WikiText's spaced tokens as running text.

    >>> detokenise("a role @-@ playing game ( 1 @,@ 000 copies ) , it \" did n't \" sell ; the game 's theme .")
    'a role-playing game (1,000 copies), it "didn\'t" sell; the game\'s theme.'
    """
    text = re.sub(r" @([-,.–])@ ", r"\1", f" {' '.join(text.split())} ")
    text = re.sub(r' " ([^"]*?) "(?= )', r' "\1"', text)
    text = re.sub(r" ([,.;:!?%)\]}…]+)(?=[ \"])", r"\1", text)
    text = re.sub(r" ([,.;:!?%)\]}…]+)(?=[ \"])", r"\1", text)  # several of them, each with its space
    text = re.sub(r'([,.;:!?%)\]}…]) "(?=[ ,.;:])', r'\1"', text)
    text = re.sub(r"([(\[{$£€#]) (?=\S)", r"\1", text)
    text = re.sub(r" (n't|'s|'re|'ve|'d|'ll|'m|')(?=[ ,.;:)\"])", r"\1", text)
    text = re.sub(r"(?<=\d) – (?=\d)", "–", text)
    return " ".join(text.split())


def cut(paragraphs: Iterable[str], shortest: int, longest: int) -> Iterator[str]:
    """Documents of ``shortest`` to ``longest`` words: as many whole paragraphs as fit, else as many sentences.

    What is left and too short is left out.
    """
    held: list[str] = []
    size = 0
    for part in (part for paragraph in paragraphs for part in _parts(paragraph, longest)):
        words = len(part.split())
        if held and size + words > longest:
            if size >= shortest:
                yield "\n\n".join(held)
            held, size = [], 0
        if words:
            held.append(part)
            size += words
    if size >= shortest:
        yield "\n\n".join(held)


def _parts(paragraph: str, longest: int) -> Iterator[str]:
    """The paragraph if it is short enough, else stretches of its sentences that are; a longer sentence is cut."""
    if len(paragraph.split()) <= longest:
        yield paragraph.strip()
        return
    held: list[str] = []
    for sentence in _SENTENCE.split(paragraph):
        words = sentence.split()
        if held and len(held) + len(words) > longest:
            yield " ".join(held)
            held = []
        for start in range(0, len(words), longest):
            if held and len(held) + len(words[start : start + longest]) > longest:
                yield " ".join(held)
                held = []
            held += words[start : start + longest]
    if held:
        yield " ".join(held)

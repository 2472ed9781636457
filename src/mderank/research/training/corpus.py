"""The corpus: texts from files or from the Hugging Face hub, cut into documents of a limited length."""

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
from mderank.research.training.settings import CorpusSettings
from mderank.util.files import file_sha256

_HEADING = re.compile(r" ?((?:= )+)(.+?)((?: =)+) ?$")
_SENTENCE = re.compile(r"(?<=[.?!])\s+(?=[^a-z\s])")
_PARAGRAPH = re.compile(r"\n\s*\n")


@dataclass(frozen=True)
class CorpusDocument:
    """A document of the corpus.

    Attributes:
        id: Its name, unique in the corpus.
        text: Its text.
    """

    id: str
    text: str


def read_documents(
    corpus: CorpusSettings, folder: Path = Path(), on_error: Callable[[MDERankError], None] | None = None
) -> Iterator[CorpusDocument]:
    """Read the documents, in the corpus' order.

    Args:
        corpus: The corpus' settings.
        folder: The recipe's folder, which paths may refer to.
        on_error: Called with the error of each text that cannot be read. Without it the error is raised.

    Yields:
        The documents.

    Raises:
        InputError: A file or a dataset of the hub cannot be read.
        OptionError: The recipe has no corpus.
    """
    return islice(_cut_all(corpus, folder, on_error), corpus.limit)


def _cut_all(
    corpus: CorpusSettings, folder: Path, on_error: Callable[[MDERankError], None] | None
) -> Iterator[CorpusDocument]:
    seen: set[str] = set()  # WikiText has articles of the same title, and two files may have the same ids
    for name, paragraphs in _read_texts(corpus, folder, on_error):
        unique = next(each for each in chain([name], (f"{name} ({n})" for n in count(2))) if each not in seen)
        seen.add(unique)
        for number, text in enumerate(cut_documents(paragraphs, corpus.min_words, corpus.max_words), start=1):
            yield CorpusDocument(f"{unique}#{number}", text)


def _read_texts(
    corpus: CorpusSettings, folder: Path, on_error: Callable[[MDERankError], None] | None
) -> Iterator[tuple[str, list[str]]]:
    """Read each text: its name, and its paragraphs."""
    if is_from_hub(corpus, folder):
        rows = _read_hub(corpus)
        if corpus.kind == "wikitext":
            yield from split_articles(rows)
        else:
            yield from ((str(number), _PARAGRAPH.split(row)) for number, row in enumerate(rows, start=1))
        return
    for file in find_corpus_files(corpus, folder):
        if corpus.kind == "wikitext":
            yield from split_articles(_read_lines(file))
            continue
        for source in read_file(file, ReadOptions(text_field=corpus.text_field)):
            if source.error is not None:
                if on_error is None:
                    raise source.error
                on_error(source.error)
            else:
                yield str(source.id), _PARAGRAPH.split(source.prose or source.text)


def is_from_hub(corpus: CorpusSettings, folder: Path = Path()) -> bool:
    """Return whether the corpus is fetched from the hub: it has a hub name, and its files are not on this machine."""
    if corpus.hub is None:
        return False
    return not corpus.files or not all(Path(_resolve(file, folder)).exists() for file in corpus.files)


def describe_corpus(corpus: CorpusSettings, folder: Path = Path()) -> str:
    """Return the name of the corpus: that of the hub, or its files without their folders."""
    if is_from_hub(corpus, folder):
        return " ".join(filter(None, (corpus.hub, corpus.config)))
    return ", ".join(Path(file).name for file in corpus.files)


def find_corpus_files(corpus: CorpusSettings, folder: Path = Path()) -> list[Path]:
    """Find the files of the corpus.

    Args:
        corpus: The corpus' settings.
        folder: The recipe's folder, which paths may refer to.

    Returns:
        The paths of the files.

    Raises:
        InputError: A file does not exist.
        OptionError: The recipe has no corpus.
    """
    if not corpus.files:
        raise OptionError(
            "the recipe has no corpus: name files or folders with texts after it (mderank train RECIPE TEXTS …), or "
            "set corpus.files or corpus.hub"
        )
    found = find_files([_resolve(file, folder) for file in corpus.files])
    if found.errors:
        raise found.errors[0].error or InputError(f"{found.errors[0].id}: cannot be read")
    missing = [file for file in found.files if not file.is_file()]
    if missing:
        raise InputError(
            f"the corpus file {missing[0]} does not exist, neither here nor in {DATA_DIR_VARIABLE} "
            f"({os.environ.get(DATA_DIR_VARIABLE, 'not set')}): name another with --set corpus.files=PATH"
        )
    return found.files


def _resolve(path: str, folder: Path) -> str:
    """Resolve a path in the current folder, the data folder or the recipe's folder; else leave it as it is."""
    data = os.environ.get(DATA_DIR_VARIABLE)
    for base in (Path(), *((Path(data),) if data else ()), folder):
        if (base / path).exists():
            return str(base / path)
    return path


def corpus_fingerprint(corpus: CorpusSettings, folder: Path = Path()) -> dict[str, Any]:
    """Return the settings that identify a corpus, and the checksums of its files."""
    settings: dict[str, Any] = {
        "kind": corpus.kind,
        "min_words": corpus.min_words,
        "max_words": corpus.max_words,
        "limit": corpus.limit,
    }
    if is_from_hub(corpus, folder):
        return settings | {name: getattr(corpus, name) for name in ("hub", "config", "split", "text_field")}
    sums = []
    for file in find_corpus_files(corpus, folder):
        try:
            sums.append([file.name, file_sha256(file)])
        except OSError:  # a file that cannot be read is for the reader to report
            sums.append([file.name, "unreadable"])
    return settings | {"files": sums, "text_field": corpus.text_field}


def _read_hub(corpus: CorpusSettings) -> Iterator[str]:
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


def _read_lines(file: Path) -> Iterator[str]:
    try:
        with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as stream:
            yield from stream
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: byte {error.start} is not UTF-8") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{file} is not a whole gzip file ({error}): get it again") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error


def split_articles(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Split WikiText's articles into sections, each of which is about one thing.

    A line `` = Title = `` begins an article and `` = = Section = = `` a section. Lower headings do not begin a section.

    Args:
        lines: The lines of a raw file.

    Yields:
        The name of each section, and its paragraphs without headings.
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
    r"""Turn WikiText's spaced tokens into running text.

    Args:
        text: A paragraph of a raw file.

    Returns:
        The paragraph as it was written.

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


def cut_documents(paragraphs: Iterable[str], shortest: int, longest: int) -> Iterator[str]:
    """Cut a text into documents of as many whole paragraphs as fit, else of as many sentences.

    Args:
        paragraphs: The paragraphs of the text.
        shortest: Least number of words. A shorter rest is left out.
        longest: Largest number of words.

    Yields:
        The documents.
    """
    held: list[str] = []
    size = 0
    for part in (part for paragraph in paragraphs for part in _cut_paragraph(paragraph, longest)):
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


def _cut_paragraph(paragraph: str, longest: int) -> Iterator[str]:
    """Cut a long paragraph into runs of sentences that are short enough; a longer sentence is cut itself."""
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

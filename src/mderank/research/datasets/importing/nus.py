"""NUS: a folder for each paper, with ``10/10.txt``, ``10/10.kwd`` (authors' phrases), ``10/KEY/*.key`` (readers')."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from mderank.errors import InputError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.importing.base import Files, Options, lines_of, running_text, stem

_ABSTRACT = re.compile(r"\A\s*abstract\s*\n", re.IGNORECASE)
# Headings stand on a line of their own: capitals, or the ones that ACM's form asks for.
_HEADING = re.compile(
    r"^[ \t]*((?:[\d.]+[ \t]+)?[A-Z][A-Z &,:'()-]{4,}|Categories and Subject Descriptors|General Terms|Keywords)\s*$",
    re.MULTILINE,
)


def read(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """A document for every folder that holds a text of its own name; the authors' phrases, then each reader's."""
    papers = [name for name in files.ending(".txt") if PurePosixPath(name).parent.name == stem(name)]
    if not papers:
        raise InputError(f"{files.root} has no folders like 10/10.txt: name the folder NUS, e.g. SIFRank/data/NUS")
    labels = _labels(files)
    for name in papers:
        keys = labels.get(PurePosixPath(name).parent, [])
        phrases = (phrase for key in keys for phrase in lines_of(files.text(key)))
        title, text = _parts(html.unescape(files.text(name)))
        yield LabelledDocument(stem(name), title, text, tuple(dict.fromkeys(phrases)))


def _labels(files: Files) -> dict[PurePosixPath, list[str]]:
    """The label files of each folder."""
    labels: dict[PurePosixPath, list[str]] = {}
    for name in (*files.ending(".kwd"), *sorted(files.ending(".key"))):
        folder = PurePosixPath(name).parent
        labels.setdefault(folder.parent if folder.name == "KEY" else folder, []).append(name)
    return labels


def _parts(text: str) -> tuple[str, str]:
    """The first line is the title."""
    title, _, rest = text.strip().partition("\n")
    rest = _ABSTRACT.sub("", rest)
    return " ".join(title.split()), running_text(_HEADING.sub(r"\n\1\n", rest))

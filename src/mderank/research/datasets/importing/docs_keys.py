"""Texts in ``docsutf8/*.txt``, phrases in ``keys/*.key``, one a line: the zips of LIAAD's KeywordExtractor-Datasets,
and SIFRank's SemEval2017.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mderank.errors import InputError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.importing.base import Files, Options, lines_of, running_text, stem

_MARK = re.compile(r"^--([TABR])[ \t]*\r?$", re.MULTILINE)


def read(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """A document for every text, in natural order."""
    for name, phrases in _pairs(files):
        yield LabelledDocument(stem(name), "", running_text(files.text(name)), phrases)


def read_krapivin(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """The same with Krapivin's marks for title, abstract, body and references, by ids in string order.

    The order matters: the test set is the first 460.
    """
    for name, phrases in sorted(_pairs(files), key=lambda pair: stem(pair[0])):
        parts = _MARK.split(files.text(name))
        if len(parts) == 1:
            raise InputError(f"{files.place(name)}: there is no line --T, --A or --B: this is not Krapivin's form")
        named = dict(zip(parts[1::2], parts[2::2], strict=True))
        title = " ".join(named.pop("T", "").split())
        text = "\n".join(filter(None, map(running_text, named.values())))
        yield LabelledDocument(stem(name), title, text, phrases)


def _pairs(files: Files) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The texts with their phrases. The files may also lie side by side."""
    texts = [name for name in files.ending(".txt") if "docsutf8/" in name] or files.ending(".txt")
    keys = {stem(name): name for name in files.ending(".key")}
    if not texts or not keys:
        raise InputError(f"{files.root} has no docsutf8/*.txt and keys/*.key: name a set's folder, or its zip")
    for name in texts:
        key = keys.get(stem(name))
        yield name, lines_of(files.text(key)) if key else ()

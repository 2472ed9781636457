"""DUC2001 as SIFRank has it: an SGML file an article, and ``annotations.txt`` with lines ``id@phrase;phrase;``."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from mderank.errors import InputError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.importing.base import Files, Options, running_text

_ANNOTATIONS = "annotations.txt"
# The news agencies name it differently. There may be several, for editors: the first is the headline.
_HEADLINE = re.compile(r"<(HEADLINE|HEAD|HL)>(.*?)</\1>", re.DOTALL)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_INDENTED = re.compile(r"\n {3,}(?=\S)")


def read(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """A document for every article beside ``annotations.txt`` that has a text, of which the paper reads the first."""
    annotations = next((name for name in files.names if PurePosixPath(name).name == _ANNOTATIONS), None)
    if annotations is None:
        raise InputError(f"{files.root} has no {_ANNOTATIONS}: name the folder DUC2001, e.g. SIFRank/data/DUC2001")
    labels = _labels(files, annotations)
    for name in files.names:
        if name == annotations or PurePosixPath(name).parent != PurePosixPath(annotations).parent:
            continue
        article = files.text(name)
        body = _TEXT.search(article)
        if body:
            headline = _HEADLINE.search(article)
            identity = PurePosixPath(name).name
            title = " ".join(_clean(headline.group(2)).split()) if headline else ""
            yield LabelledDocument(identity, title, _clean(body.group(1)), labels.get(identity, ()))


def _labels(files: Files, name: str) -> dict[str, tuple[str, ...]]:
    labels = {}
    for number, line in enumerate(files.text(name).splitlines(), start=1):
        if not line.strip():
            continue
        identity, at, phrases = line.partition("@")
        if not at:
            raise InputError(f"{files.place(name)}:{number}: this line is not of the form id@phrase;phrase;")
        cleaned = (" ".join(phrase.split()) for phrase in phrases.split(";"))
        labels[identity.strip()] = tuple(phrase for phrase in cleaned if phrase)
    return labels


def _clean(text: str) -> str:
    """Tags out, entities resolved, typewriter quotes as one character; an indented line begins a paragraph."""
    text = html.unescape(_TAG.sub("\n\n", text)).replace("``", '"').replace("''", '"')
    return running_text(_INDENTED.sub("\n\n", text))

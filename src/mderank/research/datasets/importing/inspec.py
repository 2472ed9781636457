"""Inspec's own files: ``193.abstr`` (title and abstract) and ``193.uncontr`` (the indexers' free terms)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mderank.errors import InputError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.importing.base import Files, Options, stem


def read(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """A document for every abstract. The controlled terms (``.contr``), from a thesaurus, are not used."""
    abstracts = files.ending(".abstr")
    if not abstracts:
        raise InputError(f"{files.root} has no *.abstr files: name the folder Inspec, e.g. SIFRank/data/Inspec")
    known = set(files.names)
    for name in abstracts:
        labels = name.removesuffix(".abstr") + ".uncontr"
        title, text = _parts(files.text(name))
        phrases = files.text(labels).split(";") if labels in known else []
        cleaned = (" ".join(phrase.split()) for phrase in phrases)
        yield LabelledDocument(stem(name), title, text, tuple(phrase for phrase in cleaned if phrase))


def _parts(text: str) -> tuple[str, str]:
    """The title is the first line, with the indented ones after it: they carry it on."""
    title, _, rest = re.sub(r"\r?\n[ \t]+", " ", text.strip()).partition("\n")
    return " ".join(title.split()), " ".join(rest.split())

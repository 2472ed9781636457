"""A set of ake-datasets: CoreNLP's XML in ``test/*.xml``, gold phrases in ``references/test.uncontr.json``."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from mderank.errors import InputError, OptionError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.importing.base import Files, Options, stem

# How CoreNLP writes what it does not want to be taken for its own marks.
_ESCAPED = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": '"', "''": '"'}


def read(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """A document for every XML file of the references' split. Of a phrase's alternatives the first counts."""
    name = _references(files, options.references)
    labels = _labels(files, name)
    split = PurePosixPath(name).name.split(".")[0]
    documents = [each for each in files.ending(".xml") if split in PurePosixPath(each).parts]
    if not documents:
        raise InputError(f"{files.root} has no folder '{split}' with XML files, as {name} needs")
    for each in documents:
        title, text = _parts(files, each)
        yield LabelledDocument(stem(each), title, text, labels.get(stem(each), ()))


def _references(files: Files, wanted: str | None) -> str:
    """The reference file to use; stems are no phrases, so stemmed ones are not offered."""
    found = {
        PurePosixPath(name).name.removesuffix(".json"): name
        for name in files.ending(".json")
        if PurePosixPath(name).parent.name == "references" and not name.endswith(".stem.json")
    }
    if not found:
        raise InputError(f"{files.root} has no references/*.json with whole words: name a set's folder in ake-datasets")
    if wanted is None and len(found) == 1:
        return next(iter(found.values()))
    chosen = found.get((wanted or "").removesuffix(".json"))
    if chosen is None:
        said = f"'{wanted}' is not among them" if wanted else "it has several"
        raise OptionError(f"{files.root}: name the references to use ({said}): --references {' | '.join(found)}")
    return chosen


def _labels(files: Files, name: str) -> dict[str, tuple[str, ...]]:
    try:
        loaded: Any = json.loads(files.text(name))
        return {
            str(identity): tuple(" ".join(variants[0].split()) for variants in phrases)
            for identity, phrases in loaded.items()
        }
    except json.JSONDecodeError as error:
        raise InputError(f"{files.place(name)}: this is not JSON: {error}") from error
    except (AttributeError, IndexError, TypeError, RecursionError) as error:
        raise InputError(f'{files.place(name)}: this is not of the form {{"id": [["phrase"], …]}}') from error


class _Builder(ET.TreeBuilder):
    """A tree without a document type: entities, which can blow a file up or read others, are declared there."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise InputError("it declares a document type, which CoreNLP never does: do not use it")


def _parts(files: Files, name: str) -> tuple[str, str]:
    """The title, if sentences are marked as such, and the text; a section begins a paragraph."""
    try:
        root = ET.fromstring(files.read(name), parser=ET.XMLParser(target=_Builder()))
    except InputError as error:
        raise InputError(f"{files.place(name)}: {error}") from error
    except ET.ParseError as error:
        raise InputError(f"{files.place(name)}: this is not XML: {error}") from error
    title: list[str] = []
    paragraphs: list[list[str]] = []
    section: str | None = None
    for sentence in root.iter("sentence"):
        named = sentence.get("section")
        if named == "title":
            title.append(_sentence(sentence))
            continue
        if not paragraphs or named != section:
            paragraphs.append([])
        section = named
        paragraphs[-1].append(_sentence(sentence))
    return " ".join(title), "\n".join(" ".join(paragraph) for paragraph in paragraphs)


def _sentence(sentence: ET.Element) -> str:
    """Its words, with a space wherever the offsets have a gap."""
    pieces: list[str] = []
    end: str | None = None
    for token in sentence.iter("token"):
        word = token.findtext("word", "")
        if pieces and token.findtext("CharacterOffsetBegin") != end:
            pieces.append(" ")
        pieces.append(_ESCAPED.get(word, word))
        end = token.findtext("CharacterOffsetEnd")
    return "".join(pieces)

"""Importers: convert public distributions of labelled datasets to JSON lines."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from mderank.errors import InputError, OptionError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.import_files import (
    ImportSummary,
    SourceFiles,
    file_stem,
    join_lines,
    open_files,
    parse_phrase_lines,
    write_dataset,
)


@dataclass(frozen=True)
class ImportOptions:
    """Settings that only some importers use.

    Attributes:
        references: For ``ake``, the name of the reference file.

    """

    references: str | None = None


@dataclass(frozen=True)
class Importer:
    """An importer of one file layout.

    Attributes:
        name: The name by which it is chosen.
        layout: The files that it reads.
        source: A public distribution with this layout.
        read: Yields the documents.

    """

    name: str
    layout: str
    source: str
    read: Callable[[SourceFiles, ImportOptions], Iterator[LabelledDocument]]


def import_dataset(
    source: str | Path,
    kind: str,
    target: str | Path,
    *,
    references: str | None = None,
    first: int | None = None,
    ids: Collection[str] | None = None,
) -> ImportSummary:
    """Convert a public distribution to JSON lines. The file appears once it is complete.

    Args:
        source: A folder, zip or file of the distribution.
        kind: The importer to use, a key of `IMPORTERS`.
        target: The file to write; compressed if its name ends in ``.gz``.
        references: For ``ake``, the name of the reference file.
        first: Write only the first ``first`` documents.
        ids: Write only the documents with these ids.

    Returns:
        Counts and the checksum of the dataset.

    Raises:
        OptionError: If ``kind`` is unknown, or if ``references`` is given for another kind than ``ake``.
        InputError: If the distribution cannot be read, or has no such documents.

    """
    if kind not in IMPORTERS:
        raise OptionError(f"the kind '{kind}' is unknown: it is one of {', '.join(IMPORTERS)}")
    if references is not None and kind != "ake":
        raise OptionError(f"references (--references) belong to the kind 'ake', not to '{kind}'")
    with open_files(Path(source)) as files:
        documents = IMPORTERS[kind].read(files, ImportOptions(references))
        chosen = list(islice((each for each in documents if ids is None or each.id in ids), first))
    if not chosen:
        raise InputError(f"{source}: there is no document in it that was asked for")
    _check_ids(chosen, Path(source))
    return write_dataset(chosen, Path(target))


def _check_ids(documents: list[LabelledDocument], source: Path) -> None:
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            raise InputError(f"{source}: two documents are called '{document.id}': name the folder of one dataset")
        seen.add(document.id)


def _clean_phrases(phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases with single spaces, without empty ones."""
    cleaned = (" ".join(phrase.split()) for phrase in phrases)
    return tuple(phrase for phrase in cleaned if phrase)


def read_inspec(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    """Read Inspec: ``193.abstr`` has title and abstract, ``193.uncontr`` the indexers' free terms.

    The controlled terms (``.contr``), from a thesaurus, are not used.
    """
    abstracts = files.with_suffix(".abstr")
    if not abstracts:
        raise InputError(f"{files.root} has no *.abstr files: name the folder Inspec, e.g. SIFRank/data/Inspec")
    known = set(files.names)
    for name in abstracts:
        labels = name.removesuffix(".abstr") + ".uncontr"
        title, text = _split_abstract(files.text(name))
        phrases = files.text(labels).split(";") if labels in known else []
        yield LabelledDocument(file_stem(name), title, text, _clean_phrases(phrases))


def _split_abstract(text: str) -> tuple[str, str]:
    """Return title and text. The title is the first line, with the indented lines after it."""
    title, _, rest = re.sub(r"\r?\n[ \t]+", " ", text.strip()).partition("\n")
    return " ".join(title.split()), " ".join(rest.split())


_ANNOTATIONS = "annotations.txt"
# News agencies use different tags. Of several headlines, the first is for readers.
_HEADLINE = re.compile(r"<(HEADLINE|HEAD|HL)>(.*?)</\1>", re.DOTALL)
_SGML_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL)
_SGML_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_INDENTED_LINE = re.compile(r"\n {3,}(?=\S)")


def read_duc2001(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    """Read DUC2001 as SIFRank has it: SGML articles beside ``annotations.txt`` with lines ``id@phrase;phrase;``.

    Only the first text of an article is read, as in the paper. Articles without a text are left out.
    """
    annotations = next((name for name in files.names if PurePosixPath(name).name == _ANNOTATIONS), None)
    if annotations is None:
        raise InputError(f"{files.root} has no {_ANNOTATIONS}: name the folder DUC2001, e.g. SIFRank/data/DUC2001")
    labels = _read_annotations(files, annotations)
    for name in files.names:
        if name == annotations or PurePosixPath(name).parent != PurePosixPath(annotations).parent:
            continue
        article = files.text(name)
        body = _SGML_TEXT.search(article)
        if body:
            headline = _HEADLINE.search(article)
            identity = PurePosixPath(name).name
            title = " ".join(_clean_sgml(headline.group(2)).split()) if headline else ""
            yield LabelledDocument(identity, title, _clean_sgml(body.group(1)), labels.get(identity, ()))


def _read_annotations(files: SourceFiles, name: str) -> dict[str, tuple[str, ...]]:
    labels = {}
    for number, line in enumerate(files.text(name).splitlines(), start=1):
        if not line.strip():
            continue
        identity, at, phrases = line.partition("@")
        if not at:
            raise InputError(f"{files.locate(name)}:{number}: this line is not of the form id@phrase;phrase;")
        labels[identity.strip()] = _clean_phrases(phrases.split(";"))
    return labels


def _clean_sgml(text: str) -> str:
    """Remove tags, resolve entities and replace typewriter quotes. An indented line begins a paragraph."""
    text = html.unescape(_SGML_TAG.sub("\n\n", text)).replace("``", '"').replace("''", '"')
    return join_lines(_INDENTED_LINE.sub("\n\n", text))


_ABSTRACT = re.compile(r"\A\s*abstract\s*\n", re.IGNORECASE)
# Headings are on a line of their own, in capitals or as ACM's template has them.
_NUS_HEADING = re.compile(
    r"^[ \t]*((?:[\d.]+[ \t]+)?[A-Z][A-Z &,:'()-]{4,}|Categories and Subject Descriptors|General Terms|Keywords)\s*$",
    re.MULTILINE,
)


def read_nus(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    r"""Read NUS: a folder per paper, with ``10/10.txt``, ``10/10.kwd`` (authors) and ``10/KEY/\*.key`` (readers).

    The authors' keyphrases come first, then those of each reader.
    """
    papers = [name for name in files.with_suffix(".txt") if PurePosixPath(name).parent.name == file_stem(name)]
    if not papers:
        raise InputError(f"{files.root} has no folders like 10/10.txt: name the folder NUS, e.g. SIFRank/data/NUS")
    labels = _find_label_files(files)
    for name in papers:
        keys = labels.get(PurePosixPath(name).parent, [])
        phrases = (phrase for key in keys for phrase in parse_phrase_lines(files.text(key)))
        title, text = _split_paper(html.unescape(files.text(name)))
        yield LabelledDocument(file_stem(name), title, text, tuple(dict.fromkeys(phrases)))


def _find_label_files(files: SourceFiles) -> dict[PurePosixPath, list[str]]:
    """Return the label files of each folder."""
    labels: dict[PurePosixPath, list[str]] = {}
    for name in (*files.with_suffix(".kwd"), *sorted(files.with_suffix(".key"))):
        folder = PurePosixPath(name).parent
        labels.setdefault(folder.parent if folder.name == "KEY" else folder, []).append(name)
    return labels


def _split_paper(text: str) -> tuple[str, str]:
    """Return title and text. The first line is the title."""
    title, _, rest = text.strip().partition("\n")
    rest = _ABSTRACT.sub("", rest)
    return " ".join(title.split()), join_lines(_NUS_HEADING.sub(r"\n\1\n", rest))


_KRAPIVIN_MARK = re.compile(r"^--([TABR])[ \t]*\r?$", re.MULTILINE)


def read_docs_keys(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    r"""Read texts in ``docsutf8/\*.txt`` and keyphrases in ``keys/\*.key``, one per line, in natural order.

    LIAAD's KeywordExtractor-Datasets and SIFRank's SemEval2017 have this layout.
    """
    for name, phrases in _pair_texts_with_keys(files):
        yield LabelledDocument(file_stem(name), "", join_lines(files.text(name)), phrases)


def read_krapivin(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    """Read the same layout with Krapivin's marks for title, abstract, body and references.

    Documents are in the string order of their ids: the test split is the first 460.
    """
    for name, phrases in sorted(_pair_texts_with_keys(files), key=lambda pair: file_stem(pair[0])):
        parts = _KRAPIVIN_MARK.split(files.text(name))
        if len(parts) == 1:
            raise InputError(f"{files.locate(name)}: there is no line --T, --A or --B: this is not Krapivin's format")
        named = dict(zip(parts[1::2], parts[2::2], strict=True))
        title = " ".join(named.pop("T", "").split())
        text = "\n".join(filter(None, map(join_lines, named.values())))
        yield LabelledDocument(file_stem(name), title, text, phrases)


def _pair_texts_with_keys(files: SourceFiles) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the texts with their keyphrases. All files may also be in one folder."""
    texts = [name for name in files.with_suffix(".txt") if "docsutf8/" in name] or files.with_suffix(".txt")
    keys = {file_stem(name): name for name in files.with_suffix(".key")}
    if not texts or not keys:
        raise InputError(f"{files.root} has no docsutf8/*.txt and keys/*.key: name a dataset's folder, or its zip")
    for name in texts:
        key = keys.get(file_stem(name))
        yield name, parse_phrase_lines(files.text(key)) if key else ()


# How CoreNLP writes brackets and quotes.
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_CORE_NLP_ESCAPES = {**_BRACKETS, "``": '"', "''": '"'}


def read_ake(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    """Read a dataset of ake-datasets: XML by CoreNLP in ``test/``, gold keyphrases in ``references/test.uncontr.json``.

    The references' name says which split is read. Of the alternatives for a keyphrase the first counts.
    """
    name = _choose_references(files, options.references)
    labels = _read_references(files, name)
    split = PurePosixPath(name).name.split(".")[0]
    documents = [each for each in files.with_suffix(".xml") if split in PurePosixPath(each).parts]
    if not documents:
        raise InputError(f"{files.root} has no folder '{split}' with XML files, as {name} needs")
    for each in documents:
        title, text = _read_core_nlp(files, each)
        yield LabelledDocument(file_stem(each), title, text, labels.get(file_stem(each), ()))


def _choose_references(files: SourceFiles, asked: str | None) -> str:
    """Choose the reference file. Stemmed ones are not offered, since stems are not phrases."""
    found = {
        PurePosixPath(name).name.removesuffix(".json"): name
        for name in files.with_suffix(".json")
        if PurePosixPath(name).parent.name == "references" and not name.endswith(".stem.json")
    }
    if not found:
        raise InputError(
            f"{files.root} has no references/*.json with whole words: name a dataset's folder in ake-datasets"
        )
    if asked is None and len(found) == 1:
        return next(iter(found.values()))
    chosen = found.get((asked or "").removesuffix(".json"))
    if chosen is None:
        reason = f"'{asked}' is not among them" if asked else "it has several"
        raise OptionError(f"{files.root}: name the references to use ({reason}): --references {' | '.join(found)}")
    return chosen


def _read_references(files: SourceFiles, name: str) -> dict[str, tuple[str, ...]]:
    try:
        loaded: Any = json.loads(files.text(name))
        return {
            str(identity): tuple(" ".join(variants[0].split()) for variants in phrases)
            for identity, phrases in loaded.items()
        }
    except json.JSONDecodeError as error:
        raise InputError(f"{files.locate(name)}: this is not JSON: {error}") from error
    except (AttributeError, IndexError, TypeError, RecursionError) as error:
        raise InputError(f'{files.locate(name)}: this is not of the form {{"id": [["phrase"], …]}}') from error


class _TreeWithoutDoctype(ET.TreeBuilder):
    """Refuses a document type. Entities, which can expand without limit or read other files, are declared there."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise InputError("it declares a document type, which CoreNLP never does: do not use it")


def _read_core_nlp(files: SourceFiles, name: str) -> tuple[str, str]:
    """Return the title, if sentences are marked as such, and the text. A section begins a paragraph."""
    try:
        root = ET.fromstring(files.read(name), parser=ET.XMLParser(target=_TreeWithoutDoctype()))
    except InputError as error:
        raise InputError(f"{files.locate(name)}: {error}") from error
    except ET.ParseError as error:
        raise InputError(f"{files.locate(name)}: this is not XML: {error}") from error
    title: list[str] = []
    paragraphs: list[list[str]] = []
    section: str | None = None
    for sentence in root.iter("sentence"):
        named = sentence.get("section")
        if named == "title":
            title.append(_join_tokens(sentence))
            continue
        if not paragraphs or named != section:
            paragraphs.append([])
        section = named
        paragraphs[-1].append(_join_tokens(sentence))
    return " ".join(title), "\n".join(" ".join(paragraph) for paragraph in paragraphs)


def _join_tokens(sentence: ET.Element) -> str:
    """Return the words of a sentence, with a space wherever the offsets have a gap."""
    parts: list[str] = []
    end: str | None = None
    for token in sentence.iter("token"):
        word = token.findtext("word", "")
        if parts and token.findtext("CharacterOffsetBegin") != end:
            parts.append(" ")
        parts.append(_CORE_NLP_ESCAPES.get(word, word))
        end = token.findtext("CharacterOffsetEnd")
    return "".join(parts)


def read_kpg(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    """Read JSON lines of OpenNMT-kpg, ``{"title", "abstract", "keywords"}``: titles and abstracts."""
    for identity, record, place in _read_kpg_records(files):
        text = join_lines(_get_string(record, "abstract", place))
        yield LabelledDocument(identity, _get_title(record, place), text, _get_keywords(record, place))


def read_kpg_full(files: SourceFiles, options: ImportOptions) -> Iterator[LabelledDocument]:
    """Read JSON lines of OpenNMT-kpg with ``"fulltext"``: titles, abstracts and full texts."""
    for identity, record, place in _read_kpg_records(files):
        parts = (join_lines(_get_string(record, field, place)) for field in ("abstract", "fulltext"))
        yield LabelledDocument(identity, _get_title(record, place), "\n".join(parts), _get_keywords(record, place))


def _read_kpg_records(files: SourceFiles) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield the lines with their ids, or with their numbers where they have none."""
    names = files.with_suffix(".json", ".jsonl")
    if len(names) != 1:
        found = f"has {len(names)}: {', '.join(names[:5])}" if names else "has none"
        raise InputError(f"{files.root}: name one .json file of OpenNMT-kpg, e.g. inspec/test.json (this {found})")
    for number, line in enumerate(files.text(names[0]).split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{files.locate(names[0])}:{number}"
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{place}: this line is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise InputError(f"{place}: this line is not a JSON object")
        yield str(record.get("id", record.get("name", number))), record, place


def _get_string(record: dict[str, Any], field: str, place: str) -> str:
    value = record.get(field)
    if not isinstance(value, str):
        raise InputError(f"{place}: the field '{field}' is missing or not a string (fields: {', '.join(record)})")
    return value


def _get_title(record: dict[str, Any], place: str) -> str:
    return " ".join(_get_string(record, "title", place).split())


def _get_keywords(record: dict[str, Any], place: str) -> tuple[str, ...]:
    """Return the keyphrases: one string with semicolons, or a list, depending on the release."""
    value = record.get("keywords")
    phrases = value.split(";") if isinstance(value, str) else value
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        raise InputError(f"{place}: the field 'keywords' is neither a list nor a string with semicolons")
    return _clean_phrases(phrases)


_SIFRANK, _LIAAD = "github.com/sunyilgdx/SIFRank", "github.com/LIAAD/KeywordExtractor-Datasets"
IMPORTERS = {
    importer.name: importer
    for importer in (
        Importer("inspec", "*.abstr and *.uncontr", f"{_SIFRANK}, data/Inspec", read_inspec),
        Importer("duc2001", "SGML and annotations.txt", f"{_SIFRANK}, data/DUC2001", read_duc2001),
        Importer("nus", "10/10.txt, 10/KEY/*.key", f"{_SIFRANK}, data/NUS", read_nus),
        Importer("docs-keys", "docsutf8/*.txt, keys/*.key", f"{_LIAAD}, and SIFRank's SemEval2017", read_docs_keys),
        Importer("krapivin", "the same, with --T --A --B", f"{_LIAAD}, Krapivin2009.zip", read_krapivin),
        Importer("ake", "XML and references/*.json", "github.com/boudinfl/ake-datasets", read_ake),
        Importer("kpg", "JSON lines: abstracts", "huggingface.co/datasets/memray/keyphrase", read_kpg),
        Importer("kpg-full", "JSON lines: full papers", "huggingface.co/datasets/memray/keyphrase", read_kpg_full),
    )
}

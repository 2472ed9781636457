"""Vocabularies in SKOS, read by rdflib: RDF/XML, Turtle, N-Triples, JSON-LD.

rdflib's parsers are given a store that keeps labels only, so that a large thesaurus needs little memory. What a file
could make a parser fetch or multiply is refused before it is parsed.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from mderank.candidates.vocabulary import LabelKind
from mderank.errors import InputError, MissingExtraError
from mderank.vocabularies.collector import Collector

_SKOS = "http://www.w3.org/2004/02/skos/core#"
_SKOSXL = "http://www.w3.org/2008/05/skos-xl#"
_LITERAL_FORM = f"{_SKOSXL}literalForm"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_DEPRECATED = "http://www.w3.org/2002/07/owl#deprecated"
_KINDS: dict[str, LabelKind] = {"prefLabel": "preferred", "altLabel": "alternative", "hiddenLabel": "hidden"}
_LABELS = {f"{_SKOS}{name}": kind for name, kind in _KINDS.items()}
_LABEL_NODES = {f"{_SKOSXL}{name}": kind for name, kind in _KINDS.items()}
# They have labels too, and are no concepts.
_NO_CONCEPTS = frozenset(f"{_SKOS}{name}" for name in ("ConceptScheme", "Collection", "OrderedCollection"))
_CONCEPT = f"{_SKOS}Concept"
_XML_PLACE = re.compile(r"\S*?:(\d+):\d+: ")  # of errors of XML
_BASE = "http://vocabulary.invalid/"  # of relative addresses, which stay relative as ids
_LONGEST = 100_000  # characters of a text or an address; definitions have some hundred
_LITERAL_ELEMENTS = 1_000
# Texts, addresses and comments of Turtle, of which N-Triples are a part.
_TURTLE = re.compile(
    rb'''"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)|'''
    rb"""'''(?:[^'\\]++|\\.|'(?!''))*+(?:'''|\Z)|"""
    rb"""'(?:[^'\\\n]++|\\.)*+'|"""
    rb""""(?:[^"\\\n]++|\\.)*+"|"""
    rb"<[^<>\s]*+>|#[^\n]*+|\\.",
    re.DOTALL,
)
_NAMESPACE = re.compile(r"https?://[^\s&%<]{1,200}")
_PIECE = 1 << 16  # bytes of XML that are looked at at once


def read_skos(data: bytes, kind: str, collector: Collector) -> None:
    """Read the concepts of a SKOS file.

    Args:
        data: The bytes of the file.
        kind: Its format, by rdflib's name.
        collector: Takes the concepts.

    Raises:
        InputError: If the file is damaged, or names other files.
        MissingExtraError: If the extra ``skos`` is not installed.
    """
    try:
        from rdflib import BNode, Graph, Literal
        from rdflib.store import Store
    except ImportError as error:
        raise MissingExtraError("reading SKOS", "skos") from error
    if kind == "xml":
        _check_xml(data)
    elif kind == "turtle":
        _check_turtle(data)
    else:
        data = _check_json(data)
    found = _Triples()

    class Labels(Store):
        """Takes what a parser finds, and keeps the labels."""

        context_aware = kind == "json-ld"  # its parser wants a store of several graphs

        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            subject, predicate, value = triple
            found.add(
                f"_:{subject}" if isinstance(subject, BNode) else subject.removeprefix(_BASE),
                str(predicate),
                f"_:{value}" if isinstance(value, BNode) else value.removeprefix(_BASE),
                (value.language or "") if isinstance(value, Literal) else None,
            )

        def __len__(self, context: Any = None) -> int:
            return 0

    for name in ("rdflib", "rdflib.term"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # it logs a traceback for every odd date
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # rdflib's parser of JSON-LD uses its old names
            Graph(store=Labels(), bind_namespaces="none").parse(data=data, format=kind, publicID=_BASE)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # damaged files make parsers raise errors of many kinds
        raise InputError(f"cannot be read as {_NAMES[kind]}: {_describe(error)}") from error
    found.finish(collector)


_NAMES = {"xml": "RDF/XML", "turtle": "Turtle", "json-ld": "JSON-LD"}


class _Triples:
    """The statements that a vocabulary is made of. Texts are given as text and language, addresses without."""

    def __init__(self) -> None:
        self._labels: list[tuple[str, LabelKind, str, str]] = []
        self._nodes: list[tuple[str, LabelKind, str]] = []  # labels that are resources themselves (SKOS-XL)
        self._forms: dict[str, list[tuple[str, str]]] = {}  # the texts of these
        self._concepts: dict[str, None] = {}
        self._others: set[str] = set()
        self._deprecated: set[str] = set()

    def add(self, subject: str, predicate: str, value: str, language: str | None) -> None:
        """Keep a statement if it is about labels."""
        if predicate == _TYPE:
            if value == _CONCEPT:
                self._concepts[subject] = None
            elif value in _NO_CONCEPTS:
                self._others.add(subject)
        elif predicate in _LABELS and language is not None:
            self._labels.append((subject, _LABELS[predicate], value, language))
        elif predicate in _LABEL_NODES and language is None:
            self._nodes.append((subject, _LABEL_NODES[predicate], value))
        elif predicate == _LITERAL_FORM and language is not None:
            self._forms.setdefault(subject, []).append((value, language))
        elif predicate == _DEPRECATED and value.strip().lower() in ("true", "1"):
            self._deprecated.add(subject)

    def finish(self, collector: Collector) -> None:
        """Give the collector the concepts, in the order of the file."""
        names: dict[str, str] = {}
        for subject, kind, text, language in self._all_labels():
            if subject in self._others and subject not in self._concepts:
                continue
            # A concept without an address is named by its first label, since parsers number it anew each time.
            name = names.setdefault(subject, f"_:{text}" if subject.startswith("_:") else subject)
            collector.label(name, kind, text, language)
        for subject in self._concepts:
            collector.add(names.get(subject, subject))
        for subject in self._deprecated:
            if subject in names or subject in self._concepts:
                collector.deprecate(names.get(subject, subject))

    def _all_labels(self) -> Iterator[tuple[str, LabelKind, str, str]]:
        yield from self._labels
        for subject, kind, node in self._nodes:
            yield from ((subject, kind, text, language) for text, language in self._forms.get(node, ()))


def _check_xml(data: bytes) -> None:
    """Refuse XML that declares entities, by which a small file can be a large text or name other files.

    Short ones that stand for an address are read: Protégé abbreviates namespaces by them.

    Texts are limited too, because the parser's time grows with the square of their lengths.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = size = literal = inside = 0

    def declare(name: str, is_parameter: bool, value: str | None, *_: Any) -> None:
        if not is_parameter and value is not None and _NAMESPACE.fullmatch(value):
            return
        raise InputError(
            f"declares the entity '{name[:40]}', by which XML can multiply itself or name other files: save the file "
            "without <!ENTITY …>, or as Turtle"
        )

    def begin(_: str, attributes: dict[str, str]) -> None:
        nonlocal depth, size, literal, inside
        depth, size = depth + 1, 0
        if any(len(value) > _LONGEST for value in attributes.values()):
            raise _too_long(f"line {parser.CurrentLineNumber:,}")
        if literal:
            inside += 1
            if inside > _LITERAL_ELEMENTS:
                line = f"line {parser.CurrentLineNumber:,}"
                raise InputError(f"{line}: an XML literal has more than {_LITERAL_ELEMENTS:,} elements: leave it out")
        elif any(name.endswith("parseType") and value == "Literal" for name, value in attributes.items()):
            literal, inside = depth, 0

    def text(content: str) -> None:
        nonlocal size
        size += len(content)
        if size > _LONGEST:
            raise _too_long(f"line {parser.CurrentLineNumber:,}")

    def end(_: str) -> None:
        nonlocal depth, size, literal
        literal = 0 if literal == depth else literal
        depth, size = depth - 1, 0

    parser.EntityDeclHandler = declare
    parser.StartElementHandler = begin
    parser.CharacterDataHandler = text
    parser.EndElementHandler = end
    try:
        for start in range(0, len(data), _PIECE):
            parser.Parse(data[start : start + _PIECE], False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.errors.messages[error.code]
        raise InputError(f"cannot be read as RDF/XML: line {error.lineno:,}: {reason}") from error
    except (LookupError, ValueError) as error:  # of Python's codecs, for the encoding that the file declares
        raise InputError(f"cannot be read as RDF/XML: {error}: save the file as UTF-8") from error


def _check_turtle(data: bytes) -> None:
    """Refuse Turtle with very long texts: the parser's time grows with the square of their lengths."""
    for token in _TURTLE.finditer(data):
        if token.end() - token.start() > _LONGEST:
            line = data.count(b"\n", 0, token.start()) + 1
            raise _too_long(f"line {line:,}")


def _check_json(data: bytes) -> bytes:
    """Refuse JSON-LD that names a context elsewhere. It is written again, so that rdflib reads what was looked at."""
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InputError(f"cannot be read as JSON-LD: {reason}") from error
    waiting = [content]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) and len(each) > _LONGEST:
            raise _too_long(f"{each[:20]!r}…")
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            waiting += [*each, *each.values()]
            contexts = each.get("@context", [])
            for context in contexts if isinstance(contexts, list) else [contexts]:
                remote = context.get("@import") if isinstance(context, dict) else context
                if isinstance(remote, str):
                    raise InputError(
                        f"names the context {remote[:80]!r}, which is not fetched: write the context into the file, or "
                        "save it as Turtle"
                    )
    return json.dumps(content).encode("ascii")


def _too_long(where: str) -> InputError:
    return InputError(f"{where}: a text has more than {_LONGEST:,} bytes: leave it out; labels are short")


def _describe(error: Exception) -> str:
    """The error and its place, in one line."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, IndexError):  # of rdflib's parser of Turtle
        return "the file ends within a statement"
    lines = getattr(error, "lines", None)
    message = getattr(error, "_why", None) or getattr(error, "message", None) or str(error) or type(error).__name__
    message = f"{message}{_describe_rest(error)}"
    where = f"line {lines + 1:,}: " if isinstance(lines, int) else ""
    found = _XML_PLACE.match(message)
    if found is not None:
        where, message = f"line {int(found[1]):,}: ", message[found.end() :]
    return where + " ".join(message.split())[:300]


def _describe_rest(error: Exception) -> str:
    """The text that rdflib's parser of Turtle could not read; its own message shows it as bytes."""
    data, position = getattr(error, "_str", None), getattr(error, "_i", None)
    if not isinstance(data, bytes) or not isinstance(position, int):
        return ""
    rest = data.decode("utf-8", "replace")[position:].strip().partition("\n")[0][:40]
    return f", before '{rest}'" if rest else ""

"""Read XML that anybody may have made, as events: no entities, no document types, bounded depth, names and tags.

Expat is part of Python. It never fetches anything. What an attacker could still make it hold is bounded here, whatever
its version: entities that expand, default values of attributes, elements in elements, names, and a tag without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NoReturn
from xml.parsers import expat

from mderank.errors import InputError

_DEEPEST = 500  # elements in elements; those of Word's tables in tables are 50 deep
_MOST_NAMES = 20_000  # different names of elements and attributes, which expat keeps
_MOST_ELEMENTS = 200_000  # of a file that describes others
_LONGEST_TAG = 1 << 20  # bytes; older versions of expat read an unfinished tag again for every piece


def read_xml(
    pieces: Iterable[bytes],
    *,
    start: Callable[[str, Mapping[str, str]], None],
    end: Callable[[str], None] = lambda name: None,
    text: Callable[[str], None] = lambda text: None,
    most_elements: int = _MOST_ELEMENTS,
) -> None:
    """Read an XML file and call functions for what it has. Names are without their prefix: ``p`` for ``w:p``.

    Args:
        pieces: the file's bytes.
        start: called with each element's name and attributes.
        end: called with the name of each element that ends.
        text: called with each stretch of text.
        most_elements: number of elements from which on the file is refused.

    Raises:
        InputError: the file is not XML, declares entities, or is made to take too much memory or time.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    depth = elements = 0

    def start_element(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth += 1
        elements += 1
        if depth > _DEEPEST:
            raise InputError(f"its XML has more than {_DEEPEST} elements in each other: save the file again")
        if elements > most_elements:
            raise InputError(f"its XML has more than {most_elements:,} elements: divide the file")
        start(_local(name), {_local(key): value for key, value in attributes.items()} if attributes else attributes)

    def end_element(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(_local(name))

    def refuse_declarations(name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        if has_subset:
            _refuse_entities()

    parser.StartElementHandler = start_element
    parser.EndElementHandler = end_element
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse_declarations
    parser.EntityDeclHandler = _refuse_entities
    fed = 0
    try:
        for piece in pieces:
            parser.Parse(piece, False)
            fed += len(piece)
            if fed - parser.CurrentByteIndex > _LONGEST_TAG or len(parser.intern) > _MOST_NAMES:
                raise InputError("its XML has a tag that is too long, or too many names: save the file again")
        parser.Parse(b"", True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InputError(f"its XML is damaged: {error}") from error


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _refuse_entities(*_: object) -> NoReturn:
    raise InputError("its XML declares entities, which are not read: save the file again")

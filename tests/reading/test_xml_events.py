"""XML of strangers: no entity expands, nothing is fetched, and what the parser holds is bounded."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import pytest

from mderank.errors import InputError
from mderank.reading.xml_events import read_xml


def read(source: bytes, size: int = 7) -> list[str]:
    """What an XML file has, read in pieces of so many bytes."""
    found: list[str] = []
    read_xml(
        (source[at : at + size] for at in range(0, len(source), size)),
        start=lambda name, attributes: found.append(f"<{name}{dict(attributes) or ''}"),
        end=lambda name: found.append(f">{name}"),
        text=found.append,
    )
    return found


def test_names_are_without_their_prefix():
    assert read(b"<w:p xmlns:w='x' w:a='1'>&lt;&#233;<b/></w:p>", 1000) == [
        "<p{'w': 'x', 'a': '1'}", "<é", "<b", ">b", ">p",
    ]  # fmt: skip


def test_pieces_and_encodings():
    assert "".join(read("<?xml version='1.0' encoding='utf-16'?><p>Kärnten</p>".encode("utf-16"))) == "<pKärnten>p"


BOMB = b'<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;">]><a>&c;</a>'


@pytest.mark.parametrize(
    "source",
    [
        BOMB,
        b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
        b'<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1/x">%b;]><a/>',
        b'<!DOCTYPE a [<!ATTLIST p long CDATA "xxxxxxxx">]><a/>',
    ],
)
def test_declarations_are_refused(source):
    with pytest.raises(InputError, match="declares entities"):
        read(source)


def test_a_document_type_elsewhere_is_not_fetched():
    assert read(b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>x</a>', 100) == ["<a", "x", ">a"]
    with pytest.raises(InputError, match="its XML is damaged"):
        read(b'<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>&passwd;</a><b>', 100)


def endless(unit: bytes, times: int) -> Iterator[bytes]:
    yield b"<a>"
    for _ in range(times):
        yield unit * (65_536 // len(unit))


@pytest.mark.parametrize(
    "unit",
    [b"<b>", b"<!-- x", b"<b c='d", b"<?x y", b"x='1' "],
    ids=["nesting", "comment", "value", "instruction", "text"],
)
def test_what_never_ends_takes_little_memory(unit):
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_xml(endless(unit, 70), start=lambda name, attributes: None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000


@pytest.mark.parametrize("unit", [b"<n{}/>", b"<a n{}='1'/>", b"<a xmlns:n{}='x'/>"])
def test_names_are_bounded(unit):
    given = 0

    def pieces() -> Iterator[bytes]:
        nonlocal given
        yield b"<a>"
        for given in range(1, 100):
            yield b"".join(unit.replace(b"{}", b"%d" % (1_000 * given + each)) for each in range(1_000))

    with pytest.raises(InputError, match="too many names"):
        read_xml(pieces(), start=lambda name, attributes: None)
    assert given < 25  # thousand names


def test_elements_are_counted():
    read_xml([b"<a><b/><b/></a>"], start=lambda name, attributes: None, most_elements=3)
    with pytest.raises(InputError, match="more than 2 elements"):
        read_xml([b"<a><b/><b/></a>"], start=lambda name, attributes: None, most_elements=2)


@pytest.mark.parametrize(
    "source", [b"", b"text", b"<a>", b"<a></b>", b"<a>&b;</a>", b"<?xml version='1.0' encoding='x'?><a/>"]
)
def test_damaged_files(source):
    with pytest.raises(InputError, match="its XML is damaged"):
        read(source)

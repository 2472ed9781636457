"""Archives of strangers: few members, known compressions, bytes counted as they come."""

from __future__ import annotations

import tracemalloc
import zipfile

import pytest
from tests.helpers import zip_file

from mderank.errors import InputError
from mderank.reading.zip_archive import ZipArchive


def test_members_are_read():
    archive = ZipArchive(zip_file({"a": "reef", "b/c": b"\0"}), 100, 10)
    assert "a" in archive
    assert "b" not in archive
    assert archive.read("a", 4) == b"reef"
    assert archive.read("a", 3) is None
    assert list(archive.pieces("b/c")) == [b"\0"]
    with pytest.raises(InputError, match="its part d is missing"):
        archive.read("d", 9)


def test_all_reads_together_are_bounded():
    archive = ZipArchive(zip_file({"a": "x" * 60, "b": "y" * 60}), 100, 10)
    assert archive.read("a", 100) == b"x" * 60
    with pytest.raises(
        InputError, match="more than 100 bytes together, that is 10 per character of --max-document-chars"
    ):
        archive.read("b", 100)


def test_an_archive_of_many_members_is_not_opened():
    data = zip_file(dict.fromkeys(map(str, range(20_001)), ""), zipfile.ZIP_STORED)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 20,000 parts"):
            ZipArchive(data, 100, 10)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("compression", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_unusual_compressions_are_refused(compression):
    with pytest.raises(InputError, match="compressed in an unusual way"):
        ZipArchive(zip_file({"a": "reef"}, compression), 100, 10).read("a", 100)


def test_a_damaged_member():
    data = bytearray(zip_file({"a": "storm surges " * 20}))
    data[40] ^= 255
    with pytest.raises(InputError, match="its part a is damaged"):
        ZipArchive(bytes(data), 10_000, 10).read("a", 10_000)


def test_zeros_without_end_take_little_memory():
    data = zip_file({"a": bytes(50_000_000)})
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="more than 40,000,000 bytes"):
            for _ in ZipArchive(data, 40_000_000, 1_000_000).pieces("a"):
                pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000

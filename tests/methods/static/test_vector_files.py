"""The three forms of word vectors, written here byte by byte, and what is said of files that are none of them."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile

import numpy as np
import pytest

from mderank import InputError, OptionError
from mderank.methods.static import WordVectors
from mderank.methods.static.vector_files import read_vectors

WORDS = ["the", "reef", "Boat", "naïve", "3d"]
NUMBERS = [[0.5, -1.25, 2.0], [1.0, 0.0, -3.5], [0.1, 0.2, 0.3], [4e-3, -1e2, 7.0], [-0.0, 1.5, 9.75]]


def lines(separator=" ", end="\n"):
    return "".join(
        separator.join([word, *map(str, numbers)]) + end for word, numbers in zip(WORDS, NUMBERS, strict=True)
    ).encode()


def binary(end=b"\n"):
    rows = (
        word.encode() + b" " + struct.pack("<3f", *numbers) + end for word, numbers in zip(WORDS, NUMBERS, strict=True)
    )
    return b"5 3\n" + b"".join(rows)


FORMS = {
    "GloVe": lines(),
    "GloVe with tabs": lines("\t"),
    "GloVe from Windows": lines(end="\r\n"),
    "GloVe without a last line break": lines().rstrip(),
    "word2vec text": b"5 3\n" + lines(end=" \n"),
    "fastText": b"5 3\n" + lines(),
    "word2vec binary": binary(),
    "word2vec binary by gensim": binary(end=b""),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(tmp_path, form, compressed):
    file = tmp_path / "vectors"  # the name says nothing
    file.write_bytes(gzip.compress(FORMS[form]) if compressed else FORMS[form])
    rows, matrix = read_vectors(file)
    assert rows == {word: row for row, word in enumerate(WORDS)}
    assert matrix.dtype == np.float32
    np.testing.assert_array_equal(matrix, np.array(NUMBERS, dtype=np.float32))


@pytest.mark.parametrize("form", FORMS)
def test_only_the_first_are_read(tmp_path, form):
    file = tmp_path / "vectors"
    file.write_bytes(FORMS[form])
    rows, matrix = read_vectors(file, limit=2)
    assert list(rows) == ["the", "reef"]
    np.testing.assert_array_equal(matrix, np.array(NUMBERS[:2], dtype=np.float32))
    assert len(read_vectors(file, limit=99)[0]) == 5
    # What is beyond them is not looked at.
    file.write_bytes(FORMS[form][:60])
    assert list(read_vectors(file, limit=2)[0]) == ["the", "reef"]


def test_a_binary_file_that_is_read_in_many_pieces(tmp_path, monkeypatch):
    file = tmp_path / "vectors"
    file.write_bytes(binary())
    for size in (1, 2, 5, 13, 14, 40):
        monkeypatch.setattr("mderank.methods.static.vector_files._CHUNK", size)
        rows, matrix = read_vectors(file)
        assert list(rows) == WORDS
        np.testing.assert_array_equal(matrix, np.array(NUMBERS, dtype=np.float32))


def test_numbers_with_spaces_and_line_breaks_among_their_bytes(tmp_path):
    # 0x20202020 and 0x0a0a0a0a are floats too.
    file = tmp_path / "vectors"
    file.write_bytes(b"2 2\na \x20\x20\x20\x20\x0a\x0a\x0a\x0ab \x00\x00\x80\x3f\x20\x20\x20\x20")
    rows, matrix = read_vectors(file)
    assert list(rows) == ["a", "b"]
    np.testing.assert_array_equal(
        matrix, np.frombuffer(b"\x20\x20\x20\x20\x0a\x0a\x0a\x0a\x00\x00\x80\x3f\x20\x20\x20\x20", "<f4").reshape(2, 2)
    )


def test_words_with_spaces_words_that_are_numbers_and_words_that_come_again(tmp_path):
    file = tmp_path / "vectors"
    file.write_bytes(b"the 1 2\n. . . 3 4\n7 5 6\nthe 9 9\n\nat name@domain.com 7 8\n\xff 1 1\n")
    rows, matrix = read_vectors(file)
    assert list(rows) == ["the", ". . .", "7", "at name@domain.com", "\ufffd"]
    assert matrix.tolist() == [[1, 2], [3, 4], [5, 6], [7, 8], [1, 1]]


def archive():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        packed.writestr("glove.txt", lines())
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "line 1: '' is not a word with its numbers: GloVe's text"),
        (b"\n\n", "line 1: '' is not a word"),
        (b"hello world\n", "line 1: 'hello world' is not a word"),
        (b"hello\n", "line 1: 'hello' is not a word"),
        (b"\x93NUMPY\x01\x00v\x00{'descr': 1}\n", "line 1: '.*NUMPY.* is not a word"),
        (archive(), "is a zip archive: unpack it"),
        (b"the 1 2\nreef 1 x\n", "line 2: a word and 2 numbers must stand there, and not 'reef 1 x': .* get it again"),
        (b"the 1 2\nreef 1\n", "line 2: a word and 2 numbers"),
        (b"2 2\nthe 1 2\nreef 1\n", "line 3: a word and 2 numbers"),
        (b"2 2\nthe 1 2\n", "announces 2 words and has 1"),
        (b"1 2\nthe 1 2\nreef 3 4\n", "announces 1 words and has 2"),
        (b"0 2\n", "line 1: it announces 0 words of 2 numbers"),
        (b"2 0\n", "line 1: it announces 2 words of 0 numbers"),
        (b"the 1 nan\n", "the vector of 'the' has something in it that is no number"),
        (b"the 1 2\nreef inf -inf\n", "the vector of 'reef'"),
        (binary()[:40], "ends within word 3 of 5: it is cut off, get it again"),
        (binary()[: 4 + 4 + 13], "announces 5 words and has 1"),
        (binary().replace(b"5 3", b"4 3"), "announces 4 words and has 5"),
        (gzip.compress(lines(), mtime=0)[:-9], "is cut off or damaged"),
        (gzip.compress(lines(), mtime=0)[:20] + b"\0" * 30, "is cut off or damaged"),
    ],
)
def test_what_is_wrong_is_said_with_the_file_and_the_remedy(tmp_path, content, complaint):
    file = tmp_path / "some.vectors"
    file.write_bytes(content)
    with pytest.raises(InputError, match=complaint) as caught:
        read_vectors(file)
    assert str(file) in str(caught.value)
    assert all(character.isprintable() for character in str(caught.value))


def zeros(megabytes):
    """A gzipped file of so many megabytes of zeros, in pieces that need no memory here."""
    data = io.BytesIO()
    with gzip.GzipFile(fileobj=data, mode="wb") as stream:
        stream.write(b"2 3\n")
        for _ in range(megabytes):
            stream.write(bytes(1_000_000))
    return data.getvalue()


class Counted(gzip.GzipFile):
    """Counts the bytes that are unpacked."""

    unpacked = 0

    def read(self, size=-1):
        data = super().read(size)
        Counted.unpacked += len(data)
        return data


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"2 3\n" + bytes(3_000_000), "word 1 has more than 65,536 bytes"),
        (b"2 3\n" + bytes(70_000) + b" " + bytes(12), "word 1 has more than 65,536 bytes"),
        (b"reef 1 2 3\n" + b"x" * 3_000_000, r"line 2: it has more than 65,728 bytes"),
        (b"2 100001\nreef 1", "vectors of 100,001 numbers, and 100,000 is the limit"),
    ],
    ids=["binary without a space", "a long word", "text without a line break", "vectors of any length"],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_files_that_never_end(tmp_path, content, complaint, compressed):
    file = tmp_path / "vectors"
    file.write_bytes(gzip.compress(content) if compressed else content)
    with pytest.raises(InputError, match=complaint):
        read_vectors(file)


def test_no_more_is_unpacked_than_is_needed(tmp_path, monkeypatch):
    (tmp_path / "vectors.gz").write_bytes(zeros(50))
    monkeypatch.setattr(gzip, "GzipFile", Counted)
    monkeypatch.setattr(Counted, "unpacked", 0)
    with pytest.raises(InputError, match="word 1 has more than"):
        read_vectors(tmp_path / "vectors.gz")
    assert 0 < Counted.unpacked < 5_000_000


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.txt: cannot be read: No such file"):
        WordVectors.load(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        WordVectors.load(str(tmp_path))
    with pytest.raises(OptionError, match="at least 1, not 0"):
        WordVectors.load(tmp_path, limit=0)

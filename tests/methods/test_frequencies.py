"""Document frequencies: what is counted, and the file that keeps them."""

from __future__ import annotations

import gzip

import pytest

from mderank import InputError, NounPhrases
from mderank.methods import DocumentFrequencies
from mderank.methods.frequencies import WordFrequencies
from mderank.testing import FakeTagger

TAGGER = FakeTagger()


def test_parts_of_candidates_are_counted_once_a_document():
    corpus = ["The coral reef is near the reef.", "A red coral reef."]
    assert DocumentFrequencies.of(corpus, tagger=TAGGER).counts == {
        "coral": 2,
        "reef": 2,
        "coral reef": 2,
        "red": 1,
        "red coral": 1,
        "red coral reef": 1,
    }
    long = "bb cc dd ff gg hh jj kk ll mm"
    counts = DocumentFrequencies.of([long], tagger=TAGGER, candidates=NounPhrases(max_phrase_words=None)).counts
    assert max(len(phrase.split()) for phrase in counts if phrase != long) == 8
    assert counts[long] == 1


@pytest.mark.parametrize("name", ["df.json", "df.json.gz"])
def test_document_frequencies_are_kept_in_a_file(tmp_path, name):
    frequencies = DocumentFrequencies(3, {"a": 1, "b": 2})
    frequencies.save(tmp_path / name)
    assert DocumentFrequencies.load(tmp_path / name) == frequencies


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b"{}", b'{"documents": "x", "counts": {}}', gzip.compress(b"{}", mtime=0)[:-4]]
)
def test_files_that_are_no_document_frequencies(tmp_path, content):
    for name in ("df.json", "df.json.gz"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="does not hold document frequencies"):
            DocumentFrequencies.load(tmp_path / name)


@pytest.mark.parametrize("name", ["counts.json", "counts.json.gz"])
@pytest.mark.parametrize("kind", [DocumentFrequencies, WordFrequencies])
def test_a_file_that_is_too_large_unpacked(tmp_path, monkeypatch, name, kind):
    from mderank.methods import frequencies

    monkeypatch.setattr(frequencies, "MAX_BYTES", 1000)
    (tmp_path / name).write_bytes(gzip.compress(b" " * 1001) if name.endswith("gz") else b" " * 1001)
    with pytest.raises(InputError, match="more than 1,000 bytes, unpacked"):
        kind.load(tmp_path / name)


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"words": {"a": ' + b"9" * 5_000 + b"}}"])
def test_hostile_json(tmp_path, content):
    (tmp_path / "counts.json").write_bytes(content)
    with pytest.raises(InputError, match="does not hold word frequencies"):
        WordFrequencies.load(tmp_path / "counts.json")

"""The shortest way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mderank
from mderank import InputError, OptionError, shared

TEXT = "Coral reefs feed fish. Warm water harms coral reefs."
QUICK = {"method": "firstphrases"}


def test_a_text():
    assert mderank.extract(TEXT, top_k=1, **QUICK).texts == ["Coral reefs"]
    long = "Sea ice, reefs, tides, boats, storms, gauges, pilots, harbours, rocks, fish, whales, waves."
    assert len(mderank.extract(long, **QUICK)) == 10
    for everything in (0, None):
        assert len(mderank.extract(long, everything, **QUICK)) == 12


def test_the_extractor_is_built_once(monkeypatch):
    shared._build.cache_clear()
    built = []

    def build(options):
        built.append(options)
        return mderank.build_extractor(options)

    monkeypatch.setattr(shared, "build_extractor", build)
    for top_k in (1, 2):
        assert len(mderank.extract(TEXT, top_k, **QUICK)) == top_k
    mderank.extract(TEXT, 1, method="yake")
    assert [options.method for options in built] == ["firstphrases", "yake"]


def test_a_string_is_a_text_and_a_path_a_file(tmp_path):
    file = tmp_path / "reef.txt"
    file.write_text(TEXT)
    assert mderank.extract(file, top_k=1, **QUICK).texts == ["Coral reefs"]
    assert mderank.extract(str(file), **QUICK).texts != ["Coral reefs"]


def test_a_file_with_several_documents(tmp_path):
    file = tmp_path / "reefs.jsonl"
    file.write_text((json.dumps({"text": TEXT}) + "\n") * 2)
    with pytest.raises(InputError, match="several documents"):
        mderank.extract(file, **QUICK)
    assert [document.text for document in mderank.read(file)] == [TEXT, TEXT]


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match="nope"):
        mderank.extract(Path("nope.txt"), **QUICK)
    (document,) = mderank.read("nope.txt")
    assert document.error is not None


def test_folders_and_fields(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "b.jsonl").write_text(json.dumps({"id": "x", "abstract": "Sea ice."}) + "\n")
    assert [document.text for document in mderank.read(tmp_path, text_field="abstract")] == [TEXT, "Sea ice."]


def test_an_unknown_option():
    with pytest.raises(OptionError, match="colour"):
        mderank.extract(TEXT, colour="red")
    with pytest.raises(OptionError, match=r"FusionRank\(candidates=…\)"):
        mderank.extract(TEXT, candidates=["coral reef"])
    with pytest.raises(OptionError, match="unknown option 'textfield': did you mean text_field"):
        mderank.read("a.jsonl", textfield="abstract")


@pytest.mark.parametrize("paths", [["a.txt", "b.txt"], None, b"a.txt"])
def test_what_is_no_path_is_refused_at_once(paths):
    with pytest.raises(OptionError, match=r"read takes paths, each a str or a Path, not a .*: read\(\*paths\)"):
        mderank.read(paths)

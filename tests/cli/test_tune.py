"""`mderank tune`: a style from one's own labelled documents."""

from __future__ import annotations

import json

import pytest

from mderank import load_style

BIRDS = (
    "owl", "gull", "heron", "swift", "crane", "finch", "raven", "robin", "stork", "tern", "wren", "lark", "kite",
    "teal", "rook", "dove", "coot", "ibis", "egret", "auk",
)  # fmt: skip
# The label comes last and once, where the default does not look for it.
TEXT = (
    "Water management of the river bank needs a water level gauge. The water level gauge measures the river flow, the "
    "sediment load and the flood risk. Flood risk maps show the river bank, the drainage basin, the sewage plant, the "
    "power station, the harbour wall, the railway bridge and the market square. Nobody saw the {0}."
)


@pytest.fixture
def labelled(tmp_path):
    def write(count=20, name="mine.jsonl", labels=lambda bird: [bird]):
        file = tmp_path / name
        lines = [{"id": bird, "text": TEXT.format(bird), "keyphrases": labels(bird)} for bird in BIRDS[:count]]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return file

    return write


@pytest.mark.slow
def test_it_writes_a_style_that_extract_takes(run, labelled, tmp_path):
    style, text = tmp_path / "birds.json", tmp_path / "text.txt"
    result = run("tune", labelled(), "-o", style, "--curve", tmp_path / "curve.svg")
    assert result.exit_code == 0, result.stderr
    assert "birds: 20 documents, 20 labels" in result.stdout
    assert "with the style" in result.stdout
    assert f"use it with --style {style}" in result.stdout
    assert load_style(style).learned_from["documents"] == 20
    assert (tmp_path / "curve.svg").read_text().startswith("<svg")
    text.write_text(TEXT.format("plover"))
    found = json.loads(run("extract", text, "-f", "jsonl", "--style", style, "--explain").stdout)
    best = found["keyphrases"][0]
    assert best["text"] == "plover"
    assert sum(best["contributions"].values()) == pytest.approx(best["score"], abs=1e-4)
    config = tmp_path / "mine.toml"
    config.write_text(f'style = "{style}"\n')
    assert json.loads(run("extract", text, "-f", "jsonl", "--config", config, "--explain").stdout) == found


@pytest.mark.slow
def test_a_style_of_few_documents_is_written_only_if_asked(run, labelled, tmp_path):
    style = tmp_path / "few.json"
    result = run("tune", labelled(6), "-o", style)
    assert result.exit_code == 2
    assert "6 documents are few" in result.stdout or "the default is kept" in result.stdout
    assert "is not written" in result.stderr
    assert "--force" in result.stderr
    assert not style.exists()
    assert run("tune", labelled(6), "-o", style, "--force", "-q").exit_code == 0
    assert load_style(style).labels
    assert run("tune", labelled(6), "-o", style, "--force", "--forget-labels", "-q").exit_code == 0
    assert not load_style(style).labels


@pytest.mark.slow
def test_labels_that_the_default_finds_already_need_no_style(run, labelled, tmp_path):
    result = run("tune", labelled(20, labels=lambda bird: ["no such phrase"]), "-o", tmp_path / "none.json")
    assert result.exit_code == 2
    assert "the default is kept" in result.stdout
    assert "it would be the default" in result.stderr
    assert "20 of 20 labels do not occur in their texts" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.jsonl"], "no such file"),
        (["mine.jsonl", "--label-field", "tags"], "'tags' is missing"),
        (["mine.jsonl", "--protocol", "none"], "protocol"),
    ],
)
def test_errors_are_one_line(run, labelled, tmp_path, monkeypatch, arguments, says):
    labelled()
    monkeypatch.chdir(tmp_path)
    result = run("tune", *arguments, "-o", "out.json")
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_styles_lists_what_there_is(run):
    listed = run("styles").stdout
    assert [line.split()[0] for line in listed.splitlines()] == ["author", "tags", "terms"]
    one = run("styles", "terms").stdout
    assert "inspec_train" in one
    assert "F1@5/10/15 with it" in one


def test_a_style_for_another_method_is_refused(run, example):
    result = run("extract", example, "--method", "textrank", "--style", "terms")
    assert result.exit_code == 2
    assert "does not take style" in result.stderr

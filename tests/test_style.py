from __future__ import annotations

import json

import pytest

from mderank import InputError, OptionError, Style, load_style
from mderank.style import StyleConfidence, ready_made

STYLE = Style(
    name="mine",
    weights={"words": 0.5, "digit": -1.25},
    overlap="any",
    min_score=0.75,
    labels={"barn owl": 3},
    confidence=StyleConfidence(2.0, -1.0),
    preferences=("longer phrases",),
    encoder="minilm-l6",
    encoder_sha256="abc",
    learned_from={"documents": 25},
    figures={"before": [1.0, 2.0, 3.0]},
)


def test_a_style_reads_back_as_it_was(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text(STYLE.to_json(), encoding="utf-8")
    assert load_style(file) == load_style(str(file)) == STYLE
    assert load_style(file).to_json() == STYLE.to_json()


def changed(**fields):
    return json.dumps({**json.loads(STYLE.to_json()), **fields})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not a style: it is not JSON"),
        ("[" * 100_000, "is not a style"),
        ("[1]", "is not a style"),
        ('{"weights": {}}', "is not a style"),
        (changed(version=99), "version 99.*learn it again"),
        (changed(weights={"words": "many"}), "'weights' of this style is damaged"),
        (changed(weights={"words": True}), "'weights' of this style is damaged"),
        (changed(weights={"words": float("nan")}), "'weights' of this style is damaged"),
        (changed(overlap="much"), "'overlap'"),
        (changed(confidence={"slope": 1}), "'confidence'"),
        (changed(labels=["owl"]), "'labels'"),
        (changed(min_score="low"), "'min_score'"),
        (changed(other=1), "not a whole style"),
    ],
)
def test_what_is_not_a_style_is_refused_with_its_name(tmp_path, text, says):
    file = tmp_path / "mine.json"
    file.write_text(text)
    with pytest.raises(InputError, match=says) as caught:
        load_style(file)
    assert "mine.json" in str(caught.value)


def test_an_unknown_style_lists_those_that_are_there():
    with pytest.raises(OptionError, match="terms") as caught:
        load_style("no-such-style")
    assert "mderank tune" in str(caught.value)


def test_a_folder_is_not_a_style(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        load_style(tmp_path)


def test_styles_that_are_part_of_mderank_hold_no_labels():
    assert ready_made() == ("author", "tags", "terms")
    for name in ready_made():
        style = load_style(name)
        assert style.name == name
        assert not style.labels
        assert style.figures["after"][1] > style.figures["before"][1]
        assert len(style.to_json()) < 5_000

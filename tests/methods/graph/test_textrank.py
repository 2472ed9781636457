"""TextRank on small texts, worked out by hand."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tests.helpers import ranking

from mderank import NounPhrases, OptionError
from mderank.cli import cli
from mderank.methods import TextRank
from mderank.methods.registry import METHODS
from mderank.testing import FakeTagger

# Linked side by side: coral - reef - fish; "big" is by itself. With d = 0.85, in units of (1 - d) / 4:
#   reef = 1 + 0.85 (coral + fish), coral = fish = 1 + 0.85 / 2 reef, big = 1
# gives reef = 360 / 37, coral = fish = 190 / 37, and all four together 777 / 37.
TEXT = "Coral reef. Reef fish. A reef is big."
REEF, CORAL, BIG = 360 / 777, 190 / 777, 37 / 777


def scores(text=TEXT, **options):
    return ranking(TextRank(tagger=FakeTagger(), **options), text)


def test_noun_phrases_by_the_sum_of_their_words():
    assert scores() == [("Coral reef", REEF + CORAL), ("Reef fish", REEF + CORAL), ("reef", REEF)]


@pytest.mark.parametrize("share", [0.01, 0.33, 0.49])
def test_the_best_word_alone(share):
    assert scores(top_words=share) == [("reef", REEF)]


def test_runs_of_the_best_half():
    """Coral and fish are equal: the earlier is taken."""
    assert scores(top_words=0.5) == [("Coral reef", REEF + CORAL), ("reef", REEF)]


def test_runs_of_all_words_may_be_or_end_in_adjectives():
    expected = [("Coral reef", REEF + CORAL), ("Reef fish", REEF + CORAL), ("reef", REEF), ("big", BIG)]
    assert scores(top_words=1.0) == expected


def test_runs_end_at_paragraphs_and_at_words_of_other_tags():
    text = "The reef\n\nbay is old. A bay boat of a reef."
    found = [phrase.lower() for phrase, _ in scores(text, top_words=1.0)]
    assert sorted(found) == ["bay", "bay boat", "old", "reef"]


def test_runs_of_more_than_eight_words_and_lone_letters_are_no_phrases():
    words = " ".join(f"word{letter}" for letter in "abcdefghi")
    assert scores(f"{words}.", top_words=1.0) == []
    assert [phrase for phrase, _ in scores("x of the reef.", top_words=1.0)] == ["reef"]
    assert len(scores(f"{words[:-6]}.", top_words=1.0)) == 1


def test_edges_count_once_or_as_often_as_words_meet():
    """Reef has two edges to coral, one to fish: coral = 1 + 0.85 · 2/3 reef, fish = 1 + 0.85 / 3 reef."""
    text = "Coral reef. Coral reef. Reef fish."
    once, often = dict(scores(text)), dict(scores(text, weighted=True))
    assert once == {"Coral reef": (360 + 190) / 740, "Reef fish": (360 + 190) / 740}
    assert often == {"Coral reef": (360 + 241) / 740, "Reef fish": (360 + 139) / 740}


def test_candidates_of_ones_own_exclude_top_words():
    with pytest.raises(OptionError, match="leave out either top_words or candidates"):
        TextRank(top_words=0.33, candidates=NounPhrases())


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, float("nan")])
def test_a_share_is_between_nothing_and_all(share):
    with pytest.raises(OptionError, match="top_words must be a number above 0 and of at most 1"):
        TextRank(top_words=share)


def test_nothing_comes_of_nothing():
    assert scores("", top_words=0.33) == []
    assert scores("Of the and.", top_words=0.33) == []


def test_it_is_set_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setattr("mderank.tagging.load_tagger", lambda *_, **__: FakeTagger())
    assert METHODS["textrank"].parse("top_words=0.33") == ("top_words", 0.33)
    file = tmp_path / "reef.txt"
    file.write_text(TEXT, encoding="utf-8")
    extract = ["extract", str(file), "-f", "jsonl", "--method", "textrank", "--set", "top_words=0.33"]
    plain = CliRunner().invoke(cli, extract)
    assert plain.exit_code == 0, plain.output
    assert [each["text"] for each in json.loads(plain.stdout)["keyphrases"]] == ["reef"]
    both = CliRunner().invoke(cli, [*extract, "--pattern", "<NN>"])
    assert both.exit_code != 0
    assert "leave out either top_words or candidates" in both.output

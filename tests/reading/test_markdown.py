"""Markdown is read in time that grows with it, whatever is in it; patterns that retrace would not end here."""

import pytest

from mderank.reading.markdown import blank_markup


@pytest.mark.parametrize(
    "text",
    [
        "-" * 100_000 + "x",
        "<!--" * 100_000,
        "|-:" * 50_000 + "x",
        "[](" * 50_000,
        "a" + "_" * 100_000 + "a",
        "](" * 50_000,
        "](" + "(a)" * 50_000,
        "\n" + " " * 100_000 + "#",
    ],
)
def test_hostile_markdown_is_read_at_once(text):
    assert len(blank_markup(text)) == len(text)


def test_table_rules_and_comments_are_blank():
    assert blank_markup("a|b\n|---|:-:|\n<!-- no -->c").split() == ["a", "b", "c"]
    assert blank_markup("one --- two") == "one --- two"


def test_a_comment_that_is_not_closed_is_text():
    assert blank_markup("<!-- a --> b <!-- c").split() == ["b", "<!--", "c"]


def test_underscores_around_words_are_emphasis_and_those_inside_are_not():
    assert blank_markup("a _b_ __c__ snake_case snake__case _ x_ __") == "a  b    c   snake_case snake__case _ x    "

"""Which text of a document is read."""

from __future__ import annotations

import pytest

from mderank.research.datasets import DATASETS, LabelledDocument, full_text, paper_text

DOCUMENT = LabelledDocument("1", "Two Reefs", "A 5% rise [3], e.g. of <CO2>.\nFish, too. Done", ())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("inspec", "Two Reefs A 5 rise  3 , e.g. of  CO2 .\nFish, too. Done"),
        ("semeval2017", "a 5 rise  3 , e.g. of  co2 .\nfish, too. done"),
        ("duc2001", "a 5% rise  3 , e.g. of  co2 .\nfish, too. done"),
        ("semeval2010", "A 5% rise  3  , e.g . of  CO2 .\nFish , too . Done"),
        ("nus", "A 5% rise  3  , e.g . of  CO2 .\nFish , too . Done"),
        ("krapivin", "A 5% rise  3  , e.g . of  CO2 .\nFish , too . Done"),
        ("semeval2010_full", "A 5% rise  3  , e.g . of  CO2 .\nFish , too . Done"),
    ],
)
def test_what_the_paper_reads(name, expected):
    assert paper_text(DATASETS[name], DOCUMENT) == expected


def test_of_an_unknown_set_nothing_is_left_out():
    assert paper_text(None, DOCUMENT) == "Two Reefs A 5% rise  3 , e.g. of  CO2 .\nFish, too. Done"


def test_without_a_title_there_is_no_space_before_the_text():
    assert paper_text(DATASETS["inspec"], LabelledDocument("1", "", "Text.", ())) == "Text."


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        ("A title", "The text.", "A title\n\nThe text."),
        ("", "The text.", "The text."),
        (" ", "The text.", "The text."),
        ("A title", "A title The text.", "A title The text."),
        ("A  Title", "a title\nThe text.", "a title\nThe text."),
        ("A title", "", "A title\n\n"),
        ("A title", "A tit", "A title\n\nA tit"),
    ],
)
def test_the_title_is_said_once(title, text, expected):
    assert full_text(LabelledDocument("1", title, text, ())) == expected

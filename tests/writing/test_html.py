"""The page that highlights keyphrases."""

from __future__ import annotations

import io
import re

import pytest
from tests.helpers import HtmlPage

from mderank import ConceptLabel, Keyphrase, Keyphrases, LanguageInfo, Span
from mderank.writing import DocumentResult
from mderank.writing.html import HtmlWriter

TEXT = "Storm surge models: a storm surge model predicts a surge."


def keyphrase(text, *spans, score=1.0):
    return Keyphrase(text, score, score, tuple(Span(*span) for span in spans), (text,))


def page(*keyphrases, explain=False):
    stream = io.StringIO()
    writer = HtmlWriter(stream, explain=explain)
    writer.begin()
    writer.write(DocumentResult("a", TEXT, Keyphrases(keyphrases)))
    writer.end()
    return HtmlPage(stream.getvalue()), stream.getvalue()


NESTED = (
    keyphrase("storm surge", (0, 11), (22, 33), score=3.0),
    keyphrase("surge model", (6, 17), (28, 39), score=2.0),
    keyphrase("surge", (6, 11), (28, 33), (51, 56)),
)


@pytest.mark.parametrize("explain", [False, True])
def test_every_phrase_has_its_mark_and_its_link(explain):
    """Though others overlap it."""
    read, source = page(*NESTED, explain=explain)
    ids = [each for each in read.ids if each]
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in read.links if link.startswith("#d1k")} <= set(ids)
    assert {"d1k1", "d1k2", "d1k3"} <= set(ids)
    assert read.marked == ["Storm ", "surge", " model", "storm ", "surge", " model", "surge"]
    assert '<mark class="k1 k2 k3 follows"' in source


def test_the_text_stays_as_it_is():
    read, _ = page(*NESTED)
    assert TEXT in read.text


def test_a_part_has_the_colour_of_the_best_phrase_that_covers_it():
    _, source = page(*NESTED)
    assert 'title="1, 2, 3" style="--strength:0.90"' in source
    assert 'title="2" style="--strength:0.65"' in source


def test_the_list_has_the_preferred_label_of_a_concept_where_it_differs():
    def source(label):
        concept = ConceptLabel('t"3', label)
        phrase = Keyphrase("Storm surge", 0.5, 0.5, (Span(0, 11),), ("Storm surge",), concept=concept)
        stream = io.StringIO()
        writer = HtmlWriter(stream, explain=True)
        writer.begin()
        writer.write(DocumentResult("d", TEXT, Keyphrases([phrase])))
        writer.end()
        return stream.getvalue()

    assert '<small title="t&#34;3">= surge &amp; flood</small>' in source("surge & flood")
    assert "<td>surge &amp; flood (t&#34;3)" in source("surge & flood")
    assert "<small" not in source("storm surge")


def explained(**features):
    found = Keyphrase(
        "storm surge",
        1.0,
        0.5,
        (Span(0, 11), Span(22, 33)),
        ("storm surge",),
        contributions=dict.fromkeys(features, 0.1),
        features=features,
        confidence=0.95,
        related=("المدن", "surge"),
    )
    return page(found, explain=True)[1]


def test_an_explanation_is_in_plain_words_with_its_numbers():
    source = explained(mask_effect=0.0312, frequency=2, known_thing=7)
    for words in (
        "how much the meaning of the text changes without it (0.0312)",
        "how often it occurs (2×)",
        "<td>(7)",
        "how similar the text without it is to the whole text; 1 is the same",
        "very likely: chance that a reader accepts it",
        ">line 1</a> <bdi>",
    ):
        assert words in source
    assert not re.search("cosine|hidden state", source)


def test_phrases_of_a_script_from_right_to_left_keep_to_themselves():
    assert "<bdi>المدن</bdi>, <bdi>surge</bdi>" in explained()


def test_the_page_has_one_heading_and_names_the_language_of_each_text():
    stream = io.StringIO()
    writer = HtmlWriter(stream)
    writer.begin()
    writer.write(DocumentResult("a", TEXT, Keyphrases((), language=LanguageInfo("ar", 0.9, "words of ar", None))))
    writer.write(DocumentResult("b", TEXT, Keyphrases()))
    writer.end()
    source = stream.getvalue()
    assert re.findall(r"<h(\d)", source) == ["1", "2", "2"]
    assert re.findall(r'dir="auto" lang="(\w*)"', source) == ["ar", ""]
    assert source.count("</b> no keyphrases</a>") == 2, "in the contents"

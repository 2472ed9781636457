"""What a tagger makes of layout: whole words, blocks, speakers, headlines."""

from __future__ import annotations

from mderank import FusionRank
from mderank.document import Span
from mderank.tagging import SpacyTagger

TAGGER = SpacyTagger()


def test_a_divided_word_is_whole_and_keeps_its_place() -> None:
    text = "The model improves wave fore-\ncasting in shallow water by a wide margin.\nGood wave forecasting helps.\n"
    (document,) = TAGGER.tag([text])
    token = next(token for token in document.tokens if token.start == text.index("fore-"))
    assert token.text == "forecasting"
    assert text[token.start : token.end] == "fore-\ncasting"
    assert document.surface_form(Span(token.start, token.end)) == "forecasting"
    keyphrase = next(each for each in FusionRank().extract(text) if each.text.endswith("forecasting"))
    assert keyphrase.text == "wave forecasting"
    assert len(keyphrase.spans) == 2


def test_words_after_a_divided_word_keep_their_places() -> None:
    text = "We study the predict-\nability of tidal chan-\nnels, the predictability of rivers and of tidal channels.\n"
    (document,) = TAGGER.tag([text])
    for token in document.tokens:
        assert document.surface_form(Span(token.start, token.end)) == token.text


def test_cells_are_not_glued() -> None:
    text = "Region\tGrowth\tRemark\nNorth America\tstrong\tnew depot\nEurope\tweak\tport strike\n"
    texts = {each.text for each in FusionRank().extract(text)}
    assert "North America" in texts
    assert not any("strong" in each or "weak" in each for each in texts)


def test_a_speaker_is_not_a_keyphrase_unless_others_speak_of_them() -> None:
    lines = ["[10:01] mirelle: the loop antenna works", "[10:02] tobes: nice, mirelle, which coax cable?"]
    (document,) = TAGGER.tag(["\n".join([*lines, "[10:03] mirelle: the thin coax cable"])])
    assert [token.tag for token in document.tokens if token.text == "mirelle"] == ["SPEAKER"]


def test_headlines_have_verbs() -> None:
    (document,) = TAGGER.tag(["Bank of England Holds Interest Rates"])
    assert {token.text: token.tag for token in document.tokens}["Holds"].startswith("VB")


def test_spacy_words_do_not_read_layout() -> None:
    text = "Subject: depot\nwave fore-\ncasting"
    (document,) = SpacyTagger(tokenizer="spacy").tag([text])
    assert document.text == text
    assert document.divided == ()
    assert document.tokens[0].text == "Subject"

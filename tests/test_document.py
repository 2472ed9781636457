import pytest

from mderank import Document, InputError, Span, Token
from mderank.text import replace_surrogates


def tagged(text: str) -> list[tuple[str, str]]:
    return [(word, "." if word == "." else "NN") for word in text.split()]


def test_tagged_words_are_joined_by_spaces():
    document = Document.from_tagged(tagged("coral reefs ."))
    assert document.text == "coral reefs ."
    assert document.tokens == (Token("coral", "NN", 0, 5), Token("reefs", "NN", 6, 11), Token(".", ".", 12, 13))
    assert (document.tagset, document.language, document.paragraph_starts) == ("penn", "en", frozenset())


def test_tagged_words_are_found_in_their_text():
    text = "coral,\ncoral reefs."
    document = Document.from_tagged([("coral", "NN"), (",", ","), ("coral", "NN"), ("reefs", "NNS")], text)
    assert [(token.start, token.end) for token in document.tokens] == [(0, 5), (5, 6), (7, 12), (13, 18)]
    assert document.text == text


@pytest.mark.parametrize("words", [["reefs", "coral"], ["Coral"], ["coral", "coral"], [""]])
def test_tagged_words_that_are_not_in_their_text(words):
    with pytest.raises(InputError, match="does not occur in the text after character"):
        Document.from_tagged([(word, "NN") for word in words], "coral reefs")


def test_other_tags_and_languages():
    document = Document.from_tagged([("Korallen", "NOUN")], tagset="universal", language="de")
    assert (document.tagset, document.language) == ("universal", "de")


def test_sentences_end_at_their_marks_and_at_paragraphs():
    document = Document.from_tagged(tagged("one two . three four . five"))
    assert document.sentence_ends() == [9, 22]
    parts = Document(document.text, document.tokens, frozenset({0, 2, 4}))
    assert parts.sentence_ends() == [7, 9, 15, 22]


def test_a_full_stop_inside_an_abbreviation_ends_no_sentence():
    assert Document.from_tagged([("U.S.", "NNP"), (".", "NNP")]).sentence_ends() == []


def test_the_beginning_of_a_document():
    document = Document.from_tagged(tagged("one two . three"))
    document = Document(document.text, document.tokens, frozenset({0, 3}))
    cut = document.upto(9)
    assert [token.text for token in cut.tokens] == ["one", "two", "."]
    assert (cut.text, cut.paragraph_starts) == (document.text, frozenset({0}))
    assert document.upto(12).tokens == cut.tokens
    assert document.upto(15) is document
    assert document.upto(0).tokens == ()


def test_breaks_where_more_than_white_space_was_blanked():
    document = Document.from_tagged(tagged("one two three four"))
    marked = document.with_breaks("one\ntwo\x00three\tfour")
    assert marked.paragraph_starts == {2}
    assert document.with_breaks("one two three four") is document


def test_lone_surrogates_are_replaced_one_for_one():
    assert replace_surrogates("a\ud800b\udfffc🪸") == "a\ufffdb\ufffdc🪸"


def test_a_phrase_is_shown_with_single_spaces():
    assert Document("a\u00a0coral \r\n\t reef.", ()).surface_form(Span(2, 16)) == "coral reef"

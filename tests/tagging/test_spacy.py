"""Words and their tags from the English pipeline, and the phrases they make."""

import pytest
from tests.helpers import words

from mderank import NounPhrases, Token
from mderank.tagging.spacy_words import join_hyphenated


def test_a_hyphenated_word_is_one_word(read):
    document = read("A graph-based ranking for decision-making in state-of-the-art e-mail.")
    tags = {token.text: token.tag for token in document.tokens}
    assert tags["graph-based"] == "JJ"
    assert tags["decision-making"] == "NN"
    assert {"state-of-the-art", "e-mail"} <= set(tags)


def test_what_ends_in_a_gerund_is_a_noun(read):
    tags = {token.text: token.tag for token in read("We study self-driving cars and error-correcting codes.").tokens}
    assert (tags["self-driving"], tags["error-correcting"]) == ("NN", "NN")


def test_hyphens_join_letters_and_digits_only():
    marks = [Token(")", ".", 0, 1), Token("-", ":", 1, 2), Token("based", "VBN", 2, 7)]
    assert list(join_hyphenated(marks)) == marks
    apart = [Token("graph", "NN", 0, 5), Token("-", ":", 6, 7), Token("based", "VBN", 7, 12)]
    assert list(join_hyphenated(apart)) == apart


def test_other_hyphens(phrases):
    assert phrases("The word–pair scores and pre‑war houses.") == ["word–pair scores", "pre‑war houses"]


def test_a_dash_is_no_hyphen(read, phrases):
    assert words(read("Berlin - a city - waits")) == ["Berlin", "-", "a", "city", "-", "waits"]
    assert phrases("The city -- a harbour -- waited.") == ["city", "harbour"]


@pytest.mark.parametrize("mark", ["'", "’"])
def test_the_possessive_ends_a_phrase(phrases, mark):
    assert phrases(f"We tested Zipf{mark}s law and the dogs{mark} bowl.") == ["zipf", "law", "dogs", "bowl"]


@pytest.mark.parametrize("mark", ["'", "’"])
def test_contractions_are_no_phrases(phrases, mark):
    assert phrases(f"It doesn{mark}t matter, they{mark}re gone and I{mark}ll wait.") == []


def test_numbers(phrases):
    assert phrases("There are 12 monkeys and 3.5 million cars in COVID-19 times.") == [
        "monkeys",
        "cars",
        "covid-19 times",
    ]


def test_abbreviations(phrases):
    text = "The U.S. Senate debated SVMs, e.g. linear kernels, i.e. simple ones (Smith et al. 2010)."
    assert phrases(text) == ["u.s. senate", "svms", "linear kernels", "smith"]


def test_names_with_signs(phrases):
    assert phrases("We wrote it in C++ for TCP and IP.") == ["c++", "tcp", "ip"]


def test_a_line_break_inside_a_phrase(read, phrases):
    text = "In this study of many texts we train a support vector\nmachine on the words."
    assert "support vector machine" in phrases(text)
    place = next(each for each in NounPhrases().find(read(text)) if each.key == "support vector machine")
    assert text[slice(*place.occurrences[0].span)] == "support vector\nmachine"


def test_the_end_of_a_paragraph_ends_a_phrase(phrases):
    assert phrases("Coral\n\nReef ecology") == ["coral", "reef ecology"]


def test_blanked_characters_end_a_phrase(phrases):
    assert phrases("We saw the harbour\x00walls.") == ["harbour", "walls"]


def test_non_breaking_spaces_and_tabs_do_not(phrases):
    assert phrases("We saw the coral\u00a0reefs.") == ["coral reefs"]
    assert phrases("We saw the coral\treefs.") == ["coral reefs"]


@pytest.mark.filterwarnings("ignore::mderank.LanguageWarning")
@pytest.mark.parametrize(
    "text",
    [
        "Coral\u00a0reefs’ fish-eating\r\nsharks\tdon't \x00 wait\ufeff\u200b.\f\u2028Next 🪸🐠 page",
        "\ud800 lone \udfff surrogates",
        "ﬁrst ﬂoor; İstanbul, straße — naïve café",
        "国際連合 العربية עברית ไทย",
        "  \n\n leading and trailing \n\n  ",
    ],
)
def test_words_slice_the_text(read, text):
    document = read(text)
    assert len(document.text) == len(text)
    assert document.tokens
    for token in document.tokens:
        assert document.text[token.start : token.end] == token.text
        assert not any(character.isspace() for character in token.text)
    assert list(document.tokens) == sorted(document.tokens, key=lambda token: token.start)


def test_texts_keep_their_order_and_their_results(english):
    texts = ["Coral reefs protect the coast.", "", "Warm water.", " \n ", "A red fox ran."]
    together = list(english.tag(texts))
    assert together == [next(english.tag([text])) for text in texts]
    assert [len(document.tokens) for document in together] == [6, 0, 3, 0, 5]


@pytest.mark.slow
def test_more_than_a_million_characters(english):
    sentence = "Coral reefs protect the coast. "
    text = sentence * 35_000
    assert len(text) > 1_000_000
    document = next(english.tag([text]))
    assert len(document.tokens) == 6 * 35_000
    assert all(document.text[token.start : token.end] == token.text for token in document.tokens[-600:])
    assert document.tokens[-1].end == len(text) - 1

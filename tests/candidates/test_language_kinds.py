"""Kinds of words outside English."""

import pytest

from mderank.candidates import NounPhrases, Terms
from mderank.candidates.language_kinds import language_kinds
from mderank.document import Document
from mderank.errors import InputError
from mderank.tagging import WordTagger


def tagged(language, *pairs):
    return Document.from_tagged([pair.rsplit("/", 1) for pair in pairs], tagset="universal", language=language)


def words(language, text):
    (document,) = WordTagger(language).tag([text])
    return document


def keys(document, source=None):
    return {candidate.key for candidate in (source or Terms(prune=False)).find(document)}


FRENCH = tagged(
    "fr", "La/DET", "base/NOUN", "de/ADP", "données/NOUN", "relationnelle/ADJ", "stocke/VERB", "l'/DET",
    "intelligence/NOUN", "artificielle/ADJ", "./PUNCT",
)  # fmt: skip


def test_adjectives_follow_nouns_in_romance_languages():
    assert language_kinds(FRENCH, frozenset()) == "-NONF--NF-"
    assert {"base", "intelligence artificielle", "données relationnelle"} <= keys(FRENCH)
    assert keys(FRENCH).isdisjoint({"artificielle", "relationnelle", "de données"})


def test_adjectives_end_no_phrase_in_other_languages():
    document = tagged("de", "die/DET", "künstliche/ADJ", "Intelligenz/NOUN", "ist/AUX", "blau/ADJ")
    assert language_kinds(document, frozenset()) == "-JN-J"
    assert keys(document) == {"künstliche intelligenz", "intelligenz"}


def test_two_nouns_that_are_linked_are_a_phrase_if_they_recur():
    once = words("fr", "La base de données est grande.")
    twice = words("fr", "La base de données est grande. Une base de données est utile.")
    assert "base de données" not in keys(once)
    assert "base de données" in keys(twice)


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("fr", "Elle visite la Bibliothèque de la Pléiade.", "bibliothèque de la pléiade"),
        ("pt", "Ele foi ao Museu dos Coches ontem.", "museu dos coches"),
    ],
)
def test_a_name_with_links_is_a_phrase(language, text, name):
    assert name in keys(words(language, text))


def test_a_link_across_paragraphs_is_none():
    document = words("fr", "Une base\n\nde données. Une base\n\nde données.")
    assert "base de données" not in keys(document)


def test_german_phrases_end_in_a_capital():
    found = keys(words("de", "Die Stadt plant eine moderne Straßenbahn, die leise fährt."))
    assert found == {"stadt", "moderne straßenbahn", "straßenbahn"}


def test_numbers_in_names():
    assert "apollo 11" in keys(words("fr", "La mission Apollo 11 décolle."))
    assert not any("2012" in key for key in keys(words("fr", "Le 22 juin 2012, la ville vote.")))


def test_stop_words_of_the_user():
    document = words("fr", "analyse automatique textes")
    assert "analyse automatique" in keys(document)
    assert "analyse automatique" not in keys(document, Terms(prune=False, stop_words=frozenset({"automatique"})))


def test_a_language_that_is_in_no_table():
    document = tagged("tlh", "tlhIngan/NOUN", "Hol/NOUN", "Dajatlh'a'/VERB")
    assert "tlhingan hol" in keys(document)


def test_noun_phrases_of_words_without_tags():
    document = words("fr", "L'analyse automatique des textes médicaux est utile.")
    assert keys(document, NounPhrases()) == {"analyse automatique", "textes médicaux", "utile"}


def test_a_pattern_needs_tags():
    with pytest.raises(InputError, match="no tags for the pattern"):
        NounPhrases("<ADJ>*<NOUN>").find(words("fr", "L'analyse automatique."))


def test_romance_noun_phrases_end_in_an_adjective():
    assert "intelligence artificielle" in keys(FRENCH, NounPhrases())

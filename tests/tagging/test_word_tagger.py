"""Words of languages without a tagger."""

import pickle

import pytest

from mderank.errors import OptionError
from mderank.tagging import WordTagger


def words(language, text):
    (document,) = WordTagger(language).tag([text])
    assert all(text[token.start : token.end] == token.text for token in document.tokens)
    return [(token.text, token.tag) for token in document.tokens]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "l'eau d’Évian jusqu'ici", ["l'", "eau", "d’", "Évian", "jusqu'", "ici"]),
        ("fr", "aujourd'hui", ["aujourd'hui"]),
        ("it", "dell'arte nell'Unità", ["dell'", "arte", "nell'", "Unità"]),
        ("de", "Hans' Datenschutz-Grundverordnung", ["Hans", "'", "Datenschutz-Grundverordnung"]),
        ("es", "¿Dónde está la señal?", ["¿", "Dónde", "está", "la", "señal", "?"]),
    ],
)
def test_words(language, text, expected):
    assert [word for word, _ in words(language, text)] == expected


def test_elisions_are_stop_words():
    assert dict(words("fr", "L'analyse des données"))["L'"] == "STOP"


def test_a_verb_with_its_pronoun():
    assert dict(words("pt", "O ministro disse-lhe que o estado-maior decidiu"))["disse-lhe"] == "VERB"
    assert dict(words("pt", "O ministro disse-lhe que o estado-maior decidiu"))["estado-maior"] == "WORD"


def test_capitals_tell_nouns_in_german():
    tags = dict(words("de", "Die schnelle Datenbank speichert große Mengen an Daten."))
    assert (tags["schnelle"], tags["Datenbank"], tags["speichert"], tags["Daten"]) == ("LOWER", "WORD", "LOWER", "WORD")


@pytest.mark.parametrize("change", [str.lower, str.upper])
def test_capitals_tell_nothing_where_all_words_have_the_same(change):
    tags = [tag for _, tag in words("de", change("Die schnelle Datenbank speichert große Mengen an Daten"))]
    assert "LOWER" not in tags
    assert tags.count("WORD") >= 4


def test_numbers_and_addresses_are_no_words():
    tags = dict(words("ru", "В 2024 году сайт https://example.org закрыли"))
    assert tags["2024"] == "NUM"
    assert tags["https://example.org"] == ""
    assert tags["сайт"] == "WORD"


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        ("ar", "الذكاء الاصطناعي يغيّر الطب.", "الاصطناعي"),
        ("he", "בינה מלאכותית משנה את הרפואה.", "מלאכותית"),
        ("hi", "कृत्रिम बुद्धिमत्ता चिकित्सा बदल रही है।", "बुद्धिमत्ता"),
        ("el", "Η τεχνητή νοημοσύνη αλλάζει την ιατρική.", "νοημοσύνη"),
    ],
)
def test_other_scripts(language, text, word):
    found = words(language, text)
    assert (word, "WORD") in found
    assert found[-1][1] == "PUNCT"


def test_an_unknown_language():
    with pytest.raises(OptionError, match="klingon"):
        WordTagger("klingon")


def test_it_can_be_sent_to_another_process():
    (document,) = pickle.loads(pickle.dumps(WordTagger("fr"))).tag(["L'eau"])
    assert len(document.tokens) == 2

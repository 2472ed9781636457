import re
import unicodedata
from importlib import resources

import pytest
import snowballstemmer

from mderank.errors import OptionError
from mderank.languages import LANGUAGES, find_language, get_language, stop_words
from mderank.text import stem_phrase

LISTS = sorted((resources.files("mderank") / "languages" / "stop_words").iterdir(), key=lambda file: file.name)


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.name)
def test_a_list_is_clean(file):
    code = file.name.removesuffix(".txt")
    text = file.read_text(encoding="utf-8")
    words = text.split()
    assert code in LANGUAGES
    assert unicodedata.is_normalized("NFC", text)
    assert words == [word.lower() for word in words]
    assert len(set(words)) == len(words)
    assert "’" not in text  # stop_words adds the other form
    assert all(len(line) <= 120 for line in text.splitlines())
    assert len(words) >= (100 if code in ("zh", "ja", "ko", "th") else 120)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("de", "de"), ("DE", "de"), ("pt-BR", "pt"), ("zh_CN", "zh"), ("zh-Hant-TW", "zh"), ("german", "de"),
        ("French", "fr"), ("no", "nb"), ("nn", "nb"), ("nb_NO", "nb"), (" el ", "el"), ("iw", "he"),
    ],
)  # fmt: skip
def test_names_of_languages(name, code):
    assert get_language(name).code == code


@pytest.mark.parametrize("name", ["", "xx", "klingon", "d e", "-", "e" * 10_000])
def test_unknown_languages(name):
    assert find_language(name) is None
    with pytest.raises(OptionError, match=r"unknown language.*de, .*fr, ") as caught:
        get_language(name)
    assert len(str(caught.value)) < 500


def test_stemmers_exist():
    names = {language.stemmer for language in LANGUAGES.values()} - {None}
    assert names <= set(snowballstemmer.algorithms())
    assert set(snowballstemmer.algorithms()) - names == {"english", "dutch_porter"}


def test_stems_of_any_language_of_the_table():
    assert stem_phrase("Neural Networks") == stem_phrase("neural network")
    assert stem_phrase("Spracherkennungen", "de") == stem_phrase("Spracherkennung", "german")
    assert stem_phrase("redes neuronales", "es-MX") == stem_phrase("red neuronal", "es")
    assert stem_phrase("нейронных сетей", "ru") == stem_phrase("нейронные сети", "ru")
    assert stem_phrase("Sieci Neuronowe", "xx") == "sieci neuronowe"


def test_rows_fit_together():
    for code, language in LANGUAGES.items():
        assert language.code == code
        assert re.compile(language.enclitics)
        assert all(each.endswith("'") for each in language.elisions)
        assert all(sequence and all(sequence) for sequence in language.links)
        assert all(name.startswith(f"{code}_core_") for name in language.pipelines)
    assert {code for code, language in LANGUAGES.items() if language.right_to_left} == {"ar", "fa", "he", "ur", "yi"}
    assert {code for code, language in LANGUAGES.items() if language.segmenter} == {"zh", "ja", "ko", "th"}
    assert ("de", "la") in LANGUAGES["es"].links
    assert LANGUAGES["de"].pipelines == ("de_core_news_sm", "de_core_news_md", "de_core_news_lg")


def test_stop_words():
    assert {"l'", "l’", "d'", "permet", "les"} <= stop_words("fr")
    assert "the" in stop_words("en")
    assert stop_words("pt-BR") is stop_words("pt")
    assert "data" not in stop_words("it") | stop_words("da")
    assert stop_words("eu") == frozenset()
    with pytest.raises(OptionError):
        stop_words("xx")

import warnings

import pytest

from mderank import LanguageWarning, SpacyTagger
from mderank.tagging.language import plainly_not_english

OTHERS = {
    "German": "Die Bedeutung eines Dokuments ist nicht die Summe der Wörter, und das gilt auch für den Titel.",
    "French": "Les récifs de corail sont dans une mer qui est plus chaude, et les poissons ne sont pas avec eux.",
    "Spanish": "Los arrecifes de coral son el hogar de los peces, pero el agua más caliente es una amenaza para ellos.",
    "Chinese": "珊瑚礁保护海岸免受风暴侵袭，温暖的海水会使珊瑚白化。",
    "Arabic": "تحمي الشعاب المرجانية الساحل من العواصف والمياه الدافئة",
    "Russian": "Коралловые рифы защищают берег от штормов.",
}

ENGLISH = {
    "prose": "Coral reefs protect the coast from storms, and warm water bleaches the coral that lives there.",
    "keywords": "kubernetes docker helm terraform ansible jenkins prometheus grafana vault consul nomad packer linux",
    "names": "The van der Waals force and the El Niño of La Jolla were studied by Le Cun and de Broglie in the lab.",
    "German title": "In the chapter on Die Leiden des jungen Werther the author of this book writes about the novel.",
    "one foreign word": "Schadenfreude",
    "formulas": "x = y + z; a_1, a_2, ..., a_n; f(x) = 0; α, β, γ",
    "nothing": "",
}


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages(language):
    assert plainly_not_english(OTHERS[language])


@pytest.mark.parametrize("kind", ENGLISH)
def test_english_and_what_may_be(kind):
    assert not plainly_not_english(ENGLISH[kind])


@pytest.mark.parametrize("language", ["German", "Chinese", "Arabic"])
def test_the_english_tagger_says_it_once(language, english):
    tagger = SpacyTagger(english.nlp)
    with pytest.warns(LanguageWarning, match="plainly not English.*--tagger") as caught:
        list(tagger.tag([OTHERS[language]] * 3))
    assert len(caught) == 1
    assert len(list(tagger.tag(OTHERS.values()))) == len(OTHERS)


def test_the_english_tagger_says_nothing_about_english(english):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(list(SpacyTagger(english.nlp).tag(ENGLISH.values()))) == len(ENGLISH)

"""Forms of one phrase, and words that only look like them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.document import Document
from mderank.ranking.dedupe import form_key
from mderank.variants import phrase_key, singular, variant_key


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("networks", "network"),
        ("boxes", "box"),
        ("classes", "class"),
        ("branches", "branch"),
        ("studies", "study"),
        ("heroes", "hero"),
        ("houses", "house"),
        ("analyses", "analysis"),
        ("criteria", "criterion"),
        ("mice", "mouse"),
        ("matrices", "matrix"),
        ("viruses", "virus"),
    ],
)
def test_plurals(plural, expected):
    assert singular(plural) == expected
    assert singular(expected) == expected


@pytest.mark.parametrize(
    "word", ["glass", "status", "basis", "physics", "news", "bias", "gas", "bus", "kubernetes", "is"]
)
def test_words_that_end_like_a_plural(word):
    assert singular(word) == word


@pytest.mark.parametrize(
    "forms",
    [
        ("Neural Networks", "neural network", "NEURAL  NETWORK"),
        ("cost-benefit analysis", "Cost–Benefit Analyses", "cost benefit analysis", "cost‑benefit analysis"),
        ("reader's guide", "reader’s guide", "readers guide"),
        ("co\u00adral reef", "coral reef", "coral\u00a0reefs"),
        ("ﬁle system", "file systems"),
    ],
)
def test_forms_of_one_phrase(forms):
    assert len({variant_key(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", ("Support-vector machines", "support vector machine")),
        ("de", ("Häuser", "Häusern")),
        ("fr", ("Réseaux neuronaux", "réseau neuronaux")),
        ("ko", ("기계 학습", "기계학습")),
    ],
)
def test_forms_of_one_phrase_in_its_language(language, forms):
    assert len({phrase_key(form, language) for form in forms}) == 1


def test_a_phrase_without_words_is_its_own_key():
    assert phrase_key("--") == "--"
    assert phrase_key("–") != phrase_key("--")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("universe", "university"),
        ("organ", "organization"),
        ("general", "generation"),
        ("network", "networking"),
        ("policy", "police"),
        ("deep learning", "learning deep"),
    ],
)
def test_other_words_with_the_same_stem_are_other_phrases(one, other):
    assert variant_key(one) != variant_key(other)


def test_other_languages_keep_their_endings_and_are_stemmed():
    assert variant_key("Haus-Türen", "de") == "haus türen"
    assert variant_key("Kurs", "de") == "kurs"
    german, english = (Document("", (), language=language) for language in ("de", "en"))
    assert form_key(german, "variant")("Häuser") == form_key(german, "stem")("häuser")
    assert form_key(english, "variant")("networks") == "network"


PHRASES = st.lists(st.text("aeiosxyzhcu", min_size=1, max_size=8), min_size=1, max_size=4).flatmap(
    lambda words: st.lists(st.sampled_from([" ", "-", "–", "  "]), min_size=len(words), max_size=len(words)).map(
        lambda between: "".join(word + gap for word, gap in zip(words, between, strict=True)).strip(" -–")
    )
)


@given(PHRASES)
def test_the_key_of_a_key_is_the_key(phrase):
    key = variant_key(phrase)
    assert variant_key(key) == key
    assert variant_key(phrase.upper()) == key
    assert len(key.split()) == len(phrase.replace("-", " ").replace("–", " ").split())


def test_a_key_has_single_spaces_between_its_words():
    assert variant_key("Cost–Benefit  Analyses") == "cost benefit analysis"

"""Texts that nobody meant to be read: a result all the same, and every place in it holds."""

import pytest

from mderank import MDERank, SpacyTagger
from mderank.testing import FakeEncoder, FakeTagger

pytestmark = pytest.mark.filterwarnings("ignore::mderank.LanguageWarning")

TEXTS = {
    "empty": "",
    "blank": " \t\r\n\u00a0\u2003\u3000 ",
    "one word": "reef",
    "one letter": "x",
    "no noun": "He quickly ran away and never came back.",
    "punctuation": "... !!! ??? -- — ( ) [ ] { } \" ' ‘ ’ “ ” / \\ | @ # $ % ^ & * _ + = ~ `",
    "emoji": "🪸🐠 reef 👩‍👩‍👧‍👦 family 🇺🇳 flags 👍🏽 and coral 🪸",
    "right to left": "الشعاب المرجانية تحمي الساحل. שוניות האלמוגים מגינות על החוף.",
    "Chinese": "珊瑚礁保护海岸免受风暴侵袭。",
    "Japanese": "サンゴ礁は海岸を嵐から守る。",
    "NUL": "coral\x00reef \x00 fish\x01\x02\x1f\x7f\x9f",
    "surrogates": "coral \ud800 reef \udc00\ud800 fish\udfff",
    "byte order mark": "\ufeffCoral reefs\ufeff",
    "zero width": "co\u200bral re\u200def fi\u00adsh\u2060",
    "combining": "e\u0301" * 20 + " Za\u0335\u0321\u0322l\u0334go te\u0353xt",
    "ligatures": "ﬁnite ﬂuid ﬃ ǆ ß İ ŉ Å",
    "special tokens": "The [MASK] [SEP] of [CLS] coral [PAD] reefs [UNK] <s> </s> <mask> ##ing",
    "markup": "<p>Coral &amp; <b>reefs</b></p> **bold** `code` [link](http://x.org/?q=1)",
    "numbers": "1 2.5 3,000 4e-5 0x1F 2023-01-01 10% $5",
    "one long word": "a" * 10_000,
    "one long number": "7" * 10_000,
    "no spaces": "Coral/reefs/protect/the/coast." * 50,
    "many hyphens": "-".join(["coral"] * 500),
    "line breaks": "coral\nreef\r\nfish\rsalt\x0bmarket\x0ctown\x85boat\u2028harbour\u2029wall",
    "very long run": "coral " * 3_000,
}


def assert_sound(keyphrases, text):
    for keyphrase in keyphrases:
        assert keyphrase.text in keyphrase.forms
        assert 0 <= keyphrase.score <= 2
        for span in keyphrase.spans:
            assert " ".join(text[span.start : span.end].split()) in keyphrase.forms


@pytest.fixture(scope="module")
def real():
    return MDERank()


@pytest.fixture(scope="module")
def fake():
    return MDERank(FakeEncoder(), tagger=SpacyTagger())


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_the_embedded_model(real, name):
    assert_sound(real.extract(TEXTS[name], None), TEXTS[name])


@pytest.mark.parametrize("name", TEXTS)
def test_the_fake_encoder(fake, name):
    assert_sound(fake.extract(TEXTS[name], None), TEXTS[name])


@pytest.mark.slow
def test_all_at_once_as_one_by_one(real):
    together = list(real.extract_many(TEXTS.values()))
    assert all(keyphrases.error is None for keyphrases in together)
    assert together == [real.extract(text) for text in TEXTS.values()]


@pytest.mark.parametrize("name", ["empty", "blank", "one letter", "no noun", "punctuation"])
def test_nothing_to_find(real, name):
    assert list(real.extract(TEXTS[name])) == []


def test_one_word(real):
    (only,) = real.extract("reef")
    assert (only.text, only.spans) == ("reef", ((0, 4),))
    assert only.score > 0


def test_special_tokens_do_not_cut_the_text(real):
    found = real.extract("The [MASK] [SEP] of the [CLS] reef. The harbour has salt.", None)
    assert {"reef", "harbour", "salt"} <= {each.text for each in found}
    assert all(each.score > 0 for each in found)


def test_words_around_surrogates_are_found(real):
    found = {
        each.text: each.spans for each in real.extract("The harbour \ud800 has salt. \udfff\udfff The town.", None)
    }
    assert found == {"harbour": ((4, 11),), "salt": ((18, 22),), "town": ((31, 35),)}


@pytest.mark.slow
@pytest.mark.parametrize("real_tagger", [False, True])
def test_a_hundred_thousand_words(fake, real_tagger):
    text = " ".join(f"The reef{number % 500} has fish." for number in range(25_000))
    extractor = fake if real_tagger else MDERank(FakeEncoder(), tagger=FakeTagger())
    found = extractor.extract(text, None)
    assert_sound(found[:5], text)
    assert found.truncated is None
    assert len(found) == 501
    assert {len(each.spans) for each in found} == {50, 25_000}


@pytest.mark.slow
def test_a_megabyte_in_one_line():
    text = "The old reef has fish and the harbour has salt. " * 22_000
    assert len(text) > 1_000_000
    found = MDERank(FakeEncoder(max_length=128), tagger=FakeTagger()).extract(text)
    assert sorted(each.text for each in found) == ["fish", "harbour", "old reef", "salt"]
    assert_sound(found, text)


@pytest.mark.slow
def test_a_megabyte_without_a_space():
    text = "reef," * 200_000
    (only,) = MDERank(FakeEncoder(max_length=128), tagger=FakeTagger()).extract(text)
    assert len(only.spans) == 200_000

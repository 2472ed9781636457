import sys

import pytest

from mderank import EncoderTagger, MissingExtraError, OptionError, SpacyTagger
from mderank.tagging import LanguageTagger, load_tagger
from mderank.tagging.load import is_bundled, is_english_spacy
from mderank.tagging.spacy import _load  # before the tests of a run share what it loads
from mderank.testing import FakeTagger


@pytest.mark.parametrize(
    ("tagger", "tokenizer", "kind"),
    [(None, None, LanguageTagger), (None, "mderank", LanguageTagger), ("encoder", None, EncoderTagger)],
)
def test_the_bundled_tagger(tagger, tokenizer, kind):
    assert isinstance(load_tagger(tagger, tokenizer=tokenizer), kind)
    assert is_bundled(tagger, tokenizer)
    assert not is_english_spacy(tagger, tokenizer)


@pytest.mark.parametrize(
    ("tagger", "tokenizer", "words"),
    [("spacy", None, "mderank"), ("spacy", "spacy", "spacy"), (None, "spacy", "spacy")],
)
def test_the_english_pipeline(tagger, tokenizer, words):
    found = load_tagger(tagger, tokenizer=tokenizer)
    assert isinstance(found, SpacyTagger)
    assert found.name.startswith("en_core_web_sm")
    assert found.tokenizer == words
    assert is_english_spacy(tagger, tokenizer)


def test_a_pipeline_and_a_tagger():
    own = FakeTagger()
    assert load_tagger(own) is own
    assert isinstance(load_tagger("de_core_news_sm"), SpacyTagger)
    assert not is_bundled("de_core_news_sm")
    assert not is_english_spacy("de_core_news_sm")


def test_the_bundled_tagger_has_its_own_words():
    with pytest.raises(OptionError, match="tokenizer 'spacy' is for taggers of spaCy"):
        load_tagger("encoder", tokenizer="spacy")


@pytest.mark.parametrize("tagger", ["spacy", "de_core_news_sm"])
def test_without_spacy(tagger, monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setattr("mderank.tagging.spacy._load", _load)
    with pytest.raises(MissingExtraError, match=r"spaCy.* needs the extra 'spacy': pip install 'mderank\[spacy\]'"):
        next(load_tagger(tagger).tag(["Coral reefs."]))

"""Encoders that read as XLM-R does: of BERT's kind, as multilingual-e5-small, and of RoBERTa's."""

import pytest

from mderank import MDERank, ModelError, load_encoder
from mderank.encoding import tokenizer as tokenizer_module
from mderank.testing import FakeTagger

pytest.importorskip("torch")
KINDS = ["multilingual", "xlm-roberta"]


def slices(encoder, text):
    tokens = encoder.tokenize(text)
    return [text[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True)]


@pytest.mark.parametrize(("kind", "first"), [("multilingual", 0), ("xlm-roberta", 2)])
def test_positions_begin_where_the_model_has_them(tiny_model, kind, first):
    spec = load_encoder(tiny_model(kind)).spec
    assert (spec.first_position, spec.max_length, spec.one_pass) == (first, 66, True)
    assert (spec.prefix, spec.suffix, spec.pad_id, spec.text_prefix) == ((0,), (2,), 1, "")


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_slice_the_text(tiny_model, kind):
    encoder = load_encoder(tiny_model(kind))
    assert slices(encoder, "Coral  reefs,\nlose.") == ["Coral", "reefs", ",", "lose", "."]
    assert "".join(slices(encoder, "coral ação à l’été")) == "coral ação à l’été"
    assert slices(encoder, "日本語テスト")[-1] == "ト"


@pytest.mark.parametrize("kind", KINDS)
def test_special_tokens_in_a_text_are_unknown_words(tiny_model, kind):
    """They are pieces of the vocabulary too, which the model of the tokenizer finds in the text."""
    encoder = load_encoder(tiny_model(kind))
    spec = encoder.spec
    ids = encoder.tokenize("coral <mask> reefs </s> <pad> <s>").ids
    assert not {spec.mask_id, spec.pad_id, *spec.prefix, *spec.suffix} & set(ids.tolist())
    assert ids.tolist().count(3) == 4


def test_special_tokens_without_an_unknown_one_to_replace_them(monkeypatch, tiny_model):
    monkeypatch.setattr(tokenizer_module, "_UNKNOWN", ())
    encoder = load_encoder(tiny_model("multilingual"))
    assert len(encoder.tokenize("coral reefs"))
    with pytest.raises(ModelError, match="no unknown token"):
        encoder.tokenize("coral <mask>")


@pytest.mark.parametrize("kind", KINDS)
def test_a_phrase_of_an_unspaced_text_hides_its_own_characters(tiny_model, kind):
    text = "reefs 日本語テスト"
    tokens = load_encoder(tiny_model(kind)).tokenize(text)
    (hidden,) = tokens.touching([(9, 11)])
    assert [text[tokens.starts[row] : tokens.ends[row]] for row in hidden] == ["テ", "ス"]


@pytest.mark.parametrize("kind", KINDS)
def test_keyphrases(tiny_model, text, kind):
    found = MDERank(tiny_model(kind), tagger=FakeTagger()).extract(text)
    assert found
    assert all(text[span.start : span.end] in each.forms for each in found for span in each.spans)

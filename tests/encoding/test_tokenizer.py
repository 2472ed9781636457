import pickle

import pytest

from mderank import ModelError, load_encoder
from mderank.encoding import tokenizer as tokenizer_module
from mderank.encoding.tokenizer import load_tokenizer, special_tokens


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


def slices(encoder, text):
    pieces = encoder.tokenize(text)
    return [text[start:end] for start, end in zip(pieces.starts, pieces.ends, strict=True)]


def test_pieces_slice_the_text(encoder):
    assert slices(encoder, "Coral reefs, bleached.") == ["Coral", "reefs", ",", "b", "lea", "ched", "."]


def test_special_tokens_in_a_text_are_text(encoder):
    spec = encoder.spec
    assert slices(encoder, "a [MASK] b [SEP]") == ["a", "[", "MASK", "]", "b", "[", "SEP", "]"]
    assert not {spec.mask_id, *spec.prefix, *spec.suffix} & set(
        encoder.tokenize("[CLS] [MASK] [SEP] [PAD]").ids.tolist()
    )


def test_also_after_pickling(encoder):
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy.spec.mask_id not in copy.tokenize("[MASK]").ids


def test_special_tokens_of_a_byte_level_tokenizer_are_text(tiny_model):
    tokenizer = load_tokenizer(tiny_model("roberta") / "tokenizer.json")
    assert tokenizer.token_to_id("<mask>") not in tokenizer.encode("a <mask> b", add_special_tokens=False).ids


def test_what_stands_around_a_text(encoder, tiny_model):
    assert (encoder.spec.prefix, encoder.spec.suffix) == ((101,), (102,))
    assert special_tokens(load_tokenizer(tiny_model("roberta") / "tokenizer.json")) == ((0,), (2,))


def test_nothing_is_cut(encoder):
    assert len(encoder.tokenize("reef " * 5_000)) == 5_000


def test_a_long_text_in_parts_reads_like_one(encoder, monkeypatch):
    text = "Coral reefs, bleached by warm water, recover. " * 20
    whole = encoder.tokenize(text)
    monkeypatch.setattr(tokenizer_module, "_PART", 37)
    parts = encoder.tokenize(text)
    assert parts.ids.tolist() == whole.ids.tolist()
    assert parts.starts.tolist() == whole.starts.tolist()
    assert parts.ends.tolist() == whole.ends.tolist()


def test_a_text_without_spaces_is_cut_all_the_same(encoder, monkeypatch):
    monkeypatch.setattr(tokenizer_module, "_PART", 10)
    assert "".join(slices(encoder, "x" * 95)) == "x" * 95


def test_lone_surrogates_can_be_read(encoder):
    assert slices(encoder, "coral \ud800 reef")[0] == "coral"


def test_pieces_of_one_character_are_in_order(tiny_model):
    from mderank.encoding.tokenizer import tokenize

    pieces = tokenize(load_tokenizer(tiny_model("roberta") / "tokenizer.json"), "a 🪸🐠 b")
    assert (pieces.starts[1:] >= pieces.starts[:-1]).all()
    assert (pieces.ends[1:] >= pieces.ends[:-1]).all()
    assert (pieces.starts[0], pieces.ends[-1]) == (0, 6)


def test_a_broken_file(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json is not a tokenizer file"):
        load_tokenizer(tmp_path / "tokenizer.json")

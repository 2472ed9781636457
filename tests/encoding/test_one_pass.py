"""One-pass masking against the two streams written out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mderank import Span, load_encoder
from mderank.encoding import EncoderInputs, Request, embed, exact
from mderank.encoding import one_pass as packing
from mderank.testing import FakeEncoder

SENTENCE = "Marsh plants build peat where rivers bring the fine sediment"


class Recorder:
    """A pool that keeps what it is given."""

    def __init__(self):
        self.windows, self.hidden, self.masked = {}, {}, {}

    def add(self, window, states):
        self.windows[window] = states

    def replace(self, window, states, hidden):
        self.hidden |= {(window, block.mask): (block.rows, block.states) for block in hidden}

    def add_contexts(self, states, masks):
        """Of no concern here."""

    def reencode(self, window, states, mask, masked):
        self.masked[window, mask] = masked


def words(text: str, *wanted: str) -> tuple[Span, ...]:
    return tuple(Span(text.index(word), text.index(word) + len(word)) for word in wanted)


def masks_of(text: str) -> list[tuple[Span, ...]]:
    return [
        words(text, "peat"),
        words(text, "Marsh", "sediment"),
        words(text, "plants", "build", "peat"),
        words(text, text),
    ]


def whole(encoder, text):
    """The sequence of a text, and the rows of it that each mask hides, found one piece at a time."""
    spec = encoder.spec
    pieces = encoder.tokenize(text)
    ids = np.array([*spec.prefix, *pieces.ids, *spec.suffix])
    hidden = [
        [
            len(spec.prefix) + number
            for number, (start, end) in enumerate(zip(pieces.starts, pieces.ends, strict=True))
            if any(start < span.end and end > span.start for span in mask)
        ]
        for mask in masks_of(text)
    ]
    return ids, hidden


def fake_streams(encoder, ids, hidden):
    """FakeEncoder's last states of the document, and of the masks in place of the ``hidden`` rows."""
    h = encoder.hidden_states(EncoderInputs(ids[None]), 0)[0].astype(np.float64)
    z = encoder.hidden_states(EncoderInputs(np.full_like(ids, encoder.spec.mask_id)[None]), 0)[0][hidden].astype(
        np.float64
    )
    others = np.setdiff1d(np.arange(len(ids)), hidden)
    for _ in range(encoder.spec.layers):
        seen = np.vstack([h[others], z])
        h, z = h / 2 + h.mean(axis=0) / 2, z / 2 + seen.mean(axis=0) / 2
    return h, z


def bert_streams(weights, heads, layers, ids, hidden, mask_id):
    """The same for a BERT, from its weights alone."""

    def linear(x, name):
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x, name):
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def attend(query, key, value):
        parts = []
        for q, k, v in zip(*(np.split(x, heads, axis=1) for x in (query, key, value)), strict=True):
            scores = np.exp(q @ k.T / math.sqrt(q.shape[1]))
            parts.append(scores / scores.sum(axis=1, keepdims=True) @ v)
        return np.hstack(parts)

    def layer(x, seen, name):
        own = f"{name}.attention.self"
        mixed = attend(linear(x, f"{own}.query"), linear(seen, f"{own}.key"), linear(seen, f"{own}.value"))
        x = norm(x + linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        inner = linear(x, f"{name}.intermediate.dense")
        inner = inner * (1 + np.vectorize(math.erf)(inner / math.sqrt(2))) / 2
        return norm(x + linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def embedded(tokens, positions):
        table = "embeddings.{}_embeddings.weight"
        both = weights[table.format("word")][tokens] + weights[table.format("position")][positions]
        return norm(both + weights[table.format("token_type")][0], "embeddings.LayerNorm")

    h = embedded(ids, np.arange(len(ids)))
    z = embedded(np.full(len(hidden), mask_id), np.array(hidden))
    others = np.setdiff1d(np.arange(len(ids)), hidden)
    for number in range(layers):
        name = f"encoder.layer.{number}"
        h, z = layer(h, h, name), layer(z, np.vstack([h[others], z]), name)
    return h, z


def pooled(h, z, hidden, pooling):
    """E(d) and the change of it, from the two streams."""
    if pooling == "mean":
        return h.mean(axis=0), (z - h[hidden]).sum(axis=0) / len(h)
    masked = np.maximum(np.delete(h, hidden, axis=0).max(axis=0), z.max(axis=0))
    return h.max(axis=0), masked - h.max(axis=0)


def one_pass(encoder, text, pooling, masks=None):
    request = Request(encoder.tokenize(text), (), masks_of(text) if masks is None else masks)
    return embed(encoder, [request], pooling=pooling, layer=encoder.spec.layers, exact=False)[0]


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_the_fake_encoder_s_streams(pooling):
    encoder = FakeEncoder(layers=3)
    ids, hidden = whole(encoder, SENTENCE)
    result = one_pass(encoder, SENTENCE, pooling)
    for rows, change in zip(hidden, result.changes, strict=True):
        document, expected = pooled(*fake_streams(encoder, ids, rows), rows, pooling)
        assert_allclose(result.document, document, atol=1e-6)
        assert_allclose(change, expected, atol=1e-6)


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_a_tiny_bert_s_streams(tiny_model, pooling):
    from mderank.encoding.torch import TorchEncoder

    encoder = TorchEncoder(str(tiny_model("bert")), device="cpu")
    weights = {name: value.double().numpy() for name, value in encoder.module.state_dict().items()}
    text = "Marsh plants build peat where sediment is"
    ids, hidden = whole(encoder, text)
    result = one_pass(encoder, text, pooling)
    for rows, change in zip(hidden, result.changes, strict=True):
        h, z = bert_streams(weights, 2, 2, ids, rows, encoder.spec.mask_id)
        document, expected = pooled(h, z, rows, pooling)
        assert_allclose(result.document, document, atol=2e-5)
        assert_allclose(change, expected, atol=2e-5)


def test_what_stands_under_a_mask_after_one_layer_is_exact():
    # The words around have not reacted to the mask yet: their embeddings, which it sees, are the same either way.
    encoder = FakeEncoder(layers=1)
    ids, hidden = whole(encoder, SENTENCE)
    masks = [(number, np.array(rows)) for number, rows in enumerate(hidden)]
    pool = Recorder()
    packing.encode_packed(encoder, packing.pack_masks(pool, 0, ids, masks), 1)
    exact.encode_masked_variants(encoder, pool, 0, ids, masks, 1, 4096)
    for number, rows in masks:
        assert_allclose(pool.hidden[0, number][1], pool.masked[0, number][rows], atol=1e-6)


def test_what_stands_under_a_mask_after_two_layers_is_not():
    encoder = FakeEncoder(layers=2)
    ids, hidden = whole(encoder, SENTENCE)
    pool = Recorder()
    packing.encode_packed(encoder, packing.pack_masks(pool, 0, ids, [(0, np.array(hidden[0]))]), 2)
    exact.encode_masked_variants(encoder, pool, 0, ids, [(0, np.array(hidden[0]))], 2, 4096)
    assert np.abs(pool.hidden[0, 0][1] - pool.masked[0, 0][hidden[0]]).max() > 1e-3


@pytest.mark.parametrize("name", ["fake", "minilm-l6"])
def test_masks_leave_the_document_s_states_as_they_were(name):
    encoder = FakeEncoder() if name == "fake" else load_encoder(precision="float32")
    ids, hidden = whole(encoder, SENTENCE)
    pool = Recorder()
    masks = [(number, np.array(rows)) for number, rows in enumerate(hidden)]
    packing.encode_packed(encoder, packing.pack_masks(pool, 0, ids, masks), encoder.spec.layers)
    alone = encoder.hidden_states(EncoderInputs(ids[None]), encoder.spec.layers)[0]
    assert_allclose(pool.windows[0], alone, atol=2e-5)


@pytest.mark.parametrize("pooling", ["mean", "max"])
@pytest.mark.parametrize("longest", [1, 24, 30])
def test_several_passes_are_as_good_as_one(monkeypatch, pooling, longest):
    encoder = FakeEncoder()
    masks = [*masks_of(SENTENCE), *(words(SENTENCE, word) for word in SENTENCE.split() * 3)]
    single = one_pass(encoder, SENTENCE, pooling, masks)
    monkeypatch.setattr(packing, "MAX_SEQUENCE_TOKENS", longest)
    several = one_pass(encoder, SENTENCE, pooling, masks)
    assert_allclose(several.document, single.document, atol=1e-7)
    assert_allclose(several.changes, single.changes, atol=1e-7)


def test_passes_hold_all_masks_in_order_within_the_budget(monkeypatch):
    monkeypatch.setattr(packing, "MAX_SEQUENCE_TOKENS", 20)
    ids = np.arange(8)  # leaves room for 12
    sizes = [5, 7, 1, 12, 30, 2]
    masks = [(number, np.zeros(size, np.int64)) for number, size in enumerate(sizes)]
    made = list(packing.pack_masks(Recorder(), 0, ids, masks))
    assert [[mask for mask, _ in each.blocks] for each in made] == [[0, 1], [2], [3], [4], [5]]
    assert [each.first for each in made] == [True, False, False, False, False]
    assert [each.length for each in made] == [20, 9, 20, 38, 10]


def test_a_long_window_has_room_for_as_many_masked_tokens(monkeypatch):
    monkeypatch.setattr(packing, "MAX_SEQUENCE_TOKENS", 20)
    masks = [(number, np.zeros(size, np.int64)) for number, size in enumerate([20, 10, 20, 10, 1])]
    made = list(packing.pack_masks(Recorder(), 0, np.arange(30), masks))
    assert [[mask for mask, _ in each.blocks] for each in made] == [[0, 1], [2, 3], [4]]


def test_phrases_have_short_sequences_of_their_own(monkeypatch):
    monkeypatch.setattr(packing, "PHRASE_SEQUENCE_TOKENS", 10)
    pool = Recorder()
    phrases = [(number, np.arange(size)) for number, size in enumerate([3, 3, 4, 5, 5, 12, 2])]
    made = list(packing.pack_phrases(pool, phrases))
    assert [[phrase for phrase, _ in each.phrases] for each in made] == [[0, 1, 2], [3, 4], [5], [6]]
    assert [each.length for each in made] == [10, 10, 12, 2]
    assert all(each.pool is pool and not each.first and not len(each.ids) and not each.blocks for each in made)


def test_a_window_without_masks_still_has_its_pass():
    (only,) = packing.pack_masks(Recorder(), 3, np.arange(8), [])
    assert (only.window, only.first, only.length) == (3, True, 8)


def test_who_sees_whom():
    seen = []

    class Spy(FakeEncoder):
        def hidden_states(self, inputs, layer):
            seen.append(inputs)
            return super().hidden_states(inputs, layer)

    encoder = Spy()
    ids = np.array([2, 11, 12, 3])
    longer = np.array([2, 11, 12, 13, 14, 15, 16, 3])
    short = packing.pack_masks(Recorder(), 0, ids, [(0, np.array([1])), (1, np.array([1, 2]))])
    packing.encode_packed(encoder, [*short, *packing.pack_masks(Recorder(), 0, longer, [])], 1)
    (inputs,) = seen
    assert_array_equal(inputs.input_ids, [[2, 11, 12, 3, 1, 1, 1, 0], longer])
    assert_array_equal(inputs.position_ids[0, :7], [0, 1, 2, 3, 1, 1, 2])
    expected = np.array(
        [
            [1, 1, 1, 1, 0, 0, 0, 0],
            [1, 1, 1, 1, 0, 0, 0, 0],
            [1, 1, 1, 1, 0, 0, 0, 0],
            [1, 1, 1, 1, 0, 0, 0, 0],
            [1, 0, 1, 1, 1, 0, 0, 0],
            [1, 0, 0, 1, 0, 1, 1, 0],
            [1, 0, 0, 1, 0, 1, 1, 0],
        ]
    )
    assert_array_equal(inputs.attention_mask[0, :7], expected)
    assert inputs.attention_mask[1].all()


def test_every_token_sees_some_token():
    # A row that sees nothing is a softmax over nothing, and not a number in half precision.
    seen = []

    class Spy(FakeEncoder):
        def hidden_states(self, inputs, layer):
            seen.append(inputs.attention_mask)
            return super().hidden_states(inputs, layer)

    passes = [each for size in (3, 9, 20) for each in packing.pack_masks(Recorder(), 0, np.arange(size), [])]
    packing.encode_packed(Spy(), passes, 1)
    assert all(visible.any(axis=2).all() for visible in seen)

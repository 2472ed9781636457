import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.helpers import CountingEncoder

from mderank import Span
from mderank.encoding import EncoderInputs, Request, TokenizedText, embed, one_pass
from mderank.encoding.pooling import CHANGES
from mderank.testing import FakeEncoder


def sequence(encoder, ids):
    return np.array([*encoder.spec.prefix, *ids, *encoder.spec.suffix])


def states_of(encoder, ids):
    return encoder.hidden_states(EncoderInputs(sequence(encoder, ids)[None]), encoder.spec.layers)[0].astype(np.float64)


def run(encoder, request, **options):
    options = {"pooling": "mean", "layer": encoder.spec.layers, "exact": True} | options
    return embed(encoder, [request], **options)[0]


def hidden_by(encoder, pieces, *spans):
    """The pieces that are [MASK] when ``spans`` are hidden."""
    inputs = []

    class Spy(FakeEncoder):
        def hidden_states(self, given, layer):
            inputs.append(given.input_ids)
            return super().hidden_states(given, layer)

    run(Spy(), Request(pieces, (), [tuple(Span(*span) for span in spans)]))
    return [index - 1 for index in np.flatnonzero(inputs[1][0] == encoder.MASK)]


def test_a_mask_hides_every_piece_that_it_touches():
    # "marsh" and "sediment", which is two pieces: (0, 5), (6, 12), (12, 14), (15, 20)
    encoder = FakeEncoder()
    pieces = encoder.tokenize("marsh sediment layer")
    assert pieces.starts.tolist() == [0, 6, 12, 15]
    assert hidden_by(encoder, pieces, (0, 5)) == [0]
    assert hidden_by(encoder, pieces, (6, 14)) == [1, 2]
    assert hidden_by(encoder, pieces, (4, 7)) == [0, 1]
    assert hidden_by(encoder, pieces, (13, 14), (15, 20)) == [2, 3]
    assert hidden_by(encoder, pieces, (0, 5), (0, 14)) == [0, 1, 2]


def test_a_mask_hides_all_pieces_of_one_character():
    # Byte-level tokenizers give an emoji three or four pieces with the same character.
    pieces = TokenizedText(np.array([10, 11, 12, 13]), np.array([0, 2, 2, 2]), np.array([1, 3, 3, 3]))
    assert hidden_by(FakeEncoder(), pieces, (2, 3)) == [1, 2, 3]


def test_a_span_between_the_pieces_hides_nothing():
    encoder = FakeEncoder()
    result = run(encoder, Request(encoder.tokenize("marsh   layer"), (), [(Span(5, 8),)]))
    assert_array_equal(result.changes, np.zeros((1, encoder.spec.dimension)))


def windowed():
    """Nine pieces for an encoder that takes four at once: windows of 3, 3 and 3."""
    encoder = FakeEncoder(max_length=6)
    text = "red blue green pink grey black white brown amber"
    return encoder, text, encoder.tokenize(text)


@pytest.mark.parametrize("pooling", ["mean", "max", "cls"])
def test_exact_over_windows_by_hand(pooling):
    encoder, text, pieces = windowed()
    mask = tuple(Span(text.index(word), text.index(word) + len(word)) for word in ("blue", "white", "brown"))
    masked = pieces.ids.copy()
    masked[[1, 6, 7]] = encoder.MASK
    plain = [states_of(encoder, pieces.ids[start : start + 3]) for start in (0, 3, 6)]
    changed = [states_of(encoder, masked[start : start + 3]) for start in (0, 3, 6)]
    pool = {
        "mean": lambda some: np.vstack(some).mean(axis=0),
        "max": lambda some: np.vstack(some).max(axis=0),
        "cls": lambda some: np.mean([states[0] for states in some], axis=0),
    }[pooling]
    result = run(encoder, Request(pieces, (), [mask]), pooling=pooling)
    assert_allclose(result.document, pool(plain), atol=1e-6)
    assert_allclose(result.changes[0], pool(changed) - pool(plain), atol=1e-6)


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_one_pass_over_windows_is_the_sum_of_its_windows(pooling):
    encoder, _, pieces = windowed()
    spans = [Span(start, end) for start, end in zip(pieces.starts.tolist(), pieces.ends.tolist(), strict=True)]
    masks = [(spans[1], spans[6]), (spans[4],)]
    result = run(encoder, Request(pieces, (), masks), pooling=pooling, exact=False)
    parts = []
    for start in (0, 3, 6):
        part = TokenizedText(*(array[start : start + 3] for array in (pieces.ids, pieces.starts, pieces.ends)))
        parts.append(run(encoder, Request(part, (), masks), pooling=pooling, exact=False))
    if pooling == "mean":
        assert_allclose(result.document, np.mean([part.document for part in parts], axis=0), atol=1e-7)
        assert_allclose(result.changes, np.mean([part.changes for part in parts], axis=0), atol=1e-7)
    else:
        assert_allclose(result.document, np.max([part.document for part in parts], axis=0), atol=1e-7)
        after = np.max([part.document + part.changes for part in parts], axis=0)
        assert_allclose(result.changes, after - result.document, atol=1e-7)


def test_a_window_s_words_do_not_see_the_others():
    encoder, _, pieces = windowed()
    other = TokenizedText(pieces.ids.copy(), pieces.starts, pieces.ends)
    other.ids[8] += 1
    first = (Span(0, 3),)
    one, two = (run(encoder, Request(some, (), [first]), exact=False) for some in (pieces, other))
    assert_array_equal(one.changes, two.changes)
    assert not np.allclose(one.document, two.document)


@pytest.mark.parametrize("exact", [True, False])
def test_no_words_at_all(exact):
    encoder = FakeEncoder()
    result = run(encoder, Request(encoder.tokenize(""), (), []), exact=exact)
    assert_array_equal(result.document, np.zeros(encoder.spec.dimension))
    assert result.changes.shape == (0, encoder.spec.dimension)


def test_exact_variants_in_batches_are_as_one_by_one():
    encoder = FakeEncoder()
    pieces = encoder.tokenize("red blue green pink grey black white brown amber")
    masks = [(Span(int(start), int(end)),) for start, end in zip(pieces.starts, pieces.ends, strict=True)]
    together = run(encoder, Request(pieces, (), masks))
    one_by_one = run(encoder, Request(pieces, (), masks), batch_tokens=1)
    assert_allclose(one_by_one.changes, together.changes, atol=1e-7)
    alone = np.vstack([run(encoder, Request(pieces, (), [mask])).changes for mask in masks])
    assert_allclose(alone, together.changes, atol=1e-7)


class Sized(FakeEncoder):
    """Notes the tokens of each call, and claims to be on a device."""

    def __init__(self, device=None):
        super().__init__(max_length=512)
        self.tokens = []
        if device is not None:
            self.device = device

    def hidden_states(self, inputs, layer):
        self.tokens.append(inputs.input_ids.size)
        return super().hidden_states(inputs, layer)


def largest_call(encoder, **options):
    """The most tokens that one call had, of a text of 100 tokens with 998 masks."""
    pieces = encoder.tokenize("red " * 98)
    spans = [Span(int(start), int(end)) for start, end in zip(pieces.starts, pieces.ends, strict=True)]
    run(encoder, Request(pieces, (), [(spans[number % 98],) for number in range(998)]), **options)
    return max(encoder.tokens)


@pytest.mark.parametrize(
    ("device", "tokens"), [(None, 4000), ("cpu", 4000), ("cpu:0", 4000), ("cuda:1", 32700), ("mps", 32700)]
)
def test_more_tokens_are_computed_at_once_on_a_gpu(device, tokens):
    assert largest_call(Sized(device)) == tokens


@pytest.mark.parametrize(("batch_tokens", "tokens"), [(1, 100), (350, 300), (10_000, 10_000)])
def test_how_many_tokens_are_computed_at_once_is_an_option(batch_tokens, tokens):
    assert largest_call(Sized("cuda"), batch_tokens=batch_tokens) == tokens


def test_phrases_are_batched_by_the_same_limit():
    encoder = Sized()
    phrases = [encoder.tokenize("red sea") for _ in range(10)]  # of 4 tokens each
    run(encoder, Request(encoder.tokenize("red"), (), phrases=phrases), batch_tokens=12)
    assert encoder.tokens == [3, 12, 12, 12, 4]
    encoder.tokens.clear()
    run(encoder, Request(encoder.tokenize("red"), (), phrases=phrases), batch_tokens=1)  # one phrase at least
    assert encoder.tokens == [3, *[4] * 10]


POOLED = {
    "mean": lambda states: states.mean(axis=0),
    "max": lambda states: states.max(axis=0),
    "cls": lambda states: states[0],
}


@pytest.mark.parametrize(
    ("pooling", "focus", "exact"),  # cls has no one-pass form
    [(*each, exact) for each in (("mean", 0), ("mean", 9), ("max", 0), ("cls", 0)) for exact in (True, False)][:-1],
)
def test_phrases_are_embedded_alone(monkeypatch, pooling, focus, exact):
    # Whatever document they are of, whatever is beside them, in several batches; as far as the encoder can take them.
    monkeypatch.setattr(one_pass, "PHRASE_SEQUENCE_TOKENS", 12)
    encoder = FakeEncoder(max_length=8)
    texts = ["red", "the old red sea", "red sea", "sea", "old sea", "one two three four five six seven"]
    phrases = [encoder.tokenize(text) for text in texts]
    document = encoder.tokenize("red blue green pink grey black white brown amber")
    masks = [(Span(0, 3),), (Span(4, 8), Span(9, 14))]
    requests = [Request(document, (), masks, phrases), Request(document, (), phrases=phrases[::-1])]
    options = {"pooling": pooling, "exact": exact, "focus": focus, "layer": 2, "batch_tokens": 12}
    one, other = embed(encoder, requests, **options)
    expected = [POOLED[pooling](states_of(encoder, phrase.ids[: encoder.spec.capacity])) for phrase in phrases]
    assert_allclose(one.phrases, expected, atol=1e-6)
    assert_allclose(other.phrases, expected[::-1], atol=1e-6)
    (alone,) = embed(encoder, [Request(document, (), masks)], **options)
    assert_allclose(one.document, alone.document, atol=1e-6)
    assert_allclose(one.changes, alone.changes, atol=1e-6)


@pytest.mark.parametrize("exact", [True, False])
def test_focus_makes_some_windows_count_less(exact):
    encoder, _, pieces = windowed()
    plain, focused = (run(encoder, Request(pieces, ()), exact=exact, focus=focus) for focus in (0, 9))
    assert plain.share == 1
    assert 1 / 3 < focused.share < 1
    assert not np.allclose(plain.document, focused.document)


class Memory:
    """A cache of masked variants."""

    def __init__(self):
        self.known = {}

    def get(self, ids, layer, rows, pooling):
        known = self.known.get((tuple(ids), layer, tuple(rows)))
        return None if known is None else CHANGES[pooling](*known)

    def put(self, ids, layer, rows, states, masked):
        self.known[tuple(ids), layer, tuple(rows)] = states, masked


@pytest.mark.parametrize(("pooling", "focus"), [("mean", 0), ("mean", 3), ("max", 0), ("cls", 0)])
def test_variants_that_a_cache_knows_are_not_encoded_again(pooling, focus):
    text = "red blue green pink grey black white brown amber"
    masks = [(Span(0, 3),), (Span(4, 8), Span(9, 14)), (Span(4, 8), Span(text.index("amber"), len(text)))]

    encoder, memory = CountingEncoder(max_length=6), Memory()
    request = Request(encoder.tokenize(text), (), masks)
    options = {"pooling": pooling, "focus": focus}
    expected = run(encoder, request, **options)
    assert encoder.sequences == 3 + 4  # windows, and variants: the third mask hides something in two windows
    filling = run(encoder, request, **options, cache=memory)
    encoder.sequences = 0
    filled = run(encoder, request, **options, cache=memory)
    assert encoder.sequences == 3
    for result in (filling, filled):
        assert_allclose(result.document, expected.document)
        assert_allclose(result.changes, expected.changes, atol=1e-7)
    run(encoder, request, **options, cache=memory, layer=1)
    assert encoder.sequences == 3 + 3 + 4  # another layer is another variant

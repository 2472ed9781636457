"""AttentionRank, worked out by hand and by plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from tests.helpers import scores

from mderank import MMR, Document, ModelError, NounPhrases, OptionError, PhraseList, load_encoder
from mderank.encoding import EncoderInputs, TokenizedText
from mderank.methods import AttentionRank, DocumentFrequencies
from mderank.methods import attentionrank as module
from mderank.methods.registry import get_method
from mderank.testing import FakeEncoder, FakeTagger

TAGGER = FakeTagger()
TEXT = "A reef is near the boat. The reef, an old boat and reefs."


class HandEncoder(FakeEncoder):
    """The first head of each layer gives token k, counted from 0, a weight of k + 1, for all tokens alike.

    Of a sequence of S tokens it gets S · (k + 1) / (1 + … + S) = 2 (k + 1) / (S + 1). The second head gives every
    token its own weight and nothing else: 1 for each.
    """

    def hidden_states_and_attentions(self, inputs, layer):
        batch, size = inputs.input_ids.shape
        weights = np.broadcast_to(np.eye(size), (batch, 2, size, size)).copy()
        for number in range(batch):
            length = (
                size if inputs.attention_mask is None else inputs.attention_mask[number, 0].sum()
            )  # without padding
            weights[number, 0, :length, :length] = np.arange(1, length + 1) * 2 / (length * (length + 1))
        return self.hidden_states(inputs, layer), weights

    def hidden_states(self, inputs, layer):
        return FakeEncoder.hidden_states_and_attentions(self, inputs, layer)[0]


def extract(text=TEXT, encoder=None, **options):
    return AttentionRank(encoder or HandEncoder(), tagger=TAGGER, **options).extract(text, top_k=None)


def test_attention_in_all_sentences_by_hand():
    # [CLS] A reef is near the boat . [SEP], S = 9: reef is token 2, boat 6.
    # [CLS] The reef , an old boat and reefs . [SEP], S = 11: reef 2, old 5, boat 6, reefs 8.
    reef = (6 / 10 + 1) + (6 / 12 + 1) + (18 / 12 + 1)  # with reefs, the same stem
    boat = (14 / 10 + 1) + (14 / 12 + 1)  # once inside the other
    old_boat = (12 / 12 + 1) + (14 / 12 + 1)
    assert reef > boat > old_boat
    found = extract(weight=1)
    assert [each.text for each in found] == ["reef", "boat", "old boat"]
    assert [each.score for each in found] == pytest.approx([1, (boat - old_boat) / (reef - old_boat), 0])


def test_variants_are_equal_whether_or_not_they_are_shown_together():
    apart = scores(extract(weight=1, dedupe="case"))
    assert apart["reef"] == apart["reefs"] == 1
    relevance = {each.text: each.raw_score for each in extract(weight=0, dedupe="case")}
    assert relevance["reef"] == relevance["reefs"]


def attended(vectors):
    """Each vector becomes a mean of all, weighed by exp of the dot product; then their plain mean."""
    new = []
    for one in vectors:
        powers = [np.exp(one @ other) for other in vectors]
        new.append(sum(power * other for power, other in zip(powers, vectors, strict=True)) / sum(powers))
    return sum(new) / len(new)


def crossed(sentence, phrase):
    """V of the paper, one word at a time."""
    dots = [[np.exp(word @ other) for other in phrase] for word in sentence]
    new = []
    for word, row in zip(sentence, dots, strict=True):
        from_phrase, from_sentence = 0, 0
        for j, other in enumerate(phrase):
            share = row[j] / sum(row)
            column = [each[j] for each in dots]
            back = sum(value * each for value, each in zip(column, sentence, strict=True)) / sum(column)
            from_phrase = from_phrase + share * other
            from_sentence = from_sentence + share * back
        new.append((word + from_phrase + word * from_phrase + word * from_sentence) / 4)
    return new


def test_relevance_by_plain_loops():
    # Small vectors, so that exp of dot products neither overflows nor is 0 but for one.
    encoder = FakeEncoder(dict.fromkeys("the old harbour is near a reef . fishing boats of , and".split(), 0.4))
    text = "The old harbour is near a reef. Fishing boats of the harbour, and a reef."
    found = extract(text, encoder, weight=0)

    def words(text, rows):
        ids = np.array([[encoder.CLS, *encoder.tokenize(text).ids, encoder.SEP]])
        states = encoder.hidden_states(EncoderInputs(ids), 2)[0].astype(np.float64)
        return [states[list(each)].mean(axis=0) for each in rows]

    # Words of more than six letters are two pieces; token 0 is [CLS]; stop words and marks do not count.
    sentences = [
        words("The old harbour is near a reef.", [(2,), (3, 4), (8,)]),
        words("Fishing boats of the harbour, and a reef.", [(1, 2), (3,), (6, 7), (11,)]),
    ]
    phrases = {
        "old harbour": words("old harbour", [(1,), (2, 3)]),
        "reef": words("reef", [(1,)]),
        "Fishing boats": words("Fishing boats", [(1, 2), (3,)]),
        "harbour": words("harbour", [(1, 2)]),
    }
    expected = {}
    for name, phrase in phrases.items():
        document = attended([attended(crossed(sentence, phrase)) for sentence in sentences])
        vector = attended(phrase)
        expected[name] = vector @ document / np.linalg.norm(vector) / np.linalg.norm(document)
    assert {each.text: each.raw_score for each in found} == pytest.approx(expected, rel=1e-4)
    low, high = min(expected.values()), max(expected.values())
    assert scores(found) == pytest.approx(
        {name: (value - low) / (high - low) for name, value in expected.items()}, abs=1e-3
    )
    assert [each.text for each in found] == sorted(expected, key=expected.get, reverse=True)


@pytest.mark.parametrize("weight", [0.8, 0.3])
def test_the_score_is_the_weighted_sum_of_both(weight):
    attention, relevance, both = (scores(extract(weight=each)) for each in (1, 0, weight))
    assert both == pytest.approx({name: weight * attention[name] + (1 - weight) * relevance[name] for name in both})
    assert scores(extract(weight=0.8)) == scores(extract())


def test_attention_is_that_of_the_layer():
    class Layers(HandEncoder):
        def hidden_states_and_attentions(self, inputs, layer):
            states, weights = super().hidden_states_and_attentions(inputs, layer)
            return states, weights if layer == 1 else weights[..., ::-1]

    first, last = (scores(extract(encoder=Layers(), weight=1, layer=layer)) for layer in (1, -1))
    assert first == scores(extract(weight=1))
    assert first != last


def test_sentences_that_are_too_long_are_read_in_parts():
    # All attend to all alike, so that every piece gets 1 in its part, wherever it is cut.
    text = "the reef " * 9 + "near a harbour and " * 5 + "an old boat"
    found = extract(text, FakeEncoder(max_length=9), weight=1)
    assert [each.text for each in found] == ["harbour", "reef", "old boat"]  # 5 · 2 pieces, 9 · 1, 1 · 2
    assert [each.score for each in found] == pytest.approx([1, 7 / 8, 0], abs=1e-6)


def test_sentences_are_not_longer_than_attention_can_be(monkeypatch):
    lengths = []

    class Long(FakeEncoder):
        def hidden_states_and_attentions(self, inputs, layer):
            lengths.append(inputs.input_ids.shape)
            return super().hidden_states_and_attentions(inputs, layer)

    monkeypatch.setattr(module, "LONGEST_SENTENCE", 10)
    monkeypatch.setattr(module, "BATCH", 30)
    extract("the reef " * 20 + "and a boat. " * 5, Long(max_length=64))
    assert max(size for _, size in lengths) <= 10 + 2
    assert max(batch * size for batch, size in lengths) <= 30
    assert max(batch for batch, _ in lengths) > 1


def test_batches_of_phrases_do_not_matter(monkeypatch):
    text = "The old harbour is near a reef. Fishing boats of the harbour, and a reef. A slow lighthouse is by the bay."
    whole = extract(text, FakeEncoder())
    monkeypatch.setattr(module, "_NUMBERS", 1)
    monkeypatch.setattr(module, "BATCH", 1)
    alone = extract(text, FakeEncoder())
    assert [each.text for each in alone] == [each.text for each in whole]
    assert [each.score for each in alone] == pytest.approx([each.score for each in whole], abs=1e-5)


def test_many_vectors_attend_to_each_other_in_parts(monkeypatch):
    vectors = np.random.default_rng(3).normal(size=(2, 5, 4))
    for each, mean in zip(vectors, module._attended(vectors), strict=True):
        np.testing.assert_allclose(mean, attended(each))
    monkeypatch.setattr(module, "LONGEST_PART", 3)
    for each, mean in zip(vectors, module._attended(vectors), strict=True):
        np.testing.assert_allclose(mean, (3 * attended(each[:3]) + 2 * attended(each[3:])) / 5)


def test_phrases_of_many_documents_come_last():
    frequencies = DocumentFrequencies(9, {"reef": 5, "boat": 4})
    assert [each.text for each in extract(weight=1, max_df=5, frequencies=frequencies)] == ["reef", "boat", "old boat"]
    assert [each.text for each in extract(weight=1, max_df=4, frequencies=frequencies)] == ["boat", "old boat", "reef"]
    assert [each.text for each in extract(weight=1, max_df=3, frequencies=frequencies)] == ["old boat", "reef", "boat"]


class Blind(FakeEncoder):
    """It cannot read one word, of which nothing is left."""

    def tokenize(self, text):
        pieces = super().tokenize(text)
        kept = [row for row in range(len(pieces)) if text[pieces.starts[row] : pieces.ends[row]] != "aaa"]
        return TokenizedText(pieces.ids[kept], pieces.starts[kept], pieces.ends[kept])


def test_what_the_encoder_cannot_read():
    found = extract("The reef is near the aaa.", Blind(), weight=0)
    assert {each.text: each.raw_score for each in found}["aaa"] == 0
    assert [each.text for each in found] == ["reef", "aaa"]
    assert scores(extract("The aaa.", Blind())) == {"aaa": 0}


def test_a_phrase_of_stop_words_alone():
    found = extract("Of the reef.", candidates=PhraseList(["of the"]))
    assert scores(found) == {"Of the": 0}
    assert scores(extract("Of the.", candidates=PhraseList(["of the"]))) == {"Of the": 0}


def test_a_document_that_is_tagged_already():
    document = Document.from_tagged([("Coral", "NN"), ("reefs", "NNS"), ("grow", "VBP"), (".", ".")])
    assert [each.text for each in AttentionRank(FakeEncoder()).extract(document)] == ["Coral reefs"]


def test_diversity():
    text = "The coral reef, a coral reef bay and a boat are near the coral reef."
    assert "boat" not in [each.text for each in extract(text)[:2]]
    diverse = AttentionRank(HandEncoder(), tagger=TAGGER, diversity=MMR(diversity=1)).extract(text, top_k=2)
    assert "boat" in [each.text for each in diverse]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": 1.1}, "weight must be a number from 0 to 1, not 1.1"),
        ({"weight": -0.1}, "from 0 to 1"),
        ({"weight": float("nan")}, "from 0 to 1"),
        ({"max_df": 3}, "give its frequencies too"),
        ({"frequencies": DocumentFrequencies(1, {})}, "give it too .--set max_df=N"),
        (
            {"max_df": 0, "frequencies": DocumentFrequencies(1, {})},
            "max_df must be a whole number of at least 1",
        ),
        ({"layer": 0}, "layer 0 has no attention"),
        ({"layer": -3}, "layer 0 has no attention"),
        ({"layer": 3}, "layer 3 does not exist"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        AttentionRank(FakeEncoder(), **options)


def test_options_of_the_command_line():
    method = get_method("attentionrank")
    assert set(method.parameters()) == {"weight", "max_df"}
    assert method.parse("weight=0.5") == ("weight", 0.5)
    with pytest.raises(OptionError, match="does not take pooling"):
        method.make(model=FakeEncoder(), pooling="max")
    assert method.make(model=FakeEncoder()).candidates == NounPhrases()


def test_an_onnx_model_has_no_attention():
    with pytest.raises(ModelError) as caught:
        AttentionRank()
    for remedy in ("'minilm-l6'", "pip install 'mderank[torch]'", "--model bert-base-uncased", "mderank models"):
        assert remedy in str(caught.value)


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet", "distilbert"])
def test_encoders_by_torch(tiny_model, kind):
    torch = pytest.importorskip("torch")
    from transformers import AutoModel

    text = "Warm water bleaches coral, and the reefs lose fish."
    encoder = load_encoder(tiny_model(kind), device="cpu")
    extractor = AttentionRank(encoder, tagger=FakeTagger({"bleaches": "VBZ", "lose": "VBP", "warm": "JJ"}), weight=1)
    found = scores(extractor.extract(text))
    eager = AutoModel.from_pretrained(tiny_model(kind), attn_implementation="eager").eval()
    pieces = encoder.tokenize(text)
    ids = torch.tensor([[*encoder.spec.prefix, *pieces.ids, *encoder.spec.suffix]])
    with torch.inference_mode():
        weights = eager(ids, output_attentions=True).attentions[-1][0].numpy()
    received = weights.sum(axis=(0, 1))[len(encoder.spec.prefix) :]
    own = {
        phrase: sum(
            received[row]
            for row in range(len(pieces))
            if pieces.starts[row] < text.index(phrase) + len(phrase) and pieces.ends[row] > text.index(phrase)
        )
        for phrase in ("Warm water", "coral", "reefs", "fish")
    }
    low, high = min(own.values()), max(own.values())
    assert found == pytest.approx({phrase: (value - low) / (high - low) for phrase, value in own.items()}, abs=1e-4)

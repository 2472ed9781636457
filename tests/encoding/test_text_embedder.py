"""Models of finished embeddings: what they are asked, and what is made of their answers."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from mderank import FunctionEmbedder, FusionRank, InputError, MarkedUpText, MDERank, ModelError, OptionError
from mderank.encoding.text_embedder import is_sentence_transformer
from mderank.methods import AttentionRank, EmbedRank, KeyBERT
from mderank.testing import FakeTagger

TAGGER = FakeTagger()
TEXT = "The coral reef is near the old harbour. A reef, a boat of the harbour and reefs."
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def letters(texts):
    """A model to which a text is its letters."""
    return [[text.lower().count(letter) for letter in LETTERS] for text in texts]


class Recording:
    """Notes what it is asked."""

    def __init__(self):
        self.calls = []

    def __call__(self, texts):
        self.calls.append(texts)
        return np.array(letters(texts), dtype=np.float32)

    @property
    def asked(self):
        return [text for call in self.calls for text in call]


def cosine(one, other):
    one, other = letters([one, other])
    return np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other)


@pytest.mark.parametrize("method", [EmbedRank, KeyBERT])
def test_the_score_is_the_cosine_of_what_the_function_gives(method):
    found = method(letters, tagger=TAGGER, dedupe="case").extract(TEXT, top_k=None)
    assert len(found) >= 4
    for each in found:
        assert each.score == pytest.approx(cosine(TEXT, each.text))
    assert found.language.encoder == "letters"


def test_seeds_are_embedded_too():
    extractor = EmbedRank(letters, tagger=TAGGER, dedupe="case")
    found = extractor.extract(TEXT, top_k=None, seeds=["boats"], seed_weight=1.0)
    assert {each.text: each.score for each in found}["reef"] == pytest.approx(cosine("boats", "reef"))
    assert found[0].text == "boat"


def test_a_text_or_phrase_is_embedded_once_and_a_text_without_candidates_never():
    model = Recording()
    found = list(KeyBERT(model, tagger=TAGGER).extract_many([TEXT, "the of", "", "Reef.", TEXT]))
    assert len(found) == 5
    assert found[0] == found[4]
    assert len(model.asked) == len(set(model.asked))
    assert TEXT in model.asked
    assert {"the of", ""}.isdisjoint(model.asked)


def test_an_embedder_is_an_object_with_embed():
    class Letters:
        def embed(self, texts):
            return np.array(letters(texts))

    found = EmbedRank(Letters(), tagger=TAGGER).extract(TEXT)
    assert found == EmbedRank(letters, tagger=TAGGER).extract(TEXT)
    assert found.language.encoder == "Letters"


class StaticModel:
    """As in model2vec: a text is the mean of its words' vectors."""

    def encode(self, sentences, show_progress_bar=False):
        return np.stack([np.mean(letters(text.split()), axis=0) for text in sentences])


def test_a_method_of_an_object_is_a_function():
    found = KeyBERT(StaticModel().encode, tagger=TAGGER).extract(TEXT)
    assert found.texts
    assert found.language.encoder == "StaticModel.encode"


@pytest.mark.parametrize("batch_size", [1, 2, 7, 1_000])
def test_results_do_not_depend_on_the_batch(batch_size):
    model = Recording()
    texts = [TEXT, "An old boat near a big harbour.", "Reefs."]
    found = list(EmbedRank(FunctionEmbedder(model, batch_size=batch_size), tagger=TAGGER).extract_many(texts))
    assert found == [EmbedRank(letters, tagger=TAGGER).extract(text) for text in texts]
    assert max(map(len, model.calls)) <= batch_size


def test_a_long_text_is_embedded_whole_in_windows_of_sentences():
    model = Recording()
    sentences = [f"The reef of harbour {number} is near boat {number}. " for number in range(40)]
    text = "".join(sentences)
    extractor = EmbedRank(FunctionEmbedder(model, max_words=50), tagger=TAGGER)
    (document,) = extractor.embed_documents([text])
    windows = model.asked
    assert len(windows) > 6
    assert "".join(windows).replace(" ", "") == text.replace(" ", "")
    assert all(window.endswith(".") for window in windows)
    assert all(len(re.findall(r"\w+|[.]", window)) <= 50 for window in windows)
    lengths = [len(re.findall(r"\w+|[.]", window)) for window in windows]
    assert document == pytest.approx(np.average(letters(windows), axis=0, weights=lengths))
    assert extractor.extract(text).truncated is None


def test_without_a_limit_the_function_gets_whole_texts():
    model = Recording()
    text = "The reef is near the harbour. " * 300
    EmbedRank(FunctionEmbedder(model, max_words=None), tagger=TAGGER).extract(text)
    assert text in model.asked


def test_words_that_no_space_separates_count_too():
    model = Recording()
    text = "reef、harbour。" * 500
    EmbedRank(FunctionEmbedder(model, max_words=100), tagger=TAGGER).extract(text)
    assert max(len(re.findall(r"\w+|[、。]", asked)) for asked in model.asked) <= 100


def test_what_is_not_read_is_not_embedded():
    model = Recording()
    found = EmbedRank(model, tagger=TAGGER, max_words=8).extract(TEXT)
    assert TEXT[: found.truncated.start] in model.asked
    assert found.truncated.start == TEXT.index(" A reef")
    marked = MarkedUpText("*Reef* of boats", " Reef  of boats")
    EmbedRank(model, tagger=TAGGER).extract(marked)
    assert " Reef  of boats" in model.asked


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda texts: None, "gave an array \\(\\) for . texts"),
        (lambda texts: letters(texts)[:-1], "for . texts: it must give a row of numbers for each"),
        (lambda texts: [1.0 for _ in texts], "it must give a row of numbers for each"),
        (lambda texts: [["x"] for _ in texts], "must return a row of numbers for each text, not list"),
        (lambda texts: [[1.0] * (1 + len(text)) for text in texts], "must return a row of numbers"),
        (lambda texts: [[] for _ in texts], "it must give a row of numbers for each"),
    ],
)
def test_answers_that_are_no_vectors(answer, problem):
    with pytest.raises(ModelError, match=problem):
        EmbedRank(answer, tagger=TAGGER).extract(TEXT)
    with pytest.raises(ModelError, match=problem):
        list(EmbedRank(answer, tagger=TAGGER).extract_many([TEXT]))


def test_vectors_of_several_lengths():
    with pytest.raises(ModelError, match="vectors of several lengths"):
        FunctionEmbedder(lambda texts: [[1.0] * len(text) for text in texts], batch_size=1).embed(["a", "bb"])


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_a_text_whose_vector_is_not_finite_carries_its_error_and_the_others_do_not(wrong):
    def model(texts):
        return [[wrong if "poison" in text else 1.0, 2.0] for text in texts]

    found = list(EmbedRank(model, tagger=TAGGER).extract_many(["A reef.", "A poison.", "A boat."]))
    assert [each.texts for each in found] == [["reef"], [], ["boat"]]
    assert str(found[1].error).startswith("the model 'model' gave a vector that is not finite for the text 'A poison")


def test_an_error_of_the_function_is_that_of_its_text():
    def model(texts):
        if any("poison" in text for text in texts):
            raise ConnectionError("no answer")
        return letters(texts)

    found = list(EmbedRank(model, tagger=TAGGER).extract_many(["A reef.", "A poison.", "A boat."]))
    assert [each.texts for each in found] == [["reef"], [], ["boat"]]
    assert isinstance(found[1].error, InputError)
    assert "ConnectionError: no answer" in str(found[1].error)


@pytest.mark.parametrize("method", [FusionRank, MDERank, AttentionRank])
def test_methods_that_mask_refuse_finished_embeddings_and_say_why(method):
    with pytest.raises(OptionError, match=r"not a function: that gives .* masks; use EmbedRank"):
        method(letters, tagger=TAGGER)
    with pytest.raises(OptionError, match="not a FunctionEmbedder: "):
        method(FunctionEmbedder(letters), tagger=TAGGER)
    with pytest.raises(OptionError, match="or an Encoder, not 5"):
        method(5, tagger=TAGGER)


@pytest.mark.parametrize("model", [5, None, object(), StaticModel, StaticModel()])
def test_what_is_no_model(model):
    with pytest.raises(OptionError, match="a SentenceTransformer, or a function from texts to vectors, not"):
        EmbedRank(model, tagger=TAGGER)


@pytest.mark.parametrize(
    "options",
    [{"pooling": "max"}, {"layer": 2}, {"exact": True}, {"exact": True, "batch_tokens": 8}, {"max_tokens": 9}],
)
def test_options_of_encoders_are_refused(options):
    with pytest.raises(OptionError, match=f"{next(iter(options))}.*leave it out"):
        EmbedRank(letters, tagger=TAGGER, **options)


def test_wrong_settings():
    wrong = [("max_words", 0), ("max_words", "5"), ("batch_size", 0), ("batch_size", 2.5), ("batch_size", None)]
    for name, value in wrong:
        with pytest.raises(OptionError, match=f"{name} must be a whole number of at least 1, not {value!r}"):
            FunctionEmbedder(letters, **{name: value})
    with pytest.raises(OptionError, match="function must take texts and return vectors, and is a int"):
        FunctionEmbedder(5)


def test_it_can_be_pickled():
    extractor = pickle.loads(pickle.dumps(EmbedRank(FunctionEmbedder(letters), tagger=TAGGER)))
    assert extractor.extract(TEXT) == EmbedRank(letters, tagger=TAGGER).extract(TEXT)


def test_a_tensor_is_an_array():
    torch = pytest.importorskip("torch")

    def model(texts):
        return torch.tensor(letters(texts), dtype=torch.bfloat16, requires_grad=True)

    found = EmbedRank(model, tagger=TAGGER).extract(TEXT)
    assert found.texts == EmbedRank(letters, tagger=TAGGER).extract(TEXT).texts


class SentenceTransformer:
    """Not the class of that name."""

    def embed(self, texts):
        return letters(texts)


def test_only_the_package_s_own_class_is_a_sentence_transformer():
    assert not is_sentence_transformer(SentenceTransformer())


@pytest.fixture(scope="module")
def sentence_transformer(model_folder):
    package = pytest.importorskip("sentence_transformers", reason="needs pip install sentence-transformers")
    return package.SentenceTransformer(str(model_folder("minilm")), device="cpu")


@pytest.mark.models
@pytest.mark.slow
class TestSentenceTransformer:
    def test_the_score_is_the_cosine_of_its_embeddings(self, sentence_transformer):
        found = EmbedRank(sentence_transformer, dedupe="case").extract(TEXT, top_k=None)
        document, *phrases = sentence_transformer.encode([TEXT, *found.texts], normalize_embeddings=True)
        assert [each.score for each in found] == pytest.approx([float(each @ document) for each in phrases], abs=1e-5)
        assert found.language.encoder.endswith("minilm")

    def test_it_ranks_as_the_encoder_of_the_same_weights(self, sentence_transformer, model_folder):
        found = KeyBERT(sentence_transformer).extract(TEXT)
        assert found.texts == KeyBERT(str(model_folder("minilm"))).extract(TEXT).texts

    def test_a_long_text_is_read_to_its_end(self, sentence_transformer):
        text = "The tide rises slowly in the old harbour. " * 60 + "Volcanic ash covered the vineyards."
        extractor = EmbedRank(sentence_transformer)
        without, with_end = extractor.embed_documents([text[: text.index("Volcanic")], text])
        assert np.linalg.norm(without - with_end) > 0.01
        cut = sentence_transformer.encode([text[: text.index("Volcanic")], text])
        assert np.linalg.norm(cut[0] - cut[1]) == pytest.approx(0, abs=1e-5)  # it reads 256 tokens

    def test_methods_that_mask_say_how_it_can_be_loaded(self, sentence_transformer, model_folder):
        folder = re.escape(repr(str(model_folder("minilm"))))
        with pytest.raises(OptionError, match=f"load it as an encoder: model={folder}"):
            FusionRank(sentence_transformer)

    def test_a_model_without_a_limit_gets_whole_texts(self, sentence_transformer, monkeypatch):
        monkeypatch.setattr(type(sentence_transformer), "max_seq_length", None, raising=False)
        assert EmbedRank(sentence_transformer).embedder.capacity is None

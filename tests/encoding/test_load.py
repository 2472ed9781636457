"""Downloaded encoders."""

import pytest

from mderank import ExactFallbackWarning, MDERank, load_encoder
from mderank.encoding.export import compare

pytestmark = [pytest.mark.models, pytest.mark.slow]

pytest.importorskip("torch")


def test_minilm_by_torch_agrees_with_the_embedded_model(model_folder):
    agreement = compare(load_encoder(model_folder("minilm"), device="cpu"), load_encoder(precision="float32"))
    assert agreement["ranks"] >= 0.99


def test_minilm_by_torch_gives_the_same_best_keyphrases(model_folder, text):
    by_torch = MDERank(load_encoder(model_folder("minilm"), device="cpu"))
    embedded = MDERank(tagger=by_torch.tagger)
    assert by_torch.pooling == embedded.pooling == "mean"
    assert [each.text for each in by_torch.extract(text, 3)] == [each.text for each in embedded.extract(text, 3)]


def test_mpnet_falls_back_to_the_exact_form_and_says_so_once(model_folder, text):
    encoder = load_encoder(model_folder("all-mpnet-base-v2"), device="cpu")
    with pytest.warns(ExactFallbackWarning) as caught:
        extractor = MDERank(encoder)
    assert len(caught) == 1
    assert extractor.exact
    assert len(extractor.extract(text)) > 5


def test_a_folder_that_holds_a_plain_onnx_graph(model_folder):
    from mderank import ModelError

    with pytest.raises(ModelError, match="mderank export"):
        load_encoder(model_folder("gte-small"))

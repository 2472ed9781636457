import copy

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from mderank import load_encoder
from mderank.encoding import Request, embed
from mderank.ranking.similarity import masked_similarity
from mderank.research.training.losses import (
    Objective,
    collate,
    cosine_distance,
    distillation_loss,
    hinge_loss,
    listwise_loss,
    pair_accuracy,
    scale_scores,
)
from mderank.research.training.pair_sampling import Sampler
from mderank.research.training.settings import ObjectiveSettings

from .conftest import document

PAIR = torch.tensor([[False, True], [False, False]])


def test_the_triplet_loss_is_the_papers():
    # d = (1, 0); d⁺ = (0.6, 0.8), cos 0.6; d⁻ = (0.8, 0.6), cos 0.8: max(0.6 − 0.8 + 0.2, 0) = 0.
    document = torch.tensor([1.0, 0.0])
    positive, negative = torch.tensor([0.6, 0.8]), torch.tensor([0.8, 0.6])
    changes = torch.stack([positive - document, negative - document])
    scores = cosine_distance(document, changes)
    assert_allclose(scores, [0.4, 0.2], rtol=1e-6)
    assert hinge_loss(scores, PAIR, 0.2).item() == pytest.approx(0.0, abs=1e-7)
    assert hinge_loss(scores, PAIR, 0.3).item() == pytest.approx(0.6 - 0.8 + 0.3)
    # The other way around: max(0.8 − 0.6 + 0.2, 0) = 0.4.
    assert hinge_loss(scores.flip(0), PAIR, 0.2).item() == pytest.approx(0.4)


def test_the_hinge_is_the_mean_over_pairs():
    values = torch.tensor([0.5, 0.1, 0.4])
    better = torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
    # 0.2 − 0.4 < 0, 0.2 − 0.1 = 0.1, 0.2 + 0.3 = 0.5; over three pairs.
    assert hinge_loss(values, better, 0.2).item() == pytest.approx(0.6 / 3)
    assert hinge_loss(values, torch.zeros(3, 3, dtype=torch.bool), 0.2).item() == 0


def test_listwise_is_minus_the_logarithm_of_a_share():
    values = torch.tensor([0.3, 0.1, 0.2]).log()
    better = torch.tensor([[False, True, True], [False, False, False], [False, True, False]])
    expected = (-np.log(0.3 / 0.6) - np.log(0.2 / 0.3)) / 2
    assert listwise_loss(values, better).item() == pytest.approx(expected)
    assert listwise_loss(values, torch.zeros(3, 3, dtype=torch.bool)).item() == 0


def test_scales():
    scores = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    assert_allclose(scale_scores(scores, "cosine"), [0.1, 0.2, 0.3])
    assert_allclose(scale_scores(scores, "log"), np.log([0.1, 0.2, 0.3]))
    assert_allclose(scale_scores(scores, "standard"), [-1, 0, 1], atol=1e-9)


def test_the_share_of_pairs_in_order():
    better = torch.tensor([[False, True, True], [False, False, True], [False, False, False]])
    assert pair_accuracy(torch.tensor([0.5, 0.1, 0.4]), better).item() == pytest.approx(2 / 3)
    assert pair_accuracy(torch.tensor([1.0, 1.0, 1.0]), better).item() == pytest.approx(0.5)
    assert torch.isnan(pair_accuracy(torch.tensor([1.0]), torch.tensor([[False]])))


def test_distance_is_that_of_the_ranking_and_keeps_its_digits():
    rng = np.random.default_rng(0)
    document = rng.normal(size=8)
    changes = rng.normal(size=(5, 8)) * np.array([[1e-4], [1e-2], [1.0], [3.0], [0.0]])
    changes[3] -= 2.5 * document  # turned around
    _, expected = masked_similarity(document, changes, "cosine")
    ours = cosine_distance(torch.tensor(document), torch.tensor(changes))
    assert_allclose(ours, expected, rtol=1e-9, atol=1e-18)
    single = cosine_distance(torch.tensor(document, dtype=torch.float32), torch.tensor(changes, dtype=torch.float32))
    assert_allclose(single[:2], expected[:2], rtol=1e-4)


def test_a_change_of_nothing_has_a_gradient():
    document, changes = torch.ones(4, requires_grad=True), torch.zeros(2, 4, requires_grad=True)
    cosine_distance(document, changes).sum().backward()
    assert torch.isfinite(document.grad).all()
    assert torch.isfinite(changes.grad).all()


@pytest.fixture
def scene(tiny_model, recipe):
    """A tiny encoder in float64, its objective, and two documents as a batch."""

    def make(model="bert", *, count=2, **objective):
        sampling = {"kind": "unlabelled"} if objective.get("kind") == "distill" else {}
        made = recipe(model, objective=objective, sampling=sampling)
        encoder = load_encoder(tiny_model(model))
        sampler = Sampler(made, encoder.spec, len(encoder.tokenizer.get_vocab()))
        labelled = [document(seed, words=16 + 4 * seed) for seed in range(count)]
        samples = [sampler.sample(each, encoder.tokenize(each.text), (7, seed)) for seed, each in enumerate(labelled)]
        batch = collate(encoder.spec, samples, packed=made.objective.kind != "triplet")
        return encoder, made.objective, labelled, samples, batch

    return make


@pytest.mark.parametrize("model", ["bert", "roberta"])
@pytest.mark.parametrize("pooling", ["mean", "max"])
@pytest.mark.parametrize("form", ["one-pass", "triplet"])
def test_scores_are_those_of_extraction(scene, model, pooling, form):
    encoder, settings, labelled, samples, batch = scene(model, kind=form)
    objective = Objective(settings, encoder.module, pooling=pooling)
    with torch.no_grad():
        embedded = objective.embeddings(batch)
    for number, (each, sample) in enumerate(zip(labelled, samples, strict=True)):
        pieces = encoder.tokenize(each.text)
        # The same rows, named by their characters.
        masks = [tuple((pieces.starts[row - 1], pieces.ends[row - 1]) for row in rows) for rows in sample.rows]
        (expected,) = embed(encoder, [Request(pieces, (), masks)], pooling=pooling, layer=2, exact=form == "triplet")
        _, scores = masked_similarity(expected.document, expected.changes, "cosine")
        ours = cosine_distance(embedded.documents[number], embedded.changes[number])
        assert_allclose(ours, scores, rtol=2e-3, atol=1e-7)


@pytest.mark.parametrize(
    "settings",
    [
        {"kind": "one-pass", "loss": "hinge", "scale": "cosine"},
        {"kind": "one-pass", "loss": "hinge", "scale": "standard", "margin": 1.0},
        {"kind": "one-pass", "loss": "listwise", "scale": "log"},
        {"kind": "one-pass", "loss": "hinge", "scale": "cosine", "drift_weight": 0.7},
        {"kind": "one-pass", "loss": "hinge", "scale": "cosine", "drift_weight": 0.7, "drift_of": "states"},
        {"kind": "triplet"},
        {"kind": "distill", "drift_weight": 0.7, "drift_of": "states"},
    ],
    ids=str,
)
@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_gradients_are_the_slopes(scene, settings, pooling):
    encoder, chosen, _, _, batch = scene(**settings)
    original = copy.deepcopy(encoder.module).double()
    objective = Objective(chosen, encoder.module, pooling=pooling, original=original).double()
    with torch.no_grad():  # away from the original, where the distance from it has a slope
        for parameter in objective.encoder.parameters():
            parameter.add_(0.01 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
    objective(batch)["loss"].sum().backward()
    rng = np.random.default_rng(0)
    parameters = dict(objective.encoder.named_parameters())
    names = ("embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight",
             "encoder.layer.0.attention.self.query.weight", "encoder.layer.1.output.dense.weight",
             "encoder.layer.1.output.LayerNorm.bias")  # fmt: skip
    slopes, gradients = [], []
    for name in names:
        parameter = parameters[name]
        direction = torch.from_numpy(rng.normal(size=parameter.shape))
        losses = []
        for sign in (1, -1):
            with torch.no_grad():
                parameter += sign * 1e-6 * direction
                losses.append(float(objective(batch)["loss"].sum()))
                parameter -= sign * 1e-6 * direction
        slopes.append((losses[0] - losses[1]) / 2e-6)
        gradients.append(float((parameter.grad * direction).sum()))
    assert_allclose(gradients, slopes, rtol=1e-4, atol=1e-8)
    assert np.abs(slopes).max() > 1e-6


def test_distillation_by_hand():
    wanted = torch.tensor([[3.0, 0.0], [0.0, 4.0]])
    scores, targets = torch.tensor([0.1, 0.4]), torch.tensor([0.1, 0.1])
    # The changes are off by 1 and 2 of 3² + 4² = 25; ln(0.1 / 0.1) = 0 and ln(0.4 / 0.1) are off their mean by ln 2.
    loss = distillation_loss(wanted + torch.tensor([[1.0, 0.0], [0.0, -2.0]]), wanted, scores, targets)
    assert loss.item() == pytest.approx(5 / 25 + np.log(2) ** 2)
    assert distillation_loss(wanted, wanted, 7 * targets, targets).item() == pytest.approx(0, abs=1e-9)
    assert distillation_loss(wanted[:0], wanted[:0], scores[:0], targets[:0]).item() == 0


def test_the_teacher_is_the_original_in_the_exact_form(scene):
    encoder, settings, labelled, samples, batch = scene(kind="distill")
    original = copy.deepcopy(encoder.module)
    objective = Objective(settings, encoder.module, pooling="mean", original=original)
    losses = objective(batch)
    for number, (each, sample) in enumerate(zip(labelled, samples, strict=True)):
        pieces = encoder.tokenize(each.text)
        masks = [tuple((pieces.starts[row - 1], pieces.ends[row - 1]) for row in rows) for rows in sample.rows]
        assert len(masks) == len(each.phrases)
        request = [Request(pieces, (), masks)]
        (one_pass,), (exact,) = (embed(encoder, request, pooling="mean", layer=2, exact=form) for form in (False, True))
        scores, targets = (masked_similarity(some.document, some.changes, "cosine")[1] for some in (one_pass, exact))
        tensors = (torch.from_numpy(np.asarray(some)) for some in (one_pass.changes, exact.changes, scores, targets))
        assert losses["rank"][number].item() == pytest.approx(distillation_loss(*tensors).item(), rel=1e-3)
        pairs = targets[:, None] > targets[None]
        assert losses["pairs"][number].item() == pairs.sum()
        share = (scores[:, None] > scores[None])[pairs].mean()
        assert losses["accuracy"][number].item() == pytest.approx(share)


def test_a_document_does_not_depend_on_what_it_is_batched_with(scene):
    encoder, settings, _, samples, batch = scene(drift_weight=1.0)
    objective = Objective(settings, encoder.module, pooling="mean", original=copy.deepcopy(encoder.module))
    together = objective(batch)
    for number, sample in enumerate(samples):
        alone = objective(collate(encoder.spec, [sample], packed=True))
        for name in ("loss", "rank", "accuracy", "pairs"):
            assert_allclose(together[name][number].item(), alone[name][0].item(), rtol=1e-5)


def test_the_language_models_loss(tmp_path, tiny_model, recipe):
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    from mderank.research.training.encoder import load_trainable

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert"))
    size = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 1}
    BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), max_position_embeddings=66, **size)).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    made = recipe(model={"name": str(tmp_path)}, objective={"mlm_weight": 0.1})
    encoder, objective = load_trainable(made, torch.device("cpu"))
    sampler = Sampler(made, encoder.spec, len(tokenizer))
    labelled = [document(seed, words=12 + seed) for seed in range(2)]
    samples = [sampler.sample(each, encoder.tokenize(each.text), (seed,)) for seed, each in enumerate(labelled)]
    losses = objective(collate(encoder.spec, samples, packed=True))
    whole = BertForMaskedLM.from_pretrained(tmp_path).eval()
    for number, sample in enumerate(samples):
        ids, targets = torch.from_numpy(sample.mlm_ids)[None], torch.from_numpy(sample.mlm_targets)[None]
        assert losses["mlm"][number].item() == pytest.approx(whole(input_ids=ids, labels=targets).loss.item(), rel=1e-5)
    assert_allclose(losses["loss"].detach(), (losses["rank"] + 0.1 * losses["mlm"]).detach())
    losses["loss"].sum().backward()
    assert objective.head.cls.predictions.bias.grad.abs().sum() > 0
    # One table of words for both, so that both losses train it.
    assert objective.head.get_output_embeddings().weight is encoder.module.embeddings.word_embeddings.weight


def test_settings_have_the_papers_values():
    assert (ObjectiveSettings().margin, ObjectiveSettings().loss, ObjectiveSettings().scale) == (0.2, "hinge", "cosine")

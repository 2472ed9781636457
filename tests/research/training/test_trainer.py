import csv
import errno
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from mderank import InputError, MDERank, MDERankWarning, NGrams, OptionError, TrainingError, load_encoder
from mderank.research.training import run_folder
from mderank.research.training.distributed import check_processes
from mderank.research.training.run_folder import RunFolder, read_weights
from mderank.research.training.trainer import train
from mderank.testing import FakeTagger

from .conftest import PLANTED, document


def losses(folder, column="loss"):
    with (folder / "log.csv").open() as stream:
        return [float(row[column]) for row in csv.DictReader(stream) if row[column]]


def mean_rank(model, form):
    """The mean place, from 0 to 1, of the planted words in documents that no run has seen."""
    exact = form == "triplet"
    extractor = MDERank(str(model), tagger=FakeTagger(), candidates=NGrams(1, 1), dedupe="none", exact=exact)
    places = []
    for seed in range(1000, 1015):
        ranking = [each.text for each in extractor.extract(document(seed).text, top_k=None)]
        places += [ranking.index(word) / (len(ranking) - 1) for word in PLANTED if word in ranking]
    return np.mean(places)


# A triplet has one pair where one pass has a dozen.
@pytest.mark.slow
@pytest.mark.parametrize(("form", "steps", "rate"), [("one-pass", 40, 5e-3), ("triplet", 100, 5e-3)])
def test_training_raises_the_rank_of_planted_keyphrases_and_shuffled_labels_do_not(
    form, steps, rate, planted, recipe, tiny_model, tmp_path
):
    before = mean_rank(tiny_model("bert"), form)
    settings = recipe(
        objective={"kind": form, "scale": "log", "margin": 1.0},
        training={"steps": steps, "batch": 16, "device_batch": 16, "learning_rate": rate},
        output={"checkpoint_every": 1000, "log_every": 20},
    )
    planted(200)
    after = mean_rank(train(settings, tmp_path / "planted").model, form)
    planted(200, shuffled=True)
    shuffled = mean_rank(train(settings, tmp_path / "shuffled").model, form)
    assert after < before - 0.15
    assert after < 0.3
    assert shuffled > before - 0.1


def test_what_a_run_leaves_behind(planted, recipe, tiny_model, tmp_path):
    planted()
    lines = []
    result = train(recipe(validation={"every": 3}), tmp_path / "run", progress=lines.append)
    assert result.state.finished
    assert (result.state.step, result.steps) == (6, 6)
    there = {each.name for each in (tmp_path / "run").iterdir()}
    assert there == {".lock", "checkpoints", "curves.svg", "log.csv", "model", "recipe.json", "recipe.toml"}
    assert [each.name for each in RunFolder(tmp_path / "run").checkpoints()] == [
        "step-00000004",
        "step-00000006",
    ]
    assert not list((tmp_path / "run").rglob("*.bin")) + list((tmp_path / "run").rglob("*.pt"))
    assert len(losses(tmp_path / "run")) == 6
    assert len(losses(tmp_path / "run", "held_out_accuracy")) == 3  # before the first step too
    assert any("step 3/6  loss" in line and "left" in line and "pairs in order" in line for line in lines)
    card = (result.model / "README.md").read_text()
    for told in ("held out accuracy", "```toml", "`yake`", "72 documents", "mderank extract --model"):
        assert told in card
    assert str(tiny_model("bert")) not in card  # a path of this machine
    assert (tmp_path / "run" / "curves.svg").read_text().count("<polyline") >= 4


def test_a_finished_run_stays_as_it_is(planted, recipe, tmp_path):
    planted()
    train(recipe(), tmp_path / "run")
    before = (tmp_path / "run" / "log.csv").read_bytes()
    lines = []
    assert train(recipe(), tmp_path / "run", progress=lines.append).state.step == 6
    assert any("is finished" in line for line in lines)
    assert (tmp_path / "run" / "log.csv").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("dropout", [False, True])
def test_stopped_and_resumed_it_gives_the_same_losses(dropout, planted, recipe, tmp_path):
    planted()
    settings = recipe(model={"dropout": dropout}, objective={"drift_weight": 0.5}, validation={"every": 2})
    train(settings, tmp_path / "whole")

    class KilledError(Exception):
        pass

    steps = []

    def stop():
        steps.append(1)
        if len(steps) == 4:
            raise KilledError  # in the fourth step, beyond the checkpoint of the second
        return False

    with pytest.raises(KilledError):
        train(settings, tmp_path / "stopped", stop=stop)
    lines = []
    resumed = train(settings, tmp_path / "stopped", stop=lambda: True, progress=lines.append)
    assert any(line.startswith("resuming from") and "step-00000002" in line for line in lines)
    assert not resumed.state.finished
    assert resumed.state.step == 3
    result = train(settings, tmp_path / "stopped")
    assert result.state.finished
    for column in ("loss", "rank", "drift", "accuracy", "learning_rate", "held_out_loss"):
        assert losses(tmp_path / "stopped", column) == losses(tmp_path / "whole", column), column
    one, two = (read_weights(tmp_path / name / "checkpoints" / "step-00000006") for name in ("whole", "stopped"))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_batches_on_a_device_do_not_matter(planted, recipe, tmp_path):
    planted()
    for size in (1, 4):
        train(recipe(training={"device_batch": size}), tmp_path / str(size))
    assert_allclose(losses(tmp_path / "1"), losses(tmp_path / "4"), rtol=1e-4)


@pytest.fixture
def launch(planted, tmp_path):
    """A function that trains a recipe by torchrun, in real processes, and returns what came of it."""

    def run(settings, name, *, processes=2):
        file = planted()
        (tmp_path / "recipe.toml").write_text(settings.as_toml())
        script = tmp_path / "run.py"
        script.write_text(
            "import os, sys\nfrom pathlib import Path\nimport torch\n"
            "import mderank.research.training.pseudo_labels as labels\nfrom mderank.cli import main\n"
            f"Path({str(tmp_path)!r}, 'process-' + os.environ['RANK']).touch()\n"
            f"torch.set_num_threads(1)\nlabels.label_corpus = lambda *_, **__: Path({str(file)!r})\n"
            f"sys.argv = ['mderank', 'train', {str(tmp_path / 'recipe.toml')!r}, '--out', {str(tmp_path / name)!r}]\n"
            "main()\n"
        )
        return subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes), script],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )

    return run


@pytest.mark.slow
@pytest.mark.parametrize("device", ["cpu", "auto"])
def test_two_processes_give_the_losses_of_one(device, launch, planted, recipe, tmp_path):
    if device == "auto" and torch.accelerator.is_available():
        pytest.skip("this machine has a GPU, which one process alone can use")
    planted()
    settings = recipe(
        objective={"drift_weight": 0.5}, validation={"every": 3}, training={"device": device, "clip": 1000.0}
    )
    train(settings, tmp_path / "one")
    done = launch(settings, "two")
    assert done.returncode == 0, done.stderr
    assert {each.name for each in tmp_path.glob("process-*")} == {"process-0", "process-1"}
    for line in ("step 3/6", "step 6/6", "use it with --model"):
        assert done.stderr.count(line) == 1  # only the first process reports
    assert_allclose(losses(tmp_path / "two"), losses(tmp_path / "one"), rtol=1e-4)
    assert_allclose(losses(tmp_path / "two", "accuracy"), losses(tmp_path / "one", "accuracy"), atol=0.5)
    one, two = (tmp_path / name / "checkpoints" / "step-00000006" for name in ("one", "two"))
    assert json.loads((two / "state.json").read_text())["finished"]
    # AdamW's steps do not depend on the gradient's scale; its averages of the gradient do.
    moments = [run_folder._load_tensors(folder / "optimiser.safetensors") for folder in (one, two)]
    for name in (each for each in moments[0] if each.endswith("/exp_avg")):
        assert_allclose(moments[1][name], moments[0][name], rtol=0.02, atol=1e-5 + 0.02 * moments[0][name].abs().max())


def test_processes_that_do_not_train_together_are_refused(planted, recipe, tmp_path, monkeypatch):
    planted()
    monkeypatch.setenv("WORLD_SIZE", "2")  # as a launcher sets it; the processes know nothing of each other
    with pytest.raises(TrainingError, match=r"2 processes were started, but they do not train together: .*torchrun"):
        check_processes(1)
    check_processes(2)


def test_two_runs_in_one_folder_are_refused(planted, recipe, tmp_path):
    planted()
    errors = []

    def stop():
        try:
            train(recipe(), tmp_path / "run")
        except TrainingError as error:
            errors.append(str(error))
        return True

    train(recipe(), tmp_path / "run", stop=stop)
    assert len(errors) == 1
    assert "another process is training in" in errors[0]
    assert train(recipe(), tmp_path / "run").state.finished  # the lock is gone with its run


def test_early_stopping_keeps_the_best(planted, recipe, tmp_path, monkeypatch):
    planted()
    measuring(monkeypatch, 50.0, 60.0, 55.0, 58.0, 99.0)
    result = train(recipe(validation={"every": 1, "patience": 2, "select": "best"}), tmp_path / "run")
    assert (result.state.step, result.state.best_step, result.state.best) == (3, 1, 60.0)
    assert result.state.finished
    assert "those of step 1." in (result.model / "README.md").read_text()


def measuring(monkeypatch, *accuracies):
    measured = iter(accuracies)
    monkeypatch.setattr(
        "mderank.research.training.validation.measure_held_out",
        lambda *_: {"held_out_loss": 1.0, "held_out_accuracy": next(measured)},
    )


def weights(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def test_an_untrained_encoder_that_is_best_is_said_and_the_last_one_kept(
    planted, recipe, tiny_model, tmp_path, monkeypatch, text
):
    planted()
    measuring(monkeypatch, 80.0, 70.0, 75.0)
    message = (
        r"did not improve the encoder: held out accuracy was 80 before the first step and 75 after step 6\. .*last"
    )
    with pytest.warns(MDERankWarning, match=message):
        result = train(recipe(validation={"every": 3, "select": "best"}), tmp_path / "run")
    assert result.last == tmp_path / "run" / "last"
    before, best, last = (weights(folder) for folder in (tiny_model("bert"), result.model, result.last))
    assert all(torch.equal(before[name], best[name]) for name in before)
    assert not all(torch.equal(before[name], last[name]) for name in before)
    assert "those of step 0." in (result.model / "README.md").read_text()
    card = (result.last / "README.md").read_text()
    assert "those of step 6." in card
    assert "| held out accuracy | 80 | 75 |" in card
    assert MDERank(str(result.last), tagger=FakeTagger()).extract(text)


def test_the_last_step_is_published_where_the_recipe_selects_nothing(planted, recipe, tmp_path, monkeypatch):
    planted()
    measuring(monkeypatch, 80.0, 70.0, 75.0)
    result = train(recipe(validation={"every": 3}), tmp_path / "run")
    assert result.last is None
    trained = read_weights(tmp_path / "run" / "checkpoints" / "step-00000006")
    published = weights(result.model)
    assert all(torch.equal(trained[f"encoder.{name}"], published[name]) for name in published)
    assert "those of step 6." in (result.model / "README.md").read_text()


def test_a_run_stopped_before_its_result_was_written_writes_it_later(planted, recipe, tmp_path, monkeypatch):
    planted()
    settings = recipe(validation={"every": 3, "select": "last"})

    def full(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("mderank.research.training.encoder.save_encoder", full)
        with pytest.raises(KeyboardInterrupt):
            train(settings, tmp_path / "run")
    assert train(settings, tmp_path / "run").model.is_dir()


def test_two_runs_of_one_recipe_write_the_same_bytes(planted, recipe, tiny_model, tmp_path):
    """A pooling layer that the checkpoint does not have is drawn at random: from the recipe's seed."""
    from safetensors.torch import load_file, save_file

    planted()
    folder = tmp_path / "headless"
    shutil.copytree(tiny_model("bert"), folder)
    kept = {name: each for name, each in load_file(folder / "model.safetensors").items() if "pooler" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    settings = recipe(model={"name": str(folder)})
    one, two = (train(settings, tmp_path / name).model / "model.safetensors" for name in ("one", "two"))
    assert "pooler.dense.weight" in load_file(one)
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
def test_distillation_brings_one_pass_nearer_to_the_exact_form(planted, recipe, tmp_path):
    planted(200)
    settings = recipe(
        objective={"kind": "distill", "drift_weight": 1.0, "drift_of": "states"},
        sampling={"kind": "unlabelled"},
        training={"steps": 60, "batch": 16, "device_batch": 16, "learning_rate": 3e-3},
        validation={"every": 60, "held_out": 20},
        output={"checkpoint_every": 1000, "log_every": 20},
    )
    result = train(settings, tmp_path / "run")
    first, last = result.state.first, result.state.last_values
    assert last["held_out_loss"] < 0.9 * first["held_out_loss"]
    assert last["held_out_accuracy"] > first["held_out_accuracy"]
    assert "Labels**: none" in (result.model / "README.md").read_text()


def test_f1_on_a_labelled_set(planted, recipe, tmp_path):
    planted()
    lines = [json.dumps({"id": n, "text": document(n).text, "keyphrases": list(PLANTED)}) for n in range(5)]
    (tmp_path / "mine.jsonl").write_text("\n".join(lines))
    settings = recipe(validation={"every": 3, "datasets": [str(tmp_path / "mine.jsonl")], "held_out": 0})
    result = train(settings, tmp_path / "run", tagger=FakeTagger())
    assert len(losses(tmp_path / "run", "mine F1@5")) == 3
    assert set(result.state.first) == {"mine F1@5", "mine F1@10", "mine F1@15", "f1"}


def test_a_loss_that_is_not_a_number(planted, recipe, tmp_path, monkeypatch):
    planted()
    from mderank.research.training.losses import Objective

    forward, calls = Objective.forward, []

    def poisoned(self, batch):
        calls.append(1)
        result = forward(self, batch)
        return {**result, "loss": result["loss"] * float("nan")} if len(calls) > 3 * 2 else result

    monkeypatch.setattr(Objective, "forward", poisoned)
    with pytest.raises(TrainingError, match=r"the loss of step 4 is not a number.*step-00000002.*learning_rate"):
        train(recipe(training={"device_batch": 2}), tmp_path / "run")
    kept = read_weights(tmp_path / "run" / "checkpoints" / "step-00000002")
    assert all(torch.isfinite(weight).all() for weight in kept.values())


def test_a_full_disk_keeps_the_last_good_checkpoint(planted, recipe, tmp_path, monkeypatch):
    planted()
    save, calls = run_folder._save_tensors, []

    def full(tensors, file):
        calls.append(file)
        if len(calls) > 3:  # the optimiser's state of the second checkpoint
            raise OSError(errno.ENOSPC, "No space left on device")
        save(tensors, file)

    monkeypatch.setattr(run_folder, "_save_tensors", full)
    with pytest.raises(
        TrainingError, match=r"step-00000004 cannot be written: No space left.*step-00000002.*run the same"
    ):
        train(recipe(), tmp_path / "run")
    assert [each.name for each in (tmp_path / "run" / "checkpoints").iterdir()] == ["step-00000002"]
    monkeypatch.setattr(run_folder, "_save_tensors", save)
    assert train(recipe(), tmp_path / "run").state.finished


def test_a_damaged_document_is_named_and_the_checkpoint_kept(planted, recipe, tmp_path):
    file = planted()
    lines = file.read_text().splitlines(keepends=True)
    settings = recipe()
    train(settings, tmp_path / "run", stop=lambda: True)
    file.write_text("".join("{damaged}\n" for _ in lines))
    with pytest.raises(TrainingError, match=r"planted-False.jsonl:\d+ is not a labelled document.*step-00000001"):
        train(settings, tmp_path / "run")


def test_another_recipe_does_not_go_on(planted, recipe, tmp_path):
    planted()
    train(recipe(), tmp_path / "run", stop=lambda: True)
    with pytest.raises(InputError, match=r"other settings \(training.seed: 42, now 7\)"):
        train(recipe(training={"seed": 7}), tmp_path / "run")
    assert train(recipe(training={"device_batch": 4}), tmp_path / "run").state.finished


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": {"name": ""}}, "the recipe has no model"),
        ({"training": {"batch": 100}}, "the corpus has 80 documents, of which 8 are held out: too few"),
        ({"objective": {"mlm_weight": 0.1}}, "has no language model's head .*objective.mlm_weight must be 0"),
        (
            {"model": {"frozen": ["layers."]}},
            r"nothing in .* begins with 'layers.'; it begins with embeddings., encoder.",
        ),
    ],
)
def test_what_cannot_be_done_is_said_at_once(settings, message, planted, recipe, tmp_path):
    planted()
    with pytest.raises((OptionError, InputError), match=message):
        train(recipe(**settings), tmp_path / "run")


def test_an_encoder_that_cannot_do_one_pass(planted, recipe, tmp_path):
    planted()
    with pytest.raises(OptionError, match=r"cannot do one-pass masking .*objective.kind = 'triplet'"):
        train(recipe("mpnet"), tmp_path / "run")
    result = train(recipe("mpnet", objective={"kind": "triplet"}, validation={"every": 6}), tmp_path / "triplet")
    assert result.state.finished
    assert result.state.first["held_out_accuracy"] > 0


def test_frozen_parameters_stay(planted, recipe, tiny_model, tmp_path):
    from safetensors.torch import load_file

    planted()
    model = train(recipe(model={"frozen": ["embeddings."]}), tmp_path / "run").model
    before, after = load_file(tiny_model("bert") / "model.safetensors"), load_file(model / "model.safetensors")
    changed = {name.split(".")[0] for name in before if not torch.equal(before[name], after[name])}
    assert changed == {"encoder"}


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_the_result_says_its_pooling(pooling, planted, recipe, tmp_path):
    planted()
    spec = load_encoder(train(recipe(model={"pooling": pooling}), tmp_path / "run").model).spec
    assert (spec.pooling, spec.one_pass) == (pooling, True)


@pytest.mark.slow
def test_the_result_can_be_exported(planted, recipe, tmp_path):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    from mderank.encoding.export import export

    planted()
    model = train(recipe(), tmp_path / "run").model
    export(str(model), tmp_path / "onnx")
    one, two = (MDERank(folder, tagger=FakeTagger(), candidates=NGrams(1, 1)) for folder in (model, tmp_path / "onnx"))
    text = document(5).text
    assert [each.text for each in one.extract(text)] == [each.text for each in two.extract(text)]


def test_the_papers_recipe_with_its_language_model(tiny_model, tmp_path, text):
    """The whole story on a small BERT: corpus, labels, triplets, language model, result."""
    from transformers import AutoModelForMaskedLM, AutoTokenizer, BertConfig, BertForMaskedLM

    from mderank.research.training.recipe import Recipe

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert"))
    size = {"hidden_size": 16, "intermediate_size": 32, "num_attention_heads": 2, "num_hidden_layers": 2}
    bert = BertForMaskedLM(BertConfig(vocab_size=len(tokenizer), max_position_embeddings=66, **size))
    bert.save_pretrained(tmp_path / "bert")
    tokenizer.save_pretrained(tmp_path / "bert")
    (tmp_path / "wiki.raw").write_text("".join(f" = Title {n} =\n\n {text}\n\n" for n in range(12)))
    changes = [f"model.name={tmp_path / 'bert'}", "corpus.hub=none", "corpus.config=none",
               f'corpus.files=["{tmp_path / "wiki.raw"}"]', "corpus.min_words=5", "labels.method=firstphrases",
               "sampling.labels=4", "training.batch=4", "training.epochs=3", "validation.held_out=2",
               "validation.every=0", "output.log_every=1", "labels.workers=1", "output.tensorboard=false",
               "training.device=cpu"]  # fmt: skip
    recipe = Recipe.load("paper", changes)
    assert (recipe.objective.kind, recipe.objective.mlm_weight, recipe.model.dropout) == ("triplet", 0.1, True)
    result = train(recipe, tmp_path / "run", tagger=FakeTagger())
    assert result.state.step == 6
    ranking, language = losses(tmp_path / "run", "rank"), losses(tmp_path / "run", "mlm")
    assert_allclose(losses(tmp_path / "run"), np.add(ranking, 0.1 * np.array(language)), rtol=1e-4)
    assert all(2 < value < 8 for value in language)  # about the logarithm of the vocabulary, 4.6
    whole, info = AutoModelForMaskedLM.from_pretrained(result.model, output_loading_info=True)
    assert not info["missing_keys"]
    assert not torch.equal(whole.cls.predictions.bias, bert.cls.predictions.bias)
    assert MDERank(str(result.model), tagger=FakeTagger()).extract(text)


def test_nothing_to_train_on(recipe, tmp_path):
    with pytest.raises(InputError, match=r"corpus file .* does not exist"):
        train(recipe(corpus={"files": ["nowhere.raw"]}), tmp_path / "run")

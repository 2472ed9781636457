from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
import warnings

import pytest

DOCUMENTS = [
    {
        "id": "a",
        "title": "",
        "text": "The barn owl is a bird of prey. A barn owl sees in the dark.",
        "keyphrases": ["barn owls"],
    },
    {
        "id": "b",
        "title": "",
        "text": "A tide gauge measures the tide of the harbour.",
        "keyphrases": ["tide gauge", "sea"],
    },
    {"id": "c", "title": "", "text": "", "keyphrases": ["nothing"]},
]


@pytest.fixture
def dataset(tmp_path):
    file = tmp_path / "birds.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in DOCUMENTS))
    return file


def run_folder(tmp_path, label):
    (folder,) = (tmp_path / "runs").glob(f"*/{label}")
    return folder


def test_a_run_is_written_scored_and_not_repeated(run, dataset, tmp_path):
    arguments = ("evaluate", "-d", dataset, "--out", tmp_path / "runs", "--measure", "R@M")
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    # Both phrases of the text are found; the sea and the empty document's are not: 2 of 4.
    first, second = result.stdout.split("\n\n")[:2]
    assert "protocol mderank" in first
    assert "protocol macro-stem" in second
    assert first.splitlines()[2].split()[-2] == "50.00"
    assert second.splitlines()[2].split()[-2] == "50.00"
    folder = run_folder(tmp_path, "mderank")
    before = (folder / "documents.jsonl").read_bytes()
    assert run(*arguments).stdout == result.stdout
    assert (folder / "documents.jsonl").read_bytes() == before
    settings = json.loads((folder / "run.json").read_text())
    assert settings["encoder"]["name"] == "minilm-l6"
    assert (settings["max_words"], settings["max_pieces"]) == (512, 512)
    assert settings["versions"]["mderank"]


def test_methods_have_their_labels_and_options(run, dataset, tmp_path):
    out = ("--out", tmp_path / "runs", "-q")
    for method in ("embedrank", "firstphrases", "random", "tfidf", "oracle"):
        assert run("evaluate", "-d", dataset, "--method", method, *out).exit_code == 0
        assert run_folder(tmp_path, method)
    assert run("evaluate", "-d", dataset, "--masking", "subset", "--pooling", "max", *out).exit_code == 0
    assert run_folder(tmp_path, "mderank-masking=subset-pooling=max")
    result = run("evaluate", "-d", dataset, "--method", "random", "--exact", *out)
    assert result.exit_code == 2
    assert "--exact: the method 'random' has no such option" in result.stderr
    assert run("evaluate", "-d", dataset, "--method", "oracle", "--exact", *out).exit_code == 2


def test_a_run_knows_the_files_that_its_method_was_given(run, dataset, tmp_path):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("owl 1 0\nbarn 0 1\nprey 1 -1\n")
    arguments = ("evaluate", "-d", dataset, "--method", "embedrank-vectors", "--set", f"vectors={vectors}",
                 "--out", tmp_path / "runs", "--label", "it", "-q")  # fmt: skip
    assert run(*arguments).exit_code == 0
    settings = json.loads((run_folder(tmp_path, "it") / "run.json").read_text())
    assert settings["files"] == {"vectors": hashlib.sha256(vectors.read_bytes()).hexdigest()}
    vectors.write_text("owl 1 0\nbarn 0 1\nprey 1 1\n")
    assert run(*arguments).exit_code != 0  # another run
    result = run("extract", dataset, "--method", "embedrank-vectors")
    assert result.exit_code == 2
    assert "--set vectors=FILE" in result.stderr


def test_the_oracle_is_the_ceiling(run, dataset, tmp_path):
    result = run("evaluate", "-d", dataset, "--method", "oracle", "--out", tmp_path / "runs", "--measure", "P@1")
    assert result.stdout.split("\n\n")[0].splitlines()[2].split()[1] == "100.00"


def test_the_whole_text_is_an_option(run, dataset, tmp_path):
    assert run("evaluate", "-d", dataset, "--text", "whole", "--out", tmp_path / "runs", "-q").exit_code == 0
    settings = json.loads((run_folder(tmp_path, "mderank") / "run.json").read_text())
    assert (settings["input"], settings["max_words"]) == ("whole", None)


def test_bad_names(run, dataset, tmp_path):
    assert "unknown protocol 'best'" in run("evaluate", "-d", dataset, "--protocol", "best").stderr
    assert "unknown measure 'F1'" in run("evaluate", "-d", dataset, "--measure", "F1").stderr
    result = run("evaluate", "-d", "nosuchset", "--data-dir", tmp_path)
    assert result.exit_code == 2
    assert "inspec" in result.stderr


def test_other_settings_in_the_same_place_are_refused(run, dataset, tmp_path):
    out = ("--out", tmp_path / "runs", "-q", "--label", "mine")
    assert run("evaluate", "-d", dataset, *out).exit_code == 0
    result = run("evaluate", "-d", dataset, *out, "--masking", "once")
    assert result.exit_code == 2
    assert "masking: 'all', now 'once'" in result.stderr


@pytest.mark.parametrize("method", ["mderank", "sifrank"])
def test_torch_is_recorded_where_it_was_used(run, dataset, tmp_path, tiny_model, method):
    pytest.importorskip("wordfreq")
    arguments = ("evaluate", "-d", dataset, "--method", method, "--out", tmp_path / "runs", "-q", "--label")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(*arguments, "onnx").exit_code == 0
        result = run(*arguments, "torch", "--model", tiny_model("bert"))
    assert result.exit_code == 0, result.stderr
    of_onnx, of_torch = (
        json.loads((run_folder(tmp_path, label) / "run.json").read_text())["versions"] for label in ("onnx", "torch")
    )
    assert {"torch", "transformers"}.isdisjoint(of_onnx)
    assert of_torch == of_onnx | {name: importlib.metadata.version(name) for name in ("torch", "transformers")}


def test_a_run_goes_on_with_the_same_torch_only(run, dataset, tmp_path, tiny_model):
    arguments = ("evaluate", "-d", dataset, "--model", tiny_model("bert"), "--out", tmp_path / "runs", "-q")
    assert run(*arguments, "--label", "it").exit_code == 0
    file = run_folder(tmp_path, "it") / "run.json"
    settings = json.loads(file.read_text())
    now = settings["versions"]["torch"]
    file.write_text(json.dumps(settings | {"versions": settings["versions"] | {"torch": "1.0"}}))
    result = run(*arguments, "--label", "it")
    assert result.exit_code == 2
    assert f"other settings (torch: '1.0', now '{now}')" in result.stderr
    # A run of before, which did not record it, goes on; what it does not know it does not say.
    versions = {
        name: version for name, version in settings["versions"].items() if name not in ("torch", "transformers")
    }
    file.write_text(json.dumps(settings | {"versions": versions}))
    assert run(*arguments, "--label", "it").exit_code == 0
    assert json.loads(file.read_text())["versions"] == versions


def test_encoders_with_the_same_folder_name_have_labels_of_their_own(run, dataset, tmp_path, tiny_model):
    for name, kind in (("ab-yake", "bert"), ("re-yake", "electra")):
        shutil.copytree(tiny_model(kind), tmp_path / name / "model")
        shutil.copytree(tiny_model(kind), tmp_path / name / "kpe")
    runs = tmp_path / "runs"

    def labels(*arguments):
        result = run("evaluate", "-d", dataset, "--out", runs, *arguments, "-q")
        assert result.exit_code == 0, result.stderr
        return sorted(folder.name for folder in runs.glob("birds/*"))

    ab, re = "mderank-model=ab-yake_model", "mderank-model=re-yake_model"
    assert labels("--model", tmp_path / "ab-yake" / "model") == [ab]
    assert labels("--model", tmp_path / "re-yake" / "model") == [ab, re]
    assert json.loads((runs / "birds" / re / "run.json").read_text())["label"] == re
    # Given again, each goes on where it is; so does a run that was called by the last name alone.
    (runs / "birds" / ab / "summary.json").unlink()
    assert labels("--model", tmp_path / "ab-yake" / "model") == [ab, re]
    assert (runs / "birds" / ab / "summary.json").is_file()
    old = runs / "birds" / "mderank-model=model"
    (runs / "birds" / ab).rename(old)
    settings = json.loads((old / "run.json").read_text())
    (old / "run.json").write_text(json.dumps(settings | {"label": old.name}))
    assert labels("--model", tmp_path / "ab-yake" / "model") == [old.name, re]
    # A name that says something is used alone, as long as it is the only one.
    shutil.rmtree(runs)
    assert labels("--model", tmp_path / "ab-yake" / "kpe") == ["mderank-model=kpe"]
    assert labels("--model", tmp_path / "re-yake" / "kpe") == ["mderank-model=kpe", "mderank-model=re-yake_kpe"]
    result = run("compare", runs)
    assert result.exit_code == 0, result.stderr
    assert "mderank-model=re-yake_kpe" in result.stdout


def test_methods_are_listed_and_used_by_extract(run, example, tmp_path):
    assert "embedrank" in run("methods").stdout
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.txt").write_text("The tide is high.")
    (corpus / "b.txt").write_text("The tide is low.")
    for arguments in (("embedrank",), ("firstphrases",), ("random", "--seed", 3), ("tfidf", "--corpus", corpus)):
        result = run("extract", example, "-f", "jsonl", "--method", *arguments)
        assert len(json.loads(result.stdout)["keyphrases"]) == 10
    assert (
        json.loads(run("extract", example, "-f", "jsonl", "--method", "firstphrases").stdout)["keyphrases"][0]["text"]
        == "storm surges"
    )
    assert "has no such option" in run("extract", example, "--method", "tfidf", "--diversity", "0.5").stderr


def lines(folder):
    return [
        {name: value for name, value in json.loads(line).items() if name != "seconds"}
        for line in (folder / "documents.jsonl").read_text().splitlines()
    ]


def test_several_methods_share_the_tagging_and_give_what_each_gives_alone(run, dataset, tmp_path):
    methods = ("tfidf", "yake", "firstphrases", "oracle")
    given = [argument for method in methods for argument in ("--method", method)]
    result = run("evaluate", "-d", dataset, *given, "--out", tmp_path / "runs")
    assert result.exit_code == 0, result.stderr
    assert [line.split(",")[0] for line in result.stdout.splitlines() if "protocol mderank" in line] == list(methods)
    together = {method: lines(run_folder(tmp_path, method)) for method in methods}
    for method in methods:
        assert run("evaluate", "-d", dataset, "--method", method, "--out", tmp_path / "runs").exit_code == 0
        alone = tmp_path / "alone"
        assert run("evaluate", "-d", dataset, "--method", method, "--out", alone, "-q").exit_code == 0
        assert lines(next(alone.glob(f"*/{method}"))) == together[method]


def test_one_label_for_several_methods_is_refused(run, dataset):
    result = run("evaluate", "-d", dataset, "--method", "tfidf", "--method", "random", "--label", "x")
    assert result.exit_code == 2
    assert "--label names one run" in result.stderr


def test_one_document_by_its_id(run, dataset, tmp_path):
    out = ("--out", tmp_path / "runs", "--method", "firstphrases", "-q")
    assert run("evaluate", "-d", dataset, "--document", "b", *out).exit_code == 0
    folder = run_folder(tmp_path, "firstphrases-document=b")
    assert [json.loads(line)["id"] for line in (folder / "documents.jsonl").read_text().splitlines()] == ["b"]
    assert json.loads((folder / "run.json").read_text())["documents"] == ["b"]
    result = run("evaluate", "-d", dataset, "--document", "z", *out)
    assert result.exit_code == 2
    assert "has no document z" in result.stderr

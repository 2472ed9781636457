from __future__ import annotations

import json

import pytest

from mderank.research.evaluation.naming import NamedRun, choose_label, named_runs, tell_apart


def choose(model, encoder, runs, dataset="nus", **options):
    return choose_label(lambda ending: f"mderank-model={ending.replace('/', '_')}-exact", model, encoder, dataset,
                        [NamedRun(*run) for run in runs], **options)  # fmt: skip


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (["a/x", "b/y"], ["x", "y"]),
        (["a/x", "b/x"], ["a/x", "b/x"]),
        (["ab-yake/onnx", "re-yake/onnx"], ["ab-yake/onnx", "re-yake/onnx"]),
        (["one/ab/onnx", "two/ab/onnx", "two/re/onnx"], ["one/ab/onnx", "two/ab/onnx", "re/onnx"]),
        (["x", "a/x"], ["x", "a/x"]),  # of the first, the whole name
        (["a/onnx", "minilm-l6"], ["a/onnx", "minilm-l6"]),  # "onnx" alone would say nothing
        (["a/x", "a/x"], ["a/x", "a/x"]),
    ],
)
def test_the_shortest_endings_that_tell_encoders_apart(models, names):
    assert tell_apart(models) == names


@pytest.mark.parametrize(
    ("runs", "label"),
    [
        ([], "mderank-model=kpe-exact"),
        # Another encoder has the name, on this set or another, in this label or another.
        ([("nus", "mderank-model=kpe-exact", "other")], "mderank-model=b_kpe-exact"),
        ([("inspec", "mderank-model=kpe-exact", "other")], "mderank-model=b_kpe-exact"),
        ([("inspec", "embedrank-model=kpe", "other")], "mderank-model=b_kpe-exact"),
        ([("nus", "x-model=kpe", "other"), ("nus", "x-model=b_kpe~2", "third")], "mderank-model=a_b_kpe-exact"),
        # A longer name is another name.
        ([("inspec", "embedrank-model=kpebert", "other")], "mderank-model=kpe-exact"),
        # A run that is there goes on under its label.
        ([("nus", "mderank-model=a_b_kpe-exact", "mine")], "mderank-model=a_b_kpe-exact"),
        ([("nus", "mderank-model=kpe-exact", "mine"), ("inspec", "mderank-model=kpe", "other")],
         "mderank-model=kpe-exact"),
        # And an encoder keeps its name from set to set.
        ([("inspec", "mderank-model=b_kpe", "mine"), ("nus", "mderank-model=x", "other")],
         "mderank-model=b_kpe-exact"),
    ],
)  # fmt: skip
def test_an_encoder_has_a_name_of_its_own_among_the_runs(runs, label):
    assert choose("a/b/kpe", "mine", runs) == label


def test_a_name_that_says_nothing_is_used_only_by_runs_that_have_it():
    assert choose("ab-yake/onnx", "mine", []) == "mderank-model=ab-yake_onnx-exact"
    assert choose("ab-yake/onnx", "mine", [("nus", "mderank-model=onnx-exact", "mine")]) == "mderank-model=onnx-exact"
    assert choose("onnx", "mine", []) == "mderank-model=onnx-exact"


def test_numbered_folders_are_runs_of_the_label():
    runs = [("nus", "mderank-model=kpe-exact", "other"), ("nus", "mderank-model=kpe-exact~2", "mine")]
    assert choose("a/kpe", "mine", runs, numbered=True) == "mderank-model=kpe-exact"
    assert choose("a/kpe", "mine", runs) == "mderank-model=a_kpe-exact"


def test_a_folder_is_named_by_where_it_is_whatever_was_given(tmp_path, monkeypatch):
    (tmp_path / "ab-yake" / "onnx").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "ab-yake")
    assert choose("onnx", "mine", []) == "mderank-model=ab-yake_onnx-exact"


def test_runs_that_cannot_be_read_have_no_name(tmp_path):
    for label, text in (("good", json.dumps({"encoder": {"name": "x", "sha256": "1"}})), ("bad", "{"), ("list", "[]")):
        (tmp_path / "nus" / label).mkdir(parents=True)
        (tmp_path / "nus" / label / "run.json").write_text(text)
    assert named_runs(tmp_path) == [NamedRun("nus", "good", "1")]
    assert named_runs(tmp_path / "nowhere") == []

from __future__ import annotations

import pytest

from mderank.errors import InputError, OptionError
from mderank.research.reports.run_grid import arrange, find_runs, notes


def grid_of(folder, baseline=None, order=()):
    return arrange(find_runs([folder]), baseline, order)


def test_runs_are_found_below_a_folder_and_counted_once(two_methods):
    found = find_runs([two_methods, two_methods / "00", two_methods / ".." / "runs" / "01"])
    assert [(run.name, run.dataset) for run in found] == [
        ("One", "tiny"),
        ("Two", "tiny"),
        ("One", "small"),
        ("Two", "small"),
    ]


def test_methods_in_the_order_given_and_sets_in_a_known_one(two_methods):
    grid = grid_of(two_methods, order=("other", "small"))
    assert grid.methods == ("One", "Two")
    assert grid.datasets == ("small", "tiny")
    assert grid.baseline == "One"
    assert grid_of(two_methods, "Two").baseline == "Two"


def test_nothing_to_say_of_runs_that_are_alike(two_methods):
    assert notes(grid_of(two_methods)) == ()


def test_common_sets_are_those_that_all_methods_have(make, one_documents):
    make("One", "tiny", one_documents)
    make("One", "small", one_documents)
    grid = grid_of(make("Two", "small", one_documents))
    assert grid.common == ("small",)
    assert notes(grid) == ("tiny: no run of Two.",)


def test_what_is_unequal_is_said(make, one_documents):
    make("One", "tiny", one_documents, max_words=512, dataset_sha256="aa")
    make("Two", "tiny", one_documents, max_words=None, dataset_sha256="aa", text="full", failed=["d2"])
    said = notes(grid_of(make("Three", "tiny", {"d1": (["x"], ["other"])}, finished=False, options={"max_words": 512})))
    assert said == (
        "Two on tiny: 1 of 2 documents failed and count as documents in which nothing was found (d2).",
        "Three on tiny is unfinished: 1 documents so far.",
        "tiny: the methods have different documents (One 2, Two 2, Three 1). Values are over each method's own; "
        "differences and tests over those that it shares with the baseline.",
        "tiny: the runs have different gold keyphrases for 1 documents (d1).",
        "tiny: the runs did not read the same, 'text' differs: 'paper' for One, Three; 'full' for Two.",
        "tiny: the runs did not read the same, 'dataset_sha256' differs: 'aa' for One, Two; None for Three.",
        "tiny: the runs did not read the same, 'max_words' differs: 512 for One, Three; None for Two.",
    )


def test_a_line_that_is_being_written_is_not_read(make, one_documents):
    folder = make("One", "tiny", one_documents, finished=False)
    with (folder / "00" / "documents.jsonl").open("a") as stream:
        stream.write('{"id": "d3", "predi')
    assert len(find_runs([folder])[0].outcomes) == 2


@pytest.mark.parametrize(
    ("line", "complaint"),
    [("[]", "documents.jsonl:1 is not a document of a run"), ("{}", "KeyError"), ("nonsense", "is not JSON")],
)
def test_a_broken_run_is_named(make, line, complaint):
    folder = make("One", "tiny", {})
    (folder / "00" / "documents.jsonl").write_text(line + "\n")
    with pytest.raises(InputError, match=complaint):
        find_runs([folder])


def test_settings_that_are_no_settings(make, one_documents):
    folder = make("One", "tiny", one_documents)
    (folder / "00" / "run.json").write_text("[]")
    with pytest.raises(InputError, match=r"run\.json cannot be read \(it is not a JSON object\)"):
        find_runs([folder])
    (folder / "00" / "run.json").write_text("{}")
    with pytest.raises(InputError, match="has no 'dataset'"):
        arrange(find_runs([folder]))


def test_the_same_method_twice_on_a_set(make, one_documents):
    make("One", "tiny", one_documents)
    folder = make("One", "tiny", one_documents)
    with pytest.raises(InputError, match=r"00 and .*01 are both runs of 'One' on tiny: .*--label"):
        grid_of(folder)


def encoder(model, sha256):
    return {"model": model, "encoder": {"name": "it", "sha256": sha256}}


def test_encoders_of_one_label_are_told_apart_by_their_paths(make, one_documents):
    label = "mderank-model=onnx-exact"
    make(label, "tiny", one_documents, **encoder("kpe/ab-yake/onnx", "1"))
    make(label, "other", one_documents, **encoder("elsewhere/ab-yake/onnx", "1"))  # the same weights
    folder = make(label, "tiny", one_documents, **encoder("kpe/re-yake/onnx", "2"))
    make("yake", "tiny", one_documents, model="minilm-l6", encoder=None)
    grid = grid_of(folder)
    ab, re = "mderank-model=ab-yake_onnx-exact", "mderank-model=re-yake_onnx-exact"
    assert grid.methods == (ab, re, "yake")
    assert set(grid.runs) == {(ab, "tiny"), (ab, "other"), (re, "tiny"), ("yake", "tiny")}
    assert grid_of(folder, re).baseline == re


def test_encoders_of_one_label_on_different_sets_are_not_one_row(make, one_documents):
    make("mine", "tiny", one_documents, **encoder("a/kpe", "1"))
    folder = make("mine", "other", one_documents, **encoder("b/kpe", "2"))
    assert grid_of(folder).methods == ("mine (a/kpe)", "mine (b/kpe)")


def test_an_encoder_with_several_names_is_one_row(make, one_documents):
    make("mine", "tiny", one_documents, **encoder("a/kpe", "1"))
    folder = make("mine", "other", one_documents, **encoder("b/kpe", "1"))
    assert grid_of(folder).methods == ("mine",)


def test_wrong_names(two_methods, tmp_path):
    with pytest.raises(OptionError, match=r"--baseline Three: .*only One, Two"):
        grid_of(two_methods, "Three")
    with pytest.raises(InputError, match="nowhere is not a folder"):
        find_runs([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="there is no run in"):
        find_runs([tmp_path / "empty"])
    with pytest.raises(InputError, match="no runs to compare"):
        arrange([])

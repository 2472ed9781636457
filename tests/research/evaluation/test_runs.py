from __future__ import annotations

import json

import pytest

from mderank.errors import InputError
from mderank.research.evaluation.protocols import Prediction
from mderank.research.evaluation.runs import DocumentOutcome, RunStore, identity, load_run

OPTIONS = {
    "method": "mderank",
    "masking": None,
    "model": None,
    "pooling": None,
    "exact": False,
    "max_words": 512,
    "max_tokens": 512,
    "batch_tokens": None,
    "params": {},
}
SETTINGS = {
    "label": "mderank",
    "dataset": "nus",
    "text": "paper",
    "limit": None,
    "options": OPTIONS,
    "encoder": {"name": "minilm-l6", "sha256": "abc"},
    "resolved": {"pooling": "mean", "layer": 6, "exact": False},
    "files": {},
    "versions": {"numpy": "2"},
}


def with_options(**changes):
    return SETTINGS | {"options": OPTIONS | changes}


@pytest.fixture
def keep(tmp_path):
    """Writes a run as ``mderank evaluate`` does; unfinished if it has no documents."""

    def write(documents, **changes):
        settings = SETTINGS | changes
        folder = tmp_path / settings["dataset"] / settings["label"]
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(json.dumps(settings))
        if documents:
            (folder / "summary.json").write_text(json.dumps({"documents": documents, "seconds": 2.0 * documents}))
        return folder

    return write


def test_a_run_is_what_it_computes_not_how_it_was_asked_for():
    same = with_options(pooling="mean", model="/tmp/minilm", batch_tokens=500, threads=2)
    assert identity(same | {"label": "other", "limit": 5, "versions": {}}) == identity(SETTINGS)
    # The name of a folder with the same weights.
    moved = SETTINGS | {"encoder": {"name": "elsewhere", "sha256": "abc"}}
    assert identity(moved) == identity(SETTINGS)


@pytest.mark.parametrize(
    "change",
    [
        {"options": OPTIONS | {"masking": "once"}},
        {"options": OPTIONS | {"max_words": 128}},
        {"options": OPTIONS | {"dedupe": "stem"}},
        {"encoder": {"name": "minilm-l6", "sha256": "abd"}},
        {"resolved": {"pooling": "max", "layer": 6, "exact": False}},
        {"dataset_sha256": "1"},
        {"options": OPTIONS | {"params": {"window": 3}}},
        {"documents": ["117"]},
        {"tagger_version": "9"},
    ],
)
def test_what_changes_predictions_is_another_run(change):
    assert identity(SETTINGS | change) != identity(SETTINGS)


def test_files_are_known_by_their_bytes():
    def settings(sha256="f00", **params):
        return with_options(params=params) | {"files": {"sent2vec": sha256}}

    one = settings(sent2vec="/a/wiki.bin", x=1)
    assert identity(one) == identity(settings(sent2vec="/b/wiki.bin", x=1))
    assert identity(one) != identity(settings("ba2", sent2vec="/a/wiki.bin", x=1))
    assert identity(one) != identity(settings(sent2vec="/a/wiki.bin", x=2))


def test_a_longer_run_serves_and_a_shorter_or_unfinished_one_does_not(keep, tmp_path):
    keep(None, label="unfinished")
    ten = keep(10, label="ten", limit=10)
    whole = keep(211, label="whole")
    store = RunStore(tmp_path)
    assert store.find(SETTINGS, 10).folder == ten
    assert store.find(SETTINGS, 11).folder == whole
    assert store.find(SETTINGS, 212) is None
    assert store.find(with_options(masking="once"), 5) is None
    # But others can go on from a shorter one.
    assert store.find_shorter(SETTINGS, 10) is None
    assert store.find_shorter(SETTINGS, 211).folder == ten
    assert store.find_shorter(SETTINGS, 212).folder == whole
    assert store.find_shorter(SETTINGS | {"versions": {"numpy": "3"}}, 212) is None


def test_what_cannot_be_read_is_not_there(keep, tmp_path):
    (keep(5) / "run.json").write_text("{")
    assert RunStore(tmp_path).find(SETTINGS, 1) is None
    assert RunStore(tmp_path / "nowhere").find(SETTINGS, 1) is None


def test_a_run_goes_on_in_its_folder_and_never_into_anothers(keep, tmp_path):
    store = RunStore(tmp_path)
    assert store.folder_for(SETTINGS) == tmp_path / "nus" / "mderank"
    keep(None)
    assert store.folder_for(SETTINGS) == tmp_path / "nus" / "mderank"
    other = SETTINGS | {"limit": 7}
    assert store.folder_for(other) == tmp_path / "nus" / "mderank~2"
    keep(None, limit=7, label="mderank~2")
    assert store.folder_for(other) == tmp_path / "nus" / "mderank~2"
    assert store.folder_for(SETTINGS | {"limit": 8}) == tmp_path / "nus" / "mderank~3"


def test_a_run_resumes_with_other_threads(keep, tmp_path):
    keep(None)
    assert RunStore(tmp_path).folder_for(with_options(threads=2, batch_tokens=64)).name == "mderank"
    assert RunStore(tmp_path).folder_for(with_options(layer=2)).name == "mderank~2"


def test_a_store_that_is_refreshed_finds_new_runs(keep, tmp_path):
    store = RunStore(tmp_path)
    assert store.find(SETTINGS, 5) is None
    keep(5)
    assert store.find(SETTINGS, 5) is None
    store.refresh()
    assert store.find(SETTINGS, 5).documents == 5


def test_a_run_that_did_not_record_a_package_goes_on_and_one_with_another_version_does_not(keep, tmp_path):
    keep(None)
    store = RunStore(tmp_path)
    assert store.folder_for(SETTINGS | {"versions": {"numpy": "2", "torch": "2.13"}}).name == "mderank"
    assert store.folder_for(SETTINGS | {"versions": {"numpy": "3", "torch": "2.13"}}).name == "mderank~2"
    # But documents are never copied from it into a run that says which torch it was made with.
    keep(5, label="short", versions={"numpy": "2"})
    assert RunStore(tmp_path).find_shorter(SETTINGS | {"versions": {"numpy": "2", "torch": "2.13"}}, 9) is None


def test_costs_are_told_by_runs_like_it(keep, tmp_path):
    keep(10, label="cut", options=OPTIONS | {"max_words": 128})
    keep(5)
    keep(5, label="exact", resolved=SETTINGS["resolved"] | {"exact": True})
    store = RunStore(tmp_path)
    assert store.find_similar(with_options(similarity="euclidean")).folder.name == "mderank"
    assert store.find_similar(with_options(max_words=128)).folder.name == "cut"
    assert store.find_similar(with_options(max_words=256)).folder.name == "cut"  # the longer one
    assert store.find_similar(SETTINGS | {"dataset": "inspec"}) is None


def test_what_is_not_a_run(tmp_path):
    with pytest.raises(InputError, match="'mderank evaluate' writes runs"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        load_run(tmp_path)
    (tmp_path / "run.json").write_text('{"dataset": "x"}')
    (tmp_path / "documents.jsonl").write_text("{}}\n")
    with pytest.raises(InputError, match=r"documents.jsonl:1 is not JSON"):
        load_run(tmp_path)


def test_only_documents_that_are_not_english_have_a_language():
    for code in ("en", "fr"):
        outcome = DocumentOutcome("1", (Prediction("réseaux"),), (1.0,), ("réseau",), 0.1, None, language=code)
        line = outcome.to_dict()
        assert line.get("language") == (None if code == "en" else code)
        assert line["hits"] == ([] if code == "en" else [1])
        assert DocumentOutcome.from_dict(line) == outcome

from __future__ import annotations

import json

import pytest

from mderank.research.reproduction.cost import estimate, scaled
from mderank.research.reproduction.shelf import Kept, Shelf, identity
from mderank.research.reproduction.wanted import Wanted

SETTINGS = {
    "label": "mderank",
    "method": "mderank",
    "dataset": "nus",
    "input": "paper",
    "masking": "all",
    "model": "minilm-l6",
    "pooling": None,
    "exact": False,
    "limit": None,
    "max_words": 512,
    "max_tokens": 512,
    "assignments": [],
    "encoder": {"name": "minilm-l6", "sha256": "abc"},
    "resolved": {"pooling": "mean", "layer": 6, "exact": False},
    "versions": {"numpy": "2"},
}


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
    same = SETTINGS | {"label": "other", "pooling": "mean", "limit": 5, "versions": {}, "model": "/tmp/minilm"}
    assert identity(same) == identity(SETTINGS)
    # The name of a folder with the same weights, and settings that an older run does not have.
    moved = SETTINGS | {"encoder": {"name": "elsewhere", "sha256": "abc"}}
    moved.pop("assignments")
    assert identity(moved) == identity(SETTINGS)


@pytest.mark.parametrize(
    "change",
    [
        {"masking": "once"},
        {"max_words": 128},
        {"encoder": {"name": "minilm-l6", "sha256": "abd"}},
        {"resolved": {"pooling": "max", "layer": 6, "exact": False}},
        {"dataset_sha256": "1"},
        {"assignments": ["window=3"]},
        {"documents": ["117"]},
        {"tagger_version": "9"},
    ],
)
def test_what_changes_predictions_is_another_run(change):
    assert identity(SETTINGS | change) != identity(SETTINGS)


def test_files_are_known_by_their_bytes():
    one = SETTINGS | {"assignments": ["sent2vec=/a/wiki.bin", "x=1"], "files": {"sent2vec": "f00"}}
    assert identity(one) == identity(one | {"assignments": ["sent2vec=/b/wiki.bin", "x=1"]})
    assert identity(one) != identity(one | {"files": {"sent2vec": "ba2"}})
    assert identity(one) != identity(one | {"assignments": ["sent2vec=/a/wiki.bin", "x=2"]})


def test_a_longer_run_serves_and_a_shorter_or_unfinished_one_does_not(keep, tmp_path):
    keep(None, label="unfinished")
    ten = keep(10, label="ten", limit=10)
    whole = keep(211, label="whole")
    shelf = Shelf(tmp_path)
    assert shelf.find(SETTINGS, 10).folder == ten
    assert shelf.find(SETTINGS, 11).folder == whole
    assert shelf.find(SETTINGS, 212) is None
    assert shelf.find(SETTINGS | {"masking": "once"}, 5) is None
    # But others can go on from a shorter one.
    assert shelf.begun(SETTINGS, 10) is None
    assert shelf.begun(SETTINGS, 211).folder == ten
    assert shelf.begun(SETTINGS, 212).folder == whole
    assert shelf.begun(SETTINGS | {"versions": {"numpy": "3"}}, 212) is None


def test_what_cannot_be_read_is_not_there(keep, tmp_path):
    (keep(5) / "run.json").write_text("{")
    assert Shelf(tmp_path).find(SETTINGS, 1) is None
    assert Shelf(tmp_path / "nowhere").find(SETTINGS, 1) is None


def test_a_run_goes_on_in_its_folder_and_never_into_anothers(keep, tmp_path):
    shelf = Shelf(tmp_path)
    assert shelf.place(SETTINGS) == tmp_path / "nus" / "mderank"
    keep(None)
    assert shelf.place(SETTINGS) == tmp_path / "nus" / "mderank"
    other = SETTINGS | {"limit": 7}
    assert shelf.place(other) == tmp_path / "nus" / "mderank~2"
    keep(None, limit=7, label="mderank~2")
    assert shelf.place(other) == tmp_path / "nus" / "mderank~2"
    assert shelf.place(SETTINGS | {"limit": 8}) == tmp_path / "nus" / "mderank~3"


def test_a_run_that_did_not_record_a_package_goes_on_and_one_with_another_version_does_not(keep, tmp_path):
    keep(None)
    shelf = Shelf(tmp_path)
    assert shelf.place(SETTINGS | {"versions": {"numpy": "2", "torch": "2.13"}}).name == "mderank"
    assert shelf.place(SETTINGS | {"versions": {"numpy": "3", "torch": "2.13"}}).name == "mderank~2"
    # But documents are never copied from it into a run that says which torch it was made with.
    keep(5, label="short", versions={"numpy": "2"})
    assert Shelf(tmp_path).begun(SETTINGS | {"versions": {"numpy": "2", "torch": "2.13"}}, 9) is None


def test_costs_are_told_by_runs_like_it(keep, tmp_path):
    keep(10, label="cut", max_words=128)
    keep(5)
    keep(5, label="exact", resolved=SETTINGS["resolved"] | {"exact": True})
    shelf = Shelf(tmp_path)
    assert shelf.like(SETTINGS | {"similarity": "euclidean"}).folder.name == "mderank"
    assert shelf.like(SETTINGS | {"max_words": 128}).folder.name == "cut"
    assert shelf.like(SETTINGS | {"max_words": 256}).folder.name == "cut"  # the longer one
    assert shelf.like(SETTINGS | {"dataset": "inspec"}) is None


def test_estimates_grow_with_what_is_read():
    lengths = [1000, 200]
    plain = Wanted("nus", "mderank")
    exact = Wanted("nus", "mderank", ("--exact",))
    short = Wanted("nus", "mderank", ("--exact", "--max-words", "128"))
    highest = Wanted("nus", "mderank", ("--masking", "highest", "--exact"))
    times = [estimate(each, lengths, 1e-4) for each in (plain, short, exact, highest)]
    assert times == sorted(times)
    assert times[2] > 20 * times[0]
    assert estimate(Wanted("nus", "yake"), lengths, 0.0) > 0


def test_estimates_from_a_run_that_read_less(tmp_path):
    settings = SETTINGS | {"max_words": 128}
    kept = Kept(tmp_path, settings, 10, 3.0)
    same = Wanted("nus", "mderank", ("--max-words", "128"))
    assert scaled(same, [1000] * 4, kept) == pytest.approx(12.0)
    assert 12.0 < scaled(Wanted("nus", "mderank", ("--max-words", "256")), [1000] * 4, kept) < 30.0

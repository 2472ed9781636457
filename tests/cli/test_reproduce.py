"""The command from end to end, on tiny encoders and a few tiny documents."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil

import pytest

from mderank.methods import encoder_base

SETS = ("inspec", "semeval2017", "semeval2010", "duc2001", "krapivin", "nus")
TEXTS = (
    ("Coral reefs protect the coast from storms. Warm water bleaches coral, and bleached reefs lose their fish.",
     ["coral reef", "warm water", "storms"]),
    ("Marine reserves let the reefs recover, where fishing stops and the water stays cool. The harbour has salt water.",
     ["marine reserve", "fishing", "salt water"]),
    ("Winter storms close the harbours. The committee protects the coast, the reefs and the fish.",
     ["winter storm", "coast"]),
)  # fmt: skip


@pytest.fixture
def sets(tmp_path):
    """Six sets of three documents, and the one of Table 1 among those of NUS."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in SETS:
        documents = [
            {"id": "117" if name == "nus" and number == 2 else f"{name}-{number}", "title": "", "text": text,
             "keyphrases": gold}
            for number, (text, gold) in enumerate(TEXTS)
        ]  # fmt: skip
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in documents))
    return folder


@pytest.fixture
def reproduce(run, sets, tmp_path):
    def invoke(*arguments):
        places = ("--data-dir", sets, "--runs", tmp_path / "runs", "--out", tmp_path / "out")
        return run("reproduce", *arguments, "--no-verify", *places)

    return invoke


def cells(tmp_path, table):
    rows = csv.DictReader(io.StringIO((tmp_path / "out" / "reproduction.csv").read_text()))
    return [row for row in rows if row["table"] == table]


def folders(tmp_path, name="*"):
    return sorted(file.parent.name for file in (tmp_path / "runs").glob(f"{name}/*/summary.json"))


@pytest.mark.slow
def test_all_tables_with_everything_at_hand(reproduce, tiny_model, tmp_path):
    bert, bigbird = tiny_model("bert"), tiny_model("bigbird")
    electra = tiny_model("electra")
    models = ("--model", bert, "--long-encoder", bigbird, "--kpe", f"ab={electra}", "--kpe", f"re={bert}",
              "--kpe", f"textrank={bert}")  # fmt: skip
    result = reproduce("all", *models)
    assert result.exit_code == 0, result.stderr
    # All is measured but for Sent2Vec, and the long texts that are read in one pass or by BigBird only.
    empty = {(row["table"], row["row"]) for row in cells(tmp_path, "table3") if not row["ours"]}
    assert empty == {("table3", "EmbedRank(Sent2Vec)+MMR")}
    for table in ("table2", "table4", "table5", "table6", "table8", "table9", "table10", "figure3"):
        assert all(row["ours"] for row in cells(tmp_path, table)), table
    long = {(row["row"], row["column"]): row for row in cells(tmp_path, "table7") if row["block"] == "F1@15"}
    assert all(long["MDERank(BigBird)", column]["ours"] for column in ("NUS (512)", "NUS (2000)", "Krapivin (2500)"))
    assert not long["MDERank(BigBird)", "NUS (whole)"]["ours"]
    assert long["EmbedRank(BERT)", "Krapivin (whole)"]["ours"]
    assert {row["ours"] != "" for row in cells(tmp_path, "table1")} == {True}
    assert "not run" not in result.stdout
    assert "document=117" in " ".join(folders(tmp_path, "nus"))
    text = (tmp_path / "out" / "reproduction.md").read_text()
    assert f"{bert.name} (2 layers, max pooling)" in text
    assert "cannot do one pass" in text  # BigBird
    for name in ("reproduction.html", "reproduction.tex", "claims.csv"):
        assert (tmp_path / "out" / name).stat().st_size > 1000

    # Asked again, there is nothing to do, and the same is written.
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()}
    again = reproduce("all", *models)
    assert "0 to do; nothing to run" in again.stderr
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").iterdir()} == before


@pytest.mark.slow
def test_numbers_are_those_of_evaluate_whose_runs_are_used(reproduce, run, sets, tiny_model, tmp_path):
    model = tiny_model("bert")
    arguments = ("evaluate", "-d", "nus", "--method", "mderank", "--model", model, "--exact", "--label", "mine",
                 "--no-verify", "--data-dir", sets, "--out", tmp_path / "runs")  # fmt: skip
    printed = run(*arguments).stdout
    result = reproduce("document-length", "--model", model)
    assert result.exit_code == 0, result.stderr
    assert "9 runs, 1 there, 8 to do" in result.stderr
    f1 = printed.splitlines()[4].split()[1:4]
    rows = [row for row in cells(tmp_path, "table5") if row["block"] == "512 words" and "exact" in row["measured_with"]]
    assert [row["ours"] for row in rows] == f1
    assert [row["paper"] for row in rows] == ["15.24", "18.33", "17.95"]
    difference = float(f1[0]) - 15.24
    assert float(rows[0]["difference"]) == pytest.approx(difference, abs=0.005)


@pytest.mark.slow
def test_tokens_computed_at_once_change_nothing_but_the_calls(reproduce, monkeypatch, tmp_path):
    sizes = []

    def embed(*arguments, **options):
        sizes.append((options["exact"], options["batch_tokens"]))
        return real(*arguments, **options)

    real = encoder_base.embed
    monkeypatch.setattr(encoder_base, "embed", embed)
    assert reproduce("table5", "--batch-tokens", "500", "--limit", "1", "-q").exit_code == 0
    assert set(sizes) == {(True, 500), (False, None)}
    settings = json.loads((tmp_path / "runs" / "nus" / "mderank-exact-limit=1" / "run.json").read_text())
    assert settings["options"]["batch_tokens"] == 500  # recorded, but no other run
    assert "0 to do; nothing to run" in reproduce("table5", "--limit", "1").stderr


def test_a_plan_runs_nothing_and_lists_the_commands(reproduce, tmp_path):
    result = reproduce("table5", "--dry-run", "--exact-limit", "2")
    assert result.exit_code == 0, result.stderr
    assert "9 runs: 0 are there, 9 to do" in result.stdout
    assert "mderank evaluate --dataset nus --method mderank --exact --max-words 128 --limit 2" in result.stdout
    assert not (tmp_path / "runs").exists()
    assert not (tmp_path / "out").exists()


def test_a_plan_counts_the_layers_that_are_computed(reproduce, monkeypatch):
    monkeypatch.setattr("mderank.research.reproduction.reproduce.measure_encoder", lambda _: 10.0)
    result = reproduce("table6", "--dry-run", "--mode", "one-pass")
    assert result.exit_code == 0, result.stderr
    seconds = {}
    for minutes, rest, layer in re.findall(
        r"(\d+) min (\d+) s  mderank evaluate --dataset duc2001 --method mderank(?: --layer (\d))?\n", result.stdout
    ):
        seconds[int(layer or 6)] = 60 * int(minutes) + int(rest)
    assert sorted(seconds) == [2, 3, 6]
    assert seconds[3] == pytest.approx(seconds[6] / 2, abs=1)
    assert seconds[2] == pytest.approx(seconds[6] / 3, abs=1)


@pytest.mark.slow
def test_limits_and_what_is_empty_without_runs(reproduce, tmp_path):
    result = reproduce("document-length", "--limit", "1", "--limit", "nus=2", "--exact-limit", "1", "-q")
    assert result.exit_code == 0
    assert (result.stdout, result.stderr) == ("", "")
    counts = {row["measured_with"]: (row["documents"], row["of"]) for row in cells(tmp_path, "table5")}
    assert counts == {
        "minilm-l6": ("2", "3"),
        "minilm-l6, exact": ("1", "3"),
        "minilm-l6, one pass": ("2", "3"),
    }
    assert "mderank-exact-limit=1" in folders(tmp_path, "nus")
    # More documents are other runs; without them, the cells are empty.
    assert reproduce("document-length", "--no-run", "-q").exit_code == 0
    assert {row["ours"] for row in cells(tmp_path, "table5")} == {""}
    # Fewer documents are the beginning of what is there.
    reproduce("document-length", "--no-run", "-q", "--limit", "1")
    assert {row["documents"] for row in cells(tmp_path, "table5")} == {"1"}


@pytest.mark.slow
def test_other_versions_are_said_and_packages_of_some_runs_are_not(reproduce, tiny_model, tmp_path):
    result = reproduce("table5", "--mode", "one-pass", "--model", tiny_model("bert"))
    assert "different versions" not in result.stderr
    result = reproduce("main", "--mode", "one-pass", "--model", tiny_model("bert"), "--limit", "1")
    assert result.exit_code == 0, result.stderr  # YAKE needs no torch
    assert "different versions" not in result.stderr
    file = tmp_path / "runs" / "nus" / f"embedrank-model={tiny_model('bert').name}" / "run.json"
    settings = json.loads(file.read_text())
    file.write_text(json.dumps(settings | {"versions": settings["versions"] | {"torch": "1.0"}}))
    result = reproduce("table5", "--mode", "one-pass", "--model", tiny_model("bert"))
    assert "0 to do" in result.stderr
    assert "made with different versions of torch: see run.json" in result.stderr


@pytest.mark.slow
def test_runs_of_encoders_with_the_same_folder_name(reproduce, tiny_model, tmp_path):
    for name, kind in (("ab-yake", "bert"), ("re-yake", "electra")):
        shutil.copytree(tiny_model(kind), tmp_path / name / "model")
    kpe = [f"{name[:2]}={tmp_path / name / 'model'}" for name in ("ab-yake", "re-yake")]
    arguments = ("main", "--mode", "one-pass", "--limit", "1", "--kpe", kpe[0], "--kpe", kpe[1])
    result = reproduce(*arguments)
    assert result.exit_code == 0, result.stderr
    labels = [label for label in folders(tmp_path, "nus") if "model=" in label]
    assert labels == ["mderank-model=ab-yake_model-limit=1", "mderank-model=re-yake_model-limit=1"]
    assert "0 to do" in reproduce(*arguments).stderr


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on(reproduce, tmp_path):
    reproduce("table5", "--mode", "one-pass", "-q")
    folder = tmp_path / "runs" / "nus" / "embedrank"
    whole = (folder / "documents.jsonl").read_text()
    lines = whole.splitlines(keepends=True)
    (folder / "documents.jsonl").write_text(lines[0] + lines[1][:20])
    (folder / "summary.json").unlink()
    result = reproduce("table5", "--mode", "one-pass")
    assert "6 runs, 5 there, 1 to do" in result.stderr
    went_on = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
    assert [each["predictions"] for each in went_on] == [json.loads(line)["predictions"] for line in lines]
    assert (folder / "summary.json").is_file()


@pytest.mark.slow
def test_more_documents_go_on_from_fewer(reproduce, tmp_path):
    reproduce("table5", "--mode", "one-pass", "-q", "--limit", "2")
    few = tmp_path / "runs" / "nus" / "embedrank-limit=2" / "documents.jsonl"
    lines = [json.loads(line) for line in few.read_text().splitlines()]
    few.write_text("".join(json.dumps(line | {"seconds": 77}) + "\n" for line in lines))  # to know them again
    reproduce("table5", "--mode", "one-pass", "-q")
    whole = (tmp_path / "runs" / "nus" / "embedrank" / "documents.jsonl").read_text().splitlines()
    assert [json.loads(line)["seconds"] == 77 for line in whole] == [True, True, False]
    assert few.read_text().count("\n") == 2
    assert {row["documents"] for row in cells(tmp_path, "table5")} == {"3"}


@pytest.mark.slow
def test_a_set_that_is_missing_leaves_its_cells_empty(reproduce, sets, tmp_path):
    (sets / "krapivin.jsonl").unlink()
    result = reproduce("table10", "--mode", "one-pass")
    assert result.exit_code == 1
    assert "the dataset krapivin is not there" in result.stderr
    found = {(row["row"], row["column"]): row["ours"] for row in cells(tmp_path, "table10")}
    assert found["EmbedRank(Cos)", "NUS"]
    assert not found["EmbedRank(Cos)", "Krapivin"]
    assert not found["EmbedRank(Cos)", "AVG"]
    for file in sets.iterdir():
        file.unlink()
    assert reproduce("table10").exit_code == 2


def test_wrong_usage(reproduce):
    result = reproduce("table12")
    assert result.exit_code == 2
    assert "'table12' is not a table of the paper" in result.stderr
    result = reproduce("--kpe", "best=folder")
    assert result.exit_code == 2
    assert "write NAME=DIR, where NAME is one of ab, re, yake, textrank" in result.stderr
    for limit in ("0", "many", "nus=", "=3", "best=4"):
        result = reproduce("--limit", limit)
        assert result.exit_code == 2
        assert "write N or DATASET=N" in result.stderr
    result = reproduce("--model", "./nowhere")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr

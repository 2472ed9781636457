"""``mderank datasets``."""

from __future__ import annotations

import json

import pytest

from mderank.research.datasets import DATASETS
from mderank.research.datasets.importers import IMPORTERS

LINES = (
    {"id": "1", "title": "", "text": "Coral reefs protect the coast.", "keyphrases": ["coral reef", "coastal storms"]},
    {"id": "2", "title": "", "text": "Tides.", "keyphrases": []},
)


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """A data folder with one small set."""
    monkeypatch.delenv("MDERANK_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "sets"
    folder.mkdir()
    (folder / "own.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return folder


def _names(table):
    """The datasets in a printed table: below the title, an empty line, the header and a rule."""
    return [line.split()[0] for line in table.splitlines()[4:]]


def test_the_table(run, sets):
    result = run("datasets", "--data-dir", sets, "-d", "own")
    assert result.exit_code == 0
    assert result.stdout == (
        "Labelled datasets\n\n"
        "dataset  language  docs  N_KP (paper)  L_KP (paper)  L_Doc (paper)  present  in 512 words\n"
        "─────────────────────────────────────────────────────────────────────────────────────────\n"
        "own            en     2          1.00          2.00           3.00   50.0 %        50.0 %\n"
    )
    assert "mderank: note: own: the document '2' has no gold keyphrases" in result.stderr


def test_all_sets_that_are_here(run, sets):
    result = run("datasets", "--data-dir", sets)
    assert _names(result.stdout) == ["everyday", "everyday_held_out", "own"]
    assert f"note: nus is not here; {DATASETS['nus'].source}: {DATASETS['nus'].import_command}" in result.stderr
    assert "everyday is not here" not in result.stderr
    assert f"note: pt_news is not here; {DATASETS['pt_news'].source}\n" in result.stderr


def test_the_languages_of_a_set(run, sets):
    lines = [{**LINES[0], "id": code, "language": code} for code in ("de", "en")]
    (sets / "own.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert " de, en     2 " in run("datasets", "--data-dir", sets, "-d", "own").stdout
    (record,) = json.loads(run("datasets", "--data-dir", sets, "-d", "own", "--json").stdout)
    assert record["languages"] == ["de", "en"]


def test_quiet_says_nothing_else(run, sets):
    assert run("datasets", "--data-dir", sets, "--quiet").stderr == ""


def test_markdown(run, sets):
    assert run("datasets", "-d", sets / "own.jsonl", "--markdown").stdout == (
        "## Labelled datasets\n\n"
        "| dataset | language | docs | N\\_KP (paper) | L\\_KP (paper) | L\\_Doc (paper) | present | in 512 words |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| own | en | 2 | 1.00 | 2.00 | 3.00 | 50.0 % | 50.0 % |\n"
    )


def test_json_with_the_candidate_recall(run, sets):
    (record,) = json.loads(
        run("datasets", "--data-dir", sets, "--dataset", "own", "--candidate-recall", "--json").stdout
    )
    assert record["name"] == "own"
    assert record["known"] is None
    assert (record["present"], record["candidate_recall"], record["document_words"]) == (0.5, 0.5, 3.0)
    assert record["notes"] == ["the document '2' has no gold keyphrases"]


def test_the_candidate_recall_is_a_column(run, sets):
    *_, header, _, line = run("datasets", "--data-dir", sets, "-d", "own", "--candidate-recall").stdout.splitlines()
    assert header.endswith("in 512 words  candidate recall")
    assert line.endswith("50.0 %            50.0 %")


def test_the_paper_s_values_stand_beside(run, sets):
    (sets / "own.jsonl").rename(sets / "inspec.jsonl")
    assert "1.00 (9.82)" in run("datasets", "--data-dir", sets, "--no-verify").stdout


def test_a_wrong_checksum_is_an_error(run, sets):
    (sets / "own.jsonl").rename(sets / "inspec.jsonl")
    result = run("datasets", "--data-dir", sets, "-d", "inspec", "-q")
    assert result.exit_code == 2
    assert result.stderr.startswith("mderank: error: ")
    assert f"expected {DATASETS['inspec'].sha256}" in result.stderr
    assert result.stdout == ""


def test_one_bad_set_does_not_hide_the_others(run, sets):
    (sets / "broken.jsonl").write_text("{\n", encoding="utf-8")
    result = run("datasets", "--data-dir", sets, "-q")
    assert result.exit_code == 1
    assert "broken.jsonl:1: this line is not JSON" in result.stderr
    assert result.stdout.splitlines()[-1].split()[:3] == ["own", "en", "2"]


def test_without_a_folder_the_sets_of_the_package_are_there(run, sets):
    result = run("datasets", "-q")
    assert (result.exit_code, result.stderr) == (0, "")
    assert _names(result.stdout) == ["everyday", "everyday_held_out"]


def test_an_unknown_name(run, sets):
    result = run("datasets", "--data-dir", sets, "-d", "inspect")
    assert result.exit_code == 2
    assert "the dataset 'inspect' is unknown: it is one of inspec, " in result.stderr


def test_the_kinds_of_the_help_are_those_of_the_library(run):
    shown = run("datasets", "import", "--help").stdout
    assert all(f"\n  {kind} " in shown for kind in IMPORTERS)


def test_an_unknown_kind(run, source, tmp_path):
    result = run("datasets", "import", source, "inspect", tmp_path / "own.jsonl")
    assert result.exit_code == 2
    assert "the kind 'inspect' is unknown: it is one of inspec, duc2001, " in result.stderr


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "Inspec"
    folder.mkdir()
    for number in (1, 2):
        (folder / f"{number}.abstr").write_text(f"Title {number}\nText {number}.\n", encoding="utf-8")
    (folder / "1.uncontr").write_text("reefs; tides", encoding="utf-8")
    return folder


def test_import(run, source, tmp_path):
    result = run("datasets", "import", source, "inspec", tmp_path / "inspec.jsonl")
    assert result.exit_code == 0
    assert f"{tmp_path / 'inspec.jsonl'}: 2 documents, 2 gold keyphrases, SHA-256 " in result.stderr
    assert "note: 1 documents have no gold keyphrases" in result.stderr
    assert "note: this is not byte for byte the 'inspec' that results are published for (500 documents" in result.stderr
    first = json.loads((tmp_path / "inspec.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first == {"id": "1", "title": "Title 1", "text": "Text 1.", "keyphrases": ["reefs", "tides"]}


def test_import_some(run, source, tmp_path):
    (tmp_path / "ids.txt").write_text("2\n\n", encoding="utf-8")
    result = run("datasets", "import", source, "inspec", tmp_path / "own.jsonl", "--ids", tmp_path / "ids.txt", "-q")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads((tmp_path / "own.jsonl").read_text(encoding="utf-8"))["id"] == "2"


def test_import_of_the_wrong_kind(run, source, tmp_path):
    result = run("datasets", "import", source, "duc2001", tmp_path / "own.jsonl")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"mderank: error: {source} has no annotations.txt")
    assert not (tmp_path / "own.jsonl").exists()

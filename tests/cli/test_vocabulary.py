"""`mderank vocabulary`, and ``--vocabulary`` of other commands."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
TABLE = EXAMPLES / "tides.csv"
TEXT = EXAMPLES / "tides.txt"


# --- --vocabulary -----------------------------------------------------------------------------------------------------


def test_extract_names_the_concepts_in_every_format(run):
    arguments = ("extract", "--vocabulary", TABLE, "--method", "firstphrases", "-k", 2, TEXT)
    (first, second) = json.loads(run(*arguments, "-f", "json").stdout)[0]["keyphrases"]
    assert (first["text"], first["concept"]) == ("storm surges", {"id": "t3", "label": "storm surge"})
    assert second["concept"]["id"] == "t4"
    lines = run(*arguments).stdout.splitlines()
    assert lines[1].endswith("storm surges  = storm surge  (t3)")
    (row, _) = csv.DictReader(io.StringIO(run(*arguments, "-f", "csv").stdout))
    assert (row["keyphrase"], row["concept_id"], row["concept_label"]) == ("storm surges", "t3", "storm surge")
    assert "<small>= storm surge  (t3)</small>" in run(*arguments, "-f", "html").stdout


def test_a_configuration_file_names_a_vocabulary(run, tmp_path):
    config = tmp_path / "mderank.toml"
    config.write_text(f'vocabulary = "{TABLE.as_posix()}"\nmatch = "exact"\nmethod = "firstphrases"\n')
    found = json.loads(run("extract", "--config", config, "-f", "json", TEXT).stdout)[0]
    assert "tide gauges" not in {each["text"] for each in found["keyphrases"]}
    assert "tide" in {each["text"] for each in found["keyphrases"]}


def test_a_list_of_phrases_is_a_vocabulary_too(run, tmp_path):
    (tmp_path / "v.txt").write_text("tide gauge\n")
    arguments = ("extract", "--vocabulary", tmp_path / "v.txt", "--method", "firstphrases", TEXT)
    assert run(*arguments).stdout.splitlines()[1].endswith("tide gauges  = tide gauge")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--phrases", TABLE), "phrases and vocabulary exclude each other: give one of them"),
        (("--ngrams", "1-2"), "ngrams and vocabulary exclude each other"),
        (("--max-phrase-words", "2"), "vocabulary and max_phrase_words exclude each other"),
        (("--stop-words", TABLE), "vocabulary and stop_words exclude each other: listed phrases are used as they are"),
    ],
)
def test_what_excludes_a_vocabulary(run, arguments, message):
    result = run("extract", "--vocabulary", TABLE, *arguments, TEXT)
    assert (result.exit_code, message in result.stderr) == (2, True)


def test_a_file_that_is_not_there(run):
    result = run("extract", "--vocabulary", "none.ttl", TEXT)
    assert result.exit_code == 2
    assert "none.ttl: there is no such file: name the file of a vocabulary" in result.stderr


def test_a_batch_records_the_checksum_and_a_collection_counts_by_concept(run, tmp_path):
    (tmp_path / "in").mkdir()
    for number, text in enumerate(("The surge rises.", "A storm surge falls.", "The gauges stand.")):
        (tmp_path / "in" / f"{number}.txt").write_text(text)
    vocabulary, out = tmp_path / "v.csv", tmp_path / "out"
    vocabulary.write_bytes(TABLE.read_bytes())
    arguments = (
        "batch",
        "--vocabulary",
        vocabulary,
        "--method",
        "firstphrases",
        "--processes",
        1,
        tmp_path / "in",
        out,
    )
    assert run(*arguments).exit_code == 0
    files = json.loads((out / "_mderank" / "manifest.json").read_text())["settings"]["files"]
    assert list(files) == [str(vocabulary)]
    found = json.loads(run("collection", out, "-f", "json").stdout)["phrases"]
    assert [(each["text"], each["concept"], each["documents"]) for each in found] == [
        ("storm surge", "t3", 2), ("tide gauge", "t2", 1),
    ]  # fmt: skip
    vocabulary.write_text("label\nsurge\n")
    assert "was started with other settings (settings.files." in run(*arguments).stderr
    refused = run("vocabulary", "suggest", TABLE, out, "-q")
    assert refused.exit_code == 2
    assert "its keyphrases are concepts of a vocabulary: extract them without --vocabulary" in refused.stderr


def test_a_batch_with_a_vocabulary_that_cannot_be_read_writes_nothing(run, tmp_path):
    for name, message in (("none.ttl", "there is no such file"), ("v.csv", "is empty")):
        (tmp_path / "v.csv").write_text("")
        result = run("batch", "--vocabulary", tmp_path / name, TEXT, tmp_path / "out")
        assert (result.exit_code, message in result.stderr) == (2, True)
        assert not (tmp_path / "out").exists()


# --- check, show, convert ---------------------------------------------------------------------------------------------


def test_check_counts_and_lists_ambiguous_labels(run, tmp_path):
    file = tmp_path / "v.json"
    concepts = [
        {"id": "a", "label": {"en": "bank", "de": "Bank"}},
        {"id": "b", "label": {"en": "shore"}, "synonyms": {"en": "banks"}},
        {"id": "c", "label": {"en": "Mercury (planet)"}}, {"id": "d", "label": {"en": "Mercury (metal)"}},
        {"id": "e", "label": {"en": "mill"}, "deprecated": True}, {"id": "f", "label": ""},
    ]  # fmt: skip
    file.write_text(json.dumps(concepts))
    result = run("vocabulary", "check", file)
    assert result.exit_code == 0
    assert result.stdout == (
        f"{file}: 4 concepts\n"
        "  labels          5 preferred, 1 alternative, 0 hidden\n"
        "  languages       en 5, de 1\n"
        "  deprecated      1 concept, left out\n"
        "  without label   1 concept, left out\n"
        "  ambiguous       2 labels\n"
        "    bank: found as bank (a, preferred), not as shore (b, alternative)\n"
        "    Mercury: not found without a qualifier: Mercury (planet) (c), Mercury (metal) (d)\n"
    )
    data = json.loads(run("vocabulary", "check", file, "-f", "json").stdout)
    assert data["labels"] == {"preferred": 5, "alternative": 1, "hidden": 0}
    assert data["ambiguous"][0] == {
        "label": "bank", "is_found": True,
        "concepts": [
            {"id": "a", "label": "bank", "kind": "preferred"}, {"id": "b", "label": "shore", "kind": "alternative"},
        ],
    }  # fmt: skip
    assert "ambiguous       0 labels" in run("vocabulary", "check", file, "--language", "de-AT").stdout
    refused = run("vocabulary", "check", file, "--language", "fr")
    assert "--language fr: the vocabulary has no labels in it; its languages are en, de" in refused.stderr


def test_check_says_what_of_a_file_is_not_used_or_used_otherwise(run, tmp_path):
    (tmp_path / "v.csv").write_text("id;label;Synonyme\n1;tide;flux\n1;ebb;\n")
    lines = run("vocabulary", "check", tmp_path / "v.csv").stdout.splitlines()
    assert "  alternative     1 preferred label beside another one of the same concept and language" in lines
    assert "  not used        columns or fields: Synonyme" in lines
    data = json.loads(run("vocabulary", "check", tmp_path / "v.csv", "-f", "json").stdout)
    assert (data["second_preferred"], data["unused"]) == (1, ["Synonyme"])


def test_check_shows_some_of_many_concepts_with_one_label(run, tmp_path):
    (tmp_path / "v.csv").write_text("id,label\n" + "".join(f"{number},tide\n" for number in range(9)))
    last = run("vocabulary", "check", tmp_path / "v.csv").stdout.splitlines()[-1]
    assert last.endswith("tide (4, preferred), and 4 more")
    found = json.loads(run("vocabulary", "check", tmp_path / "v.csv", "-f", "json").stdout)["ambiguous"]
    assert [len(each["concepts"]) for each in found] == [9]


def test_show_says_why_a_label_without_its_qualifier_is_not_found(run, tmp_path):
    (tmp_path / "v.txt").write_text("Mercury (planet)\nMercury (metal)\n")
    result = run("vocabulary", "show", tmp_path / "v.txt", "mercury")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "mercury: not found without a qualifier: Mercury (planet), Mercury (metal)\n"


def test_show_has_all_labels_of_the_concept_that_a_phrase_leads_to(run):
    result = run("vocabulary", "show", TABLE, "Mareographs", "harbour")
    assert result.exit_code == 2
    assert result.stdout.splitlines() == [
        "tide gauge  (t2)",
        "  preferred           tide gauge",
        "  alternative         gauge",
        "  alternative         mareograph",
        "  alternative         sea level recorder",
    ]
    assert "no label is a form of 'harbour'" in result.stderr


def test_convert_writes_json_that_is_the_same_vocabulary(run, tmp_path):
    from mderank import load_vocabulary

    out = tmp_path / "v.json"
    assert run("vocabulary", "convert", TABLE, "-o", out).exit_code == 0
    assert load_vocabulary(out) == load_vocabulary(TABLE)
    assert run("vocabulary", "convert", TABLE).stdout == out.read_text()
    (tmp_path / "w.json").write_text('[{"label": "ebb", "note": 1}, {"label": "mill", "deprecated": true}]')
    result = run("vocabulary", "convert", tmp_path / "w.json")
    assert result.stdout == '[\n{"id": "ebb", "label": {"": "ebb"}}\n]\n'
    assert result.stderr.splitlines() == [
        f"mderank: note: {tmp_path / 'w.json'}: deprecated: 1 concept, left out",
        f"mderank: note: {tmp_path / 'w.json'}: not used: columns or fields: note",
    ]
    assert "the suffix must be .json" in run("vocabulary", "convert", TABLE, "-o", tmp_path / "v.ttl").stderr


# --- suggest ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    texts = (
        "Coastal storm surges flood the salt marsh. Salt marshes slow storm surges.",
        "The salt marsh grows where coastal storm surges are rare, and the tide gauge stands.",
        "Nobody reads the tide gauge.",
    )
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text)
    return folder


@pytest.mark.slow
def test_suggest_reads_documents_and_finds_what_is_missing(run, documents):
    result = run("vocabulary", "suggest", TABLE, documents, "-f", "json", "--min-confidence", 0)
    assert result.exit_code == 0
    found = {each["text"].lower(): each for each in json.loads(result.stdout)}
    assert "tide gauge" not in found
    assert found["coastal storm surges"]["relation"] == "narrower"
    assert found["coastal storm surges"]["nearest"] == {"id": "t3", "label": "storm surge"}
    marsh = found["salt marsh"]
    assert (marsh["documents"], len(marsh["examples"]), marsh["nearest"]) == (2, 2, None)
    table = run("vocabulary", "suggest", TABLE, documents, "--min-confidence", 0).stdout
    assert "narrower than storm surge" in table
    assert "in " + marsh["examples"][0]["id"] in table
    rows = list(csv.DictReader(io.StringIO(
        run("vocabulary", "suggest", TABLE, documents, "--min-confidence", 0, "-f", "csv").stdout)))  # fmt: skip
    assert [row["phrase"].lower() for row in rows] == list(found)
    assert rows[0].keys() >= {"documents", "nearest_id", "relation", "examples"}


@pytest.mark.slow
def test_suggest_reads_the_output_of_a_batch(run, documents, tmp_path):
    out = tmp_path / "out"
    assert run("batch", documents, out, "--processes", 1, "-q").exit_code == 0
    arguments = ("vocabulary", "suggest", TABLE, out, "-q", "--min-confidence", 0, "--min-documents", 2)
    assert "salt marsh" in run(*arguments).stdout.lower()
    nothing = run(*arguments, "--min-documents", 9)
    assert nothing.stdout.startswith("no good phrase is missing")


@pytest.mark.slow
def test_suggest_says_which_documents_could_not_be_read(run, documents):
    (documents / "3.txt").write_bytes(b"caf\xe9")
    result = run("vocabulary", "suggest", TABLE, documents, "-n", 1)
    assert result.exit_code == 0
    assert "3.txt: byte 3 is not utf-8" in result.stderr
    assert "note: 1 document could not be read and did not count" in result.stderr

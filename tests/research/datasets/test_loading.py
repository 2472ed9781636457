"""Finding and reading sets, and what is said of bad ones."""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import json
from pathlib import Path

import pytest

from mderank.errors import InputError, OptionError
from mderank.research.datasets import DATASETS, LabelledDocument, available, load_dataset, loading

LINES = (
    {"id": "1", "title": "Reefs", "text": "Coral reefs.", "keyphrases": ["coral reefs"]},
    {"id": 2, "title": "", "text": "Tides.", "keyphrases": ["tides", "moon"]},
)


def written(file: Path, *lines: object) -> Path:
    """A set of ``lines``: objects as JSON, strings and bytes as they are."""
    parts = [line if isinstance(line, str | bytes) else json.dumps(line) for line in lines]
    data = b"".join((part if isinstance(part, bytes) else part.encode()) + b"\n" for part in parts)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file


PACKAGED = ("everyday", "everyday_held_out")


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """No data folder but the ones that a test makes."""
    monkeypatch.delenv("MDERANK_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small_inspec(tmp_path, monkeypatch):
    """A registry whose Inspec is the two documents of LINES, and a folder that has it."""
    file = written(tmp_path / "sets" / "inspec.jsonl", *LINES)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    monkeypatch.setitem(loading.DATASETS, "inspec", dataclasses.replace(DATASETS["inspec"], sha256=sha256))
    return file.parent


def test_a_file_by_its_path(tmp_path):
    dataset = load_dataset(written(tmp_path / "own.jsonl", *LINES))
    assert dataset.documents == (
        LabelledDocument("1", "Reefs", "Coral reefs.", ("coral reefs",)),
        LabelledDocument("2", "", "Tides.", ("tides", "moon")),
    )
    assert (dataset.name, dataset.info, dataset.notes) == ("own", None, ())


def test_plain_and_compressed_files_have_the_same_checksum(tmp_path):
    plain = load_dataset(str(written(tmp_path / "a.jsonl", *LINES)))
    packed = load_dataset(str(written(tmp_path / "b.jsonl.gz", *LINES)))
    assert plain.sha256 == packed.sha256 == hashlib.sha256((tmp_path / "a.jsonl").read_bytes()).hexdigest()
    assert plain.documents == packed.documents


def test_blank_lines_and_a_byte_order_mark_do_not_count(tmp_path):
    file = written(tmp_path / "own.jsonl", b"\xef\xbb\xbf" + json.dumps(LINES[0]).encode(), "", LINES[1], "  ")
    assert [document.id for document in load_dataset(file).documents] == ["1", "2"]


def test_limit_reads_the_first_documents(tmp_path):
    file = written(tmp_path / "own.jsonl", LINES[0], "broken, but never reached")
    assert [document.id for document in load_dataset(file, limit=1).documents] == ["1"]
    with pytest.raises(OptionError, match="limit must be at least 1, not 0"):
        load_dataset(file, limit=0)


@pytest.mark.parametrize("where", ["argument", "variable", "default"])
def test_a_set_by_its_name(small_inspec, monkeypatch, where):
    if where == "variable":
        monkeypatch.setenv("MDERANK_DATA_DIR", str(small_inspec))
    if where == "default":
        small_inspec.rename("data")
    dataset = load_dataset("inspec", small_inspec if where == "argument" else None)
    assert dataset.info is loading.DATASETS["inspec"]
    assert len(dataset.documents) == 2


def test_a_set_of_the_registry_is_known_by_its_checksum(small_inspec):
    copy = (small_inspec / "inspec.jsonl").rename(small_inspec / "renamed.jsonl")
    assert load_dataset(copy).name == "inspec"


def test_a_wrong_checksum_says_both(tmp_path):
    file = written(tmp_path / "inspec.jsonl", *LINES)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    with pytest.raises(InputError, match=f"SHA-256 is {found}, expected {DATASETS['inspec'].sha256}.*--no-verify"):
        load_dataset("inspec", tmp_path)
    unverified = load_dataset("inspec", tmp_path, verify=False)
    assert unverified.info is DATASETS["inspec"]
    assert unverified.sha256 == found


def test_a_path_in_the_data_folder(tmp_path):
    written(tmp_path / "sets" / "tuning" / "dev.jsonl.gz", *LINES)
    dataset = load_dataset("tuning/dev", "sets")
    assert dataset.name == "tuning/dev"
    assert load_dataset("tuning/dev.jsonl.gz", "sets") == dataset


def test_available_names_sets_of_the_registry_first(tmp_path):
    for name in ("another.jsonl", "tuning/dev.jsonl.gz", "nus.jsonl.gz", "inspec.jsonl", "notes.txt"):
        written(tmp_path / name, *LINES)
    assert available(tmp_path) == ("inspec", "nus", *PACKAGED, "another", "tuning/dev")


def test_without_a_folder_the_sets_of_the_package_are_available():
    assert available() == PACKAGED
    for name in PACKAGED:
        dataset = load_dataset(name)
        assert dataset.judged
        assert dataset.info is DATASETS[name]
        assert dataset.notes == ()
        assert all(document.kind and document.text.strip() for document in dataset.documents)


def test_the_packaged_sets_share_no_document():
    first, second = ({document.text for document in load_dataset(name).documents} for name in PACKAGED)
    assert first.isdisjoint(second)


JUDGED = {"id": "1", "kind": "email", "text": "The boiler.", "acceptable": ["boiler"], "junk": ["Thanks"]}


def test_a_judged_dataset(tmp_path):
    empty = {**JUDGED, "id": "2", "acceptable": [], "junk": []}
    dataset = load_dataset(written(tmp_path / "own.jsonl", JUDGED, empty))
    assert dataset.documents == (
        LabelledDocument("1", "", "The boiler.", ("boiler",), ("Thanks",), "email"),
        LabelledDocument("2", "", "The boiler.", (), (), "email"),
    )
    assert (dataset.judged, dataset.notes) == (True, ())
    assert not load_dataset(written(tmp_path / "labelled.jsonl", *LINES)).judged


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (LINES[1], r"own\.jsonl: some documents have 'keyphrases' and some 'acceptable'"),
        ({**JUDGED, "id": "2", "kind": 3}, r"own\.jsonl:2: the field 'kind' is not a string"),
        ({**JUDGED, "id": "2", "junk": "Hi"}, r"own\.jsonl:2: the field 'junk' is not a list of strings"),
        ({"id": "2", "text": "", "kind": "", "acceptable": []}, r"own\.jsonl:2: the field 'junk' is missing"),
        (
            {**JUDGED, "id": "2", "junk": ["Hi", "the Boilers"]},
            r"own\.jsonl:2: 'the Boilers' is junk, and acceptable as 'boiler'",
        ),
    ],
)
def test_a_bad_judged_line_is_named(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        load_dataset(written(tmp_path / "own.jsonl", JUDGED, line))


def test_a_missing_set_says_how_to_get_it(tmp_path):
    info = DATASETS["duc2001"]
    with pytest.raises(InputError) as caught:
        load_dataset("duc2001", tmp_path)
    for part in (str(tmp_path), "--data-dir", "MDERANK_DATA_DIR", info.source, info.import_command):
        assert part in str(caught.value)


def test_an_unknown_name_lists_the_known_ones(tmp_path):
    with pytest.raises(
        InputError, match=r"the dataset 'inspect' is unknown: it is one of inspec, semeval2017, semeval2010, "
    ):
        load_dataset("inspect", tmp_path)


def test_a_missing_file(tmp_path):
    with pytest.raises(InputError, match=r"own\.jsonl: there is no such file"):
        load_dataset(tmp_path / "own.jsonl", tmp_path)


@pytest.mark.parametrize("named", ["argument", "variable"])
def test_a_data_folder_that_was_named_must_be_there(monkeypatch, named):
    if named == "variable":
        monkeypatch.setenv("MDERANK_DATA_DIR", "nope")
    source = {"argument": "--data-dir", "variable": "MDERANK_DATA_DIR"}[named]
    with pytest.raises(InputError, match=rf"the data folder nope \({source}\) is not a folder"):
        available("nope" if named == "argument" else None)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{broken", r"own\.jsonl:2: this line is not JSON: .* at column 2"),
        ("[1]", r"own\.jsonl:2: this line is not a JSON object"),
        ("[" * 100_000, r"own\.jsonl:2: this line is nested too deeply"),
        (b'{"id": "\xff"}', r"own\.jsonl:2: byte 8 is not UTF-8"),
        (
            {"title": "", "text": "", "keyphrases": []},
            r"own\.jsonl:2: the field 'id' is missing \(fields: title, text, ",
        ),
        ({"id": "2", "keyphrases": []}, r"own\.jsonl:2: the field 'text' is missing"),
        ({"id": "2", "text": "x"}, r"own\.jsonl:2: the field 'keyphrases' is missing"),
        ({**LINES[1], "id": None}, r"own\.jsonl:2: the field 'id' is neither"),
        ({**LINES[1], "text": 5}, r"own\.jsonl:2: the field 'text' is not a string"),
        ({**LINES[1], "title": ["x"]}, r"own\.jsonl:2: the field 'title' is not a string"),
        ({**LINES[1], "keyphrases": "a;b"}, r"own\.jsonl:2: the field 'keyphrases' is not a list of strings"),
        ({**LINES[1], "keyphrases": [["a"]]}, r"own\.jsonl:2: the field 'keyphrases' is not a list of strings"),
        ({**LINES[1], "id": 1}, r"own\.jsonl:2: the id '1' is that of line 1"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        load_dataset(written(tmp_path / "own.jsonl", LINES[0], line))


def test_documents_without_text_or_gold_stay_with_a_note(tmp_path):
    empty = {"id": "e", "title": "", "text": " \n", "keyphrases": ["x"]}
    unlabelled = {"id": "u", "text": "Tides.", "keyphrases": []}
    dataset = load_dataset(written(tmp_path / "own.jsonl", empty, unlabelled))
    assert [document.id for document in dataset.documents] == ["e", "u"]
    assert dataset.notes == ("the document 'e' has no text", "the document 'u' has no gold keyphrases")


def test_a_file_without_documents(tmp_path):
    with pytest.raises(InputError, match="there is no document in this file"):
        load_dataset(written(tmp_path / "own.jsonl", ""))


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-12], lambda data: b"plain text", lambda data: data[:20] + b"zz" * 9]
)
def test_broken_gzip(tmp_path, spoil):
    file = written(tmp_path / "own.jsonl.gz", *LINES)
    file.write_bytes(spoil(file.read_bytes()))
    with pytest.raises(InputError, match=r"own\.jsonl\.gz is not a whole gzip file"):
        load_dataset(file)


def test_a_line_with_a_number_of_many_digits(tmp_path):
    file = written(tmp_path / "a.jsonl", LINES[0], '{"id": ' + "9" * 5000 + "}")
    with pytest.raises(InputError, match=r"a\.jsonl:2: this line has a number with too many digits"):
        load_dataset(file)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_line_or_a_text_that_is_too_long(tmp_path, name):
    file = written(tmp_path / name, LINES[0], b"\0" * 5_000_000)
    with pytest.raises(InputError, match=rf"{name}:2: this line has more than 4,000 bytes.* --max-document-chars 1000"):
        load_dataset(file, max_document_chars=1000)
    assert len(load_dataset(file, max_document_chars=1000, limit=1).documents) == 1
    file = written(tmp_path / name, {**LINES[0], "text": "reef " * 300})
    with pytest.raises(
        InputError, match=rf"{name}:1: this document has more characters than --max-document-chars 1000"
    ):
        load_dataset(file, max_document_chars=1000)


FRENCH = {"id": "1", "text": "Les réseaux neuronaux.", "keyphrases": ["réseau neuronal"]}


@pytest.fixture
def small_wikinews(tmp_path, monkeypatch):
    """A registry whose Wikinews is one document without a language, and a data folder that has it for languages."""
    file = written(tmp_path / "sets" / "languages" / "fr_wikinews.jsonl.gz", FRENCH)
    sha256 = hashlib.sha256(gzip.decompress(file.read_bytes())).hexdigest()
    monkeypatch.setitem(loading.DATASETS, "fr_wikinews", dataclasses.replace(DATASETS["fr_wikinews"], sha256=sha256))
    return tmp_path / "sets"


def test_a_dataset_in_another_language_is_found_by_its_name(small_wikinews):
    for name in ("fr_wikinews", "languages/fr_wikinews", small_wikinews / "languages" / "fr_wikinews.jsonl.gz"):
        dataset = load_dataset(name, small_wikinews)
        assert (dataset.name, dataset.languages, dataset.english) == ("fr_wikinews", ("fr",), False)


def test_a_dataset_in_another_language_may_be_in_the_data_folder_itself(small_wikinews):
    (small_wikinews / "languages" / "fr_wikinews.jsonl.gz").rename(small_wikinews / "fr_wikinews.jsonl.gz")
    assert load_dataset("fr_wikinews", small_wikinews).languages == ("fr",)
    assert available(small_wikinews) == (*PACKAGED, "fr_wikinews")


def test_datasets_in_other_languages_are_listed_by_their_names(small_wikinews):
    written(small_wikinews / "languages" / "own.jsonl", *LINES)
    written(small_wikinews / "languages" / "inspec.jsonl", *LINES)
    assert available(small_wikinews) == (*PACKAGED, "fr_wikinews", "languages/inspec", "languages/own")


def test_only_datasets_in_other_languages_are_looked_for_in_their_folder(tmp_path):
    written(tmp_path / "languages" / "inspec.jsonl", *LINES)
    with pytest.raises(InputError, match="the dataset 'inspec' is not in"):
        load_dataset("inspec", tmp_path)


def test_a_missing_dataset_without_a_command_says_where_its_documents_are_from(tmp_path):
    with pytest.raises(InputError, match=r"'pt_news' is not in .*; its documents are from https://.*110-PT-BN-KP"):
        load_dataset("pt_news", tmp_path)


def test_languages_are_those_of_the_records(tmp_path):
    records = [
        {**FRENCH, "id": "1"},
        {**FRENCH, "id": "2", "language": "pt-BR"},
        {**FRENCH, "id": "3", "language": None},
    ]
    dataset = load_dataset(written(tmp_path / "own.jsonl", *records))
    assert [each.language for each in dataset.documents] == ["en", "pt", "en"]
    assert (dataset.languages, dataset.english) == (("en", "pt"), False)
    assert load_dataset(written(tmp_path / "judged.jsonl", {**JUDGED, "language": "de"})).languages == ("de",)


@pytest.mark.parametrize(
    ("language", "message"),
    [("xx", r"own\.jsonl:2: the field 'language': unknown language 'xx'"), (3, "own.jsonl:2: .*is not a string")],
)
def test_an_unknown_language_is_an_error_that_names_the_line(tmp_path, language, message):
    with pytest.raises(InputError, match=message):
        load_dataset(written(tmp_path / "own.jsonl", LINES[0], {**FRENCH, "id": "2", "language": language}))

"""From files to an output folder: the same bytes however it is run, stopped and gone on with."""

from __future__ import annotations

import gzip
import json
import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mderank.batch import BatchWorker, FailedDocumentError, Local, ShardSize, extract_folder
from mderank.batch import output_folder as folders
from mderank.errors import BatchError, InputError, MissingExtraError, OptionError
from mderank.keyphrase import Keyphrases
from mderank.options import Options
from mderank.pipeline import extract_documents
from mderank.reading import ReadOptions, SourceDocument, read_file
from mderank.testing import fake_extractor
from mderank.util.format import json_text

from .conftest import contents, rows, texts

WORK = BatchWorker(build=fake_extractor)


def extract(file, out, worker=WORK, processes=1, shard=20, batch=32, **options):
    engine = Local(processes, 1, batch_documents=batch)
    return extract_folder([str(file)], out, worker, shard_size=ShardSize(shard), engine=engine, **options)


def hostile():
    import hostile

    return BatchWorker(build=hostile.hostile)


@pytest.mark.slow
def test_the_rows_are_those_of_a_plain_loop(jsonl, tmp_path):
    file = jsonl(50)
    outcome = extract(file, tmp_path / "out", processes=2)
    loop = extract_documents(fake_extractor(), read_file(file, ReadOptions()), 10)
    expected = "".join(json_text(result.as_dict()) + "\n" for result in loop)
    parts = sorted((tmp_path / "out").glob("part-*.jsonl"))
    assert "".join(part.read_text() for part in parts) == expected
    assert (outcome.documents, outcome.shards, outcome.failed, outcome.resumed) == (50, 3, 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "batch"), [(1, 1), (1, 7), (2, 1), (2, 32), (3, 1000)])
def test_processes_and_batches_make_no_difference(jsonl, tmp_path, processes, batch):
    file = jsonl(60)
    extract(file, tmp_path / "plain")
    extract(file, tmp_path / "out", processes=processes, batch=batch)
    assert contents(tmp_path / "out") == contents(tmp_path / "plain")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl.gz", "parquet"])
def test_other_forms_of_output_are_the_same_bytes_too(jsonl, tmp_path, form):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    file = jsonl(30)
    extract(file, tmp_path / "one", output_format=form)
    extract(file, tmp_path / "two", output_format=form, processes=2, batch=3)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    extract(file, tmp_path / "lines")
    from mderank.batch.row_files import read_rows

    back = [row for part in sorted((tmp_path / "one").glob("part-*")) for row in read_rows(part)]
    if form == "parquet":
        back = [{**row, "id": int(row["id"])} for row in back]
    assert [list(row.items()) for row in back] == [list(row.items()) for row in rows(tmp_path / "lines")]


def test_parquet_without_its_extra_is_said_before_anything_is_done(jsonl, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="parquet"):
        extract(jsonl(3), tmp_path / "out", output_format="parquet")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_folder_of_texts_of_all_kinds(tmp_path):
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    (source / "a.txt").write_text("The reef is near the harbour.")
    (source / "b.md").write_text("The **sea** ice is near the [reef](http://owl.example).")
    (source / "c.html").write_text("<title>Owls</title><p>The owl is near the hill.</p>")
    (source / "d.txt").write_bytes(b"\xff\xff")
    (source / "sub" / "e.jsonl").write_text('{"id": "x", "text": "The fox."}\n{bad\n')
    (source / "sub" / "empty.txt").write_text("")
    skipped: list = []
    (source / "notes.bin").touch()
    outcome = extract(source, tmp_path / "out", processes=2, skipped=skipped.append)
    found = rows(tmp_path / "out")
    assert [row["id"] for row in found] == [
        str(source / "a.txt"),
        str(source / "b.md"),
        str(source / "c.html"),
        str(source / "d.txt"),
        "x",
        f"{source / 'sub' / 'e.jsonl'}:2",
        str(source / "sub" / "empty.txt"),
    ]
    assert [bool(row["error"]) for row in found] == [False, False, False, True, False, True, False]
    assert found[2]["text"] == "Owls\n\nThe owl is near the hill."
    assert outcome.failed == 2
    assert skipped == [source / "notes.bin"]


def test_no_documents_at_all(tmp_path):
    (tmp_path / "in.jsonl").write_text("\n\n")
    outcome = extract(tmp_path / "in.jsonl", tmp_path / "out")
    assert (outcome.documents, outcome.shards) == (0, 0)
    assert folders.load_manifest(tmp_path / "out")["result"]["documents"] == 0


def test_output_inside_the_input_is_not_read(tmp_path):
    (tmp_path / "a.txt").write_text("The reef.")
    extract(tmp_path, tmp_path / "out")
    before = contents(tmp_path / "out")
    outcome = extract(tmp_path, tmp_path / "out")
    assert outcome.resumed == outcome.documents == 1
    assert contents(tmp_path / "out") == before


def test_the_input_that_does_not_exist(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        extract(tmp_path / "none.jsonl", tmp_path / "out")


@pytest.mark.slow
def test_a_truncated_gzip_gives_what_is_there_and_one_error(tmp_path):
    lines = "".join(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(texts(300)))
    whole = gzip.compress(lines.encode())
    file = tmp_path / "in.jsonl.gz"
    file.write_bytes(whole[: len(whole) * 2 // 3])
    outcome = extract(file, tmp_path / "out", processes=2, shard=7)
    found = rows(tmp_path / "out")
    assert outcome.failed == 1
    assert [row["id"] for row in found] == [*range(len(found) - 1), str(file)]
    assert len(found) > 100
    assert "is not a whole gzip file" in found[-1]["error"]
    extract(file, tmp_path / "again", shard=7)
    assert contents(tmp_path / "again") == contents(tmp_path / "out")
    file.write_bytes(whole)
    with pytest.raises(BatchError, match="the input has changed"):
        extract(file, tmp_path / "out", shard=7)


class StoppedError(Exception):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_run_that_was_stopped_goes_on_and_ends_the_same(jsonl, tmp_path, after):
    file = jsonl(100)
    extract(file, tmp_path / "whole")
    told = []

    def stop(documents):
        told.append(documents)
        if len(told) == after + 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        extract(file, tmp_path / "out", processes=2, batch=3, advance=stop)
    assert "result" not in folders.load_manifest(tmp_path / "out")
    outcome = extract(file, tmp_path / "out", processes=2)
    assert outcome.resumed >= 20 * after + 20
    assert outcome.documents == 100
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_finished_run_is_left_as_it_is(jsonl, tmp_path, monkeypatch):
    file = jsonl(40)
    extract(file, tmp_path / "out")
    before = contents(tmp_path / "out")
    monkeypatch.setattr("mderank.batch.engines.local.WorkerPool", None)  # nobody is needed
    outcome = extract(file, tmp_path / "out")
    assert (outcome.documents, outcome.resumed) == (40, 40)
    assert contents(tmp_path / "out") == before


@pytest.mark.slow
def test_a_shard_that_was_lost_is_made_again(jsonl, tmp_path):
    file = jsonl(60)
    extract(file, tmp_path / "out")
    before = contents(tmp_path / "out")
    (tmp_path / "out" / "part-000001.jsonl").unlink()
    assert extract(file, tmp_path / "out").resumed == 40
    assert contents(tmp_path / "out") == before


def test_input_that_changed_between_runs_is_detected(jsonl, tmp_path):
    file = jsonl(60)
    with pytest.raises(StoppedError):
        extract(file, tmp_path / "out", advance=lambda documents: (_ for _ in ()).throw(StoppedError))
    when = file.stat()
    before = file.read_text()
    # One letter near the end, in a part that was not yet read; size and time as they were.
    changed = before[:-20].rpartition("near")
    file.write_text(changed[0] + "neat" + changed[2] + before[-20:])
    os.utime(file, ns=(when.st_atime_ns, when.st_mtime_ns))
    with pytest.raises(BatchError, match="the input has changed since the run began"):
        extract(file, tmp_path / "out")
    file.write_text(before)
    assert extract(file, tmp_path / "out").documents == 60


def test_files_that_came_or_went_are_detected(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    for name in "bcd":
        (source / f"{name}.txt").write_text(f"The {name} reef.")
    extract(source, tmp_path / "out", shard=1)
    (source / "c.txt").rename(source / "x.txt")
    with pytest.raises(BatchError, match="changed"):
        extract(source, tmp_path / "out", shard=1)
    (source / "x.txt").rename(source / "c.txt")
    (source / "a.txt").touch()
    with pytest.raises(BatchError, match="changed"):
        extract(source, tmp_path / "out", shard=1)


@pytest.mark.parametrize(
    "other",
    [
        {"worker": BatchWorker(Options(top_k=3), build=fake_extractor)},
        {"worker": BatchWorker(build=fake_extractor, reading=ReadOptions(id_field="key"))},
        {"shard": 30},
        {"output_format": "jsonl.gz"},
        {"worker": BatchWorker(Options(method="yake"), build=fake_extractor)},
    ],
)
def test_other_settings_are_refused(jsonl, tmp_path, other):
    file = jsonl(30)
    extract(file, tmp_path / "out")
    before = contents(tmp_path / "out")
    with pytest.raises(BatchError, match="started with other settings"):
        extract(file, tmp_path / "out", **other)
    assert contents(tmp_path / "out") == before


def test_another_extractor_is_refused_by_what_it_says_of_itself(jsonl, tmp_path, monkeypatch):
    file = jsonl(30)
    with pytest.raises(StoppedError):
        extract(file, tmp_path / "out", advance=lambda documents: (_ for _ in ()).throw(StoppedError))
    manifest = folders.load_manifest(tmp_path / "out")
    manifest["extractor"] = {**WORK.describe(), "tagger": "another"}
    (tmp_path / "out" / folders.MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(BatchError, match=r"tagger: 'another', now 'FakeTagger'"):
        extract(file, tmp_path / "out")


@pytest.mark.slow
def test_poisoned_documents_are_marked_and_nothing_else_is_touched(jsonl, tmp_path):
    some = texts(60)
    extract(jsonl(some, "good.jsonl"), tmp_path / "good")
    for number, poison in ((11, "SEGFAULT"), (12, "BUG"), (45, "SEGFAULT")):
        some[number] = poison
    outcome = extract(jsonl(some), tmp_path / "out", hostile(), processes=2)
    found, good = rows(tmp_path / "out"), rows(tmp_path / "good")
    assert [row["id"] for row in found] == list(range(60))
    assert [row["id"] for row in found if row["error"]] == [11, 12, 45]
    assert [row for row in found if not row["error"]] == [row for row in good if row["id"] not in (11, 12, 45)]
    assert outcome.failed == 3
    assert outcome.replaced >= 4
    extract(jsonl(some), tmp_path / "again", hostile(), batch=5)
    assert contents(tmp_path / "again") == contents(tmp_path / "out")


@pytest.mark.slow
def test_the_first_failure_can_stop_the_run(jsonl, tmp_path):
    some = texts(60)
    some[30] = "BUG"
    with pytest.raises(FailedDocumentError, match="30: extraction failed: ZeroDivisionError: a bug"):
        extract(jsonl(some), tmp_path / "out", hostile(), fail_fast=True)
    assert not (tmp_path / "out" / "part-000001.jsonl").exists()
    assert extract(jsonl(some), tmp_path / "out", hostile()).failed == 1


@pytest.mark.slow
def test_shards_with_failures_can_be_made_again(jsonl, tmp_path):
    some = texts(60)
    some[30] = "BUG"
    file = jsonl(some)
    assert extract(file, tmp_path / "out", hostile()).failed == 1
    kept = (tmp_path / "out" / "part-000000.jsonl").stat().st_mtime_ns
    outcome = extract(file, tmp_path / "out", retry_failed=True)  # by an extractor without the bug
    assert (outcome.resumed, outcome.failed) == (40, 0)
    assert (tmp_path / "out" / "part-000000.jsonl").stat().st_mtime_ns == kept
    assert rows(tmp_path / "out")[30]["error"] is None
    assert folders.load_manifest(tmp_path / "out")["result"]["failed"] == 0


# --- titles, carried fields, reasons, beginning anew ------------------------------------------------------------------


def write_records(tmp_path):
    """Records of which one has no text, one is damaged, and one has no year."""
    records = [
        {"id": f"p{number}", "title": f"Reef {number}", "text": text, "year": 2000 + number, "tags": ["a", number]}
        for number, text in enumerate(texts(6))
    ]
    del records[2]["text"]
    del records[4]["year"]
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records) + "{oops\n")
    return file, records


@pytest.mark.slow
def test_rows_have_carried_fields_and_the_text_with_its_title(tmp_path):
    from mderank.batch.row_files import read_rows

    file, records = write_records(tmp_path)
    worker = BatchWorker(build=fake_extractor, reading=ReadOptions(title_field="title", carry=["year", "tags=labels"]))
    outcome = extract(file, tmp_path / "out", worker, shard=3)
    found = rows(tmp_path / "out")
    assert [row["id"] for row in found] == [*(f"p{number}" for number in range(6)), f"{file}:7"]
    assert [row["year"] for row in found] == [2000, 2001, 2002, 2003, None, 2005, None]
    assert [row["labels"] for row in found] == [*(["a", number] for number in range(6)), None]
    for row, record in zip(found, records, strict=False):
        if row["error"] is None:
            assert row["text"] == f"{record['title']}\n\n{record['text']}"
            for each in row["keyphrases"]:
                assert {row["text"][start:end] for start, end in each["spans"]} == set(each["forms"])
    assert outcome.failed == 2
    assert [(each.documents, each.example[-10:]) for each in outcome.failures] == [(1, "p2"), (1, "in.jsonl:7")]
    loop = extract_documents(fake_extractor(), read_file(file, worker.reading), 10)
    assert found == [json.loads(json_text(result.as_dict())) for result in loop]
    pytest.importorskip("pyarrow")
    extract(file, tmp_path / "tables", worker, shard=3, output_format="parquet")
    back = [row for part in sorted((tmp_path / "tables").glob("*.parquet")) for row in read_rows(part)]
    assert [row["year"] for row in back] == ["2000", "2001", "2002", "2003", None, "2005", None]
    assert back[0]["labels"] == '["a", 0]'


@pytest.mark.slow
def test_all_fields_are_one_column_of_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    from mderank.batch.row_files import read_rows

    file, records = write_records(tmp_path)
    worker = BatchWorker(build=fake_extractor, reading=ReadOptions(carry=["all"]))
    extract(file, tmp_path / "out", worker, output_format="parquet")
    back = list(read_rows(tmp_path / "out" / "part-000000.parquet"))
    kept = [{name: value for name, value in record.items() if name not in ("id", "text")} for record in records]
    assert [json.loads(row["carried"]) for row in back] == [*kept, {}]


@pytest.mark.slow
def test_a_document_that_crashes_keeps_its_fields(jsonl, tmp_path):
    from dataclasses import replace

    file = tmp_path / "in.jsonl"
    file.write_text('{"id": "bad", "text": "SEGFAULT", "year": 1}\n{"id": "good", "text": "The reef.", "year": 2}\n')
    extract(file, tmp_path / "out", replace(hostile(), reading=ReadOptions(carry=["year"])))
    assert [(row["id"], row["year"], row["error"] is None) for row in rows(tmp_path / "out")] == [
        ("bad", 1, False),
        ("good", 2, True),
    ]


@pytest.mark.slow
def test_reasons_are_known_without_writing_anything_again(tmp_path, monkeypatch):
    file, _ = write_records(tmp_path)
    first = extract(file, tmp_path / "out", shard=2)
    monkeypatch.setattr("mderank.batch.engines.local.WorkerPool", None)  # nobody is needed
    assert extract(file, tmp_path / "out", shard=2).failures == first.failures
    (tmp_path / "out" / folders.DONE).unlink()  # they are counted from the rows
    assert extract(file, tmp_path / "out", shard=2).failures == first.failures


@pytest.mark.slow
def test_beginning_anew(jsonl, tmp_path):
    file = jsonl(30)
    extract(file, tmp_path / "out", shard=5)
    (tmp_path / "out" / "mine.txt").write_text("kept")
    other = BatchWorker(Options(top_k=3), build=fake_extractor)
    with pytest.raises(BatchError, match="begin anew: --overwrite"):
        extract(file, tmp_path / "out", other)
    outcome = extract(file, tmp_path / "out", other, overwrite=True)
    assert outcome.resumed == 0
    (tmp_path / "out" / "mine.txt").unlink()
    extract(file, tmp_path / "again", other)
    assert contents(tmp_path / "out") == contents(tmp_path / "again")
    with pytest.raises(OptionError, match="give one of them"):
        extract(file, tmp_path / "out", other, overwrite=True, retry_failed=True)
    with pytest.raises(InputError, match="no such file"):
        extract(tmp_path / "none.jsonl", tmp_path / "out", other, overwrite=True)
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


def test_an_error_of_the_extractor_names_the_document(tmp_path):
    class Failing:
        def extract_many(self, texts, top_k=10):
            return (Keyphrases(error=InputError("it is too dark")) for _ in texts)

    (result,) = extract_documents(Failing(), [SourceDocument("a.txt", "The reef.")], 10)
    assert str(result.keyphrases.error) == "a.txt: it is too dark"


@pytest.mark.slow
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=60), min_size=1, max_size=12), st.integers(1, 5), st.integers(1, 5))
def test_any_texts_give_one_row_each(jsonl, tmp_path, some, cut, batch):
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    outcome = extract(jsonl(some), tmp_path / "out", shard=cut, batch=batch)
    found = rows(tmp_path / "out")
    assert [row["id"] for row in found] == list(range(len(some)))
    assert outcome.documents == len(some)
    for row, text in zip(found, some, strict=True):
        for each in row["keyphrases"]:
            assert {" ".join(text[start:end].split()) for start, end in each["spans"]} == set(each["forms"])


@pytest.mark.slow
def test_memory_holds_a_few_shards_only(jsonl, tmp_path, monkeypatch):
    from mderank.batch.shards import ShardReader

    written, read = set(), set()
    original, write = ShardReader.read, folders.OutputFolder.write

    def counted(self, shard):
        read.add(shard.number)
        assert len(read - written) <= 3
        return original(self, shard)

    def noted(self, shard, found):
        written.add(shard)
        return write(self, shard, found)

    monkeypatch.setattr(ShardReader, "read", counted)
    monkeypatch.setattr(folders.OutputFolder, "write", noted)
    extract(jsonl(200), tmp_path / "out", processes=2, shard=5, batch=2)
    assert len(written) == 40

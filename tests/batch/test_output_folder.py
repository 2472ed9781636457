"""The output folder: what is done stays done, and nothing is half done."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from mderank.batch import output_folder as folders
from mderank.batch.output_folder import OutputFolder, ShardRecord, load_manifest
from mderank.batch.row_files import ROW_FORMATS, read_rows
from mderank.batch.shards import ShardSize, plan_shards
from mderank.errors import BatchError, InputError
from mderank.reading import ReadOptions

from .conftest import contents, texts, write_jsonl

ROWS = [
    {
        "id": 7,
        "keyphrases": [
            {"text": "reef", "score": 0.5, "raw_score": 0.25, "spans": [[0, 4], [8, 12]], "forms": ["reef", "Reef"]},
            {
                "text": "fish",
                "score": 0.4,
                "raw_score": 0.2,
                "confidence": 0.3,
                "spans": [[5, 7]],
                "forms": ["fish"],
                "related": ["reef fish", "fish net"],
            },
        ],
        "truncated": [20, 30],
        "missing_phrases": ["whale"],
        "error": None,
    },
    {
        "id": "b",
        "text": "taken out",
        "keyphrases": [],
        "truncated": None,
        "missing_phrases": [],
        "error": "b: is empty \udc80",
    },
]


@pytest.fixture
def planned(tmp_path):
    """A folder with a plan of five shards of two documents."""
    file = write_jsonl(tmp_path / "in.jsonl", texts(10))
    with OutputFolder(tmp_path / "out", "jsonl") as folder:
        folder.check_settings(settings={"top_k": 3})
        assert len(list(folder.keep_plan(plan_shards([file], ReadOptions(), ShardSize(2))))) == 5
        yield folder


@pytest.mark.slow
@pytest.mark.parametrize("form", ROW_FORMATS)
def test_rows_come_back(tmp_path, form):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    with OutputFolder(tmp_path / "out", form) as folder:
        done = folder.write(3, ROWS)
        part = folder.part(3)
    back = list(read_rows(part))
    if form == "parquet":  # a column has one type, and Arrow's texts are UTF-8
        assert [row["id"] for row in back] == ["7", "b"]
        assert back[1]["error"] == "b: is empty ?"
    else:
        assert back == ROWS
    assert back[0]["keyphrases"] == ROWS[0]["keyphrases"]
    assert back[0]["truncated"] == [20, 30]
    assert "text" not in back[0]
    assert back[1]["text"] == "taken out"
    assert (done.shard, done.documents, done.failed, done.size) == (3, 2, 1, part.stat().st_size)
    again = OutputFolder(tmp_path / "again", form)
    with again:
        assert again.write(3, ROWS) == done


def test_other_settings_are_refused_and_named(planned):
    planned.check_settings(settings={"top_k": 3})
    planned.check_settings(settings={"top_k": 3}, extractor={"model": "a", "versions": {"numpy": 1}})
    with pytest.raises(BatchError, match=r"started with other settings \(settings\.top_k: 3, now 4\)"):
        planned.check_settings(settings={"top_k": 4})
    with pytest.raises(BatchError, match=r"\(extractor\.versions\.numpy: 1, now 2\)"):
        planned.check_settings(extractor={"model": "a", "versions": {"numpy": 2}})


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.doc").touch()
    with pytest.raises(BatchError, match="has other files in it"), OutputFolder(tmp_path, "jsonl"):
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.doc"]


def test_a_file_is_not_a_folder(tmp_path):
    (tmp_path / "out").write_text("an owl")
    with pytest.raises(BatchError, match="it is not a folder; name another"), OutputFolder(tmp_path / "out", "jsonl"):
        pass


def test_an_output_that_is_a_file(tmp_path):
    (tmp_path / "out").touch()
    with pytest.raises(BatchError, match="cannot be written"), OutputFolder(tmp_path / "out", "jsonl"):
        pass


def test_nobody_else_writes_meanwhile(planned):
    code = (
        "import sys, pathlib; from mderank.batch.output_folder import OutputFolder\n"
        "with OutputFolder(pathlib.Path(sys.argv[1]), 'jsonl'): pass"
    )
    done = subprocess.run([sys.executable, "-c", code, planned.path], capture_output=True, text=True, check=False)
    assert "another run is writing to it" in done.stderr


def test_what_was_being_written_is_swept_away(tmp_path):
    with OutputFolder(tmp_path / "out", "jsonl") as folder:
        folder.check_settings(settings={})
        (folder.path / ".part-000000.jsonl.1a2b.tmp").write_text('{"half a')
    with OutputFolder(tmp_path / "out", "jsonl"):
        assert sorted(contents(tmp_path / "out")) == ["_mderank/lock", "_mderank/manifest.json"]


def rows_of(folder, shard):
    return [{"id": f"{shard.number}-{number}", "error": None} for number in range(shard.documents)]


def test_shards_that_are_done(planned):
    for shard in list(planned.plan())[1:3]:
        planned.record(planned.write(shard.number, rows_of(planned, shard)))
    assert sorted(planned.done()) == [1, 2]


def test_a_note_that_was_cut_off_is_made_again_from_the_shard(planned):
    shards = list(planned.plan())
    made = [planned.write(shard.number, rows_of(planned, shard)) for shard in shards[:3]]
    planned.record(made[0])
    with (planned.path / folders.DONE).open("a") as stream:
        stream.write('{"shard": 1, "docum')
    assert planned.done() == {each.shard: each for each in made}
    lines = (planned.path / folders.DONE).read_text().splitlines()
    assert [json.loads(line)["shard"] for line in lines] == [0, 1, 2]


def test_a_shard_that_is_not_what_was_written_is_not_done(planned):
    shards = list(planned.plan())
    for shard in shards:
        planned.record(planned.write(shard.number, rows_of(planned, shard)))
    assert len(planned.done()) == 5
    planned.part(0).write_bytes(planned.part(0).read_bytes()[:-5])
    planned.part(1).write_bytes(planned.part(1).read_bytes().replace(b"1-0", b"1-9"))
    planned.part(2).unlink()
    assert sorted(planned.done()) == [3, 4]


def test_a_shard_without_a_note_that_is_not_whole_is_not_done(planned):
    shards = list(planned.plan())
    planned.write(0, rows_of(planned, shards[0])[:1])
    planned.write(1, rows_of(planned, shards[1]))
    planned.part(1).write_bytes(planned.part(1).read_bytes()[:-5])
    assert planned.done() == {}


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_says_so_and_leaves_nothing_behind(planned, monkeypatch):
    before = contents(planned.path)
    monkeypatch.setattr(folders.os, "fsync", full)
    shard = next(planned.plan())
    with pytest.raises(BatchError, match=r"part-000000\.jsonl: cannot be written: No space left.*to resume"):
        planned.write(0, rows_of(planned, shard))
    with pytest.raises(BatchError, match=r"done\.jsonl: cannot be written: No space left"):
        planned.record(ShardRecord(0, 2, 0, 1, ""))
    (planned.path / folders.DONE).unlink(missing_ok=True)
    with pytest.raises(BatchError, match="cannot be written: No space left"):
        planned.check_settings(extractor={})
    assert contents(planned.path) == before


def test_a_plan_that_changed_is_noticed_wherever_it_did(planned, tmp_path):
    file = tmp_path / "in.jsonl"
    before = file.read_text()
    kept = (planned.path / folders.PLAN).read_bytes()
    lines = before.splitlines(keepends=True)
    for changed, shard in (
        (before.replace("near", "neat"), 0),
        ("".join([*lines[:-1], lines[-1].replace("near", "neat")]), 4),
        ("".join(lines[:6]), 3),
        ("".join([*lines, lines[0]]), 5),
        ("", 0),
    ):
        file.write_text(changed)
        with pytest.raises(BatchError, match=rf"the input has changed since the run began \(shard {shard} "):
            list(planned.keep_plan(plan_shards([file], ReadOptions(), ShardSize(2))))
    file.write_text(before)
    list(planned.keep_plan(plan_shards([file], ReadOptions(), ShardSize(2))))
    assert (planned.path / folders.PLAN).read_bytes() == kept


def test_finishing(planned):
    done = {shard.number: planned.write(shard.number, rows_of(planned, shard)) for shard in planned.plan()}
    planned.finish(dict(sorted(done.items(), reverse=True)))
    assert load_manifest(planned.path)["result"] == {"shards": 5, "documents": 10, "failed": 0}
    lines = (planned.path / folders.DONE).read_text().splitlines()
    assert [json.loads(line)["shard"] for line in lines] == [0, 1, 2, 3, 4]


def test_manifests_that_are_none(tmp_path):
    with pytest.raises(InputError, match="is not a `mderank batch` output folder"):
        load_manifest(tmp_path)
    (tmp_path / "_mderank").mkdir()
    for text in ("{", "[]"):
        (tmp_path / "_mderank" / "manifest.json").write_text(text)
        with pytest.raises(InputError, match="run the batch again"):
            load_manifest(tmp_path)


# --- readers, earlier versions, beginning anew ------------------------------------------------------------------------


def finished(path, output_format="jsonl", overwrite=False, documents=10):
    """An output folder of a run of shards of two documents."""
    file = write_jsonl(path.parent / "in.jsonl", texts(documents))
    with OutputFolder(path, output_format, ("year",), overwrite=overwrite) as folder:
        folder.check_settings(output=output_format, settings={"documents": documents})
        list(folder.keep_plan(plan_shards([file], ReadOptions(), ShardSize(2))))
        rows = [{**row, "error": None, "year": "2020", "missing_count": 0, "language": None} for row in ROWS]
        folder.finish({shard.number: folder.write(shard.number, rows) for shard in folder.plan()})
    return path


def test_patterns_and_readers_of_folders_find_the_rows_alone(tmp_path):
    pandas, dataset = pytest.importorskip("pandas"), pytest.importorskip("pyarrow.dataset")
    out = finished(tmp_path / "out")
    assert sorted(file.name for file in out.glob("*")) == ["_mderank", *(f"part-{n:06}.jsonl" for n in range(5))]
    frame = pandas.concat(pandas.read_json(file, lines=True) for file in out.glob("*.jsonl"))
    assert (len(frame), set(frame["year"])) == (10, {2020})
    tables = finished(tmp_path / "tables", "parquet")
    assert dataset.dataset(tables).count_rows() == 10
    assert set(pandas.read_parquet(tables)["year"]) == {"2020"}


def test_duckdb_finds_the_rows_alone(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    out, tables = finished(tmp_path / "out"), finished(tmp_path / "tables", "parquet")
    for pattern in (f"{out}/*.jsonl", f"{tables}/*.parquet"):
        assert duckdb.sql(f"select count(*), min(year::varchar) from '{pattern}'").fetchall() == [(10, "2020")]


def test_columns_are_the_same_in_all_files(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    with OutputFolder(tmp_path / "out", "parquet", ("year", "carried")) as folder:
        for shard, carried in enumerate(({"year": 5}, {"year": None}, {"year": ["a"], "x": 1}, {})):
            folder.write(shard, [{**ROWS[0], **carried}])
    schemas = {parquet.read_schema(file).to_string() for file in (tmp_path / "out").glob("*.parquet")}
    assert len(schemas) == 1
    rows = [row for shard in range(4) for row in read_rows(folder.part(shard))]
    assert [(row["year"], row["carried"]) for row in rows] == [
        ("5", "{}"),
        (None, "{}"),
        ('["a"]', '{"x": 1}'),
        (None, "{}"),
    ]


def test_a_folder_of_an_earlier_version_is_refused(tmp_path):
    for name in ("manifest.json", "plan.jsonl", "done.jsonl", "part-000000.jsonl"):
        (tmp_path / name).touch()
    for overwrite in (False, True):
        with (
            pytest.raises(BatchError, match=r"was written by an earlier version of mderank.*choose another"),
            OutputFolder(tmp_path, "jsonl", overwrite=overwrite),
        ):
            pass
    assert len(list(tmp_path.iterdir())) == 4


def test_beginning_anew_removes_what_the_run_wrote_and_nothing_else(tmp_path):
    out = finished(tmp_path / "out", "jsonl.gz")
    (out / "notes.txt").write_text("mine")
    (out / "part-000007.jsonl.gz").write_text("mine: the run had five")
    (out / "part-000001.jsonl").write_text("mine: the run wrote another format")
    (out / "sub").mkdir()
    finished(out, overwrite=True, documents=4)
    assert [name for name in contents(out) if not name.startswith("_")] == [
        "notes.txt",
        "part-000000.jsonl",
        "part-000001.jsonl",
        "part-000007.jsonl.gz",
    ]
    assert (out / "sub").is_dir()
    assert load_manifest(out)["result"]["documents"] == 4


def test_beginning_anew_where_nothing_is(tmp_path):
    for path in (tmp_path / "new", tmp_path / "empty"):
        if path.name == "empty":
            path.mkdir()
        finished(path, overwrite=True)
        assert load_manifest(path)["result"]["documents"] == 10


def test_beginning_anew_refuses_a_folder_of_others(tmp_path):
    for names in (["thesis.doc"], ["part-000000.jsonl"], ["_mderank/notes.txt", "thesis.doc"]):
        folder = tmp_path / names[0].replace("/", "-")
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        with (
            pytest.raises(BatchError, match="has other files in it"),
            OutputFolder(folder, "jsonl", overwrite=True),
        ):
            pass
        assert all((folder / name).exists() for name in names)


def test_beginning_anew_with_a_plan_that_is_damaged(tmp_path):
    out = finished(tmp_path / "out")
    (out / folders.PLAN).write_text('{"number": 0}\n')
    with pytest.raises(BatchError, match=r"plan\.jsonl is damaged"), OutputFolder(out, "jsonl", overwrite=True):
        pass
    assert (out / "part-000000.jsonl").exists()


def test_a_shard_knows_why_its_documents_failed(planned):
    rows = [{"id": "a", "error": "in.jsonl:3: it is too dark"}, {"id": "b", "error": None}]
    done = planned.write(0, rows)
    assert done.failures == (("it is too dark", 1, "a"),)
    planned.record(done)
    assert planned.done()[0] == done
    assert ShardRecord.from_json(done.as_json()) == done

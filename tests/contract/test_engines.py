"""Ray and Spark: the same bytes as on one machine, and nothing lost."""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import shutil
import sys

import pytest
from tests.batch.conftest import HERE, _helpers, contents, rows, texts, write_jsonl  # noqa: F401

from mderank.batch import BatchWorker, FailedDocumentError, Local, ShardSize, extract_folder
from mderank.batch.engines.base import EngineJob
from mderank.batch.engines.ray import Ray, _group_gzip_shards
from mderank.batch.engines.remote import RemoteJob, close_workers, to_shard_record
from mderank.batch.engines.spark import Spark
from mderank.batch.output_folder import OutputFolder, load_manifest
from mderank.batch.run import ignore_errors, stop_at_error
from mderank.errors import BatchError, InputError, MissingExtraError, OptionError
from mderank.reading import ReadOptions
from mderank.testing import fake_extractor

WORK = BatchWorker(build=fake_extractor)

# What these two warn of is not ours to put right.
pytestmark = [pytest.mark.filterwarnings("default")]


def missing(name):
    """Why an engine cannot be tried here."""
    package = {"ray": "ray", "spark": "pyspark"}[name]
    if importlib.util.find_spec(package) is None:
        return f"{package} is not installed: pip install '.[{name}]'"
    if name == "spark" and shutil.which("java") is None:
        return "Spark needs Java 17, and there is no java"
    return None


@pytest.fixture(scope="module")
def cluster(request):
    """One Spark session or one Ray node of two cores, for all tests."""
    name = request.param
    if reason := missing(name):
        pytest.skip(reason)
    with pytest.MonkeyPatch.context() as patch:
        path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
        patch.setenv("PYTHONPATH", path)  # workers import `hostile`
        if name == "spark":
            engine = Spark(processes=2, threads=1)
            session, _ = engine._session()
            yield Spark
            session.stop()
        else:
            import ray

            start_ray(ray)
            yield lambda **options: Ray(processes=2, threads=1, **options)
            ray.shutdown()


def start_ray(ray):
    """One node, which gives up after half a minute where others have the processor."""
    for left in (2, 1, 0):
        try:
            ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error")
        except Exception:
            ray.shutdown()
            if not left:
                raise
        else:
            return


both = pytest.mark.parametrize("cluster", ["spark", "ray"], indirect=True)
slow = pytest.mark.slow


def extract(paths, out, engine, worker=WORK, shard=8, **options):
    return extract_folder(
        [str(path) for path in paths], out, worker, shard_size=ShardSize(shard), engine=engine, **options
    )


@slow
@both
def test_the_output_is_that_of_one_machine_byte_by_byte(cluster, tmp_path):
    import gzip

    plain = write_jsonl(tmp_path / "a.jsonl", texts(30))
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes())[:-30])  # and cut off
    (tmp_path / "c.txt").write_text("The reef.")
    paths = [plain, packed, tmp_path / "c.txt"]
    local = extract(paths, tmp_path / "local", Local(1, 1))
    outcome = extract(paths, tmp_path / "out", cluster(batch_documents=3))
    assert outcome == local
    assert outcome.failed == 1
    assert contents(tmp_path / "out") == contents(tmp_path / "local")


@slow
@both
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_carried_fields_and_reasons_are_those_of_one_machine(cluster, tmp_path, form):
    file = tmp_path / "in.jsonl"
    records = [{"id": n, "title": f"T{n}", "text": text, "meta": {"n": n}} for n, text in enumerate(texts(20))]
    del records[13]["text"]
    file.write_text("".join(json.dumps(record) + "\n" for record in records) + "{oops\n")
    reading = ReadOptions(title_field="title", carry=["meta.n=n", "all"])
    worker = BatchWorker(build=fake_extractor, reading=reading)
    local = extract([file], tmp_path / "local", Local(1, 1), worker, output_format=form)
    outcome = extract([file], tmp_path / "out", cluster(), worker, output_format=form)
    assert outcome == local
    assert [each.example for each in outcome.failures] == ["13", f"{file}:21"]
    assert contents(tmp_path / "out") == contents(tmp_path / "local")


@slow
@both
def test_poisoned_documents_and_going_on(cluster, tmp_path):
    import hostile

    some = texts(40)
    some[13], some[14] = "SEGFAULT", "BUG"
    file = write_jsonl(tmp_path / "in.jsonl", some)
    worker = BatchWorker(build=hostile.hostile)
    extract([file], tmp_path / "local", Local(1, 1), worker)
    with pytest.raises(FailedDocumentError, match=r"13: the worker process died|14: extraction failed"):
        extract([file], tmp_path / "out", cluster(), worker, fail_fast=True)
    assert "result" not in load_manifest(tmp_path / "out")
    outcome = extract([file], tmp_path / "out", cluster(), worker)
    assert [row["id"] for row in rows(tmp_path / "out") if row["error"]] == [13, 14]
    assert outcome.failed == 2
    assert contents(tmp_path / "out") == contents(tmp_path / "local")
    (tmp_path / "out" / "part-000002.jsonl").unlink()
    assert extract([file], tmp_path / "out", cluster(), worker).resumed == 32
    assert contents(tmp_path / "out") == contents(tmp_path / "local")


@slow
@pytest.mark.parametrize("cluster", ["spark"], indirect=True)
def test_keyphrases_of_a_data_frame(cluster):
    from pyspark.sql import SparkSession

    from mderank.integrations.spark import in_pandas, with_keyphrases

    spark = SparkSession.getActiveSession()
    some = [(number, text, "kept") for number, text in enumerate([*texts(20), None])]
    frame = spark.createDataFrame(some, "key int, body string, other string")
    found = with_keyphrases(frame, text="body", worker=WORK).orderBy("key").collect()
    assert [(row["key"], row["body"], row["other"]) for row in found] == some
    expected = WORK.texts([(number, text) for number, text, _ in some[:20]])
    for row, told in zip(found, expected, strict=False):
        assert row["error"] is None
        assert [each["text"] for each in row["keyphrases"]] == [each["text"] for each in told["keyphrases"]]
        assert [[[span["start"], span["end"]] for span in each["spans"]] for each in row["keyphrases"]] == [
            each["spans"] for each in told["keyphrases"]
        ]
    assert found[20]["error"] == "the text is missing, not a string"
    assert found[20]["keyphrases"] == []
    with pytest.raises(OptionError, match="the column 'text' is missing"):
        with_keyphrases(frame)
    with pytest.raises(OptionError, match="has a column error already"):
        with_keyphrases(frame.withColumnRenamed("other", "error"), text="body")
    assert callable(in_pandas(WORK))


@slow
@pytest.mark.parametrize("cluster", ["ray"], indirect=True)
def test_keyphrases_of_a_dataset(cluster):
    import ray

    from mderank.integrations.ray import KeyphraseExtractor

    some = [{"key": number, "body": text} for number, text in enumerate([*texts(20), None])]
    made = ray.data.from_items(some).map_batches(
        KeyphraseExtractor,
        fn_constructor_kwargs={"text": "body", "worker": WORK},
        batch_format="pyarrow",
        batch_size=7,
        compute=ray.data.ActorPoolStrategy(size=1),
    )
    found = sorted(made.take_all(), key=lambda row: row["key"])
    expected = WORK.texts([(row["key"], row["body"]) for row in some[:20]])
    assert [[each["text"] for each in row["keyphrases"]] for row in found[:20]] == [
        [each["text"] for each in row["keyphrases"]] for row in expected
    ]
    assert found[20]["error"] == "the text is missing, not a string"


def test_keyphrases_of_an_arrow_table():
    pyarrow = pytest.importorskip("pyarrow")
    from mderank.integrations.ray import KeyphraseExtractor

    made = KeyphraseExtractor(worker=WORK)(pyarrow.table({"text": ["The reef is near the fox.", None], "n": [1, 2]}))
    assert made.column_names == [
        "text",
        "n",
        "keyphrases",
        "truncated",
        "missing_phrases",
        "missing_count",
        "error",
        "language",
    ]
    assert made.to_pylist()[1]["error"] == "the text is missing, not a string"
    with pytest.raises(OptionError, match="the column 'text' is missing"):
        KeyphraseExtractor(worker=WORK)(pyarrow.table({"body": ["x"]}))


@pytest.mark.parametrize(("name", "package"), [("ray", "ray"), ("spark", "pyspark")])
def test_an_engine_that_is_not_installed(name, package, monkeypatch):
    for module in list(sys.modules):
        if module.partition(".")[0] == package:
            monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'mderank\[{name}\]'"):
        {"ray": Ray, "spark": Spark}[name]()


# --- what runs in a process of a cluster, here in this one ------------------------------------------------------------


@pytest.fixture
def planned(tmp_path):
    """A job of five shards, and what a process of a cluster is told of it."""
    from mderank.batch.shards import plan_shards

    file = write_jsonl(tmp_path / "in.jsonl", texts(10))
    with OutputFolder(tmp_path / "out", "jsonl") as folder:
        folder.check_settings(settings={})
        list(folder.keep_plan(plan_shards([file], ReadOptions(), ShardSize(2))))
        job = EngineJob(WORK, folder.plan(), folder, ignore_errors)
        yield job, RemoteJob.create(job, WORK, 32, None)
    close_workers()


def test_a_process_of_a_cluster_does_a_shard(planned):
    job, remote = planned
    copy = pickle.loads(pickle.dumps(remote))
    done = [to_shard_record(copy.perform(shard.as_json())) for shard in job.shards]
    assert [each.shard for each in done] == [0, 1, 2, 3, 4]
    assert [row["id"] for row in rows(job.folder.path)] == list(range(10))
    assert job.folder.done() == {each.shard: each for each in done}


def test_its_errors_come_back_as_data(planned, tmp_path):
    import dataclasses

    job, remote = planned
    shard = next(job.shards).as_json()
    other = dataclasses.replace(remote, about={**remote.about, "tagger": "another"})
    with pytest.raises(BatchError, match=r"load different extractors \(tagger: 'another', now 'FakeTagger'\)"):
        to_shard_record(other.perform(shard))
    (tmp_path / "in.jsonl").write_text('{"text": "The owl."}\n{oops\n')
    with pytest.raises(BatchError, match="the input has changed"):
        to_shard_record(remote.perform(shard))


@pytest.mark.slow
def test_the_first_failure_comes_back_too(tmp_path):
    from mderank.batch.shards import plan_shards

    (tmp_path / "in.jsonl").write_text('{"text": "The owl."}\n{oops\n')
    with OutputFolder(tmp_path / "out", "jsonl") as folder:
        folder.check_settings(settings={})
        (shard,) = folder.keep_plan(plan_shards([tmp_path / "in.jsonl"], ReadOptions(), ShardSize()))
        remote = RemoteJob.create(EngineJob(WORK, iter(()), folder, stop_at_error), WORK, 32, None)
        with pytest.raises(InputError, match="this line is not JSON"):
            to_shard_record(remote.perform(shard.as_json()))
        assert not folder.part(0).exists()
        with pytest.raises(InputError, match="this line is not JSON"):  # and it can go on
            to_shard_record(remote.perform(shard.as_json()))
    close_workers()


def test_shards_of_one_gzip_file_are_read_by_one_reader(tmp_path):
    import gzip

    from mderank.batch.shards import plan_shards

    plain = write_jsonl(tmp_path / "a.jsonl", texts(6))
    for name in ("b.jsonl.gz", "c.jsonl.gz"):
        (tmp_path / name).write_bytes(gzip.compress(plain.read_bytes()))
    files = [plain, tmp_path / "b.jsonl.gz", tmp_path / "c.jsonl.gz"]
    runs = _group_gzip_shards(plan_shards(files, ReadOptions(), ShardSize(2)))
    assert [len(run) for run in runs] == [1, 1, 1, 3, 3]

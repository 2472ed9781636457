"""Shards are a function of the input, and can be read in any order."""

from __future__ import annotations

import gzip
import os
import random
from itertools import chain

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mderank.batch.shards import Shard, ShardReader, ShardSize, input_files, plan_shards
from mderank.errors import BatchError, InputError
from mderank.reading import ReadOptions, find_records

from .conftest import texts, write_jsonl

OPTIONS = ReadOptions()


@pytest.fixture
def mixed(tmp_path):
    """JSON lines, the same compressed and compressed but cut off, a table, texts; what has blank lines and bad ones."""
    write_jsonl(tmp_path / "a.jsonl", texts(23))
    with (tmp_path / "a.jsonl").open("ab") as stream:
        stream.write(b"\n\n{oops\n" + '{"text": "Grüße."}\n'.encode())
    data = (tmp_path / "a.jsonl").read_bytes()
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(data))
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(os.urandom(10) + data)[:-40])
    (tmp_path / "d.csv").write_text('id,text\n1,"over\ntwo lines"\n2\n3,last\n')
    (tmp_path / "e.txt").write_text("A text of its own.")
    (tmp_path / "f.txt").write_text("")
    return sorted(tmp_path.iterdir())


def everything(files):
    return [record for file in files for record in find_records(file, OPTIONS)]


@pytest.mark.parametrize("limits", [(1,), (2,), (5,), (10_000,), (10_000, 100), (7, 300), (1, 1)])
def test_shards_hold_all_documents_in_order(mixed, limits):
    shard_size = ShardSize(*limits)
    shards = list(plan_shards(mixed, OPTIONS, shard_size))
    reader = ShardReader(OPTIONS)
    read = [reader.read(shard) for shard in shards]
    assert list(chain.from_iterable(read)) == everything(mixed)
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert [shard.documents for shard in shards] == [len(records) for records in read]
    for shard, records in zip(shards[:-1], read[:-1], strict=True):
        assert len(records) <= shard_size.documents
        sizes = [len(record.data) for record in records]
        assert len(records) == shard_size.documents or sum(sizes) >= shard_size.size
        assert sum(sizes[:-1]) < shard_size.size
        assert shard.size == sum(sizes)


def test_shards_can_be_read_in_any_order(mixed):
    shards = list(plan_shards(mixed, OPTIONS, ShardSize(4)))
    expected = {shard.number: ShardReader(OPTIONS).read(shard) for shard in shards}
    reader = ShardReader(OPTIONS)
    for seed in range(5):
        for shard in random.Random(seed).sample(shards, len(shards)):
            assert reader.read(shard) == expected[shard.number]


def test_what_follows_in_a_gzip_file_is_reached_without_beginning_again(mixed, monkeypatch):
    opened = []
    original = gzip.GzipFile.__init__
    monkeypatch.setattr(gzip.GzipFile, "__init__", lambda self, *args: opened.append(args) or original(self, *args))
    shards = list(plan_shards(mixed[1:2], OPTIONS, ShardSize(3)))
    opened.clear()
    reader = ShardReader(OPTIONS)
    for shard in shards[1::2]:
        reader.read(shard)
    assert len(opened) == 1


def test_a_shard_is_its_line(mixed):
    for shard in plan_shards(mixed, OPTIONS, ShardSize(4)):
        assert Shard.from_json(shard.as_json()) == shard


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=20), max_size=30), st.integers(1, 8), st.integers(1, 400))
def test_any_texts_any_cut(tmp_path, some, documents, size):
    file = write_jsonl(tmp_path / "in.jsonl", some)
    shards = list(plan_shards([file], OPTIONS, ShardSize(documents, size)))
    reader = ShardReader(OPTIONS)
    assert [record for shard in shards for record in reader.read(shard)] == everything([file])


@pytest.mark.parametrize("change", ["one letter", "one line less", "one line more", "gone"])
def test_input_that_changes_under_the_run(tmp_path, change):
    file = write_jsonl(tmp_path / "in.jsonl", texts(10))
    shards = list(plan_shards([file], OPTIONS, ShardSize(100)))
    lines = file.read_bytes().splitlines(keepends=True)
    if change == "gone":
        file.unlink()
    else:
        lines = {
            "one letter": [*lines[:-1], lines[-1].replace(b"near", b"neat")],
            "one line less": lines[:-1],
            "one line more": [lines[0], *lines],
        }[change]
        file.write_bytes(b"".join(lines))
    with pytest.raises(BatchError, match=r"in.jsonl: the input has changed since the run began \(shard 0"):
        ShardReader(OPTIONS).read(shards[0])


def test_paths_that_stand_for_nothing_are_errors(tmp_path):
    for path in ("none.jsonl", "*.jsonl", "."):
        with pytest.raises(InputError, match=r"no such file|no file matches|no file that can be read"):
            list(input_files([str(tmp_path / path)], None, lambda file: None))

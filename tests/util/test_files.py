from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest

from mderank.errors import BatchError, InputError
from mderank.util import files
from mderank.util.files import (
    atomic_folder,
    atomic_write,
    cached_file_sha256,
    check_settings,
    claim_settings,
    file_sha256,
    find_differences,
    open_locked,
    remove_temporary,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_checksum_of_a_file(tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"reef")
    assert file_sha256(file) == cached_file_sha256(str(file)) == hashlib.sha256(b"reef").hexdigest()


def test_a_checksum_is_computed_again_when_the_file_has_changed(tmp_path, monkeypatch):
    file = tmp_path / "a"
    file.write_bytes(b"reef")
    cached_file_sha256(file)
    reads = []
    monkeypatch.setattr(files, "file_sha256", lambda path: reads.append(path) or "sum")
    cached_file_sha256(file)
    assert not reads
    file.write_bytes(b"reefs")
    assert cached_file_sha256(file) == "sum"
    os.utime(file, ns=(1, 1))
    cached_file_sha256(file)
    assert len(reads) == 2


def test_a_lock_is_held_against_other_processes_until_it_is_closed(tmp_path):
    file = tmp_path / ".lock"
    code = f"from pathlib import Path; from mderank.util.files import open_locked; open_locked(Path({str(file)!r}))"

    def locks():
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr

    with open_locked(file) as stream:
        stream.write(b"mine")
        assert "BlockingIOError" in locks()
    assert file.read_bytes() == b"mine"
    assert not locks()


@pytest.mark.parametrize("sync", [False, True])
def test_a_file_appears_when_it_is_complete(tmp_path, sync):
    file = tmp_path / "a.txt"
    file.write_text("old")
    with atomic_write(file, sync=sync) as temporary:
        temporary.write_text("new")
        assert temporary.parent == tmp_path
        assert file.read_text() == "old"
    assert file.read_text() == "new"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [PermissionError, KeyboardInterrupt])
def test_a_file_that_was_not_completed_leaves_nothing(tmp_path, error):
    file = tmp_path / "a.txt"
    file.write_text("old")

    def write():
        with atomic_write(file) as temporary:
            temporary.write_text("ne")
            raise error

    with pytest.raises(error):
        write()
    assert names(tmp_path) == ["a.txt"]
    assert file.read_text() == "old"


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    with atomic_write(tmp_path / "a") as one, atomic_write(tmp_path / "a") as other:
        one.write_text("1")
        other.write_text("2")
    assert (tmp_path / "a").read_text() == "1"  # which was renamed last


def test_a_folder_appears_when_it_is_complete(tmp_path):
    folder = tmp_path / "new" / "model"
    with atomic_folder(folder) as temporary:
        (temporary / "a").write_text("1")
        assert not folder.exists()
    with atomic_folder(folder) as temporary:
        (temporary / "b").write_text("2")
        assert names(folder) == ["a"]
    assert names(folder) == ["b"]
    assert names(folder.parent) == ["model"]


def test_a_folder_that_was_not_completed_leaves_the_old_one(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "a").write_text("1")

    def write():
        with atomic_folder(folder) as temporary:
            (temporary / "b").write_text("2")
            raise PermissionError

    with pytest.raises(PermissionError):
        write()
    assert names(folder) == ["a"]
    assert names(tmp_path) == ["model"]


def test_a_folder_that_another_process_wrote_is_kept_if_that_is_asked_for(tmp_path):
    folder = tmp_path / "model"
    with atomic_folder(folder, keep_existing=True) as temporary:
        (temporary / "ours").write_text("1")
        folder.mkdir()
        (folder / "theirs").write_text("1")
    assert names(folder) == ["theirs"]
    assert names(tmp_path) == ["model"]


def test_what_a_killed_process_left_is_removed(tmp_path):
    remove_temporary(tmp_path / "none")
    (tmp_path / "kept.tmp").write_text("a user's")
    (tmp_path / ".part-0.1a2b3c4d.tmp").write_text("half a")
    (tmp_path / ".model.1a2b3c4d.tmp").mkdir()
    (tmp_path / ".model.1a2b3c4d.tmp" / "weights").write_text("half a")
    remove_temporary(tmp_path)
    assert names(tmp_path) == ["kept.tmp"]


def test_differences_of_settings():
    before = {"a": 1, "b": {"c": [1], "d": 2}, "gone": True}
    now = {"a": 1, "b": {"c": [2], "d": 2}, "new": {"e": 1}}
    assert find_differences(before, now) == {"b.c": ([1], [2]), "gone": (True, None), "new": (None, {"e": 1})}
    assert find_differences(before, before) == {}


def test_settings_are_written_once_and_then_compared(tmp_path):
    file = tmp_path / "new" / "run.json"
    claim_settings(file, {"b": 2, "a": {"c": "ü"}})
    written = file.read_bytes()
    assert json.loads(written) == {"a": {"c": "ü"}, "b": 2}
    assert written.endswith(b"}\n")
    claim_settings(file, {"a": {"c": "ü"}, "b": 2})
    with pytest.raises(InputError, match=r"new was started with other settings \(a\.c: 'ü', now 'u'\): choose another"):
        claim_settings(file, {"a": {"c": "u"}, "b": 2})
    assert file.read_bytes() == written


def test_settings_are_compared_as_the_caller_says(tmp_path):
    file = tmp_path / "run.json"
    claim_settings(file, {"a": 1})
    claim_settings(file, {"a": 2}, compare=lambda before, now: {})
    with pytest.raises(BatchError, match="x: 1, now 2"):
        check_settings(tmp_path, {"x": (1, 2)}, BatchError)


@pytest.mark.parametrize("content", ["[]", "{", b"\xff"])
def test_settings_that_cannot_be_read_are_reported_with_the_file(tmp_path, content):
    file = tmp_path / "run.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=r"run\.json cannot be read \(.+\): remove"):
        claim_settings(file, {})

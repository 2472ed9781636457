"""Paths that are no files, vanish, or may not be read."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from mderank.reading import ReadOptions, SourceDocument, find_files, read_file, walk_files
from mderank.reading.discovery import file_mode, is_special_file


def errors(*paths: object) -> list[str]:
    """The errors of everything that the paths stand for."""
    found: list[str] = []
    for each in walk_files([str(path) for path in paths]):
        sources = [each] if isinstance(each, SourceDocument) else read_file(each, ReadOptions())
        found += [str(source.error) for source in sources if source.error]
    return found


def test_a_name_that_is_too_long_is_one_error():
    name = "storm surges flood the coast " * 100
    (error,) = errors(name)
    assert error == f"{name}: cannot be read: File name too long"


def test_a_name_with_a_nul_byte():
    (error,) = errors("a\0b.txt")
    assert error == "a\0b.txt: cannot be read: embedded null byte"


def test_a_path_below_a_file(tmp_path):
    (tmp_path / "a.txt").write_text("owl")
    (error,) = errors(tmp_path / "a.txt" / "b.txt")
    assert error.endswith("cannot be read: Not a directory")


def test_links_that_lead_nowhere_or_to_themselves(tmp_path):
    (tmp_path / "gone.txt").symlink_to(tmp_path / "none.txt")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "good.txt").write_text("owl")
    gone, loop = errors(tmp_path)
    assert gone == f"{tmp_path / 'gone.txt'}: cannot be read: No such file or directory"
    assert loop == f"{tmp_path / 'loop.txt'}: cannot be read: Too many levels of symbolic links"
    found = find_files([str(tmp_path)])
    assert len(found.files) == 3
    assert found.skipped == [tmp_path / "up"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_sockets_in_folders_are_errors_and_not_waited_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    os.mkfifo("pipe.txt")
    Path("good.txt").write_text("owl")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.txt")
        assert is_special_file(Path("socket.txt"))
        found = find_files(["."])
    assert found.files == [Path("good.txt")]
    assert [str(source.error) for source in found.errors] == [
        "pipe.txt: this is a pipe, socket or device, not a file: remove it",
        "socket.txt: this is a pipe, socket or device, not a file: remove it",
    ]


def test_a_device_is_read_up_to_the_limit():
    if not Path("/dev/zero").exists():
        pytest.skip("this system has no /dev/zero")
    (source,) = read_file(Path("/dev/zero"), ReadOptions(format="text", max_document_chars=1000))
    assert str(source.error).startswith("/dev/zero: this file has more than 4,000 bytes")


def test_a_file_that_vanishes_after_it_was_found(tmp_path):
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("owl")
    found = find_files([str(tmp_path)])
    (tmp_path / "a.txt").unlink()
    first, second = (source for file in found.files for source in read_file(file, ReadOptions()))
    assert str(first.error).endswith("a.txt: cannot be read: No such file or directory")
    assert second.text == "owl"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_and_a_file_without_permission(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    (tmp_path / "a.txt").touch(mode=0)
    assert len(errors(tmp_path)) == 2


def test_a_path_in_a_folder_without_permission(monkeypatch):
    def refuse(self, **_):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "stat", refuse)
    assert file_mode(Path("closed/a.txt")) == 0
    assert list(walk_files(["closed/a.txt"])) == [Path("closed/a.txt")]


def test_a_name_that_is_not_utf_8(tmp_path):
    name = os.fsdecode(b"caf\xe9.txt")
    try:
        (tmp_path / name).write_text("owl")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    (file,) = find_files([str(tmp_path)]).files
    (source,) = read_file(file, ReadOptions())
    assert source.text == "owl"
    assert source.id == str(tmp_path / name)


def test_folders_of_programs_and_hidden_ones_are_left_out_unless_they_are_named(tmp_path):
    kept = ["a.txt", "notes/b.txt", "env/c.txt"]
    left_out = [".git", ".cache", "node_modules", "notes/__pycache__", "lib/site-packages", "venv"]
    for name in (*kept, *(f"{folder}/deep/x.txt" for folder in left_out)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("owl")
    (tmp_path / "venv" / "pyvenv.cfg").touch()
    found = find_files([str(tmp_path)])
    assert [file.relative_to(tmp_path).as_posix() for file in found.files] == ["a.txt", "env/c.txt", "notes/b.txt"]
    assert sorted(path.relative_to(tmp_path).as_posix() for path in found.skipped) == sorted(left_out)
    for folder in left_out:
        assert find_files([str(tmp_path / folder)]).files == [tmp_path / folder / "deep" / "x.txt"]


def test_json_files_in_folders_are_read_if_they_are_named(tmp_path):
    (tmp_path / "a.txt").write_text("owl")
    (tmp_path / "package.json").write_text("{}")
    assert find_files([str(tmp_path)]).skipped == [tmp_path / "package.json"]
    assert find_files([str(tmp_path / "*.json")]).files == [tmp_path / "package.json"]

"""The progress of files: by document, and by the length of its text."""

import gzip
import io
import json
from types import SimpleNamespace

import pytest

from mderank.cli import _terminal
from mderank.cli._reading_progress import ReadingProgress
from mderank.reading import ReadOptions, SourceDocument, read_file

READ = ReadOptions()


class Terminal(io.StringIO):
    def isatty(self):
        return True

    @property
    def lines(self):
        return [part.removesuffix("\x1b[K") for part in self.getvalue().split("\r")[1:]]


@pytest.fixture
def terminal(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr(_terminal, "sys", SimpleNamespace(stderr=shown))
    monkeypatch.setattr(_terminal.StatusLine, "EVERY", 0.0)
    return shown


def rows(count, length=100):
    return "".join(json.dumps({"id": n, "text": "r" * length}) + "\n" for n in range(count))


def states(progress, sources, ahead=1):
    """What is done after each document, with so many documents read ahead."""
    listed = iter(list(sources)) if ahead > 1 else sources
    return [(progress.documents, progress.done) for _ in progress.follow(listed)]


@pytest.mark.parametrize("ahead", [1, 64])
def test_each_document_moves_the_bar_by_its_length(tmp_path, terminal, ahead):
    (tmp_path / "a.txt").write_text("reef " * 100)
    (tmp_path / "b.jsonl").write_text(rows(3))
    size = (tmp_path / "b.jsonl").stat().st_size
    files = [tmp_path / "a.txt", tmp_path / "b.jsonl"]
    progress = ReadingProgress(files, clock=lambda: 0.0)
    made = progress.read(files, lambda file: read_file(file, READ))
    assert progress.total == 500 + size
    assert states(progress, made, ahead) == [(1, 500), (2, 600), (3, 700), (4, 500 + size)]
    *shown, removed = terminal.lines
    assert shown[0].startswith("extracting ━")
    assert shown[-1] == f"extracting {'━' * 30} 4 documents, 0 s left"
    assert removed == ""


def test_a_compressed_file_does_not_end_before_its_last_document(tmp_path):
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(rows(50).encode()))
    progress = ReadingProgress([file], silent=True)
    found = states(progress, progress.read([file], lambda each: read_file(each, READ)))
    done = [part for _, part in found]
    assert done == sorted(done)
    assert done[-1] == progress.total
    assert max(done) <= progress.total


def test_standard_input_has_no_end(terminal):
    progress = ReadingProgress(None, clock=lambda: 0.0)
    sources = [SourceDocument("a", "reef"), SourceDocument("b", "r" * 1000)]
    assert states(progress, progress.stream(sources)) == [(1, 4), (2, 1004)]
    assert terminal.lines == ["extracting 1 document, 4 characters", "extracting 2 documents, 1,004 characters", ""]


def test_files_after_standard_input_count_too(tmp_path):
    (tmp_path / "a.txt").write_text("reef")
    progress = ReadingProgress(None, silent=True)

    def both():
        yield from progress.stream([SourceDocument("b", "r" * 1000)])
        yield from progress.read([tmp_path / "a.txt"], lambda file: read_file(file, READ))

    assert states(progress, both()) == [(1, 1000), (2, 1004)]


def test_a_file_that_is_not_there_and_an_empty_one(tmp_path, terminal):
    (tmp_path / "empty.jsonl").write_text("")
    files = [tmp_path / "missing.txt", tmp_path / "empty.jsonl"]
    progress = ReadingProgress(files)
    made = progress.read(files, lambda file: read_file(file, READ))
    assert states(progress, made) == [(1, 0)]
    assert terminal.lines == ["extracting 1 document, 0 characters", ""]


def test_the_bar_goes_where_the_work_fails(terminal):
    progress = ReadingProgress(None)

    def failing():
        yield from progress.stream([SourceDocument("a", "reef")])
        1 / 0  # noqa: B018

    with pytest.raises(ZeroDivisionError):
        states(progress, failing())
    assert terminal.lines[-1] == ""


def test_nothing_is_shown_where_nobody_looks(terminal):
    progress = ReadingProgress(None, silent=True)
    states(progress, progress.stream([SourceDocument("a", "reef")]))
    assert terminal.getvalue() == ""

"""The file of labels: what is in it, that it is whole at every moment, and what it refuses."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack, closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.errors import InputError
from mderank.labelling import label_file
from mderank.labelling.label_file import DocumentLabels, LabelFile, LabelsNotSavedError

A = DocumentLabels("a", "A reef.")


def tick(phrase, verdict="right"):
    return lambda labels: labels.mark(phrase, verdict)


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def opened():
    """A function that opens a file of labels; all are closed after the test."""
    with ExitStack() as stack:
        yield lambda file: stack.enter_context(closing(LabelFile(file)))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "labels.jsonl"


def test_one_phrase_has_one_verdict():
    labels = A.mark("Coral  reef", "right").mark("bay", "wrong")
    assert (labels.keyphrases, labels.crossed_out) == (("Coral reef",), ("bay",))
    labels = labels.mark("coral reef", "wrong")
    assert (labels.keyphrases, labels.crossed_out) == ((), ("bay", "coral reef"))
    assert labels.verdict("CORAL REEF") == "wrong"
    assert labels.mark("bay", None).mark("coral reef", None) == A


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["right", "wrong", None]))))
def test_the_last_verdict_counts(verdicts):
    labels = A
    for phrase, verdict in verdicts:
        labels = labels.mark(phrase, verdict)
    last = dict(verdicts)
    assert {phrase: labels.verdict(phrase) for phrase in last} == last
    assert not set(labels.keyphrases) & set(labels.crossed_out)
    assert len(set(labels.keyphrases)) == len(labels.keyphrases)


def test_a_document_that_loses_its_last_keyphrase_is_no_longer_done():
    done = replace(A.mark("reef", "right"), done=True)
    assert done.mark("bay", "wrong").done
    assert not done.mark("reef", None).done
    assert replace(A, done=True).mark("bay", "wrong").done, "no phrase is right, as the user has said"


def test_every_change_is_on_disk(opened, file):
    labels = opened(file)
    assert not file.exists()
    labels.change("a", "A reef.", tick("reef"))
    assert lines(file) == [{"id": "a", "text": "A reef.", "keyphrases": ["reef"], "crossed_out": [], "done": False}]
    labels.change("b", "A bay.", tick("bay", "wrong"))
    labels.change("a", "A reef.", lambda each: replace(each, done=True))
    assert [(each["id"], each["done"]) for each in lines(file)] == [("a", True), ("b", False)]
    labels.change("b", "A bay.", tick("bay", None))
    assert [each["id"] for each in lines(file)] == ["a"]
    assert (labels.is_done("a"), labels.is_started("b")) == (True, False)
    labels.close()
    again = opened(file)
    assert again.get("a", "A reef.") == DocumentLabels("a", "A reef.", ("reef",), (), True)
    assert [each.id for each in again.all_done()] == ["a"]


def test_what_was_in_the_file_stays(opened, file):
    own = {"id": 5, "text": "A dune.", "keyphrases": ["dune"], "title": "Dunes", "year": 1999}
    file.write_text(json.dumps(own) + "\n\n")
    labels = opened(file)
    assert labels.is_done("5"), "labels that somebody made otherwise are done"
    labels.change("a", "A reef.", tick("reef"))
    kept = lines(file)[0]
    assert kept == {**own, "id": "5", "crossed_out": [], "done": True}


def test_any_text_can_be_saved(opened, file):
    text = "line\nline\u2028 \ud800 \U0001f30a"
    labels = opened(file)
    labels.change("a", text, tick("\U0001f30a wave"))
    labels.close()
    (found,) = label_file._read(file)
    assert (found.text, found.keyphrases) == (text, ("\U0001f30a wave",))


def test_a_write_that_fails_changes_nothing(opened, file, monkeypatch):
    labels = opened(file)
    labels.change("a", "A reef.", tick("reef"))
    before = file.read_bytes()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(label_file, "atomic_write", full)
        with pytest.raises(LabelsNotSavedError, match="No space left on device"):
            labels.change("a", "A reef.", tick("bay"))
    assert file.read_bytes() == before
    assert labels.get("a", "A reef.").keyphrases == ("reef",)
    assert labels.change("a", "A reef.", tick("bay")).keyphrases == ("reef", "bay")


def test_what_another_program_wrote_is_not_overwritten(opened, file):
    labels = opened(file)
    labels.change("a", "A reef.", tick("reef"))
    file.write_text(file.read_text().replace("reef", "corals"))
    with pytest.raises(LabelsNotSavedError, match="another program changed"):
        labels.change("a", "A reef.", tick("bay"))
    assert "corals" in file.read_text()


def test_threads_lose_nothing(opened, file):
    labels = opened(file)

    def change(number):
        for phrase in range(5):
            labels.change(f"d{phrase}", "Text.", tick(f"p{number}"))

    threads = [threading.Thread(target=change, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {each["id"]: set(each["keyphrases"]) for each in lines(file)} == {
        f"d{number}": {f"p{each}" for each in range(6)} for number in range(5)
    }


def test_a_second_process_is_refused(opened, file):
    first = opened(file)
    with pytest.raises(InputError, match="another mderank label has"):
        LabelFile(file)
    first.close()
    LabelFile(file).close()


def test_what_a_killed_process_left_is_removed(file):
    left, other = file.with_name(".labels.jsonl.0a1b.tmp"), file.with_name(".other.jsonl.0a1b.tmp")
    left.touch()
    other.touch()
    LabelFile(file).close()
    assert (left.exists(), other.exists()) == (False, True)


@pytest.mark.parametrize(
    "content",
    [
        "no JSON",
        "[]",
        '{"id": 1}',
        '{"id": 1, "text": "A."}',
        '{"id": 1, "text": "A.", "keyphrases": "reef"}',
        '{"id": 1, "text": "A.", "keyphrases": [1]}',
        '{"id": true, "text": "A.", "keyphrases": []}',
        '{"id": 1, "text": "A.", "keyphrases": [], "done": "yes"}',
        '{"id": 1, "text": "A.", "keyphrases": [], "crossed_out": {}}',
        '{"id": 1, "text": "A.", "keyphrases": []}\n{"id": "1", "text": "A.", "keyphrases": []}',
        "[" * 100_000,
    ],
)
def test_another_file_is_refused_and_stays(file, content):
    file.write_text(content)
    with pytest.raises(InputError, match="choose another file"):
        LabelFile(file)
    assert file.read_text() == content
    file.write_text("")
    LabelFile(file).close()


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        LabelFile(tmp_path / "file" / "labels.jsonl")
    (tmp_path / "labels.jsonl").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        LabelFile(tmp_path / "labels.jsonl")

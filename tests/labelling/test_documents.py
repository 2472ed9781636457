"""Documents to label: which there are, what they are called, and that each is read when it is looked at."""

from __future__ import annotations

import gzip
import json

import pytest
from tests.helpers import docx, pdf

from mderank.errors import InputError
from mderank.labelling.documents import find_documents
from mderank.reading import ReadOptions


def find(*paths, labels, **options):
    return find_documents([str(path) for path in paths], ReadOptions(**options), labels)


def texts(places, **options):
    return [place.read(ReadOptions(**options)).text for place in places]


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("A reef.")
    (folder / "b.html").write_text("<p>The <b>old</b> reef")
    (folder / "sub" / "c.md").write_text("# The *new* reef")
    (folder / "d.txt.gz").write_bytes(gzip.compress(b"A bay."))
    (folder / "e.jsonl").write_text('{"id": "x", "text": "One."}\n{"text": "Two."}\n\n{"id": 7, "text": "Three."}\n')
    return folder


def test_all_formats_are_found_in_order(folder, tmp_path):
    places = find(folder, labels=tmp_path / "labels.jsonl")
    assert [place.id for place in places] == [
        "docs/a.txt", "docs/b.html", "docs/d.txt.gz", "x", "docs/e.jsonl:2", "7", "docs/sub/c.md",
    ]  # fmt: skip
    assert [text.strip() for text in texts(places)] == [
        "A reef.", "The old reef", "A bay.", "One.", "Two.", "Three.", "# The *new* reef",
    ]  # fmt: skip


def test_a_pdf_and_a_table(tmp_path):
    pytest.importorskip("pypdf")
    (tmp_path / "a.pdf").write_bytes(pdf("The old reef is near."))
    (tmp_path / "t.csv").write_text('id,text\n1,"A reef."\n2,"A bay."\n')
    places = find(tmp_path / "a.pdf", tmp_path / "t.csv", labels=tmp_path / "labels.jsonl")
    assert [place.id for place in places] == ["a.pdf", "1", "2"]
    assert [text.strip() for text in texts(places)] == ["The old reef is near.", "A reef.", "A bay."]


def test_a_mailbox_and_a_word_document(tmp_path):
    (tmp_path / "a.docx").write_bytes(docx("<w:p><w:r><w:t>The old reef is near.</w:t></w:r></w:p>"))
    mail = "From a@b.c Tue Mar  3 09:12:00 2026\nSubject: {}\n\nThe bay.\n\n"
    (tmp_path / "b.mbox").write_text(mail.format("one") + mail.format("two"))
    places = find(tmp_path / "a.docx", tmp_path / "b.mbox", labels=tmp_path / "labels.jsonl")
    assert [place.id for place in places] == ["a.docx", "b.mbox:1", "b.mbox:2"]
    assert texts(places) == ["The old reef is near.", "one\n\nThe bay.", "two\n\nThe bay."]


def test_ids_do_not_depend_on_where_the_command_is_started(folder, tmp_path, monkeypatch):
    first = find(folder / "a.txt", labels=tmp_path / "labels.jsonl")
    monkeypatch.chdir(folder)
    assert [each.id for each in find("a.txt", labels=tmp_path / "labels.jsonl")] == [each.id for each in first]
    assert [each.id for each in find("a.txt", labels=folder / "labels.jsonl")] == ["a.txt"]


def test_the_file_of_labels_is_no_document(folder, tmp_path, monkeypatch):
    (folder / "labels.jsonl").write_text('{"id": "x", "text": "One.", "keyphrases": []}\n')
    monkeypatch.chdir(folder)
    assert "x" not in [
        each.id for each in find(".", labels=folder / "labels.jsonl") if each.file.name == "labels.jsonl"
    ]
    assert len(find(".", labels=folder / "labels.jsonl")) == 7


def test_a_second_document_with_the_same_id_gets_a_number(tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(json.dumps({"id": 1, "text": name}) + "\n")
    places = find(tmp_path, labels=tmp_path / "labels.jsonl")
    assert [place.id for place in places] == ["1", "1 (2)"]
    assert texts(places) == ["a.jsonl", "b.jsonl"]


def test_a_document_that_cannot_be_read_says_so_and_the_others_stay(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "One."}\n{"no": 1}\nbroken\n')
    (tmp_path / "b.txt").write_bytes(b"\xff\xfe\xfd")
    places = find(tmp_path, labels=tmp_path / "labels.jsonl")
    errors = [place.read(ReadOptions()).error for place in places]
    assert errors[0] is None
    assert "the field 'text' is missing" in str(errors[1])
    assert "not JSON" in str(errors[2])
    assert errors[3] is not None


def test_a_file_that_has_gone_says_so(folder, tmp_path):
    place = find(folder / "a.txt", labels=tmp_path / "labels.jsonl")[0]
    (folder / "a.txt").unlink()
    assert "cannot be read" in str(place.read(ReadOptions()).error)


def test_nothing_to_label(tmp_path):
    with pytest.raises(InputError, match="no file that can be read"):
        find(tmp_path, labels=tmp_path / "labels.jsonl")
    (tmp_path / "labels.jsonl").write_text("")
    with pytest.raises(InputError, match="there is no document"):
        find(tmp_path / "labels.jsonl", labels=tmp_path / "labels.jsonl")
    with pytest.raises(InputError, match="no file matches"):
        find(tmp_path / "*.txt", labels=tmp_path / "labels.jsonl")

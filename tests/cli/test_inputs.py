"""What `mderank extract` reads, and what it says when it cannot."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os

import pytest
from tests.helpers import docx, epub, pdf


def documents(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def phrases(document):
    return [each["text"] for each in document["keyphrases"]]


def test_a_text_file(run, example):
    result = run("extract", example, "-f", "jsonl", "-k", 3)
    assert result.exit_code == 0
    (document,) = documents(result)
    assert document["id"] == str(example)
    assert phrases(document) == ["storm surges", "surge model", "shallow estuaries"]
    text = example.read_text()
    for each in document["keyphrases"]:
        assert {" ".join(text[start:end].split()) for start, end in each["spans"]} == set(each["forms"])


def test_standard_input_is_read_without_a_path_and_for_a_dash(run):
    for arguments in ([], ["-"]):
        (document,) = documents(run("extract", *arguments, "-f", "jsonl", stdin="Sea ice reflects sunlight."))
        assert document["id"] == "<stdin>"
        assert "sunlight" in phrases(document)


def test_json_lines_on_standard_input_are_recognised(run):
    lines = '{"id": 7, "text": "Sea ice reflects sunlight."}\n\n{"text": "The owl eats a mouse."}\n'
    first, second = documents(run("extract", "-f", "jsonl", stdin=lines))
    assert first["id"] == 7
    assert second["id"] == "<stdin>:3"


def test_fields_of_json_lines_can_be_named(run, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"key": "x", "body": "The owl eats a mouse."}\n')
    (document,) = documents(run("extract", file, "--text-field", "body", "--id-field", "key", "-f", "jsonl"))
    assert document["id"] == "x"
    assert set(phrases(document)) == {"owl", "mouse"}


def test_bad_json_lines_are_named_by_number_and_the_rest_goes_on(run, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(
        '{"text": "The owl eats a mouse."}\n{oops\n[1]\n{"body": 1}\n{"text": 5}\n{"text": "Sea ice melts."}\n'
    )
    result = run("extract", file, "-f", "jsonl")
    assert result.exit_code == 1
    assert [bool(document["error"]) for document in documents(result)] == [False, True, True, True, True, False]
    errors = result.stderr.splitlines()
    assert [f"{file}:{number}: " in error for number, error in zip((2, 3, 4, 5), errors, strict=True)] == [True] * 4
    assert "--text-field" in errors[2]


def test_deeply_nested_json_is_an_error_of_its_line(run):
    result = run(
        "extract", "-f", "jsonl", stdin='{"text": ' + "[" * 100_000 + "\n" + '{"text": "The owl eats a mouse."}\n'
    )
    assert result.exit_code == 1
    assert [bool(document["error"]) for document in documents(result)] == [True, False]


def test_words_that_are_already_tagged(run, tmp_path):
    file = tmp_path / "tagged.jsonl"
    tokens = [["Grüne", "JJ"], ["Eulen", "NNS"], ["jagen", "VB"]]
    file.write_text(json.dumps({"text": "Grüne  Eulen jagen", "tokens": tokens}) + "\n" + '{"tokens": ["x"]}\n')
    result = run("extract", file, "--tokens-field", "tokens", "-f", "jsonl")
    good, bad = documents(result)
    assert good["keyphrases"][0]["spans"] == [[0, 12]]
    assert phrases(good) == ["Grüne Eulen"]
    assert "[word, tag]" in bad["error"]


@pytest.mark.slow
def test_gzip_files_are_read_and_broken_ones_reported(run, tmp_path):
    whole = gzip.compress(b'{"text": "The owl eats a mouse."}\n' * 50)
    (tmp_path / "a.jsonl.gz").write_bytes(whole)
    (tmp_path / "b.jsonl.gz").write_bytes(whole[:-12])
    result = run("extract", tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz", "-f", "jsonl")
    assert result.exit_code == 1
    assert "b.jsonl.gz" in result.stderr
    assert "not a whole gzip file" in result.stderr
    assert sum(not document["error"] for document in documents(result)) >= 50


def test_html_is_read_as_text_which_the_output_carries(run, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<title>Owls</title><p>Barn <b>owls</b> hunt&nbsp;mice.</p><script>var owls = 'x'</script>")
    (document,) = documents(run("extract", page, "-f", "jsonl"))
    assert document["text"] == "Owls\n\nBarn owls hunt\xa0mice."
    for each in document["keyphrases"]:
        assert {" ".join(document["text"][start:end].split()) for start, end in each["spans"]} == set(each["forms"])
    assert "var" not in document["text"]


def test_an_html_page_says_its_own_encoding(run, tmp_path):
    page = tmp_path / "page.html"
    page.write_bytes('<meta charset="latin-1"><p>Das Café öffnet.</p>'.encode("latin-1"))
    (document,) = documents(run("extract", page, "-f", "jsonl", "-q"))
    assert document["text"] == "Das Café öffnet."


def test_markdown_keeps_offsets_and_leaves_marks_out(run, tmp_path):
    file = tmp_path / "notes.md"
    text = (
        "---\ntags: zebra\n---\n# Sea ice\n\nThe **sea ice** [melts](http://zebra.example/a).\n\n```\nzebra = 1\n```\n"
    )
    file.write_text(text)
    (document,) = documents(run("extract", file, "-f", "jsonl"))
    best = document["keyphrases"][0]
    assert best["text"].lower() == "sea ice"
    assert [text[start:end] for start, end in best["spans"]] == ["Sea ice", "sea ice"]
    assert not any("zebra" in phrase for phrase in phrases(document))


def test_a_phrase_does_not_run_across_markdown_marks(run, tmp_path):
    file = tmp_path / "notes.md"
    file.write_text("The **sea** ice melts.")
    (document,) = documents(run("extract", file, "-f", "jsonl"))
    assert not any(" " in phrase and "sea" in phrase for phrase in phrases(document))


def test_the_formats_of_a_folder(run, tmp_path):
    text = "The barn owl sees a mouse in the dark."
    paragraph = f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    cell = {"cell_type": "markdown", "source": f"**{text}**"}
    mail = f"Subject: owls\nTo: Ann <a@b.c>\n\n{text}\n"
    for name, data in {
        "a.docx": docx(paragraph),
        "b.eml": mail.encode(),
        "c.epub": epub({"a": f"<p>{text}"}),
        "d.ipynb": json.dumps({"cells": [cell]}).encode(),
        "e.mbox": f"From a@b.c Tue Mar  3 09:12:00 2026\n{mail}".encode(),
        "f.rst": f".. note:: {text}".encode(),
        "g.tex": b"\\emph{The barn} owl sees a mouse in the dark.\\cite{owls}",
        "h.docx": b"PK",
    }.items():
        (tmp_path / name).write_bytes(data)
    found = documents(run("extract", tmp_path, "-f", "jsonl"))
    assert [each["id"].removeprefix(f"{tmp_path}/") for each in found] == [
        "a.docx", "b.eml", "c.epub", "d.ipynb", "e.mbox:1", "f.rst", "g.tex", "h.docx",
    ]  # fmt: skip
    assert "damaged, or of another format" in found.pop()["error"]
    for each in found:
        assert "barn owl" in phrases(each)
        for phrase in each["keyphrases"]:
            whole = each.get("text", f".. note:: {text}")
            for span in phrase["spans"]:
                assert whole[span[0] : span[1]].lower().split() in [form.lower().split() for form in phrase["forms"]]
    assert found[0]["text"] == text
    assert "text" not in found[5]  # offsets refer to the file itself


def test_pdf(run, tmp_path):
    pytest.importorskip("pypdf", reason="the extra 'pdf' is not installed")
    (tmp_path / "good.pdf").write_bytes(pdf("The barn owl sees a mouse in the dark."))
    (tmp_path / "empty.pdf").write_bytes(pdf(""))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing")
    result = run("extract", tmp_path, "-f", "jsonl")
    broken, empty, good = documents(result)
    assert good["text"].strip() == "The barn owl sees a mouse in the dark."
    assert "barn owl" in phrases(good)
    assert "OCR" in empty["error"]
    assert "cannot be read" in broken["error"]


def test_pdf_without_the_extra_names_the_command(run, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pypdf", None)
    (tmp_path / "good.pdf").write_bytes(pdf("Owls."))
    result = run("extract", tmp_path / "good.pdf")
    assert "pip install 'mderank[pdf]'" in result.stderr


def test_folders_are_searched_and_other_files_counted(run, tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "two.txt").write_text("The owl eats a mouse.")
    (tmp_path / "a.md").write_text("Sea ice melts.")
    (tmp_path / "picture.png").write_bytes(b"x")
    (tmp_path / ".hidden.txt").write_text("Nothing.")
    result = run("extract", tmp_path, "-f", "jsonl")
    assert [document["id"] for document in documents(result)] == [
        str(tmp_path / "a.md"),
        str(tmp_path / "b" / "two.txt"),
    ]
    assert "in the folders, not read: 1 other file (1 .png)" in result.stderr


def test_folders_of_programs_are_left_out_and_counted_once(run, tmp_path):
    for name in (".git/x.txt", "node_modules/y.txt", "a/.git/z.txt", "one.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("The owl eats a mouse.")
    result = run("extract", tmp_path, "-f", "jsonl")
    assert [document["id"] for document in documents(result)] == [str(tmp_path / "one.txt")]
    assert "in the folders, not searched: 3 folders (2 .git, 1 node_modules); name a folder to read it" in result.stderr
    assert "not searched" not in run("extract", tmp_path, "-q").stderr
    (named,) = documents(run("extract", tmp_path / "node_modules", "-f", "jsonl"))
    assert named["id"] == str(tmp_path / "node_modules" / "y.txt")


def test_json_and_tables_on_standard_input_are_records(run):
    rows = [{"id": "x", "text": "Sea ice reflects sunlight."}, {"id": "y", "text": "The owl eats a mouse."}]
    table = "id,text\n" + "\n".join(f"{row['id']},{row['text']}" for row in rows)
    for stdin in (json.dumps(rows), json.dumps(rows, indent=2), table):
        assert [document["id"] for document in documents(run("extract", "-f", "jsonl", stdin=stdin))] == ["x", "y"]


def test_patterns(run, tmp_path):
    for name in ("x1.txt", "x2.txt", "y.txt"):
        (tmp_path / name).write_text("The owl eats a mouse.")
    assert len(documents(run("extract", tmp_path / "x*.txt", "-f", "jsonl"))) == 2
    result = run("extract", tmp_path / "z*.txt")
    assert result.exit_code == 1
    assert "no file matches this pattern" in result.stderr


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b"\x89PNG\x00\x00", "not a text file"), (b"caf\xe9", "--encoding latin-1"), (b"\xff\xfeO", "utf-16")],
)
def test_a_file_that_is_not_text(run, tmp_path, content, complaint):
    file = tmp_path / "a.txt"
    file.write_bytes(content)
    result = run("extract", file)
    assert result.exit_code == 1
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_byte_order_marks_and_encodings(run, tmp_path):
    for encoding, arguments in (("utf-16", []), ("utf-8-sig", []), ("latin-1", ["--encoding", "latin-1"])):
        file = tmp_path / f"{encoding}.txt"
        file.write_bytes("Das Café brennt.".encode(encoding))
        result = run("extract", file, "-f", "jsonl", *arguments)
        assert result.exit_code == 0, encoding
    assert "unknown" in run("extract", file, "--encoding", "klingon").stderr


def test_a_missing_file_does_not_stop_the_others(run, tmp_path, example):
    result = run("extract", tmp_path / "missing.txt", example, "-f", "jsonl")
    assert result.exit_code == 1
    assert "missing.txt: cannot be read: No such file" in result.stderr
    assert [bool(document["error"]) for document in documents(result)] == [True, False]


def test_all_kinds_of_other_files_are_listed(run, tmp_path, example):
    for suffix in "abcdefgh":
        (tmp_path / f"x.{suffix}").touch()
    (tmp_path / "t.txt").write_text("Sea ice.")
    result = run("extract", tmp_path, "--method", "firstphrases")
    kinds = ", ".join(f"1 .{suffix}" for suffix in "abcdefgh")
    assert result.stderr == f"mderank: note: in the folders, not read: 8 other files ({kinds})\n"


def test_a_folder_with_nothing_to_read(run, tmp_path):
    result = run("extract", tmp_path)
    assert result.exit_code == 1
    assert ".txt" in result.stderr


def test_a_folder_that_may_not_be_read(run, tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    result = run("extract", tmp_path)
    assert result.exit_code == 1
    assert result.stderr == f"mderank: error: {tmp_path}: cannot be read: Permission denied\n"


def test_an_empty_file_has_no_keyphrases(run, tmp_path):
    file = tmp_path / "empty.txt"
    file.write_text(" \n")
    result = run("extract", file, "-f", "jsonl")
    assert result.exit_code == 0
    assert documents(result)[0]["keyphrases"] == []


QUICK = ("--method", "firstphrases", "-k", 2)


def test_titles_several_texts_and_nested_fields(run, tmp_path):
    file = tmp_path / "in.jsonl"
    record = {"key": "p1", "meta": {"title": "On owls", "lang": "en"}, "abstract": "An owl.", "body": ["A mouse."]}
    file.write_text(json.dumps(record) + "\n")
    fields = ("--text-field", "abstract", "--text-field", "body.0", "--title-field", "meta.title", "--id-field", "key")
    (found,) = documents(run("extract", file, "-f", "jsonl", *QUICK, *fields))
    assert (found["id"], found["text"]) == ("p1", "On owls\n\nAn owl.\n\nA mouse.")
    for each in found["keyphrases"]:
        assert {found["text"][start:end] for start, end in each["spans"]} == set(each["forms"])
    config = tmp_path / "mine.toml"
    config.write_text('text-field = ["abstract", "body.0"]\ntitle-field = "meta.title"\ncarry = "key=id2"\n')
    (again,) = documents(run("extract", file, "-f", "jsonl", *QUICK, "--config", config, "--id-field", "key"))
    assert again == {**found, "id2": "p1"}


def test_fields_are_carried_into_json_and_csv(run, tmp_path):
    file = tmp_path / "in.csv"
    file.write_text("id,text,year\n1,Sea ice melts.,2020\n2,,2021\n")
    carry = ("--carry", "year")
    assert [row["year"] for row in documents(run("extract", file, "-f", "jsonl", *QUICK, *carry))] == ["2020", "2021"]
    assert [row["year"] for row in json.loads(run("extract", file, "-f", "json", *QUICK, *carry).stdout)] == [
        "2020",
        "2021",
    ]
    table = run("extract", file, "-f", "csv", *QUICK, *carry).stdout
    assert [row["year"] for row in csv.DictReader(io.StringIO(table))] == ["2020"]
    (tmp_path / "out.csv").unlink(missing_ok=True)
    assert run("extract", file, "-o", tmp_path / "out.csv", *QUICK, *carry).exit_code == 0
    assert (tmp_path / "out.csv").read_text() == table


@pytest.mark.parametrize("form", ["table", "html"])
def test_formats_without_a_place_for_fields(run, example, form):
    result = run("extract", example, "-f", form, "--carry", "year")
    assert result.exit_code == 2
    assert f"--carry is for -f jsonl, json, csv: {form} has no place for other fields" in result.stderr


def test_a_failed_record_keeps_its_id(run, tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text('{"id": "p1", "year": 2020}\n')
    result = run("extract", file, tmp_path / "none", "-f", "jsonl", *QUICK, "--carry", "year")
    (row, missing) = documents(result)
    assert (missing["id"], missing["year"]) == (str(tmp_path / "none"), None)
    assert (row["id"], row["year"], row["keyphrases"]) == ("p1", 2020, [])
    assert f"{file}:1: the field 'text' is missing (fields: id, year)" in result.stderr


def test_a_field_that_no_record_has_is_told(run, tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text('{"id": "p1", "text": "Sea ice melts.", "year": 2020}\n')
    result = run("extract", file, "-f", "jsonl", *QUICK, "--carry", "yaer", "--title-field", "title")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [
        "mderank: note: the first records have no field 'title' (fields: id, text, year)",
        "mderank: note: the first records have no field 'yaer' (fields: id, text, year)",
    ]
    assert run("extract", file, "-f", "jsonl", *QUICK, "--carry", "yaer", "-q").stderr == ""

"""The format of standard input, by its first bytes."""

from __future__ import annotations

import io

import pytest
from tests.helpers import docx, epub

from mderank.reading import ReadOptions, read_stream
from mderank.reading.detection import detect_format


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        ('[{"text": "a"}]', "json"),
        ('[\n  {\n    "text": "a"\n  }\n]', "json"),
        ("[]", "json"),
        ('{\n  "text": "a"\n}', "json"),
        ('{"id": 1,\n "text": "a"}', "json"),
        ('{"id": 1, "text": "a"}\n{"id": 2}', "jsonl"),
        ('{"id": 1, oops\n{"id": 2}', "jsonl"),
        ('{"id": 1, "text": "' + "a" * 5000, "jsonl"),
        ("id,text\n1,Owls eat mice.", "csv"),
        ("\ufeffid;title;text\r\n1;a;b", "csv"),
        ('"id"\t"body"\n1\tb', "csv"),
        ("[1] Introduction", "text"),
        ("[{", "json"),
        ("{curly} text", "text"),
        ("text\nid, text", "text"),
        ("In this text, id, and more\nfollow.", "text"),
        ("Owls, mice, and text", "text"),
        ("text,text\na,b", "text"),
        ("", "text"),
        ("<!DOCTYPE html><p>a", "html"),
        ("%PDF-1.4", "pdf"),
        ("% a paper\n\n%%\n\\documentclass[11pt]{article}", "tex"),
        ("% a paper \\documentclass\nis text", "text"),
        ("PAR1", "parquet"),
        (epub({"a": "<p>reef"}), "epub"),
        (docx("<w:p/>"), "docx"),
        (b"PK\x03\x04" + bytes(100), "docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "docx"),
        ('{\n "cells": [\n  {\n   "cell_type": "markdown"', "ipynb"),
        ('{"nbformat":4,"nbformat_minor":0,"metadata":{"colab":{}}', "ipynb"),
        ('{"metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4', "ipynb"),
        ('{"cells": [1, 2], "text": "a"}\n{"cells": []}', "jsonl"),
        ('{"metadata": {"year": 1953}, "text": "a"}', "jsonl"),
        ("From a@b.c Tue Mar  3 09:12:00 2026\nReceived: by x\n", "mbox"),
        ("From MAILER-DAEMON Fri Jul  8 12:08:34 2011\r\nFrom: a@b.c", "mbox"),
        ("From here to 1953\nthe sea rose.", "text"),
        ("From Monday 3 March 2026\nNote: the reef is closed.", "text"),
        ("Return-Path: <a@b.c>\nReceived: by x;\n\tTue\nSubject: y\n\nz", "eml"),
        ("Subject: x\r\nmime-version: 1.0\r\n\r\ny", "eml"),
        ("From: Ann\nTo: Bob\nSubject: x\n\nHi Bob", "text"),  # as copied from a mail program
        ("Note: see below\n\nReceived: by x\nMIME-Version: 1.0", "text"),
        ("Received wisdom: owls eat mice.\nMessage-ID: 1\n", "text"),
    ],
)
def test_the_beginning_tells_the_format(start, kind):
    data = start.encode() if isinstance(start, str) else start
    assert detect_format(data[:4096], ReadOptions()) == kind


def test_a_table_is_known_by_the_named_column():
    assert detect_format(b"key,body\n1,a", ReadOptions()) == "text"
    assert detect_format(b"key,body\n1,a", ReadOptions(text_field="body")) == "csv"


def test_a_table_on_standard_input_without_the_text_says_which_columns_there_are():
    (source,) = read_stream(io.BytesIO(b"id,abstract\n1,Owls eat mice.\n"), "<stdin>", ReadOptions())
    assert str(source.error) == (
        "<stdin>: the column 'text' is missing (columns: id, abstract); name another: --text-field"
    )


def test_records_on_standard_input():
    for data in (b'[{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]', b"id,text\n1,a\n2,b\n"):
        assert [source.text for source in read_stream(io.BytesIO(data), "<stdin>", ReadOptions())] == ["a", "b"]

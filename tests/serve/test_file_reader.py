"""Files that clients send are read in a process of their own, which cannot take the server with it."""

from __future__ import annotations

import asyncio
import importlib.util
import sys

import pytest
from tests.fuzz_inputs import pdf_file
from tests.helpers import docx, epub, pdf
from tests.serve.conftest import Running

from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.file_reader import FileReaderPool, readable_kinds

WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
NOTEBOOK = b'{"cells": [{"cell_type": "markdown", "source": "The *reef*"}]}'


def read(running: Running, data: bytes, kind: str):
    return running.client.post("/v1/read", content=data, headers={"content-type": kind})


@pytest.mark.parametrize(
    ("data", "kind", "text", "prose"),
    [
        (b"The reef.", "text/plain", "The reef.", None),
        (b"# The *reef*", "text/markdown; charset=utf-8", "# The *reef*", "  The  reef "),
        (b"<title>T</title><p>The <b>reef</b><script>x()</script>", "text/html", "T\n\nThe reef", None),
        ("<p>caf\xe9".encode(), "TEXT/HTML", "caf\xe9", None),
        (b"*The* reef.", "text/x-rst", "*The* reef.", " The  reef."),
        (rb"\emph{The} reef $x^2$.", "text/x-tex", "The reef $x^2$.", "The reef ,    ."),
        (docx("<w:p><w:r><w:t>The reef</w:t></w:r></w:p>"), WORD_TYPE, "The reef", None),
        (epub({"a": "<p>The reef"}), "application/epub+zip", "Tides\n\nThe reef", None),
        (b"Subject: Reefs\nTo: a@b.c\n\nThe reef", "message/rfc822", "Subject: Reefs\nTo: a@b.c\n\nThe reef", None),
        (NOTEBOOK, "application/x-ipynb+json", "The *reef*", "The  reef "),
    ],
)
def test_files(shared: Running, data, kind, text, prose):
    assert read(shared, data, kind).json() == {"text": text, "prose": prose}


def test_a_pdf(shared: Running):
    pytest.importorskip("pypdf")
    assert (
        read(shared, pdf("The coral reef is near."), "application/pdf").json()["text"].strip()
        == "The coral reef is near."
    )


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.4 broken", "application/pdf"),
        (b"\xff\xff", "text/plain"),
        (b"\0\0", "text/html"),
        (b"PK\x03\x04", WORD_TYPE),
        (b"PK\x03\x04", "application/epub+zip"),
        (b"no mail", "message/rfc822"),
        (b"[]", "application/x-ipynb+json"),
    ],
)
def test_files_that_cannot_be_read(shared: Running, data, kind):
    response = read(shared, data, kind)
    assert shared.code(response, 422) == "unreadable"
    assert response.json()["error"]["message"].startswith("the file: ")


def test_the_kinds_that_can_be_read(shared: Running, monkeypatch):
    reads = shared.client.get("/v1/methods").json()["reads"]
    assert {"text/plain", "text/markdown", "text/html"} <= set(reads)
    assert ("application/pdf" in reads) == (importlib.util.find_spec("pypdf") is not None)
    told = read(shared, b"x", "image/png").json()["error"]["message"]
    assert told == f"this Content-Type cannot be read: send one of {', '.join(reads)}"
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "application/pdf" not in readable_kinds()


def test_a_text_in_another_encoding_is_told_what_to_do(shared: Running):
    message = read(shared, "Café".encode("latin-1"), "text/plain").json()["error"]["message"]
    assert message.startswith("the file: byte 3 is not utf-8: save it as UTF-8")


def test_other_kinds_are_refused(shared: Running):
    for kind in ("image/png", "application/json", "application/zip", ""):
        assert shared.code(read(shared, b"x", kind), 415) == "unsupported_media_type"


def test_files_and_their_texts_are_bounded(serve):
    running = serve(max_file_bytes=2_000, max_text_chars=1_000)
    assert running.code(read(running, b"x" * 2_001, "text/plain"), 413) == "body_too_large"
    assert running.code(read(running, b"x" * 1_500, "text/plain"), 413) == "text_too_long"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_a_file_that_takes_too_much_memory_costs_a_process():
    reader = FileReaderPool(ServerConfig(reader_memory_bytes=1 << 20))
    with pytest.raises(ApiError, match="too much memory") as caught:
        asyncio.run(reader.read(b"x" * 8_000_000, "text/plain"))
    assert caught.value.code == "unreadable"


def test_a_file_that_takes_too_long_costs_a_process():
    reader = FileReaderPool(ServerConfig(timeout_seconds=0.001))
    with pytest.raises(ApiError) as caught:
        asyncio.run(reader.read(b"x", "text/plain"))
    assert caught.value.code == "timeout"


def test_a_few_files_at_a_time():
    async def all_at_once():
        reader = FileReaderPool(ServerConfig(max_file_readers=1))
        return await asyncio.gather(*(reader.read(b"x", "text/plain") for _ in range(2)), return_exceptions=True)

    first, second = asyncio.run(all_at_once())
    assert first == {"text": "x", "prose": None}
    assert isinstance(second, ApiError)
    assert second.code == "busy"
    assert second.headers["Retry-After"]


@pytest.mark.slow
def test_the_limits_of_the_readers_hold_in_the_process():
    """A PDF of 70 KB that decompresses to 76 MB, and one with more text on a page than a page can have."""
    pytest.importorskip("pypdf")
    reader = FileReaderPool(ServerConfig())
    for content in (b" " * 76_000_000, b"BT /F1 12 Tf (" + b"owl " * 300_000 + b") Tj ET"):
        with pytest.raises(ApiError) as raised:
            asyncio.run(reader.read(pdf_file([content], compress=True), "application/pdf"))
        assert raised.value.code == "unreadable"
        assert "the file: " in str(raised.value)


@pytest.mark.slow
def test_hostile_pages_are_read():
    reader = FileReaderPool(ServerConfig())
    page = b"<meta charset=punycode><p>storm<![C x> &#" + b"9" * 5000 + b"; surge"
    assert asyncio.run(reader.read(page, "text/html"))["text"] == "storm \ufffd surge"

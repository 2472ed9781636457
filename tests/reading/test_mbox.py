"""Mailboxes: a document per mail."""

from __future__ import annotations

import io
import mailbox
import tracemalloc
from email.message import EmailMessage

import pytest

from mderank.reading import ReadOptions, find_records, read_file, read_stream

START = b"From a@b.c Tue Mar  3 09:12:00 2026\n"


def mail(text: bytes, start: bytes = START) -> bytes:
    return start + b"From: a@b.c\nSubject: tides\n\n" + text + b"\n\n"


def read(data: bytes, **options) -> list[str]:
    """The body of each mail, or its error."""
    sources = read_stream(io.BytesIO(data), "box", ReadOptions(format="mbox", **options))
    return [str(each.error) if each.error else each.text.partition("\n\n")[2] for each in sources]


def test_a_mailbox_of_pythons_own_library(tmp_path):
    box = mailbox.mbox(tmp_path / "a.mbox")
    for number in range(3):
        made = EmailMessage()
        made["Subject"], made["From"] = f"tides {number}", "Ann <a@b.c>"
        made.set_content(f"From the reef {number}\n\nFrom here to there.")
        box.add(made)
    box.close()
    sources = list(read_file(tmp_path / "a.mbox", ReadOptions()))
    assert [source.id for source in sources] == [f"{tmp_path / 'a.mbox'}:{number}" for number in (1, 2, 3)]
    body = "From the reef {}\n\nFrom here to there."
    assert [source.text for source in sources] == [
        f"Subject: tides {number}\nFrom: Ann <a@b.c>\n\n{body.format(number)}" for number in range(3)
    ]


def test_reading_begins_at_any_mail(tmp_path):
    file = tmp_path / "a.mbox"
    file.write_bytes(b"\n" + mail(b"one") + mail(b"x" * 50_000) + mail(b"three"))
    options = ReadOptions(max_document_chars=1_000)
    records = list(find_records(file, options))
    assert [record.failure is None for record in records] == [True, False, True]
    for number, record in enumerate(records):
        assert list(find_records(file, options, record.position)) == records[number:]


def test_a_mail_begins_after_an_empty_line_only():
    assert read(mail(b"one\nFrom here on") + mail(b"two\n>From there")) == ["one\nFrom here on", "two\nFrom there"]
    assert read(mail(b"one").replace(b"\n", b"\r\n") * 2) == ["one", "one"]


@pytest.mark.parametrize("data", [b"Storm surges", b"\n\nSubject: x\n\ny"])
def test_a_file_that_is_no_mailbox(data):
    (error,) = read(data)
    assert error == 'box: this is not a mailbox: it does not begin with "From "; for one mail, use .eml'


def test_a_mail_that_is_too_long_is_not_kept_and_the_others_are_read():
    data = mail(b"one") + mail((b"x" * 98 + b"\n") * 40_000) + mail(b"three")
    tracemalloc.start()
    try:
        one, long, three = read(data, max_document_chars=1_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (one, three) == ("one", "three")
    assert long.startswith("box:2: this mail has more than 40,000 bytes, that is 40 per character of")
    assert peak < 1_000_000


def test_a_mail_that_cannot_be_read_carries_its_error():
    assert read(mail(b"one") + START + b"no header\n\n" + mail(b"three"))[1].startswith("box:2: this is not a mail")


def test_nothing_in_it():
    assert read(b"") == []

"""Mail files: what a reader of the mail sees, and the names of what is attached."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest

from mderank.errors import InputError
from mderank.reading import ReadOptions
from mderank.reading.eml import mail_text
from mderank.tagging.layout import read_layout

HEADER = b"From: a@b.c\nSubject: tides\n"
SHOWN = "Subject: tides\nFrom: a@b.c\n\n"


def read(data: bytes, **options) -> str:
    return mail_text(data, ReadOptions(**options)).text


def test_the_subject():
    assert mail_text(HEADER + b"\nHi", ReadOptions()).subject == "tides"
    assert mail_text(b"From: a@b.c\nTo: b@b.c\n\nHi", ReadOptions()).subject is None


def test_a_mail_of_pythons_own_library():
    mail = EmailMessage()
    mail["From"], mail["To"] = "Ann Löwe <ann@b.c>", "Bob <bob@b.c>, Carol <carol@b.c>"
    mail["Subject"] = "Sturmflut in Kärnten – " + "ein langer Betreff " * 8
    mail["Date"] = "Tue, 03 Mar 2026 09:12:00 +0100"
    mail.set_content("Hi Bob,\n\nthe über-storm – " + "comes soon " * 20)
    mail.add_alternative("<p>Hi <b>Bob</b></p>" * 20, subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="Pegelstände 1953.pdf")
    for data in (mail.as_bytes(), mail.as_bytes().replace(b"\n", b"\r\n")):
        header, *body = read(data).split("\n\n")
        assert header.split("\n") == [
            "Subject: Sturmflut in Kärnten – " + "ein langer Betreff " * 7 + "ein langer Betreff",
            "From: Ann Löwe <ann@b.c>",
            "To: Bob <bob@b.c>, Carol <carol@b.c>",
            "Date: Tue, 03 Mar 2026 09:12:00 +0100",
            "Attachments: Pegelstände 1953.pdf",
        ]
        assert body[0] == "Hi Bob,"
        assert body[1].strip() == ("the über-storm – " + "comes soon " * 20).strip()


def test_the_layout_reads_the_header_as_that_of_a_mail():
    header = b"From: Ann Lee <ann@b.c>\nTo: Bob Hart <bob@b.c>\nSubject: Re: flood barrier\n"
    text = read(header + b"\nHi Bob,\n\nthe barrier is shut.\n")
    read_as = read_layout(text)
    assert read_as.blanked.split() == ["flood", "barrier", "the", "barrier", "is", "shut."]
    assert {"ann", "lee", "bob", "hart"} <= read_as.speakers


def alternative(plain: str, page: str) -> bytes:
    return (
        HEADER
        + f"Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n{plain}\n--b\n"
        f"Content-Type: text/html\n\n{page}\n--b--\nafter the end\n".encode()
    )


def test_plain_text_is_preferred_unless_it_only_points_to_the_page():
    page = "<title>no</title><style>p{}</style><p>" + "The <i>reef</i> is near. " * 30
    assert read(alternative("The reef is near. " * 10, page)) == SHOWN + ("The reef is near. " * 10)
    assert read(alternative("Please see the HTML version", page)).startswith(SHOWN + "The reef is near. The reef")
    assert read(alternative("", page)).startswith(SHOWN + "The reef is near.")
    assert read(HEADER + b"Content-Type: text/html\n\n<p>The <b>reef") == SHOWN + "The reef"


def test_attachments_are_named_and_pictures_of_the_page_and_signatures_are_not():
    part = "--b\nContent-Type: {}\n\nxxxx\n"
    kinds = [
        "text/plain\nContent-Disposition: inline",
        "text/plain\nContent-Disposition: attachment; filename=notes.txt",
        "application/pdf; name==?utf-8?q?K=C3=A4se=2Epdf?=",
        "image/png\nContent-ID: <logo>",
        "text/calendar",
        "application/pgp-signature",
    ]
    mail = HEADER + b"Content-Type: multipart/mixed; boundary=b\n\n" + "".join(map(part.format, kinds)).encode()
    assert read(mail) == "Subject: tides\nFrom: a@b.c\nAttachments: notes.txt, Käse.pdf, text/calendar\n\nxxxx"


def test_a_mail_that_is_attached_is_read_as_one():
    mail = (
        HEADER + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nsee below\n--b\nContent-Type: message/rfc822\n\n"
        b"From: c@d.e\nSubject: storms\n\nThe storm.\n--b--\n"
    )
    assert read(mail) == (
        SHOWN + "see below\n\n---------- Forwarded message ----------\n\nSubject: storms\nFrom: c@d.e\n\nThe storm."
    )


@pytest.mark.parametrize(
    ("field", "body", "text"),
    [
        (b"text/plain; charset=iso-8859-1", "Kärnten".encode("latin-1"), "Kärnten"),
        (b"text/plain; charset=utf-8", "Kärnten".encode("latin-1"), "Kärnten"),
        (b"text/plain; charset=us-ascii", "Kärnten".encode(), "Kärnten"),
        (b"text/plain; charset=klingon", "Kärnten".encode(), "Kärnten"),
        (b"text/plain; charset=idna", b"Karnten", "Karnten"),
        (b'text/plain; charset="unknown-8bit', "K\u2019s".encode("cp1252"), "K\u2019s"),
        (b"text/plain; charset*" + b"9" * 1900 + b"=x", b"reef", "reef"),
        (b"multipart/mixed", b"reef", "reef"),
        (b"nonsense", b"reef", "reef"),
        (b"text/plain\nContent-Transfer-Encoding: base64", base64.encodebytes("Kärnten".encode())[:-2], "Kärnten"),
        (b"text/plain\nContent-Transfer-Encoding: QUOTED-PRINTABLE", b"K=C3=A4rn=\nten =ZZ", "Kärnten =ZZ"),
    ],
)
def test_encodings_right_wrong_and_unknown(field, body, text):
    assert read(HEADER + b"Content-Type: " + field + b"\n\n" + body) == SHOWN + text


def test_a_part_without_an_encoding_has_that_of_the_options():
    assert read(HEADER + b"\n" + "Шторм".encode("koi8-r"), encoding="koi8-r") == SHOWN + "Шторм"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"=?utf-8?q?K=C3?= =?utf-8?q?=A4rnten?=", "Kärnten"),  # a letter in two words
        (b"=?utf-8?B?w6Q?= and =?iso-8859-1?q?=E4_=E4?=", "ä and ä ä"),
        ("Kärnten".encode(), "Kärnten"),
        ("Kärnten".encode("latin-1"), "Kärnten"),
        (b"=?klingon?q?abc?=", "abc"),
        (b"=?utf-8?q?never ends", "=?utf-8?q?never ends"),
        (b"folded\n\t line", "folded line"),
    ],
)
def test_header_fields(raw, shown):
    assert read(b"From: a@b.c\nSubject: " + raw + b"\n\nx") == f"Subject: {shown}\nFrom: a@b.c\n\nx"


def test_a_subject_alone_is_a_line_of_its_own():
    assert read(b"Subject: tides\n\nThe reef.") == "tides\n\nThe reef."
    assert read(b"\n\nSubject: tides") == "tides"


def test_a_line_of_a_mailbox_before_the_mail_is_skipped():
    assert read(b"From a@b.c Tue Mar  3 09:12:00 2026\n" + HEADER + b"\nThe reef.") == SHOWN + "The reef."


NESTED = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (each, each) for each in range(500))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"Hello world\n\nThe reef.", "this is not a mail"),
        (b"", "this is not a mail"),
        (b"X-Nothing: x\n\n", "neither a header nor a text"),
        (HEADER + NESTED + b"\nx", "more than 10 parts in each other"),
        (HEADER + b"Content-Type: message/rfc822\n\n" * 500 + b"x", "more than 10 parts in each other"),
        (HEADER + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 3_000, "more than 2,000 parts"),
        (HEADER + b"\n" + b"reef " * 500, "--max-document-chars 2000"),
        (HEADER + b"\n" + b"reef " * 9_000, "--max-document-chars 2000"),
        (HEADER + b"Content-Transfer-Encoding: base64\n\n" + b"cmVlZg==" * 900, "--max-document-chars 2000"),
    ],
)
def test_mails_that_cannot_be_read(data, told):
    with pytest.raises(InputError, match=told):
        read(data, max_document_chars=2_000)


OWN = "The tide gauges of the harbour are read by hand on every day of the week, and nobody knows for how much longer."
QUOTE = "the opera house needs a roof"


@pytest.mark.parametrize(
    "quoted",
    [
        "> {}",
        "On Mon, 2 Mar 2026 at 09:12, Ann Lee <a@b.c> wrote:\n\n> {}\n> > {}\n>\n\n" + OWN,
        "On Mon, 2 Mar 2026 at 09:12, Ann Lee <a@b.c> wrote:\n\n{}\n\n{}",
        "Le 2 mars 2026 à 9 h 12, Ann Lee a écrit :\n\n{}",
        "Am 2. März 2026 um 09:12 schrieb Ann Lee\n<a@b.c>:\n> {}",
        "-----Original Message-----\nFrom: Ann\n\n{}",
        "________________________________\nFrom: Ann Lee\nSent: Monday\nTo: Bob\nSubject: roofs\n\n{}",
        "Von: Ann Lee\nGesendet: Montag\nAn: Bob\nBetreff: Dächer\n\n{}",
    ],
)
def test_quotes_are_shown_and_are_not_prose(quoted):
    body = OWN + "\n\n" + quoted.replace("{}", QUOTE) + "\n"
    mail = mail_text(HEADER.replace(b"tides", b"Re: tides") + b"\n" + body.encode(), ReadOptions())
    assert QUOTE in mail.text
    assert mail.prose is not None
    assert len(mail.prose) == len(mail.text)
    assert "opera" not in mail.prose
    assert mail.prose.count(OWN) == mail.text.count(OWN)
    assert mail.prose.startswith("Subject: Re: tides\nFrom: a@b.c\n")


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        (b"tides", OWN),
        (b"Re: tides", f"Yes.\n\n-- \n{OWN}\n\nOn 2 March Ann wrote:\n> {QUOTE}"),  # hardly a word of its own
        (b"Fwd: tides", f"{OWN}\n\n-----Original Message-----\nFrom: Ann\n\n{QUOTE}"),
        (b"tides", f"{OWN}\n\n---------- Forwarded message ----------\nFrom: Ann\nDate: x\nSubject: y\n\n{QUOTE}"),
        (b"tides", f"{OWN}\n\n>>> import tides\n> 5 m of water"),
        (b"tides", f"{OWN}\n\nOn 2 March it rained.\nFrom: the sea"),
        (b"tides", f"{OWN}\n\nOn 2 March 2026 the council wrote:\n\nthe opera house needs a roof\n\n{OWN}"),  # no mail
    ],
)
def test_what_is_no_quote_is_prose(subject, body):
    mail = mail_text(HEADER.replace(b"tides", subject) + b"\n" + body.encode(), ReadOptions())
    assert mail.text.endswith(body)
    assert mail.prose is None


def test_quotes_of_an_attached_mail_are_its_own():
    inner = f"From: c@d.e\nSubject: storms\n\n{OWN}\n> {QUOTE}\n"
    mail = (
        HEADER + b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nsee below\n--b\nContent-Type: message/rfc822\n\n"
        + inner.encode() + b"--b--\n"
    )  # fmt: skip
    text, prose, _ = mail_text(mail, ReadOptions())
    assert (
        text
        == SHOWN
        + f"see below\n\n---------- Forwarded message ----------\n\nSubject: storms\nFrom: c@d.e\n\n{OWN}\n> {QUOTE}"
    )
    assert prose == text.replace(f"> {QUOTE}", " " * len(f"> {QUOTE}"))

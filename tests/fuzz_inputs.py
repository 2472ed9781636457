"""Inputs for fuzzing the readers: small real files, and mutations of them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.helpers import WORD, epub, zip_file

from mderank.reading import InputFormat

TEXT = "Storm surges flood the coast.\n\nThe surge model of Kärnten reads wind, pressure and tides – “every hour”."


# --- seeds: small real files ------------------------------------------------------------------------------------------


def pdf_file(contents: list[bytes], *, compress: bool = False, trailer: bytes = b"", forms: bytes = b"") -> bytes:
    """A PDF with one page per content stream, and optionally a form that the pages can show as /X1."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    resources = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 3 0 R >> >>"
    cmap = b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange"
    objects.append(_pdf_stream(cmap, b"", compress=compress))
    shown = b"/Resources << %s /XObject << /X1 4 0 R >> >>" % resources
    objects.append(_pdf_stream(forms, b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] " + shown, compress=compress))
    kids = []
    for content in contents:
        kids.append(b"%d 0 R" % (len(objects) + 1))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R %s >>" % (len(objects) + 2, shown)
        )
        objects.append(_pdf_stream(content, b"", compress=compress))
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size + b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (size, trailer, start)
    return bytes(out)


def _pdf_stream(data: bytes, entries: bytes, *, compress: bool) -> bytes:
    if compress:
        data, entries = zlib.compress(data), entries + b" /Filter /FlateDecode"
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def _pdf_seeds() -> list[bytes]:
    page = b"BT /F1 12 Tf 50 700 Td (Storm surges flood) Tj 0 -14 Td [(the c) -20 (oast.)] TJ T* (tides) ' ET /X1 Do"
    form = b"BT /F1 9 Tf (surge model) Tj ET"
    encrypted = b"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (%s) /U (%s) >> /ID [(ab) (ab)] " % (
        b"o" * 32,
        b"u" * 32,
    )
    return [
        pdf_file([page]),
        pdf_file([page, page, b"q 1 0 0 1 0 0 cm Q"], compress=True, forms=form),
        pdf_file([page], forms=form, trailer=encrypted),
    ]


def _html_seeds() -> list[bytes]:
    page = (
        f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>Tides &amp; storms</title><style>p {{}}</style>"
        f"</head><body><!-- note --><h1 class=a>Surges</h1><p>{TEXT}<br>&#8212; &#x1F30A; &nbsp;<b>wind</b></p>"
        "<pre>a  b</pre><script>if (a < b) "
        "x('</p>')</script><svg><title>no</title></svg><![CDATA[x]]><table><tr><td>1"
        "</table></html>"
    )
    return [page.encode(), page.replace("utf-8", "latin-1").encode("latin-1", "replace")]


def _markdown_seeds() -> list[bytes]:
    return [
        f"---\ntags: [a]\n---\n# Tides\n\n{TEXT}\n\n- **bold** _it_ `code`\n1. [link](http://a.b/c_(d)) ![x][y]\n\n"
        f"> quote\n\n```py\nx = 1\n```\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n[y]: http://c.d 'e'\n<!-- no -->"
        "<i>t</i> ~~s~~\n".encode()
    ]


def _json_lines() -> bytes:
    rows: list[dict[str, Any]] = [
        {"id": "a", "text": TEXT, "tokens": [["Storm", "NN"], ["surges", "NNS"]], "year": 1953},
        {"id": 7, "text": "Grüße 😀", "more": {"deep": [1.5, None, True, "\ud800"]}},
        {"text": ""},
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _json_seeds() -> list[bytes]:
    rows = [json.loads(line) for line in _json_lines().splitlines()]
    return [json.dumps(rows * 3).encode(), json.dumps(rows, indent=1).encode(), json.dumps(rows[0]).encode()]


def _csv_rows(delimiter: str = ",", newline: str = "\n") -> bytes:
    out = io.StringIO()
    rows = csv.writer(out, delimiter=delimiter, lineterminator=newline)
    rows.writerows([["id", "note", "text"], ["a", "1", TEXT], ["b", "", 'A "quoted", line;\nor two'], ["c", "2", ""]])
    return out.getvalue().encode()


def _parquet_seeds() -> list[bytes]:
    import pyarrow as pa
    from pyarrow import parquet

    texts = [TEXT, "owl", None, TEXT, "", "x" * 300]
    nested = {
        "text": texts,
        "title": [{"b": text, "n": [1, 2]} for text in texts],
        "tags": [["a", "b"], [], None, ["a"], [TEXT] * 3, [None]],
        "map": pa.array([[("k", TEXT)], [], None, [], [], []], pa.map_(pa.string(), pa.string())),
    }
    tables = [
        (pa.table({"id": list("abcdef"), "text": texts}), {"row_group_size": 2}),
        (pa.table(nested), {"row_group_size": 3}),
        (pa.table({"id": pa.array(range(6), pa.timestamp("ns")), "text": texts}), {"compression": "none"}),
        (
            pa.table({"id": pa.array(range(6), pa.date32()), "text": pa.array(texts, pa.large_string())}),
            {"use_dictionary": False, "compression": "zstd", "data_page_version": "2.0"},
        ),
        (pa.table({"id": [1.5] * 6, "text": pa.array([text and text.encode() for text in texts])}), {}),
    ]
    made = []
    for table, settings in tables:
        out = io.BytesIO()
        parquet.write_table(table, out, **settings)
        made.append(out.getvalue())
    return made


def _rst_seeds() -> list[bytes]:
    return [
        f"======\nTides\n======\n\n:Author: A\n\n{TEXT} *a* **b** ``c`` :ref:`d <e>` `f <http://g.h>`_ i_ "
        f"[1]_ |j|\n\n.. note:: k\n"
        "   :name: l\n\n   m::\n\n     n\n\n.. code-block:: py\n\n   x = 1\n\n.. [1] o\n.. _p: http://q.r\n"
        ".. s\n\n>>> t\n1\n\n"
        "+---+---+\n| u | v |\n+===+===+\n| 1 | 2 |\n+---+---+\n\n=== ===\nw   x\n=== ===\n\n- y\n1. z\n".encode()
    ]


def _tex_seeds() -> list[bytes]:
    return [
        "\\documentclass{article}\n\\newcommand{\\ours}{SurgeNet\\xspace}\n\\title{Tides \\& storms}\n"
        "\\begin{document}\n"
        f"\\section*{{Surges}}\\label{{a}} % note\n{TEXT} \\emph{{b}}~\\cite[p.~1]{{c,d}} $k$-means $x^2$ "
        f'\\ours{{}} Schr\\"odinger\n\n'
        "\\begin{itemize}\n\\item e\\footnote{f $g$}\n\\end{itemize}\n\\begin{equation}h\\end{equation}\n"
        "\\[i\\] \\(j\\) $$k$$\n"
        "\\begin{tabular}{l|r}\\hline l & \\multicolumn{2}{c}{m} \\\\[2pt] n & "
        "o\\end{tabular}\\input{p}\\verb|q|``r''---s\n"
        "\\end{document}\nt".encode()
    ]


def _docx_seeds() -> list[bytes]:
    run = f"<w:r><w:rPr><w:b/></w:rPr><w:t xml:space='preserve'>{TEXT} </w:t><w:tab/></w:r>"
    body = (
        f"<w:p><w:pPr><w:pStyle w:val='Title'/></w:pPr>{run}<w:del><w:r><w:delText>no</w:delText></w:r></w:del></w:p>"
        f"<w:tbl><w:tr><w:tc><w:p>{run}<w:r><w:footnoteReference w:id='1'/></w:r></w:p></w:tc></w:tr></w:tbl>"
        f"<w:p><w:r><mc:AlternateContent xmlns:mc='m'><mc:Choice><w:txbxContent><w:p>{run}</w:p></w:txbxContent>"
        f"</mc:Choice><mc:Fallback><w:p>{run}</w:p></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    return [f"<?xml version='1.0' encoding='UTF-8'?><w:document {WORD}><w:body>{body}</w:body></w:document>".encode()]


def _package_seeds() -> list[bytes]:
    return [
        b"<package xmlns:dc='d'><metadata><dc:title>Tides</dc:title></metadata><manifest><item id='a' href='1.html' "
        b"media-type='text/html' properties='svg'/></manifest><spine><itemref idref='a'/></spine></package>"
    ]


def _mail_seeds() -> list[bytes]:
    mail = (
        "Received: by x\nFrom: =?utf-8?Q?Ann_L=C3=B6we?= <a@b.c>\nTo: B <b@c.d>,\n C <c@d.e>\nSubject: "
        "=?utf-8?B?w6Q=?= tides\n"
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x y"\n\n--x y\nContent-Type: '
        "multipart/alternative;\n"
        f" boundary=z\n\n--z\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
        f"{TEXT}\n--z\n"
        "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>Storm=20surges=\n</p>\n"
        "--z--\n--x y\n"
        "Content-Type: message/rfc822\n\nFrom: D <d@e.f>\nSubject: old\n\nThe tide.\n--x y\nContent-Type: "
        "application/pdf\n"
        "Content-Disposition: attachment; filename*0*=utf-8''a%20b; filename*1=.pdf\n"
        "Content-Transfer-Encoding: base64\n\n"
        "JVBERi0=\n--x y--\n"
    )
    return [mail.encode(), mail.replace("\n", "\r\n").encode()]


def _mailbox() -> bytes:
    mail = f"From a@b.c Tue Mar  3 09:12:00 2026\nFrom: a@b.c\nSubject: tides\n\n{TEXT}\n>From there\n\n"
    return (mail * 2).encode()


def _notebook_seeds() -> list[bytes]:
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Tides\n", f"{TEXT} $x$ **b**"]},
        {"cell_type": "code", "source": "x = 1", "outputs": [{"data": {"image/png": "AAAA"}}]},
        {"cell_type": "markdown", "source": "end"},
    ]
    old = {"worksheets": [{"cells": [{"cell_type": "heading", "level": 1, "source": "Tides"}]}], "nbformat": 3}
    return [json.dumps({"cells": cells, "nbformat": 4}, indent=1).encode(), json.dumps(old).encode()]


# --- mutations --------------------------------------------------------------------------------------------------------

_TOKENS = (
    b"\0", b"\r", b"\n", b"\r\n", b'"', b"'", b"\\", b",", b";", b"\t", b"\xff", b"\xfe", b"\xff\xfe", b"\xef\xbb\xbf",
    b"\xc3", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"-1", b"0", b"9" * 5000, b"99999999999",
    b"4294967296",
)  # fmt: skip
TOKENS: dict[str, tuple[bytes, ...]] = {
    "jsonl": (
        b"NaN", b"-Infinity", b"1e999", b"[" * 3000, b'{"a":' * 3000, b"\\ud800", b"\\u0000", b"\\x", b"null",
        b'"id": ', b'"text": ', b"{}", b"[]", b"true", b'{"text": "a"}\n',
    ),
    "csv": (
        b'"', b'""', b'"\r', b"text", b"id", b"|", b",,,", b'\n"', b"a" * 1000,
    ),
    "html": (
        b"<![C x", b"<![CDATA[", b"<!", b"<!--", b"-->", b"<?", b"</", b"<", b">", b"&", b"&#", b"&#x", b"&#0;",
        b"&#" + b"1" * 6000 + b";", b"<meta charset=punycode>", b"<meta charset='undefined'>", b"<script>",
        b"<meta charset=idna>", b"<meta charset=base64>", b"<meta charset=utf-16>",
        b"<meta charset=unicode_escape>", b"<meta charset=klingon>", b"<svg>", b"<title>", b"</title>", b"<pre>",
        b"<div>" * 500, b"<![if x]>",
    ),
    "markdown": (
        b"```", b"~~~", b"[", b"](", b"<!--", b"-->", b"---\n", b"***", b"__", b"|", b"> > >", b"# ", b"`" * 50,
    ),
    "pdf": (
        b"/Encrypt << /V 9 >>", b"/V 5", b"/R 6", b"/Filter /FlateDecode", b"/Filter /LZWDecode", b"<<", b">>",
        b"[", b"/Filter [/ASCII85Decode /RunLengthDecode]", b"/Length 99999999", b"/Kids [2 0 R]",
        b"/Parent 5 0 R", b"]", b"/Type /ObjStm /N 9 /First 9", b"/Predictor 15 /Columns 99999999", b"2 0 R",
        b"4 0 R", b"(", b")", b"<", b">", b"null", b"stream", b"endstream", b"endobj", b"BT", b"ET", b"Tj", b"TJ",
        b"Tf", b"Do", b"BI ID EI", b"/X1 Do", b"beginbfrange", b"beginbfchar <00> <d800> endbfchar", b"<ffff>",
        b"/Type0", b"/Encoding /Identity-H",
    ),
}  # fmt: skip
TOKENS["json"] = (*TOKENS["jsonl"], b"[", b"]", b"{", b"}", b",", b'"', b"\\", b"}]", b"][", b'}, {"text": "')
TOKENS["rst"] = (
    b"::\n\n   ",
    b".. ",
    b".. code::\n",
    b".. note:: ",
    b"`",
    b"``",
    b":ref:`",
    b"`_",
    b"_",
    b"|",
    b"*",
    b"**",
    b"[",
    b"]_",
    b">>> ",
    b"=====\n",
    b"+---+\n",
    b"\\",
    b"   ",
)
TOKENS["tex"] = (
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b"$",
    b"$$",
    b"\\[",
    b"\\(",
    b"%",
    b"&",
    b"\\begin{",
    b"\\end{",
    b"\\begin{document}",
    b"\\end{document}",
    b"\\begin{tabular}",
    b"\\begin{verbatim}",
    b"\\footnote{",
    b"\\cite{",
    b"\\'",
    b"\\verb|",
    b"\\title{",
    b"\n\n",
    b"\\section{",
    b"\\input{",
)
TOKENS["docx"] = TOKENS["epub"] = (
    b"<w:p>",
    b"</w:p>",
    b"<w:r>",
    b"</w:r>",
    b"<w:t>",
    b"</w:t>",
    b"<w:del>",
    b"<w:pPr>",
    b"<w:vanish/>",
    b"<a>" * 600,
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>",
    b"&b;",
    b"&#0;",
    b"<!--",
    b"<![CDATA[",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"PK\x03\x04",
    b"<itemref idref='a'/>",
    b"<item id='a' href='../../x'/>",
    b"<dc:title>",
    b"encoding='utf-16'",
    b"encoding='x'",
)
TOKENS["eml"] = TOKENS["mbox"] = (
    b"--z\n",
    b"--x y\n",
    b"--x y--\n",
    b"\n\n",
    b"\n",
    b"boundary=",
    b"charset=",
    b"charset=klingon",
    b"charset=idna",
    b"=?",
    b"?=",
    b"=?utf-8?q?=e4?=",
    b"Content-Type: multipart/mixed; boundary=z\n",
    b"Content-Type: message/rfc822\n\n",
    b"From ",
    b"Content-Transfer-Encoding: base64\n",
    b"\nFrom a@b.c Tue Mar  3 09:12:00 2026\n",
    b"=",
    b";",
    b"(",
    b'"',
    b"name*9*=",
)
TOKENS["ipynb"] = (*TOKENS["jsonl"], b'{"cells": [', b'"cell_type": "markdown"', b'"source": ', b"$", b"$$", b"```")
TOKENS["text"] = TOKENS["parquet"] = ()


def mutate(random: Random, data: bytes, others: list[bytes], tokens: tuple[bytes, ...]) -> bytes:
    """Change a file in one to eight places."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        random.choice(_MUTATIONS)(random, out, others, tokens)
    return bytes(out)


def _place(random: Random, out: bytearray) -> int:
    return random.randint(0, len(out))


def _flip(random: Random, out: bytearray, *_: Any) -> None:
    if out:
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)


def _insert(random: Random, out: bytearray, others: list[bytes], tokens: tuple[bytes, ...]) -> None:
    at = _place(random, out)
    out[at:at] = random.choice(tokens or _TOKENS) if random.random() < 0.7 else random.choice(_TOKENS)


def _overwrite(random: Random, out: bytearray, others: list[bytes], tokens: tuple[bytes, ...]) -> None:
    at = _place(random, out)
    new = random.choice((*tokens, *_TOKENS))
    out[at : at + len(new)] = new


def _delete(random: Random, out: bytearray, *_: Any) -> None:
    at = _place(random, out)
    del out[at : at + random.choice((1, 1, 2, 4, 16, 64))]


def _repeat(random: Random, out: bytearray, *_: Any) -> None:
    at = _place(random, out)
    part = bytes(out[at : at + random.choice((1, 4, 16, 64))])
    out[at:at] = part * random.choice((1, 2, 10, 500))


def _cut(random: Random, out: bytearray, *_: Any) -> None:
    if random.random() < 0.3:
        del out[_place(random, out) :]


def _splice(random: Random, out: bytearray, others: list[bytes], *_: Any) -> None:
    other = random.choice(others)
    at, start = _place(random, out), random.randint(0, len(other))
    out[at : at + 64] = other[start : start + random.choice((8, 64, 512))]


def _number(random: Random, out: bytearray, *_: Any) -> None:
    """Change a digit, so that lengths, offsets and references are wrong."""
    digits = [index for index, byte in enumerate(out) if 48 <= byte <= 57]
    if digits:
        out[random.choice(digits)] = random.randint(48, 57)


_MUTATIONS: tuple[Callable[..., None], ...] = (
    _flip, _flip, _insert, _insert, _insert, _overwrite, _delete, _repeat, _cut, _splice, _number
)  # fmt: skip


# --- readers ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """A reader to fuzz: the suffix of its files, what is in them, and how it is packed, if it is."""

    suffix: str
    kind: InputFormat
    seeds: Callable[[], list[bytes]]
    pack: Callable[[bytes], bytes] | None = None

    def make_input(self, random: Random, seeds: list[bytes]) -> bytes:
        """Make an input. A packed file is changed before or after it is packed."""
        data = random.choice(seeds)
        changed = mutate(random, data, seeds, TOKENS[self.kind])
        if self.pack is None:
            return changed
        if random.random() < 0.5:
            return self.pack(changed)
        return mutate(random, self.pack(data), [self.pack(seed) for seed in seeds], ())


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def _pack_docx(document: bytes) -> bytes:
    notes = f"<w:footnotes {WORD}><w:footnote><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:footnote></w:footnotes>"
    return zip_file({"word/document.xml": document, "word/footnotes.xml": notes})


def _pack_page(page: bytes) -> bytes:
    return epub({"one": page, "two": "<p>The end.</p>"})


def _pack_package(package: bytes) -> bytes:
    container = '<container><rootfiles><rootfile full-path="b/c.opf"/></rootfiles></container>'
    return zip_file(
        {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "b/c.opf": package, "b/1.html": TEXT}
    )


READERS = {
    "text": Reader(".txt", "text", lambda: [TEXT.encode(), TEXT.encode("utf-16"), TEXT.encode("latin-1", "replace")]),
    "markdown": Reader(".md", "markdown", _markdown_seeds),
    "html": Reader(".html", "html", _html_seeds),
    "pdf": Reader(".pdf", "pdf", _pdf_seeds),
    "jsonl": Reader(".jsonl", "jsonl", lambda: [_json_lines(), _json_lines() * 20]),
    "json": Reader(".json", "json", _json_seeds),
    "csv": Reader(".csv", "csv", lambda: [_csv_rows(), _csv_rows(";", "\r\n"), _csv_rows("\t") * 5]),
    "parquet": Reader(".parquet", "parquet", _parquet_seeds),
    "rst": Reader(".rst", "rst", _rst_seeds),
    "tex": Reader(".tex", "tex", _tex_seeds),
    "docx": Reader(".docx", "docx", _docx_seeds, _pack_docx),
    "epub": Reader(".epub", "epub", _html_seeds, _pack_page),
    "epub package": Reader(".epub", "epub", _package_seeds, _pack_package),
    "eml": Reader(".eml", "eml", _mail_seeds),
    "mbox": Reader(".mbox", "mbox", lambda: [_mailbox(), _mailbox() * 9]),
    "ipynb": Reader(".ipynb", "ipynb", _notebook_seeds),
    "text.gz": Reader(".txt.gz", "text", lambda: [TEXT.encode() * 30], _gzip),
    "jsonl.gz": Reader(".jsonl.gz", "jsonl", lambda: [_json_lines() * 30], _gzip),
    "json.gz": Reader(".json.gz", "json", lambda: [_json_seeds()[0] * 10], _gzip),
    "csv.gz": Reader(".csv.gz", "csv", lambda: [_csv_rows() * 30], _gzip),
    # Without a name that says it, the format is that of the first bytes.
    "stream": Reader(
        "",
        "html",
        lambda: [
            *_html_seeds(),
            _json_lines(),
            *_json_seeds(),
            _csv_rows(),
            _pdf_seeds()[0],
            TEXT.encode(),
            *_mail_seeds(),
            _mailbox(),
            *_notebook_seeds(),
            _pack_docx(_docx_seeds()[0]),
            _pack_page(_html_seeds()[0]),
        ],
    ),
}

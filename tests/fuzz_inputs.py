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
        "<pre>a  b</pre><script>if (a < b) x('</p>')</script><svg><title>no</title></svg><![CDATA[x]]><table><tr><td>1"
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
    """A reader to fuzz: the suffix of its files, seeds, and whether the content is compressed."""

    suffix: str
    kind: InputFormat
    seeds: Callable[[], list[bytes]]
    compressed: bool = False

    def make_input(self, random: Random, seeds: list[bytes]) -> bytes:
        """Make an input. A gzip file is changed before or after its compression."""
        data = random.choice(seeds)
        changed = mutate(random, data, seeds, TOKENS[self.kind])
        if not self.compressed:
            return changed
        if random.random() < 0.5:
            return gzip.compress(changed, mtime=0)
        return mutate(random, gzip.compress(data, mtime=0), [gzip.compress(seed, mtime=0) for seed in seeds], ())


READERS = {
    "text": Reader(".txt", "text", lambda: [TEXT.encode(), TEXT.encode("utf-16"), TEXT.encode("latin-1", "replace")]),
    "markdown": Reader(".md", "markdown", _markdown_seeds),
    "html": Reader(".html", "html", _html_seeds),
    "pdf": Reader(".pdf", "pdf", _pdf_seeds),
    "jsonl": Reader(".jsonl", "jsonl", lambda: [_json_lines(), _json_lines() * 20]),
    "json": Reader(".json", "json", _json_seeds),
    "csv": Reader(".csv", "csv", lambda: [_csv_rows(), _csv_rows(";", "\r\n"), _csv_rows("\t") * 5]),
    "parquet": Reader(".parquet", "parquet", _parquet_seeds),
    "text.gz": Reader(".txt.gz", "text", lambda: [TEXT.encode() * 30], compressed=True),
    "jsonl.gz": Reader(".jsonl.gz", "jsonl", lambda: [_json_lines() * 30], compressed=True),
    "json.gz": Reader(".json.gz", "json", lambda: [_json_seeds()[0] * 10], compressed=True),
    "csv.gz": Reader(".csv.gz", "csv", lambda: [_csv_rows() * 30], compressed=True),
    # Without a name that says it, the format is that of the first bytes.
    "stream": Reader(
        "", "html", lambda: [*_html_seeds(), _json_lines(), *_json_seeds(), _csv_rows(), _pdf_seeds()[0], TEXT.encode()]
    ),
}

"""Extract the text of a Word document (.docx), without its layout.

The archive's XML is read as it is decompressed, so a document takes the memory of its text. python-docx would build a
tree of all of it, and has no reader for tracked changes, footnotes and text boxes.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

from mderank.errors import InputError
from mderank.reading.base import OLD_OFFICE_MARK, ReadOptions
from mderank.reading.limits import too_many_chars
from mderank.reading.xml_events import read_xml
from mderank.reading.zip_archive import ZipArchive

_MAIN = "word/document.xml"
_NOTES = {"footnotes": "footnotes.xml", "endnotes": "endnotes.xml"}  # by kind of relationship
# Deleted and moved text, and the drawing for old programs of a text box that is also there for new ones.
_LEFT_OUT = frozenset(("del", "moveFrom", "Fallback"))
_MARKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_CONTENTS = re.compile(r"TOC(?:\d|Heading)|TableofFigures", re.IGNORECASE)  # styles of tables of contents
_TITLE = re.compile(r"Tit(?:le|el|re|olo)|T[ií]?tulo", re.IGNORECASE)  # the style of titles, in several languages
_ELEMENTS_PER_CHAR = 2  # XML elements per character of the limit; a document has one for several characters
_FEW_ELEMENTS = 10_000  # that a part may have beyond that
_PARAGRAPH, _LINE, _BAR = "\n\n", "\n", " | "  # what is before a block, before a table's row, and between its cells
_LONGEST_ROW = 300  # characters of a row that is one line
_FALSE = ("0", "false", "off")
_FORMULA_START, _FORMULA_END = "\x01", "\x02"  # around a formula until the text is whole; no XML has these characters
_FORMULA = re.compile("\x01([^\x01\x02]*)\x02?")
_WORD_FORMULA = re.compile(r"[^\W_]{1,20}")  # a formula that is a word, such as the k of "k-means"


class DocxText(NamedTuple):
    """The text of a Word document.

    Attributes:
        text: the text.
        prose: the same with formulas replaced by spaces; None if there are none.
        title: the first paragraph in the style of titles, on one line; None if there is none.
    """

    text: str
    prose: str | None
    title: str | None


def docx_text(data: bytes, options: ReadOptions) -> DocxText:
    """Return the text of a Word document: its paragraphs with a blank line between them, then its foot- and endnotes.

    Each item of a list is a paragraph. The cells of a table's row are on one line with bars between them, or paragraphs
    if they are long. Headers, footers, comments, tables of contents, prompts of empty form fields, hidden text and text
    that a tracked change deletes are left out.

    Args:
        data: the bytes of the file.
        options: the limit.

    Returns:
        The text, its prose and its title.

    Raises:
        InputError: the file is encrypted, of an old format, damaged or too long, or has no text.
    """
    if data.startswith(OLD_OFFICE_MARK):
        raise InputError("this Office file has a password, or is from before 2007: save it as .docx without password")
    archive = ZipArchive(data, options.max_bytes("docx"), options.max_document_chars)
    main = _related(archive, "").get("officeDocument", _MAIN)
    if main not in archive:
        raise InputError("this zip archive is not a Word document (it has no word/document.xml): save it as .docx")
    reader = _PartReader(options.max_document_chars)
    reader.read(archive, main, root="document")
    related = _related(archive, main)
    for kind, name in _NOTES.items():
        part = related.get(kind, posixpath.join(posixpath.dirname(main), name))
        if part in archive:
            reader.read(archive, part, root=kind)
    if not reader.blocks:
        raise InputError("this document has no text, only pictures: put it through OCR first")
    marked = "".join(part for block in reader.blocks for part in block)[len(_PARAGRAPH) :]
    text = _FORMULA.sub(r"\1", marked)
    prose = _FORMULA.sub(_blank_formula, marked)
    return DocxText(text, None if prose == text else prose, reader.title)


def _blank_formula(found: re.Match[str]) -> str:
    """Return a comma and spaces, so that no phrase crosses the formula; a formula that is a word as it is."""
    formula = found.group(1)
    return formula if not formula or _WORD_FORMULA.fullmatch(formula) else "," + " " * (len(formula) - 1)


def _related(archive: ZipArchive, part: str) -> dict[str, str]:
    """Return the parts that a part names, by their kind; those of the archive for no part."""
    folder, name = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    found: dict[str, str] = {}

    def start(element: str, attributes: Mapping[str, str]) -> None:
        if element == "Relationship" and attributes.get("TargetMode") != "External":
            kind = attributes.get("Type", "").rpartition("/")[2]
            target = posixpath.normpath(posixpath.join("/", folder, attributes.get("Target", "")))
            found.setdefault(kind, target.lstrip("/"))

    if rels in archive:
        read_xml(archive.pieces(rels), start=start)
    return found


Blocks = list[tuple[str, str]]  # texts, each with what is before it


class _PartReader:
    """Gathers the paragraphs of parts of a document.

    Attributes:
        blocks: the paragraphs and rows, each with the white space before it.
        title: the first paragraph in the style of titles; None if there is none.
    """

    def __init__(self, max_chars: int) -> None:
        self.blocks: Blocks = []
        self.title: str | None = None
        self._max_chars = max_chars
        self._in_table = False  # whether the last block is a row of the table that is open
        self._length = -len(_PARAGRAPH)  # the last paragraph has nothing below it

    def read(self, archive: ZipArchive, part: str, *, root: str) -> None:
        """Read a part whose XML begins with the element ``root``."""
        self._root = root
        self._paragraphs: list[list[str]] = []  # those that are open: a text box is in a paragraph
        self._styles: list[str] = []  # of the paragraphs that are open
        self._prompts: list[bool] = []  # of the form fields that are open, whether they show what to write there
        self._hidden_runs: list[bool] = []
        self._rows: list[list[Blocks]] = []  # the cells of the rows that are open: a table is in a cell
        self._left_out = self._in_properties = self._in_text = 0
        most = self._max_chars * _ELEMENTS_PER_CHAR + _FEW_ELEMENTS
        read_xml(archive.pieces(part), start=self._start, end=self._end, text=self._text, most_elements=most)

    def _start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._root:
            if name != self._root:
                raise InputError(f"this Office file is not a Word document but a {name[:40]}: export its text")
            self._root = ""
        is_separator = name in ("footnote", "endnote") and attributes.get("type", "normal") != "normal"
        is_prompt = name == "sdtContent" and self._prompts[-1:] == [True]
        if self._left_out or name in _LEFT_OUT or is_separator or is_prompt:
            self._left_out += 1
        elif self._in_properties or name.endswith(("Pr", "PrChange")):
            self._in_properties += 1
            self._read_property(name, attributes)
        elif name == "p":
            self._paragraphs.append([])
            self._styles.append("")
        elif name == "tr":
            self._rows.append([])
        elif name == "tc" and self._rows:
            self._rows[-1].append([])
            self._grow(len(_BAR))
        elif name == "r":
            self._hidden_runs.append(False)
        elif name == "t":
            self._in_text += 1
        elif name == "sdt":
            self._prompts.append(False)
        elif name == "oMath":
            self._add(_FORMULA_START)
        elif name in _MARKS:
            self._add(_MARKS[name])

    def _read_property(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "vanish" and self._hidden_runs and attributes.get("val") not in _FALSE:
            self._hidden_runs[-1] = True
        elif name == "showingPlcHdr" and self._prompts:
            self._prompts[-1] = attributes.get("val") not in _FALSE
        elif name == "pStyle" and self._styles:
            self._styles[-1] = attributes.get("val", "")

    def _end(self, name: str) -> None:
        if self._left_out:
            self._left_out -= 1
        elif self._in_properties:
            self._in_properties -= 1
        elif name == "p":
            block = "".join(self._paragraphs.pop()).strip()
            self._in_table = self._in_table and bool(self._rows)
            style = self._styles.pop()
            if block and not _CONTENTS.match(style):
                if self.title is None and _TITLE.fullmatch(style):
                    self.title = " ".join(_FORMULA.sub(r"\1", block).split())
                self._here().append((_PARAGRAPH, block))
                self._grow(len(_PARAGRAPH))
        elif name == "tr":
            self._end_row(self._rows.pop())
        elif name == "tbl":
            self._in_table = False
        elif name == "r":
            self._hidden_runs.pop()
        elif name == "t":
            self._in_text -= 1
        elif name == "sdt":
            self._prompts.pop()
        elif name == "oMath":
            self._add(_FORMULA_END)

    def _here(self) -> Blocks:
        """Return where the next block belongs: to the cell that is open, or to the document."""
        return self._rows[-1][-1] if self._rows and self._rows[-1] else self.blocks

    def _end_row(self, cells: list[Blocks]) -> None:
        here = self._here()
        texts = [" ".join(text.split()) for cell in cells for _, text in cell]
        is_line = len(cells) > 1 and all(len(cell) <= 1 for cell in cells) and sum(map(len, texts)) <= _LONGEST_ROW
        if not texts or not is_line:
            here += [block for cell in cells for block in cell]
            self._in_table = False
            return
        line = _BAR.join(" ".join(cell[0][1].split()) if cell else "" for cell in cells).strip()
        here.append((_LINE if self._in_table and here else _PARAGRAPH, line))
        self._in_table = True

    def _text(self, text: str) -> None:
        if self._in_text and not self._left_out:
            self._add(text)

    def _add(self, text: str) -> None:
        if not self._paragraphs or (self._hidden_runs and self._hidden_runs[-1]):
            return
        self._grow(len(text))
        self._paragraphs[-1].append(text)

    def _grow(self, count: int) -> None:
        self._length += count
        if self._length > self._max_chars:
            raise too_many_chars(self._max_chars)

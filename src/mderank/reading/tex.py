r"""Extract the text of a LaTeX document: commands are carried out or left out, formulas stay as they are written.

The text is not the source with spaces in the place of commands, as with Markdown: "Schr\"odinger", "$k$-means" and a
name that the author defined are words only when they are written out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from mderank.reading.base import MAX_DOCUMENT_CHARS
from mderank.reading.limits import too_many_chars
from mderank.reading.tex_commands import (
    ACCENTS,
    BREAKS,
    DEFINING,
    DISPLAYED,
    DROPPED_ARGUMENTS,
    ENVIRONMENT_ARGUMENTS,
    GREEK,
    HEADINGS,
    INPUTS,
    NAMED,
    NOT_TEXT,
    NOTES,
    REFERENCES,
    TABLES,
)

_TOKEN = re.compile(
    r"\\(?P<command>[A-Za-z@]+)(?P<star>\*?)|\\(?P<escape>[^A-Za-z@])|(?P<comment>%[^\n]*(?:\n[ \t]*+(?!\n))?)"
    r"|(?P<math>\$\$?)|(?P<brace>[{}])|(?P<paragraph>\n[ \t]*\n\s*)|(?P<mark>[&~]|``|''|-{2,3})"
)
_BRACES = re.compile(r"\\.|%[^\n]*|[{}]", re.DOTALL)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LONGEST_GROUP = 20_000
_LONGEST_VERBATIM = 300
_BEGIN, _END = "\\begin{document}", "\\end{document}"
_OPTIONAL = re.compile(r"\s?\[[^\[\]]{0,1000}\]")
_TRIMMED = re.compile(r"\([^()\n]{0,40}\)")  # how far a rule of a table is shortened: \cmidrule(lr){1-2}
_SPACES = re.compile(r"[ \t]*\n?[ \t]*")
_DEFINITION = re.compile(
    r"\\(?:(?:re)?newcommand\*?|providecommand\*?|def)\s?\{?\\([A-Za-z]{1,40})\}?\s?"
    r"\{(?:\\text(?:sc|bf|it|tt|rm|sf)\{)?([^{}\\$#]{1,80})\}?(?:\\xspace)?\s?\}"
)
_SIMPLE_FORMULA = re.compile(r"(?:[A-Za-z0-9@.,+%]|\\%|_(?=\d)|\\[A-Za-z]{2,10}(?![A-Za-z]))+")
_FORMULA_NAME = re.compile(r"\\([A-Za-z]+)")

_ACCENTED = re.compile(r"\s?\{\s?(?P<group>\\[ij]|[^\W\d_])\s?\}|\s?(?P<letter>\\[ij](?![A-Za-z])|[^\W\d_])")
_DEFINED = re.compile(r"\s?\\[A-Za-z@]{1,60}[#\d]{0,20}(?:\s?=?\s?\\[A-Za-z@]{1,60})?")


class TexText(NamedTuple):
    r"""The text of a LaTeX document.

    Attributes:
        text: the text. Formulas, citations and references are as they are written.
        prose: the same text with these replaced by spaces.
        title: the first ``\title`` on one line; None if there is none.
    """

    text: str
    prose: str
    title: str | None


def tex_text(source: str, *, max_chars: int = MAX_DOCUMENT_CHARS) -> TexText:
    r"""Return the text of a LaTeX document.

    Comments, the preamble but for the title, code, pictures and the bibliography are left out. Files that ``\input``
    names are not read: the command stays in the text.

    Args:
        source: the source.
        max_chars: length of the longest text that is returned, in characters.

    Returns:
        The text, with a blank line between paragraphs, its prose and its title.

    Raises:
        InputError: the text is longer.

    >>> tex_text(r"\section{Tides} Storm \emph{surges}~\cite{a} $x^2$").text
    'Tides\n\nStorm surges [a] $x^2$'
    """
    return _Reader(source, max_chars).read()


class _Writer:
    """Gathers text and prose of the same length. White space is one space, a line break or a blank line."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.prose: list[str] = []
        self._space = ""

    def add(self, text: str, prose: str | None = None) -> int:
        """Add text, and return by how much the document has grown."""
        words = " ".join(text.split())
        if text[:1].isspace():
            self.separate(" ")
        if not words:
            return 0
        grown = len(self._space) + len(words)
        for target, new in ((self.text, words), (self.prose, words if prose is None else prose)):
            target += [self._space, new]
        self._space = " " if text[-1].isspace() else ""
        return grown

    def separate(self, space: str) -> None:
        if self.text and len(space) + space.count("\n") > len(self._space) + self._space.count("\n"):
            self._space = space

    def hide(self, text: str) -> int:
        """Add text that is not prose: a comma stands for it, which no phrase crosses."""
        words = " ".join(text.split())
        return self.add(words, "," + " " * (len(words) - 1)) if words else 0

    def add_all(self, other: _Writer) -> None:
        """Add all of another writer as a paragraph."""
        self.separate("\n\n")
        for target, new in ((self.text, other.text), (self.prose, other.prose)):
            target += [self._space if self.text else "", *new]
        self._space = "\n\n"


class _Reader:
    """Reads a source from its beginning to its end. Groups are matched within a paragraph, as in LaTeX."""

    def __init__(self, source: str, max_chars: int) -> None:
        self._source = source
        self._max_chars = max_chars
        self._length = 0
        self._writers = [_Writer()]
        self._notes: list[_Writer] = []
        self._at = 0
        self._window = (0, 0)
        self._ends: dict[int, int] = {}  # of the groups in the window
        self._closing: dict[int, Callable[[], None]] = {}  # what to do at the end of a group
        self._last: dict[str, int] = {}
        self._tables = 0
        self._names: dict[str, str] = {}
        self._title: str | None = None

    def read(self) -> TexText:
        begin = self._source.find(_BEGIN)
        end = self._source.find(_END, max(begin, 0))
        self._source = self._source if end < 0 else self._source[:end]
        if begin >= 0:
            self._read_preamble(begin)
            self._at = begin + len(_BEGIN)
        self._read_to(len(self._source))
        self._end_paragraph()
        writer = self._writers[0]
        return TexText("".join(writer.text), "".join(writer.prose), self._title)

    def _read_preamble(self, end: int) -> None:
        self._names = dict(_DEFINITION.findall(self._source, 0, end))
        while token := _TOKEN.search(self._source, self._at, end):
            self._at = token.end()
            name = token.group("command")
            if name in ("title", "subtitle", "abstract", "keywords"):
                self._skip_optional()
                group = self._group_end(self._at)
                if group:
                    self._heading(name, group)
                    self._read_to(group)
            elif name in ("newcommand", "renewcommand", "def", "newenvironment", "providecommand"):
                self._skip_arguments(2)

    def _read_to(self, end: int) -> None:
        while token := _TOKEN.search(self._source, self._at, end):
            self._add(self._source[self._at : token.start()])
            self._at = token.end()
            kind = token.lastgroup
            if kind in ("command", "star"):
                self._command(token.group("command"), end)
            elif kind == "escape":
                self._escape(token.group("escape"), end)
            elif kind == "math":
                self._formula(token.start(), token.group(), token.group(), end)
            elif kind == "brace":
                if close := self._closing.pop(token.start(), None):
                    close()
                elif self._source.startswith("}{", token.start()):  # two arguments of a command that is not known
                    self._writers[-1].separate(" ")
            elif kind == "paragraph":
                self._end_paragraph()
            elif kind == "mark":
                self._mark(token.group())
        self._add(self._source[self._at : end])
        self._at = max(self._at, end)

    def _add(self, text: str) -> None:
        self._grow(self._writers[-1].add(text))

    def _hide(self, text: str) -> None:
        self._grow(self._writers[-1].hide(text))

    def _grow(self, count: int) -> None:
        self._length += count
        if self._length > self._max_chars:
            raise too_many_chars(self._max_chars)

    def _end_paragraph(self) -> None:
        while len(self._writers) > 1:  # groups end with their paragraph
            self._notes.append(self._writers.pop())
        writer = self._writers[0]
        writer.separate("\n\n")
        for note in self._notes:
            writer.add_all(note)
        self._notes.clear()

    def _mark(self, mark: str) -> None:
        if mark == "&" and self._tables:
            self._add(" | ")
        else:
            self._add({"~": " ", "``": "“", "''": "”", "--": "–", "---": "—"}.get(mark, " "))

    # --- commands ---------------------------------------------------------------------------------------------------

    def _command(self, name: str, end: int) -> None:
        if name in ("begin", "end"):
            self._environment(name, end)
        elif name in HEADINGS:
            self._skip_optional()
            if group := self._group_end(self._skip_space()):
                self._heading(name, group)
        elif name in NOTES:
            self._skip_optional()
            if group := self._group_end(self._at):
                self._writers.append(_Writer())
                self._closing[group - 1] = self._end_note
        elif name in ("verb", "lstinline"):
            self._verbatim(end)
        elif name in DEFINING:
            defined = _DEFINED.match(self._source, self._at)
            self._at = defined.end() if defined else self._at
            self._skip_arguments(1)
        elif not (self._word(name) or self._named_elsewhere(name)):
            if name in BREAKS:
                self._writers[-1].separate("\n" if self._tables else "\n\n")
            if name != "item":
                self._skip_optional()
            if name == "cmidrule" and (trimmed := _TRIMMED.match(self._source, self._at)):
                self._at = trimmed.end()
            self._skip_arguments(DROPPED_ARGUMENTS.get(name, 0))

    def _word(self, name: str) -> bool:
        """Write a command that stands for a letter or a word, and return whether it does."""
        if name in ACCENTS:
            return self._accent(ACCENTS[name])
        word = NAMED.get(name) or self._names.get(name)
        if word is None:
            return False
        before = self._at
        self._add(word)
        if word.isalpha() and len(word) <= 2:
            self._skip_space()
        if name in self._names and self._skip_space() > before and self._source[self._at : self._at + 1].isalnum():
            self._add(" ")  # LaTeX has none here without xspace, where the author meant one
        return True

    def _named_elsewhere(self, name: str) -> bool:
        """Write a citation, a reference, an address or the name of a file as it is in the source."""
        start = self._at
        if name in INPUTS:
            self._skip_arguments(1)
            self._end_paragraph()
            self._hide(f"\\{name}{self._source[start : self._at]}")
            self._end_paragraph()
        elif name == "url" or REFERENCES.fullmatch(name):
            self._skip_arguments(1)
            named = self._source[start : self._at].rpartition("{")[2].rstrip("}")
            self._hide(named if name == "url" else f"[{named}]")
        else:
            return False
        return True

    def _heading(self, name: str, group: int) -> None:
        writer = self._writers[-1]
        writer.separate("\n\n")
        start = len(writer.text)

        def close() -> None:
            writer.separate("\n\n")
            if name == "title" and self._title is None:
                self._title = " ".join("".join(writer.text[start:]).split()) or None

        self._closing[group - 1] = close

    def _end_note(self) -> None:
        if len(self._writers) > 1:
            self._notes.append(self._writers.pop())

    def _escape(self, character: str, end: int) -> None:
        if character in "([":
            closing = {"(": "\\)", "[": "\\]"}[character]
            self._formula(self._at - 2, "\\" + character, closing, end)
        elif character == "\\":
            self._skip_optional()
            if self._tables:
                self._writers[-1].separate("\n")
            else:
                self._add(" ")
        elif character in ACCENTS and self._accent(ACCENTS[character]):
            pass
        elif character in "&%$#_{}":
            self._add(character)
        elif character in " ,;:!\n\t":
            self._add(" " if character != "!" else "")

    def _accent(self, mark: str) -> bool:
        found = _ACCENTED.match(self._source, self._at)
        if found is None:
            return False
        letter = (found.group("group") or found.group("letter")).lstrip("\\")
        self._add(unicodedata.normalize("NFC", letter + mark))
        self._at = found.end()
        return True

    def _verbatim(self, end: int) -> None:
        self._skip_optional()
        mark = self._source[self._at : self._at + 1].strip("{")
        closed = self._source.find(mark, self._at + 1, min(end, self._at + _LONGEST_VERBATIM)) if mark else -1
        if closed >= 0:
            self._add(self._source[self._at + 1 : closed])
            self._at = closed + 1

    def _environment(self, command: str, end: int) -> None:
        group = self._group_end(self._at)
        if not group:
            return
        name = self._source[self._at + 1 : group - 1].strip()
        self._at = group
        plain = name.rstrip("*")
        self._writers[-1].separate("\n\n")
        if command == "end":
            self._tables -= plain in TABLES and self._tables > 0
            return
        if plain in NOT_TEXT:
            closing = f"\\end{{{name}}}"
            closed = self._find(closing, self._at, end)
            if closed < end:
                if plain in DISPLAYED:
                    self._hide(self._source[self._at : closed])
                self._at = closed + len(closing)
                self._writers[-1].separate("\n\n")
            return
        self._tables += plain in TABLES
        self._skip_optional()
        self._skip_arguments(ENVIRONMENT_ARGUMENTS.get(name, ENVIRONMENT_ARGUMENTS.get(plain, 0)))

    def _formula(self, start: int, opening: str, closing: str, end: int) -> None:
        """Add a formula. One of a few letters and digits is a word."""
        if opening == "$":
            window_end = self._open_window(self._at)
            closed = self._source.find(closing, self._at, min(window_end, end))
            while closed > 0 and self._source[closed - 1] == "\\":
                closed = self._source.find(closing, closed + 1, min(window_end, end))
        else:
            closed = self._find(closing, self._at, end)
            closed = closed if closed < end else -1
        if closed < 0:
            return
        formula = self._source[self._at : closed].strip()
        self._at = closed + len(closing)
        if opening in ("$", "\\(") and len(formula) <= 20 and _SIMPLE_FORMULA.fullmatch(formula):
            names = _FORMULA_NAME.findall(formula)
            if all(name in GREEK for name in names):
                word = _FORMULA_NAME.sub(lambda match: GREEK[match.group(1)], formula.replace("\\%", "%"))
                self._add(word.replace("_", ""))
                return
        self._hide(self._source[start : self._at])

    # --- where things end -------------------------------------------------------------------------------------------

    def _find(self, mark: str, start: int, end: int) -> int:
        """Return where a mark is, or ``end``. A mark that is not there any more is looked for once."""
        if mark not in self._last:
            self._last[mark] = self._source.rfind(mark)
        found = self._source.find(mark, start, end) if start <= self._last[mark] else -1
        return end if found < 0 else found

    def _open_window(self, at: int) -> int:
        """Match the groups up to the end of the paragraph, and return where that is."""
        if not self._window[0] <= at < self._window[1]:
            stop = min(at + _LONGEST_GROUP, len(self._source))
            blank = _BLANK_LINE.search(self._source, at, stop)
            self._window = (at, max(at + 1, blank.start() if blank else stop))
            self._ends = {}
            opened: list[int] = []
            for brace in _BRACES.finditer(self._source, *self._window):
                if brace.group() == "{":
                    opened.append(brace.start())
                elif brace.group() == "}" and opened:
                    self._ends[opened.pop()] = brace.end()
        return self._window[1]

    def _group_end(self, at: int) -> int:
        """Return the offset after the group that begins here; 0 if none does, or if it has no end."""
        if not self._source.startswith("{", at):
            return 0
        self._open_window(at)
        return self._ends.get(at, 0)

    def _skip_space(self) -> int:
        spaces = _SPACES.match(self._source, self._at)
        self._at = spaces.end() if spaces else self._at
        return self._at

    def _skip_optional(self) -> None:
        for _ in range(2):
            if found := _OPTIONAL.match(self._source, self._at):
                self._at = found.end()

    def _skip_arguments(self, count: int) -> None:
        for _ in range(count):
            self._skip_optional()
            group = self._group_end(self._at)
            if not group:
                return
            self._at = group

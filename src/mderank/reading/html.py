"""Extract the visible text of an HTML page, in time that grows with its length.

Python's ``html.parser`` looks for the end of a tag or comment from each of its beginnings. On a page of many beginnings
without an end that takes time with the square of the length. Here a mark that is not there is looked for once.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

_READINGS = frozenset(("rt", "rp"))  # how characters beside them are pronounced; their end tags may be missing
_HIDDEN = frozenset("script style template noscript svg math head iframe object select".split()) | _READINGS
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb ruby s samp small span "
    "strike strong sub sup time tt u var wbr".split()
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_RAW = frozenset(("script", "style"))  # what looks like a tag in their text is none
_SOFT_HYPHEN = "\xad"  # tells where a word may be divided, and is not shown
_SPACE = re.compile(r"[ \t\r\n\f]+")

_NAME = re.compile(r"[A-Za-z][^\t\n\r\f />\x00]*+")
# The rest of a start tag up to its ">", or up to a value in quotation marks.
_UP_TO_VALUE = re.compile(r"[^>=]*+(?:=[\t\n\r\f ]*+(?![\"'])[^>=]*+)*+")
_QUOTE = re.compile(r"=[\t\n\r\f ]*+")
_CLOSED_RAW = {name: re.compile(rf"</{name}(?=[\t\n\r\f />])", re.IGNORECASE) for name in _RAW}
_LONGEST_END = 100  # characters of a tag that tell whether it ends in "/>"
# No code point has so many digits. Python refuses to read thousands of them as a number.
_NO_CHARACTER = re.compile(r"&#(?:[0-9]{9,}+|[xX][0-9A-Fa-f]{9,}+);?")
_LEADING_ZEROS = re.compile(r"(&#[xX]?)0++(?=[0-9A-Fa-f])")


class _Part(NamedTuple):
    """A part of a page: a text, or the name of a tag."""

    kind: Literal["text", "start", "end"]
    value: str


class _Page:
    """The texts and tags of a page. The mark that begins a tag or comment is text if nothing ends it."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._last = {mark: source.rfind(mark) for mark in (">", "-->", "]]>", '"', "'")}
        self._has_values = True  # until a value's quotation mark is never closed: then a tag ends at the next ">"

    def parts(self) -> Iterator[_Part]:
        source = self._source
        position = 0
        while 0 <= (opened := source.find("<", position)) < self._last[">"]:
            yield _Part("text", _unescape(source[position:opened]))
            position = 0
            if name := _NAME.match(source, opened + 1):
                tag = name.group().lower()
                position = self._end_of_tag(name.end())
                yield _Part("start", tag)
                if _closes_itself(source[max(name.end(), position - _LONGEST_END) : position]):
                    yield _Part("end", tag)
                elif tag in _RAW:
                    closed = _CLOSED_RAW[tag].search(source, position)
                    position = closed.start() if closed else len(source)
            elif source.startswith("</", opened):
                position = self._after(">", opened + 2)
                if name := _NAME.match(source, opened + 2):
                    yield _Part("end", name.group().lower())
            elif source.startswith(("<!", "<?"), opened):
                position = self._end_of_declaration(opened)
            if not position:
                yield _Part("text", "<")
                position = opened + 1
        yield _Part("text", _unescape(source[position:]))

    def _after(self, mark: str, start: int) -> int:
        """The offset after the next ``mark``; 0 if there is none."""
        return self._source.find(mark, start) + len(mark) if start <= self._last[mark] else 0

    def _end_of_tag(self, start: int) -> int:
        """The offset after a start tag: its first ">" outside of values."""
        position = start
        while self._has_values:
            found = _UP_TO_VALUE.match(self._source, position)
            stop = found.end() if found else position
            if self._source[stop : stop + 1] == ">":
                return stop + 1
            quote = _QUOTE.match(self._source, stop)
            position = self._after(self._source[quote.end()], quote.end() + 1) if quote else 0
            self._has_values = position > 0
        return self._after(">", start)

    def _end_of_declaration(self, opened: int) -> int:
        """The offset after a comment, a CDATA section, a document type or a processing instruction."""
        source = self._source
        if source.startswith(("<!-->", "<!--->"), opened):
            return self._after(">", opened)
        if source.startswith("<!--", opened):
            return self._after("-->", opened + 4)
        if source.startswith("<![CDATA[", opened):
            return self._after("]]>", opened + 9)
        return self._after(">", opened + 2)


def _unescape(text: str) -> str:
    if "&" in text:
        text = html.unescape(_NO_CHARACTER.sub("\ufffd", _LEADING_ZEROS.sub(r"\1", text)))
    return text.replace(_SOFT_HYPHEN, "")


def _closes_itself(end: str) -> bool:
    """Whether a tag with this end has no end tag: ``<svg/>``, but not ``<svg class=a/>``, which has the value "a/"."""
    if not end.endswith("/>"):
        return False
    _, equals, value = end.rsplit(maxsplit=1)[-1].partition("=")
    return not equals or value.startswith(('"', "'"))


class _Reader:
    """Gathers the visible text of a page, block by block."""

    def __init__(self, *, title: bool) -> None:
        self.blocks: list[list[str]] = [[]]
        self.title: list[str] = []  # of the first title
        self._has_title = False
        self._reads_title = title
        self._hidden: list[str] = []
        self._hidden_counts: Counter[str] = Counter()
        self._in_title = False
        self._verbatim = 0

    def read(self, part: _Part) -> None:
        if part.kind == "start":
            self._open(part.value)
        elif part.kind == "end":
            self._close(part.value)
        elif self._reads_title if self._in_title else not self._hidden:
            self.blocks[-1].append(part.value if self._verbatim else _SPACE.sub(" ", part.value))
            if self._in_title and not self._has_title:
                self.title.append(part.value)

    def _open(self, tag: str) -> None:
        self._in_title = tag == "title" and not self._hidden_counts["svg"]
        self._end_reading(tag)
        if tag in _HIDDEN:
            self._hidden.append(tag)
            self._hidden_counts[tag] += 1
        elif tag == "br":
            self.blocks[-1].append("\n")
        elif tag not in _INLINE:
            self._verbatim += tag in ("pre", "textarea")
            self.blocks.append([])

    def _end_reading(self, tag: str) -> None:
        """End the reading of a ruby annotation that is open, where its end tag is missing."""
        ends = tag in _READINGS or tag in ("rb", "ruby") or tag not in _INLINE
        if ends and self._hidden and self._hidden[-1] in _READINGS:
            self._hidden_counts[self._hidden.pop()] -= 1

    def _close(self, tag: str) -> None:
        if tag not in _READINGS:
            self._end_reading(tag)
        if tag == "title":
            self._has_title = self._has_title or self._in_title
            self._in_title = False
            self.blocks.append([])
        elif tag in _HIDDEN and self._hidden_counts[tag]:
            while (closed := self._hidden.pop()) != tag:
                self._hidden_counts[closed] -= 1
            self._hidden_counts[tag] -= 1
        elif tag not in _INLINE and tag not in _VOID:
            self._verbatim -= tag in ("pre", "textarea") and self._verbatim > 0
            self.blocks.append([])


def html_text(page: str, *, title: bool = True) -> str:
    r"""Return the title and the visible text of an HTML page, with a blank line between blocks.

    Args:
        page: the HTML source.
        title: whether the page's title is part of the text.

    Returns:
        The text, without scripts, styles and other hidden elements.

    >>> html_text("<title>T</title><p>One <b>two</b><script>x()</script></p><p>3 &lt; 4</p>")
    'T\n\nOne two\n\n3 < 4'
    """
    return html_text_and_title(page, title=title)[0]


def html_text_and_title(page: str, *, title: bool = True) -> tuple[str, str | None]:
    r"""Return the visible text of an HTML page, as `html_text` does, and its title.

    Args:
        page: the HTML source.
        title: whether the title is part of the text too.

    Returns:
        The text, and the content of ``<title>`` on one line; None if there is none.

    >>> html_text_and_title("<title>On &lt;b&gt; tags</title><p>One</p>")
    ('On <b> tags\n\nOne', 'On <b> tags')
    """
    reader = _Reader(title=title)
    for part in _Page(page).parts():
        reader.read(part)
    blocks = ("".join(block).strip() for block in reader.blocks)
    text = "\n\n".join("\n".join(line.strip(" ") for line in block.split("\n")) for block in blocks if block)
    return text, " ".join("".join(reader.title).split()) or None

"""Extract the visible text of an HTML page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_HIDDEN = frozenset("script style template noscript svg math head iframe object select".split())
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
    "strong sub sup time tt u var wbr".split()
)
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_SPACE = re.compile(r"[ \t\r\n\f]+")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[list[str]] = [[]]
        self._hidden: list[str] = []
        self._in_title = False
        self._verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_title = tag == "title" and "svg" not in self._hidden
        if tag in _HIDDEN and tag not in _VOID:
            self._hidden.append(tag)
        elif tag == "br":
            self.blocks[-1].append("\n")
        elif tag not in _INLINE:
            self._verbatim += tag in ("pre", "textarea")
            self.blocks.append([])

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
            self.blocks.append([])
        elif tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag not in _INLINE and tag not in _VOID:
            self._verbatim -= tag in ("pre", "textarea") and self._verbatim > 0
            self.blocks.append([])

    def handle_data(self, data: str) -> None:
        if self._in_title or not self._hidden:
            self.blocks[-1].append(data if self._verbatim else _SPACE.sub(" ", data))


def html_text(page: str) -> str:
    r"""Return the title and the visible text of an HTML page, with a blank line between blocks.

    Args:
        page: the HTML source.

    Returns:
        The text, without scripts, styles and other hidden elements.

    >>> html_text("<title>T</title><p>One <b>two</b><script>x()</script></p><p>3 &lt; 4</p>")
    'T\n\nOne two\n\n3 < 4'
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    blocks = ("".join(block).strip() for block in reader.blocks)
    return "\n\n".join(re.sub(r" *\n *", "\n", block) for block in blocks if block)

"""Replace Markdown markup by spaces, so that character offsets stay the same."""

from __future__ import annotations

import re

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

# All matches become spaces, in this order; line breaks stay. Every pattern must run in linear time on any text: no
# pattern may match a long stretch in many ways, or fail late from every position.
_MARKS = (
    re.compile(r"\A---\n.*?\n---[ \t]*$", re.MULTILINE | re.DOTALL),  # front matter
    re.compile(r"^[ ]{0,3}(`{3,}|~{3,}).*?(?:^[ ]{0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL),  # fenced code
    _COMMENT,
    re.compile(r"</?[A-Za-z][^<>\n]*>"),  # HTML tags and <http://…>
    re.compile(r"^[ ]{0,3}\[[^\]\n]+\]:[ \t]+\S.*$", re.MULTILINE),  # link definitions
    re.compile(r"(!?\[)(?=[^\[\]\n]*\])"),  # [text
    re.compile(r"(\](?:\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|\[[^\]\n]*\])?)"),  # ](target) or ][label]
    re.compile(r"\bhttps?://[^\s<>()]+"),
    re.compile(r"^[ ]{0,3}(#{1,6})(?=\s)", re.MULTILINE),
    re.compile(r"\s(#+)[ \t]*$", re.MULTILINE),
    re.compile(r"^((?:[ ]{0,3}>[ ]?)+)", re.MULTILINE),
    re.compile(r"^[ \t]*([-*+]|\d+[.)])(?=\s)", re.MULTILINE),  # list items
    re.compile(r"^[ ]{0,3}(?:[-*_=][ \t]*){3,}$", re.MULTILINE),  # rules and underlined headings
    re.compile(r"(\*+|~~|`+|(?<!\w)(?:_{2,}+|_(?=\w))|(?<=[^\W_])_++(?!\w))"),  # emphasis, code; not "snake_case"
    re.compile(r"(\|)"),  # table cells
    re.compile(r"^(?=[ \t:|-]*$)(?=.*---).*$", re.MULTILINE),  # table rules
)
_HEADING = re.compile(r"^[ ]{0,3}(#{1,6})(?=[ \t])(.*)$", re.MULTILINE)


def blank_markup(text: str) -> str:
    """Replace Markdown markup, code blocks and addresses by spaces.

    Args:
        text: Markdown source.

    Returns:
        The text, of the same length.

    >>> blank_markup("# A **bold** [link](http://x.y)")
    '  A   bold    link             '
    """
    for pattern in _MARKS:
        if pattern is _COMMENT:
            closed = text.rfind("-->") + 3  # no comment is closed beyond it; each search would run to the end
            text = pattern.sub(_blank, text[:closed]) + text[closed:] if closed > 2 else text
        else:
            text = pattern.sub(_blank, text)
    return text


def markdown_title(text: str, prose: str) -> str | None:
    """Return the first heading of a Markdown text, if it is one of the first level.

    >>> source = "# On **reefs**"
    >>> markdown_title(source, blank_markup(source))
    'On reefs'

    Args:
        text: Markdown source.
        prose: the value of `blank_markup`.

    Returns:
        The heading without markup, on one line; None if the text begins otherwise.
    """
    for found in _HEADING.finditer(text):
        heading = " ".join(prose[found.start(2) : found.end(2)].split())
        if heading:  # of a comment in code, nothing is left
            return heading if len(found.group(1)) == 1 else None
    return None


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())

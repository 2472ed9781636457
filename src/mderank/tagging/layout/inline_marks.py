"""Marks inside lines that are not prose: HTML tags, Markdown's images, links and emphasis, stage directions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mderank.document import Span
from mderank.tagging.layout.lines import Kind, Line, blank_in_text

_LONGEST_MARKED = 2000  # characters; longer lines are not examined for tags

_BLOCK_TAGS = (
    "address|article|aside|blockquote|body|br|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|"
    "h[1-6]|head|header|hr|html|iframe|legend|li|link|main|meta|nav|ol|option|p|picture|pre|script|section|select|"
    "source|style|summary|table|tbody|td|textarea|tfoot|th|thead|title|tr|ul|video"
)
_INLINE_TAGS = (
    "a|abbr|acronym|b|bdi|big|button|cite|code|del|dfn|em|font|i|img|input|ins|kbd|label|mark|q|s|samp|small|span|"
    "strike|strong|sub|sup|svg|time|tt|u|var|wbr"
)
_ATTRIBUTES = r"(?:\s{1,8}[\w:@-]{1,40}\s?=\s?(?:\"[^\"<>]{0,400}\"|'[^'<>]{0,400}'|[^\s\"'<>]{1,200})){0,12}"
_BLOCK_TAG = re.compile(rf"</?(?:{_BLOCK_TAGS}){_ATTRIBUTES}\s?/?>", re.IGNORECASE)
_TAG = re.compile(
    rf"</?(?:{_BLOCK_TAGS}|{_INLINE_TAGS}){_ATTRIBUTES}\s?/?>|<!--[^<>]{{0,400}}-->|<!doctype\s[^<>]{{0,200}}>"
    r"|&(?:nbsp|ensp|emsp|thinsp|zwnj|#160|#xa0);",
    re.IGNORECASE,
)
# An element that holds a value and no prose is code. Prose in the same tags is read.
_ELEMENT = re.compile(r"\s*<([A-Za-z][\w.:-]*)(?:\s[^<>]*)?>[^<>\s]*</\1>\s*\Z")

_TARGET = (
    r"\(\s?<?[^\s()<>]{1,1000}(?:\([^\s()]{0,100}\))?[^\s()<>]{0,200}>?(?:\s{1,4}[\"'(][^\"'()]{0,200}[\"')])?\s?\)"
)
_IMAGE = re.compile(rf"!\[[^\[\]]{{0,300}}\](?:{_TARGET}|\[[^\[\]]{{0,80}}\])")
_LINK = re.compile(rf"(?<![\w\]])\[(?P<text>[^\[\]]{{0,400}})\](?P<target>{_TARGET})")
_URL_LIKE = re.compile(r"\(\s?<?(?:\w{2,10}:|[#./]|[\w-]{1,60}[./])")
_DEFINITION = re.compile(r"\s{0,3}\[[^\[\]]{1,100}\]:\s{1,4}<?(?:\w{2,10}://|[./#])\S{1,500}")

_STRONG = re.compile(r"(?<![\w*_])(\*\*\*?|___?)(?=[^\s*_])([^*\n]{1,300}?)(?<=[^\s*_])\1(?![\w*_])")
_EMPHASIS = re.compile(r"(?<![\w*_/])([*_])(?=[^\s*_])([^*_\n]{1,300}?)(?<=[^\s*_])\1(?![\w*_])")
_STRUCK = re.compile(r"(?<![\w~])(~~)(?=[^\s~])([^~\n]{1,300}?)(?<=[^\s~])\1(?![\w~])")
# Between ticks stands no apostrophe: "the `head' and the `tail'" has quotation marks.
_TICKS = re.compile(r"(?<![`\w])(`{1,2})(?!`)([^`'’\n]{1,120})\1(?![`\w])")
# Names and plain words in ticks are read. A path, a flag, a call or an assignment is not.
_PLAIN_WORDS = re.compile(r"[^\W\d_][^\W_]*(?:[ -][^\W_]+){0,3}\Z")

_EMOJI_CODE = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]{1,40}:(?![\w:`])")
# "(laughs)", "[audience laughter]"; nouns that prose has in round brackets count in square ones only.
_UTTERED = (
    r"laugh(?:s|ing|ter)?|applau(?:se|ds)|chuckl(?:es|ing)|sigh(?:s|ing)?|cough(?:s|ing)?|pause[sd]?|inaudible|"
    r"unintelligible|indistinct|crosstalk|cross-talk|gasps|sniffs|sobs|whispers|shouts|nods|overlapping speech"
)
_HEARD = (
    r"music|silence|cheer(?:s|ing)|crying|whispering|beep|bleep|noise|unclear|phonetic|stopped|resumes|resumed|"
    r"interruption|foreign language"
)
_DIRECTION = re.compile(
    rf"\((?:[\w’'-]{{1,20}}\s){{0,2}}?(?:{_UTTERED})(?:\s[\d:.]{{1,8}})?\)"
    rf"|\[(?:[\w’'-]{{1,20}}\s){{0,3}}?(?:{_UTTERED}|{_HEARD})(?:\s(?:[\d:.]{{1,8}}|playing|continues|again))?\]",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\((?:in\s|all\s)?(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|SEK|NOK|DKK|US\$|[€$£¥])[ ’']?"
    r"(?:k|m|mn|bn|000s?|thousands?|millions?|billions?)?(?:,?\s(?:incl|excl)\.?\s\w{1,10})?\)",
    re.IGNORECASE,
)


def blank_tags(lines: list[Line]) -> None:
    """Blank HTML tags, images and the targets of links. Tags such as ``<p>`` end a block.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    for line in lines:
        if line.kind is not Kind.PROSE or len(line.text) > _LONGEST_MARKED:
            continue
        if "<" in line.text or "&" in line.text:
            _blank_html(line)
        if "](" in line.text or "][" in line.text or "]:" in line.text:
            _blank_links(line)
        if not line.prose.strip():
            line.kind = Kind.NOT_PROSE


def _blank_html(line: Line) -> None:
    if _ELEMENT.match(line.text):
        return
    cuts = [Span(*tag.span()) for tag in _BLOCK_TAG.finditer(line.text)]
    blank_in_text(line, [Span(*tag.span()) for tag in _TAG.finditer(line.text)])
    if not cuts:
        return
    line.marked = True
    offset = line.end - len(line.text)
    edges = [0, *(edge for cut in cuts for edge in cut), len(line.text)]
    cells = [
        Span(offset + start, offset + end)
        for start, end in zip(edges[::2], edges[1::2], strict=True)
        if line.text[start:end].strip()
    ]
    if len(cells) > 1:
        line.cells = cells
    else:
        line.alone = True


def _blank_links(line: Line) -> None:
    if _DEFINITION.match(line.prose):
        line.kind = Kind.NOT_PROSE
        return
    blank_in_text(line, [Span(*image.span()) for image in _IMAGE.finditer(line.text)])
    spans = []
    for link in _LINK.finditer(line.text):
        if _URL_LIKE.match(link.group("target")):
            spans += [Span(link.start(), link.start("text")), Span(link.end("text"), link.end())]
    blank_in_text(line, spans)


def blank_marks(lines: list[Line]) -> None:
    """Blank the marks of emphasis, code in ticks, emoji codes, stage directions and currencies in brackets.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    for line in lines:
        if line.kind is not Kind.PROSE:
            continue
        content = line.prose
        code = list(_TICKS.finditer(content)) if "`" in content else []
        if len(code) == 1 and code[0].group() == content.strip() and not _PLAIN_WORDS.match(code[0].group(2)):
            line.kind = Kind.NOT_PROSE
            continue
        for start, end in (*_tick_spans(code), *_mark_spans(content, code)):
            line.blanks.append(Span(line.body + start, line.body + end))
        if line.blanks and _is_empty(line):
            line.kind = Kind.NOT_PROSE


def _tick_spans(code: list[re.Match[str]]) -> Iterator[Span]:
    """Blank the ticks around plain words, and other code between ticks: the ticks then part the words beside it."""
    for found in code:
        start, end = found.span(2)
        if _PLAIN_WORDS.match(found.group(2)):
            yield from (Span(found.start(), start), Span(end, found.end()))
        else:
            yield Span(start, end)


def _mark_spans(content: str, code: list[re.Match[str]]) -> Iterator[Span]:
    in_code = {position for found in code for position in range(*found.span())}
    for mark, pattern in (("*", _STRONG), ("_", _STRONG), ("*", _EMPHASIS), ("_", _EMPHASIS), ("~~", _STRUCK)):
        if mark not in content:
            continue
        for found in pattern.finditer(content):
            if found.group(1)[0] == mark[0] and found.start() not in in_code:
                yield from (Span(found.start(), found.start(2)), Span(found.end(2), found.end()))
    for pattern in (_EMOJI_CODE, _DIRECTION, _UNIT):
        yield from (Span(*found.span()) for found in pattern.finditer(content))


def _is_empty(line: Line) -> bool:
    """Whether nothing but blanks is left of a line's prose."""
    position = line.body
    offset = line.end - len(line.text)
    for start, end in sorted(line.blanks):
        if line.text[position - offset : max(position, start) - offset].strip():
            return False
        position = max(position, end)
    return not line.text[position - offset :].strip()

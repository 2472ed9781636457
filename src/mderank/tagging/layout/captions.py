"""Subtitles as WebVTT and SubRip files: header, cue numbers, times, voice tags, and sentences that run over cues."""

from __future__ import annotations

import re

from mderank.document import Span
from mderank.tagging.layout.lines import Kind, Line, blank_in_text, ends_clause

_CUE_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?"
_CUE = re.compile(rf"\s*{_CUE_TIME}\s*-->\s*{_CUE_TIME}(?:\s|\Z)")
_FILE_HEADER = re.compile(r"\ufeff?\s*WEBVTT\b")
_COMMENT = re.compile(r"\s*(?:NOTE|STYLE|REGION)(?:\s|\Z)")
_VOICE = re.compile(r"\s*<v(?:\.[\w.-]{1,40})?\s([^<>]{1,60})>")
_CUE_TAG = re.compile(
    rf"</?(?:c|v|i|b|u|s|lang|ruby|rt|font)(?:\.[\w.-]{{1,40}})?(?:\s[^<>]{{0,60}})?>|<{_CUE_TIME}>|\{{\\[^{{}}]{{1,20}}\}}"
)
_DASH = re.compile(r"\s*[-–—]\s?(?=\S)")
_LONGEST_CUE_LINE = 400


def read_captions(lines: list[Line]) -> set[str]:
    """Blank everything that is not spoken in subtitles, and join the lines of a sentence over cues.

    The lines before the first cue's time are left alone, except a WebVTT header.

    Args:
        lines: The lines of the text, which are changed in place.

    Returns:
        The names of the voices.
    """
    cues = [index for index, line in enumerate(lines) if line.kind is Kind.PROSE and _CUE.match(line.text[:120])]
    if not cues:
        return set()
    _blank_header(lines)
    _blank_comments(lines)
    for index in cues:
        lines[index].kind = Kind.FURNITURE
        above = lines[index - 1] if index else None
        is_identifier = above is not None and above.kind is Kind.PROSE and len(above.text) <= 60
        if above is not None and is_identifier and (index < 2 or lines[index - 2].kind is Kind.BLANK):
            above.kind = Kind.FURNITURE
    return _read_cue_lines(lines[cues[0] + 1 :])


def _blank_header(lines: list[Line]) -> None:
    first = next(index for index, line in enumerate(lines) if line.kind is not Kind.BLANK)
    if _FILE_HEADER.match(lines[first].text[:20]):
        _blank_stretch(lines, first)


def _blank_comments(lines: list[Line]) -> None:
    """Blank comments and style sheets: they begin after a blank line and end at the next."""
    for index, line in enumerate(lines):
        is_first = index == 0 or lines[index - 1].kind is Kind.BLANK
        if is_first and line.kind is Kind.PROSE and _COMMENT.match(line.text[:20]):
            _blank_stretch(lines, index)


def _blank_stretch(lines: list[Line], first: int) -> None:
    for index in range(first, len(lines)):
        line = lines[index]
        if line.kind is Kind.BLANK or _CUE.match(line.text[:120]):
            return
        line.kind = Kind.NOT_PROSE


def _read_cue_lines(lines: list[Line]) -> set[str]:
    voices: set[str] = set()
    voice = ""
    previous: Line | None = None
    for line in lines:
        if line.kind is Kind.NOT_PROSE:
            previous = None
        if line.kind is not Kind.PROSE or len(line.text) > _LONGEST_CUE_LINE:
            continue
        found = _VOICE.match(line.prose[:120])
        changed = found is not None and found.group(1) != voice
        if found is not None:
            voice = found.group(1)
            voices.add(voice)
        blank_in_text(line, [Span(*tag.span()) for tag in _CUE_TAG.finditer(line.text)])
        if not line.prose.strip():
            line.kind = Kind.FURNITURE
            continue
        if dash := _DASH.match(line.prose):  # a dash begins another speaker's words
            line.body += dash.end()
            line.marked = True
        elif changed:
            line.marked = True
        line.joins = not line.marked and previous is not None and not ends_clause(previous.prose)
        previous = line
    return voices

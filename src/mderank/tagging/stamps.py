"""Time stamps of chats, transcripts and logs, with the speaker or level after them."""

from __future__ import annotations

import re

from mderank.tagging.lines import Kind, Line

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|{_MONTH}\s{{1,2}}\d{{1,2}}(?:,?\s\d{{4}})?|\d{{1,2}}[ /-]{_MONTH}(?:[ /-]\d{{4}})?|Today|Yesterday)"
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?:\s?[AaPp]\.?[Mm]\b\.?)?(?:Z|\s?(?:UTC|GMT)|\s?[+-]\d{2}:?\d{2})?"
_STAMP = re.compile(
    rf"\s*(?P<open>[\[(<]?)(?:{_DATE}(?:T|:|,?\s(?:at\s)?))?{_TIME}[\])>]?(?:\s?[-–—|]\s|:(?=\s)|(?=\s|\Z))\s*"
)
_ARROW_STAMP = re.compile(rf"\s*{_TIME}\s?-->\s?{_TIME}")
_NAME_AND_STAMP = re.compile(
    rf"\s*[^\W\d_][\w.'’-]{{0,30}}(?:\s[\w.'’-]{{1,30}}){{0,2}},?\s+(?:APP\s+)?[\[(]?(?:{_DATE},?\s(?:at\s)?)?{_TIME}[\])]?\s*\Z"
)
_NAME = re.compile(r"\s*[^\W\d_][\w.'’-]{0,30}")
_LEVEL = re.compile(
    r"\s*[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|trace|debug|info|warn|warning|error|"
    r"fatal)[\])>]?(?::|\s|\Z)\s*"
)
_LOG_SOURCE = re.compile(
    r"(?:\[[^\]\s]{1,60}\]|\(\S{1,60}\)|[\w$-]+(?:[./][\w$-]+)+(?=\s-\s|:\s|\s+\[)|[\w.-]+\[\d+\](?=:))\s*(?:-\s|:\s)?\s*"
)
_SYSLOG_HOST = re.compile(r"[\w.-]{1,60}\s(?=[\w./-]{1,40}(?:\[\d+\])?:\s)[\w./-]{1,40}(?:\[\d+\])?:\s+")
_NICK = re.compile(r"\s*<[@+~%&]?[\w\[\]\\`^{}|.-][\w\[\]\\`^{}|. -]{0,30}>:?\s+")
_SPEAKER = re.compile(r"\s*@?[^\W\d_][\w.'’-]{0,30}(?:\s[\w.'’()-]{1,30}){0,2}:\s+")


def read_stamps(lines: list[Line]) -> set[str]:
    """Blank time stamps, with the speaker or the log's level after them; return the speakers' names."""
    speakers = _blank_name_and_stamp_lines(lines)
    stamped = [(line, found) for line in lines if (found := _match_stamp(line)) is not None]
    several = len(stamped) > 1
    for line, found in stamped:
        if not several and not found.group("open"):
            continue
        line.body += found.end()
        line.marked = True
        if level := _LEVEL.match(line.prose[:200]):
            line.body += level.end()
        elif speaker := _NICK.match(line.prose[:200]) or _SPEAKER.match(line.prose[:200]):
            speakers.add(speaker.group())
            line.body += speaker.end()
        elif host := _SYSLOG_HOST.match(line.prose[:200]):
            line.body += host.end()
        for _ in range(3):
            source = _LOG_SOURCE.match(line.prose[:200])
            if source is None:
                break
            line.body += source.end()
            if level := _LEVEL.match(line.prose[:200]):
                line.body += level.end()
        if not line.prose.strip():
            line.kind = Kind.NOT_PROSE
    speakers |= _blank_nicks(lines)
    _blank_levels(lines)
    return speakers


def _match_stamp(line: Line) -> re.Match[str] | None:
    if line.kind is not Kind.PROSE:
        return None
    content = line.prose[:200]
    if _ARROW_STAMP.match(content):
        line.kind = Kind.NOT_PROSE
        return None
    return _STAMP.match(content)


def _blank_name_and_stamp_lines(lines: list[Line]) -> set[str]:
    """Blank lines of only a name and a time, as chats have them above a message; return the names.

    A timetable's lines stay.
    """
    is_heading = [line.kind is Kind.PROSE and bool(_NAME_AND_STAMP.match(line.prose[:160])) for line in lines]
    above_message = [
        index
        for index, found in enumerate(is_heading)
        if found and index + 1 < len(lines) and lines[index + 1].kind is Kind.PROSE and not is_heading[index + 1]
    ]
    if len(above_message) < 2:
        return set()
    for index in above_message:
        lines[index].kind = Kind.NOT_PROSE
    return {found.group() for index in above_message if (found := _NAME.match(lines[index].prose))}


def _blank_nicks(lines: list[Line]) -> set[str]:
    """Blank ``<bob>`` at the beginning of lines if there are several; return the names."""
    found = [(line, nick) for line in lines if line.kind is Kind.PROSE and (nick := _NICK.match(line.prose[:80]))]
    if len(found) < 2:
        return set()
    for line, nick in found:
        line.body += nick.end()
        line.marked = True
    return {nick.group() for _, nick in found}


def _blank_levels(lines: list[Line]) -> None:
    """Blank a log's level at the beginning of lines that have no time stamp, if several have one."""
    found = [
        (line, level)
        for line in lines
        if line.kind is Kind.PROSE and not line.marked and (level := _LEVEL.match(line.prose[:80]))
        if level.group().strip().isupper() or level.group().lstrip().startswith("[")
    ]
    if len(found) > 1:
        for line, level in found:
            line.body += level.end()
            line.marked = True

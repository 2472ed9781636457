"""Time stamps of chats, transcripts and logs, with the speaker or level after them."""

from __future__ import annotations

import re

from mderank.document import Span
from mderank.tagging.layout.chat_lines import blank_chat_marks, is_notice
from mderank.tagging.layout.lines import Kind, Line

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|{_MONTH}\s{{1,2}}\d{{1,2}}(?:,?\s\d{{4}})?|\d{{1,2}}[ /-]{_MONTH}(?:[ /-]\d{{2,4}})?|Today|Yesterday)"
)
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?:\s?[AaPp]\.?[Mm]\b\.?)?(?:Z|\s?(?:UTC|GMT)|\s?[+-]\d{2}:?\d{2})?"
_STAMP = re.compile(
    rf"\s*(?P<open>[\[(<]?)(?:{_DATE}(?:T|:|,?\s(?:at\s)?))?{_TIME}[\])>]?(?:\s?[-–—|]\s|:(?=\s)|(?=\s|\Z))\s*"
)
_NAME_WORD = r"[\w.'’#|~-]{1,32}"
_ROLE = r"(?:\s?[\[(][\w ./-]{1,20}[\])]|\s(?:APP|BOT|MOD|ADMIN|OP|STAFF))"
# "Vexl [MOD] — Today at 02:13", "anna  10:32 AM (edited)", "Anna Smith, [12.05.2024 10:33]"
_NAME_AND_STAMP = re.compile(
    rf"\s*@?(?P<name>[^\W\d][\w.'’#|~-]{{0,31}}(?:\s{_NAME_WORD}){{0,2}}?){_ROLE}{{0,2}},?\s+(?:[-–—|•·]\s+)?(?:on\s)?"
    rf"(?P<stamp>[\[(]?(?:(?P<date>{_DATE}),?\s(?:at\s)?)?{_TIME}[\])]?):?(?:\s?\((?:edited|bearbeitet)\))?\s*\Z"
)
_LEVEL = re.compile(
    r"\s*[\[(<]?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE|trace|debug|info|warn|warning|error|"
    r"fatal)[\])>]?(?::|\s|\Z)\s*"
)
_LOG_SOURCE = re.compile(
    r"(?:\[[^\]\s]{1,60}\]|\(\S{1,60}\)|[\w$-]+(?:[./][\w$-]+)+(?=\s-\s|:\s|\s+\[)|[\w.-]+\[\d+\](?=:))\s*(?:-\s|:\s)?\s*"
)
_SYSLOG_HOST = re.compile(r"[\w.-]{1,60}\s(?=[\w./-]{1,40}(?:\[\d+\])?:\s)[\w./-]{1,40}(?:\[\d+\])?:\s+")
_NICK = re.compile(r"\s*<[@+~%& ]?[\w\[\]\\`^{}|.-][\w\[\]\\`^{}|. -]{0,30}>:?\s+")
_SPEAKER = re.compile(r"\s*@?[^\W\d_][\w.'’-]{0,30}(?:\s[\w.'’()-]{1,30}){0,2}:\s+")
_HAS_DATE = re.compile(_DATE)
_LONE_NAME = re.compile(r"\s*@?[^\W\d][\w.'’#|~-]{0,31}(?:\s[\w.'’#|~-]{1,32}){0,2}\s*\Z")  # "[10:32] anna#0420"
# "From Anna Smith to Everyone:" of a video call's chat
_FROM = re.compile(r"\s*From\s+(?P<name>[^:]{1,40}?)(?:\s+to\s+[^:]{1,40}?)?\s*:\s+")
_POOL = re.compile(r"[A-Za-z][\w$]*-\d+\s+-\s+")  # a log's pool or thread: "HikariPool-1 - "
_ALERT = re.compile(
    r"(?:[^\w\s]{0,4}|:\w{1,40}:)\s{0,2}\[?(?:ALERT|FIRING|RESOLVED|TRIGGERED|ACKNOWLEDGED|RECOVERED)\b[\]:]?\s*"
)
_ASSIGNMENT = re.compile(r"(?<![^\s(])[A-Za-z_][\w.-]*=(?:\"[^\"]{0,200}\"|[^\s,;()\"]+)")


def read_stamps(lines: list[Line]) -> set[str]:
    """Blank time stamps, with the speaker or the log's level after them.

    Args:
        lines: The lines of the text, which are changed in place.

    Returns:
        The names of the speakers.
    """
    speakers = _blank_name_and_stamp_lines(lines)
    speakers |= _blank_stamp_and_name_lines(lines)
    stamped = [(line, found) for line in lines if (found := _match_stamp(line)) is not None]
    several = len(stamped) > 1
    for line, found in stamped:
        if not several and not found.group("open"):
            continue
        line.body += found.end()
        line.marked = True
        if is_notice(line.prose[:200]):
            line.kind = Kind.NOT_PROSE
            continue
        if level := _LEVEL.match(line.prose[:200]):
            line.body += level.end()
        elif sender := _FROM.match(line.prose[:200]):
            speakers.add(sender.group("name"))
            line.body += sender.end()
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
        _blank_machine_words(line)
        if not line.prose.strip():
            line.kind = Kind.NOT_PROSE
    speakers |= _blank_nicks(lines)
    if speakers:
        blank_chat_marks(lines, speakers)
    _blank_levels(lines)
    return speakers


def _match_stamp(line: Line) -> re.Match[str] | None:
    if line.kind is not Kind.PROSE:
        return None
    return _STAMP.match(line.prose[:200])


def _blank_machine_words(line: Line) -> None:
    """Blank a pool's name, the state of an alert, and ``key=value`` in a stamped line."""
    for pattern in (_POOL, _ALERT):
        if found := pattern.match(line.prose[:200]):
            line.body += found.end()
    for found in _ASSIGNMENT.finditer(line.prose[:2000]):
        line.blanks.append(Span(line.body + found.start(), line.body + found.end()))


def _blank_name_and_stamp_lines(lines: list[Line]) -> set[str]:
    """Blank lines of only a name and a time, as chats have them above a message; return the names.

    A timetable's lines stay.
    """
    found = [_NAME_AND_STAMP.match(line.prose[:160]) if line.kind is Kind.PROSE else None for line in lines]
    heads = [
        (line, head)
        for index, (line, head) in enumerate(zip(lines, found, strict=True))
        if head and (head.group("date") or (_is_message(lines, index + 1) and not found[index + 1]))
    ]
    if len(heads) < 2:
        return set()
    for line, _ in heads:
        line.kind = Kind.NOT_PROSE
    return {head.group("name") for _, head in heads}


def _blank_stamp_and_name_lines(lines: list[Line]) -> set[str]:
    """Blank lines of only a date, a time and a name, if nearly all lines with a date and time are; return the names."""
    stamped = [(line, found) for line in lines if (found := _match_stamp(line)) is not None and found.group("open")]
    heads = [(line, found) for line, found in stamped if _LONE_NAME.match(line.prose[found.end() :][:80])]
    if len(heads) < max(2, 0.8 * len(stamped)) or not all(_HAS_DATE.search(found.group()) for _, found in heads):
        return set()
    for line, _ in heads:
        line.kind = Kind.NOT_PROSE
    return {line.prose[found.end() :].strip() for line, found in heads}


def _is_message(lines: list[Line], index: int) -> bool:
    return index < len(lines) and lines[index].kind is Kind.PROSE


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

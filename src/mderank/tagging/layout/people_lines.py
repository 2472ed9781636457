"""Names of people that say nothing of a text's subject: who was present, who wrote it, whom a quotation is by."""

from __future__ import annotations

import re

from mderank.document import Span
from mderank.tagging.layout.lines import FUNCTION_WORDS, Kind, Line, ends_sentence, reads_as_prose

_FIELD = re.compile(
    r"\s*(?:[-*•]\s+)?[*_]{0,2}(?P<name>[^\W\d_][\w '’/()&.-]{1,40}?)[*_]{0,2}\s{0,3}[:：][*_]{0,2}(?=\s|\Z)"
)
_COLUMN_GAP = re.compile(r"\s{3,}|\t")
_COLUMN = re.compile(r"[^\s](?:[^\s]|[ ]{1,2}(?=[^\s]))*")
_ROW_FIELD = re.compile(r"\s*\|\s*[*_]{0,2}(?P<name>[^\W\d_][\w '’/()&.-]{1,40}?)[*_]{0,2}\s*\|")  # of a Markdown table
# Fields of a minute's head. Their values are names, with offices in brackets.
_ATTENDANCE = frozenset(
    """
    present|members present|also present|those present|staff present|present in person|present online|in attendance
    also in attendance|attendance|attendees|attending|participants|apologies|apologies for absence|apologies received
    absent|absent with apologies|regrets|excused|not present|guests|guest|invited|chair|chairs|chairman|chairwoman
    chairperson|chaired by|co-chair|vice-chair|vice chair|presiding|minutes|minutes by|minutes taken by|minute taker
    minute-taker|minutes secretary|minutes approved by|note taker|note-taker|notes by|notes taken by|recorded by
    recorder|recording secretary|secretary|scribe|clerk|facilitator|facilitated by|convenor|convener|quorum|observers
    distribution|circulation|copies to|apologies from|who|members|attended by|team members|people
    """.replace("\n", "|")
    .replace("    ", "")
    .strip("|")
    .split("|")
)
# Fields whose value is blanked only if it is nothing but names.
_AUTHORS = frozenset(
    """
    author|authors|by|written by|prepared by|compiled by|edited by|editor|editors|reviewed by|reviewer|approved by
    speaker|speakers|presenter|presenters|presented by|host|hosts|hosted by|moderator|moderated by|panel|panellists
    panelists|instructor|lecturer|supervisor|supervisors|interviewer|interviewed by|transcribed by|transcriber
    photo|photos|photographs|photographer|reporter|reported by|assignee|assigned|assigned to|raised by|opened by
    requester|requested by|requested for|caller|responsible|action by|owner|owners|reporting officer|case officer
    contact|contact person|lead|created by|updated by|signed
    """.replace("\n", "|")
    .replace("    ", "")
    .strip("|")
    .split("|")
)
_BRACKETS = re.compile(r"\([^()]{0,80}\)")
_SEPARATOR = re.compile(r"\s*(?:[,;/|·•]|\s(?:and|und|et|with|&)\s)\s*")
_TITLES = frozenset(
    "mr mrs ms miss mx dr prof professor sir dame lord lady rev revd fr sr jr cllr councillor hon capt col maj lt sgt "
    "herr frau dipl ing phd md msc bsc ma ba mba mp qc kc esq ii iii".split()
)
_PARTICLES = frozenset("de da di du del della der den van von la le el al bin ibn ten ter zu y e dos das of".split())
_NAME_TOKEN = re.compile(r"[^\W\d_]\.?\Z|(?:[^\W\d_]\.[ -]?){1,4}\Z|[^\W\d_a-z][^\W\d_]*(?:['’-][^\W\d_]+)*\.?\Z")
_INITIAL = re.compile(r"[^\W\d_a-z]\.(?:[ -]?[^\W\d_a-z]\.){0,3}\Z")
_MARKS = re.compile(r"(?:\s[a-h]|[\d*†‡§¶∗⁰¹²³⁴-⁹])(?:,?[a-h\d*†‡§¶∗])*(?=\s*(?:,|;|\Z|\sand\s))")
_BY = re.compile(r"\s*(?:by|von|par|por)\s+(?=\S)", re.IGNORECASE)
_DATE = re.compile(
    r"(?:\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2}(?:st|nd|rd|th)?\s(?=\w{3})|\b(?:19|20)\d{2}\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?)(?:\s\d{1,2}(?:st|nd|rd|th)?\b)?)"
)
_ATTRIBUTION = re.compile(r"[\"”’»]\s{0,2}(?P<dash>[-–—]{1,2}\s?)(?P<name>[^\"“”]{2,60})\Z")
_OWN_ATTRIBUTION = re.compile(r"\s*[-–—]{1,2}\s?(?P<name>[^\W\d_][^\"“”]{1,60})\Z")
_QUOTED = re.compile(r"[\"”»][.,]?\s*\Z")

_FIRST_LINES = 8  # lines of a text that may name its author
_MOST_LINES = 40  # lines of one field
_LONGEST_LINE = 200


def blank_people(lines: list[Line]) -> set[str]:
    """Blank attendance fields, author fields, by-lines and the names behind quotations.

    Args:
        lines: The lines of the text, which are changed in place.

    Returns:
        The names in attendance and author fields: of people who were there, wrote, or are to do something.
    """
    people = _blank_fields(lines)
    _blank_author_lines(lines)
    _blank_attributions(lines)
    return people


def _blank_fields(lines: list[Line]) -> set[str]:
    people: set[str] = set()
    index = 0
    while index < len(lines):
        end = _read_field(lines, index)
        for line in lines[index:end]:
            if line.kind is Kind.PROSE:
                line.kind = Kind.NOT_PROSE
                people |= _names_in(line.prose)
        if end == index:
            people |= _blank_fields_of_row(lines[index])
        index = max(end, index + 1)
    return people


def _blank_fields_of_row(line: Line) -> set[str]:
    """Blank the fields of names among several fields of one line: "Reporter: Ann Lee     Status: open"."""
    people: set[str] = set()
    if line.kind is not Kind.PROSE or len(line.prose) > _LONGEST_LINE or not _COLUMN_GAP.search(line.prose.strip()):
        return people
    for found in _COLUMN.finditer(line.prose):
        field = _FIELD.match(found.group())
        name = " ".join(field.group("name").casefold().split()) if field else ""
        if field and name in _AUTHORS | _ATTENDANCE and _are_people(found.group()[field.end() :], 1.0):
            people |= _names_in(found.group())
            line.blanks.append(Span(line.body + found.start(), line.body + found.end()))
    return people


def _names_in(content: str) -> set[str]:
    """The names of an enumeration, without its field's name.

    >>> sorted(_names_in("Present: Cllr J. Abbot (Chair), Mrs L. Graves, 11 members"))
    ['Abbot', 'Graves']
    """
    field = _FIELD.match(content[:80]) or _ROW_FIELD.match(content[:80])
    value = _BRACKETS.sub(" ", content[field.end() if field else 0 :]).strip(" .*_|")
    words = (word for part in _SEPARATOR.split(value) if _is_name(part) for word in part.split())
    return {
        word for word in words if len(word.strip(".")) > 1 and word.casefold().rstrip(".") not in _TITLES | _PARTICLES
    }


def _read_field(lines: list[Line], index: int) -> int:
    """The index after the last line of a field of names that begins at line ``index``, or ``index``."""
    line = lines[index]
    found = None
    if line.kind is Kind.PROSE and len(line.prose) <= 2 * _LONGEST_LINE:
        found = _FIELD.match(line.prose[:80]) or _ROW_FIELD.match(line.prose[:80])
    if found is None:
        return index
    name = " ".join(found.group("name").casefold().split())
    is_attendance = name in _ATTENDANCE
    if not is_attendance and name not in _AUTHORS:
        return index
    value = line.prose[found.end() :]
    if not value.strip():
        return _end_of_list(lines, index) if is_attendance else index
    if not (_are_people(value, 0.5) if is_attendance else _are_people(value, 1.0) and _has_full_name(value)):
        return index
    last = index + 1
    while last < min(len(lines), index + _MOST_LINES) and _continues(lines[last - 1], lines[last], line):
        last += 1
    return last


def _end_of_list(lines: list[Line], index: int) -> int:
    """The end of a list of names below a field without a value; ``index`` if what follows is something else."""
    first = index + 1
    while first < len(lines) and first < index + 3 and lines[first].kind is Kind.BLANK:
        first += 1
    last = first
    while last < min(len(lines), first + _MOST_LINES) and lines[last].kind is Kind.PROSE:
        content = lines[last].prose.strip().lstrip("-*•–·0123456789.) ")
        if len(content) > 80 or _FIELD.match(content) or not (_are_people(content, 1.0) and _has_full_name(content)):
            break
        last += 1
    return last if last - first > 1 else index


def _continues(above: Line, line: Line, first: Line) -> bool:
    """Whether a line is more of a field's names."""
    if line.kind is not Kind.PROSE or _FIELD.match(line.prose[:80]) or not _are_people(line.prose, 0.5):
        return False
    is_open = above.prose.rstrip().endswith((",", ";", "&", "/", " and")) or _ends_with_title(above.prose)
    return is_open or line.indent > first.indent


def _ends_with_title(content: str) -> bool:
    return content.rsplit(maxsplit=1)[-1].casefold().rstrip(".") in _TITLES if content.strip() else False


def _are_people(content: str, share: float) -> bool:
    """Whether at least ``share`` of the parts of an enumeration are names of people.

    >>> (
    ...     _are_people("Cllr J. Abbot (Chair), Mrs L. Graves, 11 members", 0.5),
    ...     _are_people("all members, the public", 0.5),
    ... )
    (True, False)
    """
    if reads_as_prose(content, 0.3):
        return False
    stripped = _BRACKETS.sub(" ", content).strip(" .*_|")
    parts = [part for part in _SEPARATOR.split(stripped) if part.strip()]
    return bool(parts) and sum(map(_is_name, parts)) >= share * len(parts)


def _is_name(part: str) -> bool:
    tokens = part.split()
    named = [token for token in tokens if token.casefold() not in _PARTICLES]
    return (
        len(named) > 0
        and len(tokens) <= 6
        and all(_NAME_TOKEN.match(token) or token.casefold().rstrip(".") in _TITLES for token in named)
        and not any(token.casefold() in FUNCTION_WORDS for token in named)
    )


def _has_full_name(content: str) -> bool:
    """Whether every part of an enumeration has at least two words: a given name or an initial, and a surname."""
    parts = [part.split() for part in _SEPARATOR.split(_BRACKETS.sub(" ", content).strip(" .*_")) if part.strip()]
    return all(len(part) > 1 for part in parts if not all(token.casefold().rstrip(".") in _TITLES for token in part))


def _blank_author_lines(lines: list[Line]) -> None:
    """Blank by-lines ("By Devon Salas"), and lines of names with initials or titles under a text's title."""
    before = 0
    for index, line in enumerate(lines):
        if line.kind is not Kind.PROSE or not before:
            before += line.kind is Kind.PROSE
            continue
        before += 1
        content = line.prose.strip()
        if len(content) > _LONGEST_LINE or (ends_sentence(content) and not _INITIAL.match(content.split()[-1])):
            continue
        by = _BY.match(content)
        above = lines[index - 1]
        is_below_title = above.kind is not Kind.PROSE or len(above.prose) < 120
        if by is not None and before <= 2 * _FIRST_LINES and is_below_title:
            names = _without_date(content[by.end() :])
            if len(names) <= 80 and _are_people(names, 1.0) and _has_full_name(names):
                line.kind = Kind.NOT_PROSE
        elif before <= _FIRST_LINES and is_below_title and _is_author_line(content):
            line.kind = Kind.NOT_PROSE


def _without_date(content: str) -> str:
    return _DATE.sub(" ", content).strip(" ,;|·•–—-")


def _is_author_line(content: str) -> bool:
    """Whether a line is nothing but names, half of them with an initial or a title, and perhaps a date."""
    names = _MARKS.sub("", _without_date(content))
    parts = [part for part in _SEPARATOR.split(_BRACKETS.sub(" ", names)) if part.strip()]
    if not parts or not all(_is_name(part) and 1 < len(part.split()) <= 5 for part in parts):
        return False
    return 2 * sum(map(_is_plainly_person, parts)) >= len(parts)


def _is_plainly_person(part: str) -> bool:
    tokens = part.split()
    titled = tokens[0].casefold().rstrip(".") in _TITLES or tokens[-1].casefold().rstrip(".") in ("phd", "md", "msc")
    return titled or any(_INITIAL.match(token) for token in tokens)


def _blank_attributions(lines: list[Line]) -> None:
    """Blank the name behind a quotation: ``“Best pancakes!” – Jana, Brno``."""
    previous: Line | None = None
    for line in lines:
        if line.kind is not Kind.PROSE:
            previous = previous if line.kind is Kind.BLANK else None
            continue
        content = line.prose.rstrip()
        found = _ATTRIBUTION.search(content[-80:])
        if found and content.lstrip()[:1] in '"“„«‘' and _is_attribution(found.group("name")):
            start = line.body + len(content) - len(found.group()) + found.start("dash") - found.start()
            line.blanks.append(Span(start, line.end))
        elif previous is not None and _QUOTED.search(previous.prose[-6:]) and previous.prose.lstrip()[:1] in '"“„«':
            own = _OWN_ATTRIBUTION.match(content) if len(content) <= 80 else None
            if own and _is_attribution(own.group("name")):
                line.kind = Kind.NOT_PROSE
        previous = line


def _is_attribution(name: str) -> bool:
    words = name.replace(",", " ").split()
    return 0 < len(words) <= 6 and _are_people(name, 0.5) and words[0][0].isupper()

"""Bibliographies, and the lines of a journal's page that name its volume and pages."""

from __future__ import annotations

import re

from mderank.tagging.layout.lines import Kind, Line, reads_as_prose

_HEADING = re.compile(
    r"\s*(?:\d{1,2}\.?\s+)?(?:references|bibliography|works\s+cited|literature(?:\s+cited)?|references\s+cited|"
    r"list\s+of\s+references|references\s+and\s+notes|literatur|literaturverzeichnis)\s*:?\s*\Z",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?:18|19|20)\d{2}[a-z]?(?!\d)")
_ENTRY_START = re.compile(
    r"\s*(?:\[\w{1,12}\]|\(?\d{1,3}[.)])\s+\S"
    r"|\s*[^\W\d_a-z][^\W\d_]+(?:[ -][^\W\d_]+)?,\s+(?:[^\W\d_a-z]\.|[^\W\d_a-z][^\W\d_]+)"
)
_PAGES = re.compile(
    r"\d{1,5}\s?[-–]{1,2}\s?\d{1,5}|\bpp?\.|\bdoi\b|https?:|\bvol\.|\bin:\s|\bpress\b|\bproc\.|\bet\sal\b", re.I
)
_END = re.compile(
    r"\s*(?:appendix|annex|appendices|supplementary|acknowledge?ments?|about\sthe\sauthors?)\b", re.IGNORECASE
)

_VOLUME_AND_PAGES = re.compile(
    r"(?<![\w.])(?:vol\.?\s?)?\d{1,4}\s?(?:\(\d{1,3}\)\s?)?\((?:19|20)\d{2}\)[,:]?\s{0,2}\w?\d{1,6}\s?[-–]\s?\w?\d{1,6}"
    r"|(?<![\w.])\d{1,4}\s?(?:\(\d{1,3}\)\s?)?[,:]\s?\d{1,5}\s?[-–]\s?\d{1,5}\s?[,.]?\s?\(?(?:19|20)\d{2}\)?",
)
_JOURNAL = re.compile(
    r"\b(?:Journal|Proceedings|Transactions|Annals|Review|Reviews|Letters|Bulletin|Quarterly|Acta|Archives|Magazine)\b"
    r".{0,60}\s\d{1,4}(?:\s?\(\d{1,4}\))?,\s{0,2}\d{1,5}\s?[-–]\s?\d{1,5}\s*\Z"
)
_CORRESPONDENCE = re.compile(
    r"\W{0,4}(?:corresponding\sauthors?|e-?mail(?:\saddress(?:es)?)?\s?:\s?\S{1,80}@)", re.IGNORECASE
)
_SPACED_LETTERS = re.compile(r"\s*(?:[^\W\d_] ){4,}[^\W\d_]\s*:?\s*\Z")
_SPACED_HEADINGS = frozenset(
    ("abstract", "articleinfo", "keywords", "introduction", "references", "summary", "contents")
)

_LONGEST_HEAD = 120
_FEWEST_ENTRIES = 2
_MOST_SILENT = 4  # successive lines of references without a year or pages
_FARTHEST_YEARS = 250  # characters of a long line of references per year or pages


def blank_references(lines: list[Line]) -> None:
    """Blank the entries below "References", and lines that only cite the journal that a page is from.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    _blank_page_lines(lines)
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.kind is Kind.PROSE and len(line.prose) <= 40 and _HEADING.match(line.prose):
            last = _end_of_entries(lines, index)
            for entry in lines[index:last]:
                if entry.kind is Kind.PROSE:
                    entry.kind = Kind.NOT_PROSE
            index = max(index, last)


def _blank_page_lines(lines: list[Line]) -> None:
    for line in lines:
        content = line.prose.strip()
        if line.kind is not Kind.PROSE or len(content) > _LONGEST_HEAD:
            continue
        if _CORRESPONDENCE.match(content):
            line.kind = Kind.NOT_PROSE
        elif (_VOLUME_AND_PAGES.search(content) or _JOURNAL.search(content)) and _is_running_head(content):
            line.kind = Kind.FURNITURE
        elif _SPACED_LETTERS.match(content) and "".join(content.casefold().strip(" :").split()) in _SPACED_HEADINGS:
            line.kind = Kind.NOT_PROSE


def _is_running_head(content: str) -> bool:
    """Whether a line with a volume and pages is a page's head and not the end of a wrapped reference."""
    starts_upper = content[:1].isupper() or content[:1].isdigit()
    return starts_upper and not content.endswith((".", ",", ";")) and not reads_as_prose(content, 0.3)


def _end_of_entries(lines: list[Line], first: int) -> int:
    """The index after the last of the references that begin at ``first``; ``first`` if they are none.

    Lines of prose end them, and so does a run of lines without years or pages.
    """
    last, entries, silent = first, 0, 0
    for index in range(first, len(lines)):
        line = lines[index]
        if line.kind is not Kind.PROSE:
            continue
        content = line.prose
        telling = sum(1 for _ in _YEAR.finditer(content)) + sum(1 for _ in _PAGES.finditer(content))
        is_start = bool(_ENTRY_START.match(content[:80]))
        if _END.match(content[:40]) or _is_prose(content, telling) or not (entries or is_start):
            break
        entries += is_start + telling // 4
        silent = 0 if telling else silent + 1
        if telling:
            last = index + 1
        elif silent > _MOST_SILENT:
            break
    return last if entries >= _FEWEST_ENTRIES else first


def _is_prose(content: str, telling: int) -> bool:
    """Whether a line is no part of a reference: a long one without years, or a sentence."""
    if len(content) > _LONGEST_HEAD and telling * _FARTHEST_YEARS < len(content):
        return True
    return not telling and len(content) > _LONGEST_HEAD // 2 and reads_as_prose(content, 0.4)

"""Running heads, running feet and page numbers of text that was taken from pages."""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

from mderank.tagging.layout.lines import Kind, Line

_PAGE_NUMBER = re.compile(
    r"\W{0,4}(?:page|p\.|seite|pagina|página)?\s{0,3}\d{1,4}(?:\s{0,2}(?:of|/|von|de|sur)\s{0,2}\d{1,4})?\W{0,4}\Z",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_LONGEST_HEAD = 120  # characters
_LEAST_PAGE, _LARGEST_PAGE = 500, 15_000  # characters between two heads of the same wording
_FEWEST = 3
_LARGEST_HEAD = 4  # lines; a head and the foot before it stand together


def read_furniture(lines: list[Line]) -> None:
    """Mark page numbers, and every occurrence but the first of lines that recur from page to page.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    occurrences: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if line.kind is not Kind.PROSE:
            continue
        content = line.prose.strip()
        if len(content) > _LONGEST_HEAD:
            continue
        if _is_page_number(lines, index, content):
            line.kind = Kind.FURNITURE
        elif any(map(str.isalpha, content)):
            occurrences.setdefault(_DIGITS.sub("0", " ".join(content.casefold().split())), []).append(index)
    recurring = [
        indices
        for indices in occurrences.values()
        if len(indices) >= _FEWEST and (_stand_at_pages(lines, indices) or _are_regular(lines, indices))
    ]
    passages = _repeated_passages(lines, recurring)
    for indices in recurring:
        if passages.isdisjoint(indices):
            lines[indices[0]].alone = True
            for index in indices[1:]:
                lines[index].kind = Kind.FURNITURE


def _repeated_passages(lines: list[Line], recurring: list[list[int]]) -> set[int]:
    """Lines that recur together with too many others beside them: a repeated passage, not a running head."""
    repeated = {index for indices in recurring for index in indices}
    passages: set[int] = set()
    stretch: list[int] = []
    for index, line in enumerate(lines):
        if index in repeated:
            stretch.append(index)
        elif line.kind is Kind.PROSE:
            if len(stretch) > _LARGEST_HEAD:
                passages.update(stretch)
            stretch = []
    return passages | set(stretch if len(stretch) > _LARGEST_HEAD else ())


def _is_page_number(lines: list[Line], index: int, content: str) -> bool:
    """Whether a line is only a page number. A number in a column of numbers is not."""
    if len(content) > 30 or not _PAGE_NUMBER.match(content):
        return False
    if any(map(str.isalpha, content)):
        return True
    beside = [lines[at] for at in (index - 1, index + 1) if 0 <= at < len(lines)]
    return not any(line.kind is Kind.PROSE and not any(map(str.isalpha, line.prose[:200])) for line in beside)


def _stand_at_pages(lines: list[Line], indices: list[int]) -> bool:
    """Whether most of the lines are at most three lines from a form feed or page number."""
    near = 0
    for index in indices:
        around = lines[max(0, index - 3) : index + 4]
        near += any(line.after_page or line.kind is Kind.FURNITURE for line in around)
    distances = [lines[last].start - lines[first].start for first, last in pairwise(indices)]
    return 2 * near > len(indices) and median(distances) >= _LEAST_PAGE / 4


def _are_regular(lines: list[Line], indices: list[int]) -> bool:
    """Whether the distances between the lines are about those of pages."""
    distances = [lines[last].start - lines[first].start for first, last in pairwise(indices)]
    usual = median(distances)
    regular = sum(0.4 * usual <= distance <= 2.5 * usual for distance in distances)
    is_page = _LEAST_PAGE <= usual <= _LARGEST_PAGE and min(distances) >= _LEAST_PAGE / 2
    return is_page and 3 * regular >= 2 * len(distances)

"""Checks of a tokenizer's regular expressions: those that can take exponential time are refused.

Hugging Face tokenizers match by backtracking. A repeated group with a choice in it, such as ``(a+)+`` or ``(a|ab)*``,
can be matched in exponentially many ways. Published tokenizers repeat characters and classes, never such groups.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

MAX_PATTERN_CHARS = 10_000
MAX_CHOICES = 10  # optional, repeated or alternative parts one after the other: each multiplies the ways to match
MAX_REPEATS = 3  # of them without a small bound: each adds a power of the text's length to the time
MAX_DEPTH = 50  # of groups within groups
_SMALL = 10  # a bound up to this is small

_MATCHED_IN_SEVERAL_WAYS = "repeats a group that can be matched in several ways"
_BRACKET = "has a bracket that does not match"
# In Oniguruma's default syntax a plus after {2,3} repeats that once more.
_QUANTIFIER = re.compile(r"[*+?][?+]?|\{(?P<least>\d*)(?P<comma>,?)(?P<most>\d*)\}\??")
_GROUP = re.compile(r"\((?:\?(?:[im-]*:|[=!>]|<[=!]|<[A-Za-z_]\w*>))?")
_FLAGS = re.compile(r"\(\?[im-]+\)")
_ESCAPE = re.compile(
    r"\\(?:[pP]\{\^?[\w -]*\}|x\{[0-9a-fA-F]*\}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|[^pPxucCMkgRX1-9])", re.DOTALL
)


@dataclass
class _Group:
    """A group that is being read: choices and repetitions of this branch, and the most of any branch before it."""

    choices: int = 0
    repeats: int = 0
    branches: int = 1
    most_choices: int = 0
    most_repeats: int = 0

    def end_branch(self) -> None:
        self.most_choices, self.choices = max(self.most_choices, self.choices), 0
        self.most_repeats, self.repeats = max(self.most_repeats, self.repeats), 0


def find_fault(pattern: str) -> str | None:
    r"""Say why a regular expression is not accepted.

    >>> find_fault(r" ?\p{L}+|\s+(?!\S)")
    >>> find_fault("(a+)+")
    'repeats a group that can be matched in several ways'

    Args:
        pattern: The regular expression, in Oniguruma's syntax.

    Returns:
        The reason, or None if it is accepted.
    """
    if len(pattern) > MAX_PATTERN_CHARS:
        return f"has more than {MAX_PATTERN_CHARS:,} characters"
    try:
        _check(pattern)
    except ValueError as fault:
        return str(fault)
    return None


def _check(pattern: str) -> None:
    groups = [_Group()]
    place = 0
    while place < len(pattern):
        character = pattern[place]
        if flags := _FLAGS.match(pattern, place):
            place = flags.end()
        elif character == "(":
            place = _group_start(pattern, place)
            groups.append(_Group())
            if len(groups) > MAX_DEPTH:
                raise ValueError(f"has groups nested more than {MAX_DEPTH} deep")
        elif character == "|":
            groups[-1].end_branch()
            groups[-1].branches += 1
            place += 1
        elif character == ")":
            if len(groups) == 1:
                raise ValueError(_BRACKET)
            ended = groups.pop()
            ended.end_branch()
            choices = ended.most_choices + (ended.branches > 1)
            groups[-1].choices += choices
            groups[-1].repeats += ended.most_repeats
            place = _quantifiers(pattern, place + 1, groups[-1], repeatable=choices == 0)
        else:
            place = _quantifiers(pattern, _atom_end(pattern, place), groups[-1], repeatable=True)
        if groups[-1].choices > MAX_CHOICES:
            raise ValueError(f"has more than {MAX_CHOICES} optional or repeated parts one after the other")
        if groups[-1].repeats > MAX_REPEATS:
            raise ValueError(f"has more than {MAX_REPEATS} repetitions of any length one after the other")
    if len(groups) > 1:
        raise ValueError(_BRACKET)


def _group_start(pattern: str, place: int) -> int:
    start = _GROUP.match(pattern, place)
    end = start.end() if start else place
    if end <= place + 1 and pattern.startswith(("(?", "(*"), place):
        raise ValueError("has a group of a kind that is not accepted")
    return end


def _atom_end(pattern: str, place: int) -> int:
    """Where a character, an escape or a class ends."""
    if pattern[place] == "[":
        return _class_end(pattern, place)
    if pattern[place] == "\\":
        return _escape_end(pattern, place)
    return place + 1


def _escape_end(pattern: str, place: int) -> int:
    escape = _ESCAPE.match(pattern, place)
    if escape is None:
        raise ValueError(f"has the escape {pattern[place : place + 2]!r}, which is not accepted")
    return escape.end()


def _class_end(pattern: str, place: int) -> int:
    """Where a character class ends; classes may stand in classes."""
    depth = 0
    while place < len(pattern):
        if pattern[place] == "\\":
            place = _escape_end(pattern, place)
            continue
        if pattern[place] == "[":
            depth += 1
            if pattern.startswith(("^]", "]"), place + 1):
                break  # empty, or a bracket that means itself
        elif pattern[place] == "]":
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    raise ValueError(_BRACKET)


def _quantifiers(pattern: str, place: int, group: _Group, *, repeatable: bool) -> int:
    """Read what may follow an atom, and return where it ends."""
    while quantifier := _QUANTIFIER.match(pattern, place):
        least, most = _bounds(quantifier)
        if most > 1 and not repeatable:
            raise ValueError(_MATCHED_IN_SEVERAL_WAYS)
        repeatable = False  # a quantifier of a quantifier
        group.choices += least != most
        group.repeats += most > _SMALL
        place = quantifier.end()
    return place


def _bounds(quantifier: re.Match[str]) -> tuple[float, float]:
    """How often an atom must and may occur."""
    if quantifier[0][0] != "{":
        return 0, 1 if quantifier[0][0] == "?" else math.inf
    least, most = (int(quantifier[name] or 0) for name in ("least", "most"))
    if quantifier["most"]:
        return least, most
    return (least, least) if quantifier["least"] and not quantifier["comma"] else (least, math.inf)

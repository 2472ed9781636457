"""Numbers, times and text as users read them."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

COLOURS = {"red": 31, "cyan": 36}

_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def format_duration(seconds: float) -> str:
    """Write a duration in its two largest units.

    Args:
        seconds: The duration in seconds.

    Returns:
        The duration with units.

    >>> [format_duration(seconds) for seconds in (0.4, 7, 200, 4000, 200_000)]
    ['0 s', '7 s', '3 min 20 s', '1 h 6 min', '2 d 7 h']
    """
    counts, rest = [], round(seconds)
    for unit, size in _UNITS:
        counts.append((rest // size, unit))
        rest %= size
    first = next((index for index, (count, _) in enumerate(counts) if count), len(counts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in counts[first : first + 2])


def format_count(number: int, noun: str) -> str:
    """Write a number with its noun.

    Args:
        number: The number.
        noun: The noun in the singular; its plural ends in s.

    Returns:
        The number and the noun.

    >>> format_count(1, "document"), format_count(2500, "document")
    ('1 document', '2,500 documents')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_kinds(kinds: Counter[str], most: int = 20) -> str:
    """List the commonest kinds of something, and say how many are not listed.

    Args:
        kinds: How often each kind occurs.
        most: Number of kinds to list.

    Returns:
        The list.

    >>> format_kinds(Counter({".py": 3, ".js": 2, ".png": 1}), 2)
    '3 .py, 2 .js, 1 of other kinds'
    """
    listed = kinds.most_common(most)
    rest = kinds.total() - sum(number for _, number in listed)
    return ", ".join([f"{number} {kind}" for kind, number in listed] + ([f"{rest} of other kinds"] if rest else []))


def format_number(value: float) -> str:
    """Write a number with six significant digits.

    Args:
        value: The number.

    Returns:
        The number as text.

    >>> format_number(0.123456789), format_number(2.0)
    ('0.123457', '2')
    """
    return f"{value:.6g}"


def round_number(value: float) -> float:
    """Round a number to six significant digits, the precision of scores in all output.

    Args:
        value: The number.

    Returns:
        The rounded number.

    >>> round_number(0.123456789)
    0.123457
    """
    return float(format_number(value))


def replace_unprintable(text: str) -> str:
    r"""Replace characters that could move the cursor or change a terminal's colours.

    Args:
        text: Any text.

    Returns:
        Text of the same length on one line, with U+FFFD in place of control characters and line ends.

    >>> replace_unprintable("a\x1b[31mb") == "a\ufffd[31mb"
    True
    """
    return "".join(each if each.isprintable() or each == "\u00a0" else "\ufffd" for each in text)


def escape_unprintable(text: str) -> str:
    r"""Escape characters that could move the cursor or change a terminal's colours, so that names can still be read.

    Args:
        text: Any text, such as a file's name.

    Returns:
        Text on one line, with backslash escapes in place of control characters, line ends and lone surrogates.

    >>> escape_unprintable("two\nlines")
    'two\\nlines'
    """
    return "".join(
        each if each.isprintable() or each == "\u00a0" else each.encode("unicode_escape").decode("ascii")
        for each in text
    )


def style_text(text: str, *, bold: bool = False, dim: bool = False, colour: str | None = None) -> str:
    r"""Style text for a terminal, with ANSI escape codes.

    Args:
        text: The text.
        bold: Whether to print it in bold.
        dim: Whether to print it dimmed.
        colour: Name of a colour in `COLOURS`.

    Returns:
        The text between escape codes.

    >>> style_text("storm surge", bold=True, colour="cyan")
    '\x1b[36;1mstorm surge\x1b[0m'
    """
    codes = [*([COLOURS[colour]] if colour else []), *([1] if bold else []), *([2] if dim else [])]
    return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m" if codes else text


def json_text(data: Any, indent: int | None = None, *, sort_keys: bool = False) -> str:
    """Write data as JSON.

    Args:
        data: Plain data.
        indent: Spaces per level; None writes one line.
        sort_keys: Whether keys are in alphabetical order.

    Returns:
        JSON text that UTF-8 can encode: lone surrogates, which clients and files can bring in by escapes, are escaped.
    """
    text = json.dumps(data, ensure_ascii=False, indent=indent, sort_keys=sort_keys)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")

"""Lists of phrases: one per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mderank.vocabularies.collector import Collector


def split_lines(text: str) -> tuple[tuple[str, ...], int]:
    r"""Return the phrases of a list, and the number of its comments.

    >>> split_lines("tide gauge\n\n# not this\n\\#hashtag")
    (('tide gauge', '#hashtag'), 1)

    Args:
        text: The text of a file with one phrase per line. A line that begins with # is a comment, and one with \# a
            phrase with #. Blank lines are left out.

    Returns:
        The phrases, and the number of comments.
    """
    lines = text.splitlines()
    phrases = [line.strip() for line in lines if not line.startswith("#")]
    comments = sum(line.startswith("#") for line in lines)
    return tuple(line.removeprefix("\\") if line.startswith("\\#") else line for line in phrases if line), comments


def read_phrases(text: str, collector: Collector) -> None:
    """Read a list of phrases: each is a concept, and its own id.

    Args:
        text: The text of the file.
        collector: Takes the concepts, and the number of comments.
    """
    phrases, collector.comments = split_lines(text)
    for phrase in phrases:
        single = " ".join(phrase.split())
        collector.label(single, "preferred", single)

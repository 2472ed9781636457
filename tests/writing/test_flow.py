"""Line ends inside paragraphs: in mail and text from PDF."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mderank.writing.flow import SoftBreak, find_soft_breaks, split_at

MAIL = """Subject: The coral reef, and a harbour that is old and far away
Date: Monday

Dear Anna,

The storm has hit the coral reef near the harbour, and the old coral
reef has not been the same since. The harbour was closed for a deep-
sea survey that took a week. We all hope that the reef, which is big
and old, is soon well.

  - The first list item is long enough to reach the end of its own
    line, and goes on here.
  - The second is short.

> What did the harbour master say about the storm, and about the old
> reef?

A whale    12    14
A dog       7     9

    def code(reef): return "a long line of code that is not prose" *
    reef

Yours,
Berta
"""


def breaks(text):
    return [[text[each.start : each.end], text[each.end : each.end + 8], each.shown] for each in find_soft_breaks(text)]


def test_paragraphs_flow_and_all_else_keeps_its_lines():
    assert breaks(MAIL) == [
        ["\n", "reef has", " "],
        ["\n", "sea surv", ""],
        ["\n", "and old,", " "],
        ["\n    ", "line, an", " "],
    ]


def test_lines_of_languages_without_spaces():
    line = "珊瑚礁は海岸を嵐から守り、多くの魚の住みかとなっている。" * 2
    assert {each.shown for each in find_soft_breaks(f"{line}を\n{line}を\n{line}")} == {""}


def test_verses_code_and_short_lines_keep_their_lines():
    verse = "\n".join(f"And line {number} of a poem that is long enough to be prose" for number in range(5))
    code = "```\n" + "a line of code that is long enough to be a paragraph\n" * 5 + "```"
    assert breaks(verse) == breaks(code) == breaks("short\nlines\nof a list\n" * 5) == []


@given(st.text(st.sampled_from("ab- \n\r\t>1.")), st.integers(0, 30), st.integers(0, 30))
def test_pieces_make_up_the_text(words, start, length):
    text = (words + "\n" + "words of a long line that others follow, and they are prose\n" * 3) * 2
    found = find_soft_breaks(text)
    assert found == sorted(found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(text[each.start : each.end].isspace() for each in found)
    part = text[start : start + length]
    pieces = list(split_at(part, start, found))
    assert "".join(piece for piece, _ in pieces) == part
    assert all(not piece or piece.isspace() for piece, at in pieces if at)


def test_a_part_that_begins_and_ends_in_breaks():
    found = [SoftBreak(2, 5, " "), SoftBreak(8, 9, "")]
    assert list(split_at("  cde", 3, found)) == [("", None), ("  ", found[0]), ("cde", None)]
    assert list(split_at("x", 6, found)) == [("x", None)]

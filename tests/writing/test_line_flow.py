"""Text that was cut into lines of one width is shown as paragraphs, by the same rules as on the page of the server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.writing.line_flow import FlowingText, soft_breaks

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
KEPT = [
    "Anna Reef\nHarbour Road 5\n12345 Old Town",
    "The reef is old and deep\nThe harbour lies asleep\nThe storm has gone to sea\nThe whale is far from me",
    "\n".join(f"[09:4{n}] nadia: the reef is old and the harbour is new, and nobody knows the way" for n in range(5)),
    "A paragraph in one line. " * 20 + "\n" + "Another paragraph in one line. " * 20,
    "```\n" + "a line of code that is as long as the lines of prose that are elsewhere\n" * 5 + "```",
]
CHINESE = "\n".join(["海洋潮汐模型预测风暴潮" * 5] * 4)


def test_paragraphs_flow_and_all_else_keeps_its_lines():
    assert [(MAIL[start:end], MAIL[end : end + 8], shown) for start, end, shown in soft_breaks(MAIL)] == [
        ("\n", "reef has", " "),
        ("\n", "sea surv", ""),
        ("\n", "and old,", " "),
        ("\n    ", "line, an", " "),
    ]


@pytest.mark.parametrize("text", KEPT)
def test_lines_that_mean_something_stay(text):
    assert list(soft_breaks(text)) == []


def test_words_of_chinese_have_no_space_between_lines():
    assert {each.shown for each in soft_breaks(CHINESE)} == {""}


@given(st.integers(0, len(MAIL)), st.integers(0, len(MAIL)))
def test_pieces_are_the_whole(one, other):
    text, whole = FlowingText(MAIL), FlowingText(MAIL).show(0, len(MAIL))
    start, end = sorted((one, other))
    assert text.show(0, start) + text.show(start, end) + text.show(end, len(MAIL)) == whole


def test_the_whole_text_has_no_other_characters():
    shown = FlowingText(MAIL).show(0, len(MAIL))
    assert shown.split() == MAIL.replace("deep-\nsea", "deep-sea").split()
    assert "the old coral reef has not been the same since" in shown
    assert "to reach the end of its own line, and goes on here.\n  - The second" in shown

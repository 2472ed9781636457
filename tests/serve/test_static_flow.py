"""Text that was cut into lines of one width is shown as paragraphs, and every mark stays where it was."""

from __future__ import annotations

import pytest
from tests.serve.page import answer, expect, paste, shown
from tests.writing.test_flow import MAIL, breaks

from mderank.research.datasets import load_dataset

pytestmark = [pytest.mark.browser, pytest.mark.slow]
SCRIPT = """async (text) => {
  const { softBreaks } = await import("./page/flow.js");
  return softBreaks(text).map(({ start, end, shown }) => [text.slice(start, end), text.slice(end, end + 8), shown]);
}"""


def test_paragraphs_flow_and_all_else_keeps_its_lines(visit):
    page = visit()
    assert page.evaluate(SCRIPT, MAIL) == [
        ["\n", "reef has", " "],
        ["\n", "sea surv", ""],
        ["\n", "and old,", " "],
        ["\n    ", "line, an", " "],
    ]


def test_the_report_has_the_same(visit):
    """The rules are written twice, here and in ``writing/flow.py``."""
    page = visit()
    texts = [MAIL, *(each.text for each in load_dataset("everyday").documents)]
    assert sum(map(bool, map(breaks, texts))) > 20
    for text in texts:
        assert page.evaluate(SCRIPT, text) == breaks(text)


def test_offsets_and_marks_stay(visit, shared):
    page = visit()
    text = MAIL.strip()
    paste(page, text)  # which waits for the same text, character by character
    found = answer(shared, text)
    marks = page.locator("#results mark").evaluate_all("all => all.map(m => [Number(m.dataset.start), m.textContent])")
    covered = {place for start, words in marks for place in range(start, start + len(words))}
    assert all(text[start : start + len(words)] == words for start, words in marks)
    assert covered == {place for each in found for a, b in each["spans"] for place in range(a, b)}
    divided = [words for _, words in marks if "\n" in words]
    assert divided == ["coral\n"], "reef is a phrase by itself, and has its own mark"
    seen = page.locator("#results .text").inner_text()
    assert "the old coral reef has not been the same since" in seen
    assert "a deep-sea survey" in seen
    assert "to reach the end of its own line, and goes on here.\n  - The second" in seen
    assert "> What did the harbour master say about the storm, and about the old\n> reef?" in seen
    assert "A whale    12    14\nA dog" in seen


@pytest.mark.parametrize(
    "text",
    [
        "Anna Reef\nHarbour Road 5\n12345 Old Town",
        "The reef is old and deep\nThe harbour lies asleep\nThe storm has gone to sea\nThe whale is far from me",
        "\n".join(
            f"[09:4{n}] nadia: the reef is old and the harbour is new, and nobody knows the way" for n in range(5)
        ),
        "A paragraph in one line. " * 20 + "\n" + "Another paragraph in one line. " * 20,
        "```\n" + "a line of code that is as long as the lines of prose that are elsewhere\n" * 5 + "```",
    ],
)
def test_lines_that_mean_something_stay(visit, text):
    assert visit().evaluate(SCRIPT, text) == []


def test_words_of_chinese_have_no_space_between_lines(visit):
    text = "\n".join(["海洋潮汐模型预测风暴潮" * 5] * 4)
    assert {shown for _, _, shown in visit().evaluate(SCRIPT, text)} == {""}


def test_a_phrase_across_two_lines_is_one_line_of_the_list(visit):
    page = visit()
    paste(page, MAIL)
    item = page.locator("li", has_text="coral reef").first
    item.locator(".why > summary").click()
    expect(item.locator(".places b")).to_have_text(["coral reef"] * 3)
    shown(page)

"""Phrases and topics that the user gives on the page."""

from __future__ import annotations

import re

import pytest
from tests.serve.page import TEXT, answer, expect, paste, phrases, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_only_the_users_phrases(visit, shared):
    page = visit()
    paste(page)
    page.get_by_label("Only these phrases").fill("  storm \n\ncoral reef\nblue whale\n")
    listed = ["storm", "coral reef", "blue whale"]
    found = answer(shared, phrases=listed)
    expect(page.locator(".words")).to_have_text([each["text"] for each in found])
    shown(page)
    assert set(phrases(page)) == {"storm", "coral reef"}
    expect(page.locator(".missing")).to_have_text("Not in this text: blue whale")
    expect(page.locator("#phrases-about")).to_contain_text("3 phrases")
    page.get_by_label("Only these phrases").fill("")
    expect(page.locator(".words")).to_have_text([each["text"] for each in answer(shared)])
    expect(page.locator(".missing")).to_have_count(0)


def test_many_phrases_that_are_missing_are_folded(visit):
    page = visit()
    paste(page)
    page.locator("#phrases").fill("storm\n" + "\n".join(f"whale {number}" for number in range(12)))
    expect(page.locator("p.missing")).to_have_text(re.compile("^Not in this text: whale 0, .*whale 7$"))
    page.get_by_text("and 4 more").click()
    expect(page.locator("details.missing p")).to_have_text("whale 8, whale 9, whale 10, whale 11")


def test_a_wrong_phrase_is_named_by_its_line(visit):
    page = visit()
    paste(page)
    page.locator("#phrases").fill("storm\n\n" + "a " * 13)
    expect(page.get_by_role("alert")).to_have_text("Line 3 of your phrases has 13 words: a phrase has 1 to 12.")
    page.locator("#phrases").fill("storm")
    shown(page)
    expect(page.get_by_role("alert")).to_have_text("")


def test_topics_pull_the_ranking(visit, shared):
    page = visit()
    paste(page)
    expect(page.locator("#seed-weight")).to_be_hidden()
    page.get_by_label("Closer to these topics").fill("old harbour")
    found = answer(shared, seeds=["old harbour"], seed_weight=0.5)
    expect(page.locator(".words")).to_have_text([each["text"] for each in found])
    page.get_by_label("How much the topics count").fill("1")
    found = answer(shared, seeds=["old harbour"], seed_weight=1.0)
    expect(page.locator("#seed-weight-shown")).to_have_text("1.00")
    expect(page.locator(".words")).to_have_text([each["text"] for each in found])
    shown(page)
    page.locator(".why > summary").first.click()
    expect(page.locator(".reasons").first).to_contain_text("How close its meaning is to your topics")
    page.locator("#seeds").fill("old harbour\n" + "x" * 101)
    expect(page.get_by_role("alert")).to_have_text(re.compile("^Line 2 of your topics: .*100 characters"))


def test_methods_without_topics_say_so(visit, shared):
    page = visit()
    paste(page)
    page.locator("#seeds").fill("harbour")
    page.select_option("#compare", "yake")
    expect(page.locator("h2")).to_have_text(["fusion", "yake"])
    expect(page.locator("#seeds-about")).to_have_text("Of these only fusion takes topics.")
    shown(page)
    assert phrases(page, 1) == [each["text"] for each in answer(shared, method="yake")]
    page.select_option("#compare", "")
    page.select_option("#method", "yake")
    expect(page.locator("#seeds")).to_be_disabled()
    expect(page.locator("#seeds-about")).to_have_text("yake takes no topics.")
    expect(page.locator("#seed-weight")).to_be_hidden()
    expect(page.locator("h2")).to_have_text(["yake"])
    shown(page)
    assert phrases(page) == [each["text"] for each in answer(shared, method="yake")]


def test_own_phrases_and_topics_are_not_in_the_link(visit):
    page = visit("#top=5")
    page.locator("#phrases").fill("secret phrase\nstorm surges")
    page.locator("#seeds").fill("secret topic")
    expect(page.locator(".words")).to_have_text(["storm surges"])
    assert page.url.endswith("#top=5")
    assert TEXT not in page.url

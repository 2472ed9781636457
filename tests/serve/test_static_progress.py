"""A text that takes long: what is said meanwhile, and giving it up."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.serve.conftest import Running, until
from tests.serve.page import TEXT, expect, paste, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]
LONG = "The old whale is near the harbour. " * 100


@pytest.fixture
def held(visit, serve) -> tuple[Any, Running]:
    """A page with the keyphrases of a text, and its server, which computes nothing until its gate is opened."""
    running = serve()
    page = visit(server=running)
    paste(page)
    running.encoder.gate.clear()
    return page, running


def begin(page: Any, text: str = LONG) -> None:
    page.fill("#text", text)
    page.click("#run")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "true")


def test_how_long_it_takes_is_said(held):
    page, running = held
    expect(page.locator("#progress")).to_be_hidden()
    begin(page)
    expect(page.locator("#progress")).to_be_visible()
    expect(page.locator(".elapsed")).to_have_text(re.compile(r"^\d+ s so far, (about|longer than expected)"))
    expect(page.locator("#status")).to_have_text("Looking for keyphrases …")
    live = page.locator("#progress").evaluate("e => e.closest('[aria-live], [role=status], [role=alert]')")
    assert live is None, "a screen reader is not told each second"
    running.encoder.gate.set()
    shown(page)
    expect(page.locator("#progress")).to_be_hidden()


@pytest.mark.parametrize("how", ["button", "Escape"])
def test_cancelling(held, how):
    page, running = held
    begin(page)
    until(lambda: running.encoder.waiting)
    if how == "button":
        page.get_by_role("button", name="Cancel").click()
    else:
        expect(page.locator("#progress")).to_be_visible()
        page.keyboard.press("Escape")
    expect(page.locator("#status")).to_have_text("Cancelled. Below are the keyphrases from before.")
    expect(page.locator("#progress")).to_be_hidden()
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("#run")).to_be_focused()
    expect(page.get_by_role("alert")).to_have_text("")
    assert page.locator("#results .text").text_content() == TEXT
    until(lambda: running.service.metrics.active._value.get() == 0)  # the server knows that nobody waits
    running.encoder.gate.set()
    page.click("#run")
    expect(page.locator("#results .text")).to_contain_text("whale")


def test_what_waits_is_not_computed_after_it_was_cancelled(held):
    page, running = held
    begin(page)
    until(lambda: running.encoder.waiting)
    page.select_option("#method", "embedrank")  # overtakes it, and waits behind what is being computed
    until(lambda: len(running.service.queues) == 1)
    calls = len(running.encoder.calls)
    page.get_by_role("button", name="Cancel").click()
    until(lambda: len(running.service.queues) == 0)
    running.encoder.gate.set()
    until(lambda: len(running.encoder.calls) > calls)
    dropped = running.client.get("/metrics").text
    assert "mderank_documents_dropped_total 1.0" in dropped


def test_reading_a_file_can_be_cancelled(visit, serve):
    page = visit(server=serve())
    page.route("**/v1/read", lambda route: None)  # no answer
    page.set_input_files("#file", {"name": "a.html", "mimeType": "text/html", "buffer": b"<p>reef"})
    expect(page.locator("#status")).to_have_text("Reading a.html …")
    before = page.locator("#text").input_value()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#status")).to_contain_text("Cancelled.")
    assert page.locator("#text").input_value() == before


def test_a_long_text_is_not_computed_at_each_change(visit, serve):
    page = visit(server=serve())
    asked = []

    def slow(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "speeds": {"fusion": 100.0}})

    page.route("**/v1/methods", slow)
    page.reload()
    expect(page.locator("#status")).to_have_text(re.compile("^Keyphrases: "))
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/v1/extract") else None)
    page.fill("#text", "The old reef is near. " * 50)
    expect(page.locator("#status")).to_have_text("Press “Find keyphrases”: this text takes about 11 s.")
    page.locator("#top").fill("3")
    page.wait_for_timeout(900)
    assert asked == []
    page.click("#run")
    shown(page)
    assert len(asked) == 1

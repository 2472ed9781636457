"""What tests of the page share: waiting, pasting a text, reading what is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from tests.serve.conftest import Running

playwright = pytest.importorskip("playwright.sync_api", reason="needs pip install playwright")
expect = playwright.expect
expect.set_options(timeout=20_000)  # milliseconds, for machines that do other things too

TEXT = "The old harbour is near the coral reef. A storm has hit the reef, and the coral reef is new."


def shown(page: Any) -> None:
    """Wait until what was asked for is there."""
    expect(page.locator("#status")).to_have_text(re.compile("^Keyphrases: "))
    expect(page.locator("#results")).not_to_have_attribute("aria-busy", "true")


def paste(page: Any, text: str = TEXT) -> None:
    page.fill("#text", text)
    page.click("#run")
    expect(page.locator("#results .text").first).to_have_text(text, use_inner_text=False)
    shown(page)


def phrases(page: Any, pane: int = 0) -> list[str]:
    return page.locator(f'[data-pane="{pane}"] .words').all_inner_texts()


def unfold(item: Any) -> None:
    """Open the reasons of an item of the list."""
    item.locator(".why > summary").click()


def answer(running: Running, text: str = TEXT, **options: Any) -> list[dict[str, Any]]:
    return running.extract(text, **{"top_k": 12, "explain": True, **options}).json()["keyphrases"]

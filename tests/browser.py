"""What tests in a real browser share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Contrast of each element that a selector finds, with the beginning of its markup.
CONTRAST = """(selector) => {
    const channel = (v) => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
    const light = (c) => .2126 * channel(c[0]) + .7152 * channel(c[1]) + .0722 * channel(c[2]);
    const parse = (s) => {
        const n = s.match(/[\\d.]+/g).map(Number);
        const scale = s.startsWith("color(") ? 255 : 1; // a mixed colour has channels from 0 to 1
        return [...n.slice(0, 3).map((v) => v * scale), n[3] ?? 1];
    };
    const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3]));
    const paper = parse(getComputedStyle(document.body).backgroundColor);
    const ratio = (element) => {
        let back = paper.slice(0, 3);
        const chain = [];
        for (let e = element; e && e !== document.body; e = e.parentElement) chain.unshift(e);
        for (const e of chain) back = over(parse(getComputedStyle(e).backgroundColor), back);
        const opacity = chain.reduce((all, e) => all * getComputedStyle(e).opacity, 1);
        const colour = parse(getComputedStyle(element).color);
        const ink = over([...colour.slice(0, 3), colour[3] * opacity], back);
        const [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
        return (a + .05) / (b + .05);
    };
    const all = [...document.querySelectorAll(selector)];
    return all.filter(e => e.offsetParent && e.textContent.trim()).map(e => [ratio(e), e.outerHTML.slice(0, 60)]);
}"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs pip install playwright")
    found = os.environ.get("MDERANK_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no Chromium: apt-get install chromium, or name one in MDERANK_BROWSER")
    with playwright.sync_playwright() as driver:
        # Root, as in containers, has no sandbox; the pages are our own.
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()

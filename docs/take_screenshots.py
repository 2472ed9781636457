"""Takes the pictures of the page that the documentation shows: python docs/take_screenshots.py [FOLDER]

It needs `pip install '.[serve,dev]'` and Chromium, and starts a server of its own, with the bundled encoder.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images"


def why(page: Any) -> None:
    """The second phrase, unfolded and pointed at."""
    page.locator("ol.list > li").nth(1).locator("summary").click()
    page.locator("ol.list > li").nth(1).locator(".phrase").hover()


def point(page: Any) -> None:
    """The first phrase, pointed at, in both lists."""
    page.locator("ol.list > li").first.locator(".phrase").hover()


def take(browser: Browser, url: str, name: str, act: Callable[[Any], None], **options: Any) -> None:
    """One picture, of what is there when all has been found."""
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(url)
    expect(page.locator("#status")).to_have_text(re.compile("^Keyphrases"), timeout=60_000)
    act(page)
    page.locator("#status").evaluate("e => e.replaceChildren(e.textContent.replace(/ [0-9.]+ s\\.$/, ''))")  # ours only
    page.wait_for_timeout(300)
    page.screenshot(path=FOLDER / name)
    context.close()


def main() -> None:
    """All of them."""
    command = [sys.executable, "-c", "from mderank.cli import main; main()", "serve", "--port", "0", "--no-open"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        url = next(found[1] for line in server.stderr if (found := re.search(r"serving at (\S+)", line)))
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            wide = {"width": 1280, "height": 1000}
            take(browser, f"{url}/#top=10", "serve.png", why, viewport=wide, color_scheme="light")
            tall = {"width": 1280, "height": 1300}
            take(browser, f"{url}/#compare=yake&top=5&example=bees", "serve-compare.png", point, viewport=tall,
                 color_scheme="dark")  # fmt: skip
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()

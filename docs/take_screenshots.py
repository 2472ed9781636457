"""Takes the pictures of the pages that the documentation shows: python docs/take_screenshots.py [FOLDER]

It needs `pip install '.[serve,dev]' nbconvert ipykernel` and Chromium, and starts servers of its own, with the bundled
encoder. ``--dark`` takes the notebook in its dark theme. The site is built with the pictures of docs/images as they
are: run it twice if these change.
"""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright

from mderank.research.datasets import LabelledDocument, load_dataset

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = [each for each in sys.argv[1:] if each != "--dark"]
FOLDER = Path(FOLDERS[0]) if FOLDERS else Path(__file__).parent / "images"
NOTEBOOK = """import mderank
from pathlib import Path

mderank.extract(Path("examples/tides.txt"))"""


def why(page: Any) -> None:
    """The second phrase, unfolded and pointed at, in a window that has become higher."""
    page.set_viewport_size({"width": 1280, "height": 1000})
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


def take_report(browser: Browser, folder: Path, name: str, height: int, *arguments: str) -> None:
    """The page that ``mderank extract -f html`` writes of the example, with the first phrase unfolded if it can be."""
    page = browser.new_page(viewport={"width": 1180, "height": height}, color_scheme="light")
    command = [sys.executable, "-m", "mderank", "extract", "examples/tides.txt", "-k", "12"]
    subprocess.run([*command, "-o", f"{folder}/tides.html", *arguments], cwd=ROOT, check=True)
    page.goto((folder / "tides.html").as_uri())
    for unfolded in page.locator(".why > summary").all()[:1]:
        unfolded.click()
        page.locator(".list > ol > li > a").first.hover()
    page.screenshot(path=FOLDER / name)
    page.close()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder without a log."""

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def take_site(browser: Browser) -> None:
    """The landing page of the documentation."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
        subprocess.run(command, cwd=ROOT, check=True)
        handler = functools.partial(QuietHandler, directory=folder)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            page = browser.new_page(viewport={"width": 1280, "height": 1060}, color_scheme="light")
            page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
            page.wait_for_load_state("networkidle")
            page.screenshot(path=FOLDER / "site.png")
            page.close()
            server.shutdown()


def take_label(browser: Browser, url: str, document: LabelledDocument) -> None:
    """The labelling page, after twenty documents, with some phrases of another one ticked and crossed out."""
    page = browser.new_page(viewport={"width": 1280, "height": 1450}, color_scheme="light")
    page.goto(f"{url}/#1")
    expect(page.locator("#message")).to_have_text(re.compile("^With 20 documents"), timeout=120_000)
    right = {phrase.lower() for phrase in labels_of(document)}
    for number, phrase in enumerate(page.locator("#phrases .words").all_inner_texts()[:10]):
        page.locator("#phrases .tick").nth(number).focus()
        page.keyboard.press("y" if phrase.lower() in right else "x")
        expect(page.locator("#status")).to_have_text(re.compile(f"“{re.escape(phrase)}”.*Saved"))
    page.screenshot(path=FOLDER / "label.png")
    page.close()


def labels_of(document: LabelledDocument) -> list[str]:
    """What somebody would tick who wants names and terms of two or three words."""
    return [phrase for phrase in document.keyphrases if 2 <= len(phrase.split()) <= 3]


def write_labels(folder: Path) -> LabelledDocument:
    """Everyday documents, and labels of twenty of them. The first, which has none, is returned."""
    documents = [each for each in load_dataset("everyday").documents if each.kind in ("news", "abstract", "report")]
    with (folder / "documents.jsonl").open("w") as texts, (folder / "labels.jsonl").open("w") as labels:
        for number, each in enumerate(documents):
            line = {"id": each.id, "text": each.text}
            texts.write(json.dumps(line) + "\n")
            if 1 <= number <= 20:
                labels.write(json.dumps({**line, "keyphrases": labels_of(each)}) + "\n")
    return documents[0]


def take_notebook(browser: Browser, theme: str) -> None:
    """A notebook that was run, as nbconvert shows it."""
    import nbformat
    from nbconvert import HTMLExporter
    from nbconvert.preprocessors import ExecutePreprocessor

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(NOTEBOOK)])
    kernel = ExecutePreprocessor(timeout=120, kernel_name="python3")
    kernel.preprocess(notebook, {"metadata": {"path": str(Path(__file__).parents[1])}})
    html, _ = HTMLExporter(theme=theme).from_notebook_node(notebook)
    page = browser.new_page(viewport={"width": 1200, "height": 900}, device_scale_factor=1)
    page.route(re.compile("^http"), lambda route: route.abort())  # scripts for formulas, which there are none of
    page.set_content(html)
    page.locator(".jp-Cell").first.screenshot(path=FOLDER / "notebook.png")
    page.close()


@contextmanager
def started(*arguments: str) -> Iterator[str]:
    """A server of ours; its address."""
    command = [sys.executable, "-c", "from mderank.cli import main; main()", *arguments, "--port", "0", "--no-open"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        yield next(found[1] for line in server.stderr if (found := re.search(r"(?:serving|labelling) at (\S+)", line)))
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """All of them."""
    with sync_playwright() as driver, TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        take_notebook(browser, "dark" if "--dark" in sys.argv else "light")
        with started("serve") as url:
            low = {"width": 1280, "height": 800}  # in which the settings are folded
            take(browser, f"{url}/#top=10", "serve.png", why, viewport=low, color_scheme="light")
            tall = {"width": 1280, "height": 1500}
            take(browser, f"{url}/#compare=yake&top=5&example=bees", "serve-compare.png", point, viewport=tall,
                 color_scheme="dark")  # fmt: skip
        document = write_labels(Path(folder))
        with started("label", f"{folder}/documents.jsonl", "-o", f"{folder}/labels.jsonl") as url:
            take_label(browser, url, document)
        take_report(browser, Path(folder), "highlight.png", 690)
        take_report(browser, Path(folder), "why.png", 900, "--explain")
        take_site(browser)
        browser.close()


if __name__ == "__main__":
    main()

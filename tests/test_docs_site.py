"""The documentation site is built without a warning, and loads nothing from other hosts."""

from __future__ import annotations

import functools
import http.server
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
import yaml
from tests.browser import CONTRAST, chromium
from tests.snapshot import ENTRY_POINTS, PACKAGES, public_names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
# Attributes from which a browser loads by itself.
TEXTS = "article p, article li, article td, article th, article a:not(.headerlink)"
TAGS = set(
    "a abbr article aside b blockquote body br button circle code dd details div dl dt em footer form g "
    "h1 h2 h3 h4 h5 h6 head header hr html i img input kbd label li link main meta nav ol p path pre "
    "script section small span strong style sub summary sup svg table tbody td th thead title tr ul".split()
)
LOADS = {"src", "srcset", "data", "poster", "action", "formaction", "background"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    pytest.importorskip("material", reason="needs pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return folder


class Page(HTMLParser):
    """What a page loads, where it links to, and its anchors."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors = {""}
        self.images_without_text: list[str] = []
        self.unknown_tags: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = {name: value or "" for name, value in attrs}
        self.unknown_tags |= {tag} - TAGS
        self.anchors |= {values.get("id", ""), values.get("name", "") if tag == "a" else ""}
        self.loads += [value for name, value in values.items() if name in LOADS]
        self.loads += re.findall(r"url\(([^)]*)\)", values.get("style", ""))
        if tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.loads.append(values["href"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "img" and not values.get("alt"):
            self.images_without_text.append(values.get("src", ""))


@pytest.fixture(scope="module")
def pages(site) -> dict[str, Page]:
    return {file.relative_to(site).as_posix(): Page(file) for file in sorted(site.rglob("*.html"))}


def is_foreign(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https", "ws", "wss", "ftp")


def test_pages_load_nothing_from_other_hosts(pages):
    assert len(pages) > 20
    for name, page in pages.items():
        assert not [each for each in page.loads if is_foreign(each)], name


def test_styles_and_scripts_name_no_host_to_load_from(site):
    for file in site.rglob("*.css"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", text), file
    for file in site.rglob("*.js"):
        code = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        # Names of XML's parts, and references in comments and messages.
        hosts = set(re.findall(r"[\"'`](?:https?|wss?)://([\w.-]+)", code)) - {"www.w3.org"}
        assert not hosts, file


def test_links_and_anchors_lead_somewhere(site, pages):
    for name, page in pages.items():
        if name == "404.html":  # its links are those of a site at its address
            continue
        for link in page.links:
            if urlsplit(link).scheme:
                continue
            target, anchor = urldefrag(urljoin(f"/{name}", link))
            file = unquote(target).lstrip("/")
            file += "index.html" if file.endswith("/") or not file else ""
            assert (site / file).is_file(), f"{name}: {link}"
            if file in pages:
                assert unquote(anchor) in pages[file].anchors, f"{name}: {link}"


def test_images_have_a_text(pages):
    assert not [name for name, page in pages.items() if page.images_without_text]


def test_text_is_not_taken_for_tags(pages):
    """A pattern such as <NN.*> outside of code is a tag to a browser, which does not show it."""
    for name, page in pages.items():
        assert not page.unknown_tags, name


def nav_pages(entries: list) -> Iterator[str]:
    for entry in entries:
        value = entry if isinstance(entry, str) else next(iter(entry.values()))
        yield from [value] if isinstance(value, str) else nav_pages(value)


def test_every_page_is_in_the_navigation_once():
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = sorted(nav_pages(config["nav"]))
    assert len(listed) == len(set(listed))
    assert {file.relative_to(DOCS).as_posix() for file in DOCS.rglob("*.md")} <= set(listed)


def test_pages_are_reached_from_other_pages(pages):
    """Not only from the navigation: a reader who follows the text finds every guide."""
    guides = {f"{file.stem}/index.html" for file in DOCS.glob("*.md")} - {"index/index.html"}
    texts = {name: (DOCS / name).read_text(encoding="utf-8") for name in ("index.md", "quickstart.md", "research.md")}
    linked = {target for text in texts.values() for target in re.findall(r"\]\(([\w/]+)\.md", text)}
    assert guides <= set(pages)
    assert {"scale", "styles", "guided", "methods", "evaluation", "training", "reproduction", "serve"} <= linked
    assert {"formats", "python", "vocabulary", "how_it_works", "faq", "comparison", "from_keybert"} <= linked


def test_lists_and_tables_are_lists_and_tables(site):
    """Markdown of the repository is stricter here: a list needs an empty line before it."""
    for file in site.rglob("*.html"):
        text = re.sub(r"<pre.*?</pre>", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"<p>[^<]*\n(?:- |\* |1\. |\|)", text), file


def public() -> list[str]:
    """The public names, each by the path under which a user imports it first."""
    known: set[int] = set()
    found = []
    for module in (*PACKAGES, *ENTRY_POINTS):
        for name, value in public_names(module):
            if not callable(value) or id(value) not in known:
                found.append(f"{module}.{name}")
            known.add(id(value))
    return found


def test_the_reference_has_every_public_name():
    written = "".join(file.read_text(encoding="utf-8") for file in (DOCS / "api").glob("*.md"))
    listed = re.findall(r"^::: (\S+)$", written, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert not set(public()) - set(listed), "add them to a page of docs/api/"


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address(site) -> Iterator[str]:
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser(browser, address, scheme):
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    requests, problems = [], []
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    for path in ("", "quickstart/", "methods/", "explanations/", "evaluation/", "serve/", "api/extractors/", "cli/"):
        page.goto(f"{address}/{path}")
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is wider than a phone"
        for ratio, element in page.evaluate(CONTRAST, TEXTS):
            assert ratio >= 4.5, f"{path}: {ratio:.2f} {element}"
    assert not problems
    assert not [url for url in requests if not url.startswith((address, "data:", "blob:"))]
    context.close()


@pytest.mark.browser
def test_no_page_is_wider_than_a_phone(browser, address, pages):
    page = browser.new_page(viewport={"width": 360, "height": 740})
    for name in pages:
        page.goto(f"{address}/{name.removesuffix('index.html')}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    page.close()


@pytest.mark.browser
def test_what_is_copied_is_what_is_typed(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/")
    page.evaluate("document.addEventListener('copy', event => window.copied = event.target.value)")
    session = page.locator("div.highlight", has_text="FusionRank")
    session.hover()
    session.locator("button[data-md-type=copy]").click()
    page.wait_for_function("window.copied")
    copied = page.evaluate("window.copied")
    assert "from mderank import FusionRank" in copied.splitlines()
    assert ">>>" not in copied
    assert "Span(" not in copied
    page.close()


@pytest.mark.browser
def test_the_search_finds_a_page(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/")
    page.locator("input.md-search__input").fill("storm surge")
    page.locator("li.md-search-result__item").first.wait_for()
    page.close()

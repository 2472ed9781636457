"""Hooks of `mkdocs build`: pages from outside docs/, links that leave the site, and nothing loaded from other hosts."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File
from pymdownx.slugs import slugify

ROOT = Path(__file__).resolve().parents[1]
# Files outside docs/ that the site shows, by their path in the site.
OUTSIDE = {
    "architecture.md": "ARCHITECTURE.md",
    "benchmarks.md": "benchmarks/README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "results/index.md": "results/README.md",
    "results/languages.md": "results/languages.md",
    "security.md": "SECURITY.md",
    **{f"results/{plot.name}": f"results/{plot.name}" for plot in (ROOT / "results").glob("*.svg")},
}
# Addresses in the theme's scripts, for diagrams, a counter of stars and browsers of 2019; no page here needs them.
FOREIGN = re.compile(r"https://(?:unpkg\.com/[\w@./-]*|api\.github\.com/)")
_FENCE = re.compile(r"^( *)(`{3,}|~{3,}).*?^\1\2[`~]*[ \t]*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(\]\()([^)\s]+)((?:\s+\"[^\"]*\")?\))")
_SESSION = re.compile(r"^( *)```python(?= *\n *>>> )", re.MULTILINE)
_NOTE = re.compile(r"^<!-- not run: .*? -->\n", re.MULTILINE)


def on_config(config: Any) -> Any:
    """Headings have the anchors that they have in the repository."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are written for the repository: changelog, results and others."""
    for target, source in OUTSIDE.items():
        files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Links between files of the repository become links of the site, or, without a page there, of the repository."""
    address = page.file.src_uri
    source = OUTSIDE.get(address, f"docs/{address}")
    if address in OUTSIDE:  # a search finds guides first
        page.meta["search"] = {"boost": 0.5}
    inside = {f"docs/{each.src_uri}": each.src_uri for each in files if each.inclusion.is_included()}
    inside |= {original: target for target, original in OUTSIDE.items()}

    def link(match: re.Match[str]) -> str:
        return match[1] + translate(match[2], source, address, inside, config.repo_url) + match[3]

    markdown = _SESSION.sub(r"\1```pycon", markdown)  # so that what is typed and what is printed look different
    return outside_of_code(_NOTE.sub("", markdown), lambda text: _LINK.sub(link, text))


def translate(target: str, source: str, address: str, inside: dict[str, str], repository: str) -> str:
    """One link of a file of the repository, as the page of the site needs it.

    Args:
        target: The link as it is written.
        source: The path of the file in the repository.
        address: The path of the page in the site's sources.
        inside: Files of the repository that the site has, with their paths there.
        repository: The address of the repository.
    """
    path, mark, anchor = target.partition("#")
    if not path or re.match(r"[a-z][a-z0-9+.-]*:|/", path, re.IGNORECASE):
        return target
    file = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if file in inside:
        return posixpath.relpath(inside[file], posixpath.dirname(address) or ".") + mark + anchor
    there = ROOT / file
    if file.startswith("docs/") or not there.exists():  # MkDocs says what is wrong with it
        return target
    return f"{repository}/{'tree' if there.is_dir() else 'blob'}/main/{file}{mark}{anchor}"


def outside_of_code(text: str, change: Any) -> str:
    """The text with a change made everywhere but in fenced code."""
    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [change(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, change(text[end:])])


def on_post_build(config: Any) -> None:
    """Take addresses of other hosts out of the theme's scripts, and the maps of scripts out of the site."""
    site = Path(config.site_dir)
    for file in site.rglob("*.js"):
        text = file.read_text(encoding="utf-8")
        file.write_text(FOREIGN.sub("", text), encoding="utf-8")
    for file in (site / "assets").rglob("*.map"):
        file.unlink()

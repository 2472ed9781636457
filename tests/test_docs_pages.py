"""What the pages of the documentation show is run, and their commands are those of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from tests import pages

ROOT = Path(__file__).parents[1]
GUIDES = sorted((ROOT / "docs").glob("*.md"))
SHOWN = [*GUIDES, *(ROOT / name for name in ("README.md", "results/README.md", "benchmarks/README.md"))]
SHELL = ("sh", "bash", "console", "shell")
WITH_EXAMPLES = [page for page in GUIDES if any(map(pages.runs, pages.blocks(page)))]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.stem)
def test_examples_of_a_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MDERANK_DATA_DIR", raising=False)
    assert pages.run_page(page, tmp_path) > 0


def test_the_pages_have_examples():
    assert len(WITH_EXAMPLES) >= 10


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_commands_of_a_page_are_accepted_by_the_command_line(page):
    for block in pages.blocks(page):
        if block.language in SHELL and not block.reason:
            for arguments in pages.commands(block):
                try:
                    pages.check_command(arguments)
                except click.ClickException as error:
                    pytest.fail(f"{block.place}: mderank {' '.join(arguments)}: {error.format_message()}")


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_extras_and_programs_of_a_page_exist(page):
    text = page.read_text(encoding="utf-8")
    assert not pages.unknown_extras(text)
    for program in re.findall(r"\bpython ((?:benchmarks|docs|tests|examples)/[\w/]+\.py)", text):
        assert (ROOT / program).is_file(), program


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def page_of(text: str, folder: Path) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def test_blocks_of_a_page(tmp_path):
    text = (
        '```python\n>>> 1\n1\n\n```\n\n<!-- not run: no network -->\n```py\nx\n```\n\n```json title="a.json"\n{}\n```\n'
    )
    one, two, three = pages.blocks(page_of(text, tmp_path))
    assert (one.language, one.body, one.reason, one.line) == ("python", ">>> 1\n1\n\n", "", 1)
    assert (two.body, two.reason, pages.runs(two)) == ("x\n", "no network", False)
    assert (three.title, three.body, pages.runs(three)) == ("a.json", "{}\n", True)


@pytest.mark.parametrize(
    "text",
    ["```python\n>>> 1 + 1\n3\n\n```\n", "```python\nraise AssertionError\n```\n", "```console\n$ echo a\nb\n```\n"],
)
def test_a_wrong_example_is_noticed(text, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "examples").mkdir()
    page = page_of(text, tmp_path)
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    with pytest.raises(AssertionError):
        pages.run_page(page, tmp_path / "run")


SHARED = """\
```text title="a/b.txt"
reefs
```
```python
x = 1
```
```python
>>> from pathlib import Path
>>> x, Path("a/b.txt").read_text()
(1, 'reefs\\n')

```
```console
$ cat a/b.txt | tr e a
raafs
$ mderank --version
mderank...
```
"""


def test_blocks_share_names_and_files(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    (tmp_path / "examples").mkdir()
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    assert pages.run_page(page_of(SHARED, tmp_path), tmp_path / "run") == 4


@pytest.mark.parametrize(
    "command", ["extract --no-such-option a.txt", "no-such-command", "extract --method bert a.txt", "extract -k -1 a"]
)
def test_a_wrong_command_is_noticed(command):
    with pytest.raises(click.ClickException):
        pages.check_command(command.split())


def test_commands_of_a_block(tmp_path):
    text = "```sh\ncat a | mderank extract -k 3 \\\n  b > c && mderank batch 'x;y' out   # a comment\n```\n"
    (block,) = pages.blocks(page_of(text, tmp_path))
    assert pages.commands(block) == [["extract", "-k", "3", "b"], ["batch", "x;y", "out"]]


def test_extras(tmp_path):
    assert pages.unknown_extras("pip install 'mderank[pdf,nothing]' && pip install '.[serve]'") == {"nothing"}

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
    [
        "```python\n>>> 1 + 1\n3\n\n```\n",
        "```python\nraise AssertionError\n```\n",
        "```console\n$ echo a\nb\n```\n",
        "```console\n$ mderank --version\nmderank: error: no\n```\n",
        "```console\n$ mderank extract no.txt\nmderank: error: other.txt\n```\n",
    ],
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
    ("shown", "printed", "same"),
    [
        ("   1  1.377      ██████████   3×  storm surges", "   1  1.383      █████████   3×  storm surges", True),
        ("['sea level', 'tide gauge']", "['tide gauge', 'sea level']", True),
        ("   1  1.377   storm surges", "   1  1.5   storm surges", False),
        ("['sea level']", "['sea level', 'tide gauge']", False),
        ("fusion 91.67 ...", "method\nfusion 90.00 0.157\n", True),
        ("yake 91.67 ...", "method\nfusion 90.00 0.157\n", False),
    ],
)
def test_outputs_of_other_processors_are_nearly_equal(shown, printed, same, monkeypatch):
    assert pages.nearly_equal(shown, printed) is same
    monkeypatch.setattr(pages.onnx, "has_exact_int8", lambda: False)
    assert pages.Checker().check_output(shown, printed, pages.FLAGS) is same
    monkeypatch.setattr(pages.onnx, "has_exact_int8", lambda: True)
    assert not pages.Checker().check_output(shown, printed, pages.FLAGS) or "..." in shown


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


# The rows of results/README.md that the table of docs/methods.md is made of, by the name of the method.
RESULTS_ROWS = {
    "fusion": "**FusionRank**, MiniLM-L6",
    "embedrank": "EmbedRank, MiniLM-L6",
    "attentionrank": "AttentionRank, MiniLM-L6",
    "sifrank-plus": "SIFRank+, MiniLM-L6",
    "sifrank": "SIFRank, MiniLM-L6",
    "mderank": "MDERank, one pass, MiniLM-L6",
    "positionrank": "PositionRank",
    "singlerank": "SingleRank",
    "textrank": "TextRank",
    "multipartiterank": "MultipartiteRank",
    "tfidf": "TF-IDF, no corpus",
    "topicrank": "TopicRank",
    "firstphrases": "FirstPhrases",
    "yake": "YAKE",
    "embedrank-vectors": "EmbedRank, GloVe 50d",
}
WHOLE_TEXTS = {"fusion": "**FusionRank**, whole", "tfidf": "TF-IDF"}


def table_rows(text: str) -> dict[str, list[str]]:
    """The cells of the rows of all tables, by the first cell; of equal ones the first row."""
    rows: dict[str, list[str]] = {}
    for line in re.findall(r"^\| (.*) \|$", text, re.MULTILINE):
        first, *cells = (cell.strip() for cell in re.split(r"\s\|(?:\s|$)", line))
        rows.setdefault(first, cells)
    return rows


def section(page: str, heading: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    return text.partition(f"\n{heading}\n")[2].partition(f"\n{heading.split(maxsplit=1)[0]} ")[0]


def test_figures_of_the_methods_are_those_that_were_measured():
    table = table_rows(section("docs/methods.md", "## Cost and quality"))
    sections = ("### Benchmarks", "### Without an encoder", "### With an encoder")
    six = table_rows("\n".join(section("results/README.md", heading) for heading in sections))
    whole = table_rows(section("results/README.md", "### Whole documents"))
    costs = table_rows(section("benchmarks/README.md", "## Cost by method"))
    compared = 0
    for label, cells in table.items():
        name = re.search(r"`([\w -]+)`", label)
        if name is None:
            continue
        method = name[1].replace(" --", ", ")
        quality, quality_whole, *ratios = (cell.strip("* ") for cell in cells)
        if quality:
            assert quality == six[RESULTS_ROWS[method]][-1].split(" / ")[1], method
        if quality_whole:
            assert quality_whole == whole[WHOLE_TEXTS.get(method, RESULTS_ROWS[method])][-1].split(" / ")[1], method
        for ratio, measured in zip(ratios, costs.get(method, ()), strict=False):
            if ratio:
                assert float(ratio) == pytest.approx(float(measured.split()[0]), rel=0.03, abs=0.005), method
                compared += 1
    assert compared >= 28

"""What docs/scale.md says is so."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest

from mderank.cli import cli

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "scale.md"


@pytest.fixture(scope="module")
def arithmetic():
    return runpy.run_path(str(ROOT / "docs" / "scale_cost.py"))


@pytest.mark.slow
def test_tables_are_those_of_the_script(arithmetic):
    text = PAGE.read_text(encoding="utf-8")
    assert arithmetic["with_tables"](text) == text, "run: python docs/scale_cost.py"


def test_questions_have_the_hours_of_the_table():
    questions = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
    (abstracts,) = re.findall(r"A million abstracts take (\d+) hours of one core", questions)
    (papers,) = re.findall(r"and a million papers (\d+) \(", questions)
    table = PAGE.read_text(encoding="utf-8")
    assert re.search(rf"^\| 1 million abstracts \| [^|]+ \| {abstracts} \|", table, re.MULTILINE)
    assert re.search(rf"^\| 1 million papers \| [^|]+ \| {papers} \|", table, re.MULTILINE)


def test_core_hours(arithmetic):
    kind = arithmetic["Kind"]("notes", seconds=0.036, pieces=100, read=1000, written=2000)
    assert arithmetic["hours"](kind, 1e6) == pytest.approx(10)


def test_utilisation_of_simple_cases(arithmetic, monkeypatch):
    utilisation = arithmetic["utilisation"]
    spaces = utilisation.__globals__
    monkeypatch.setitem(spaces, "SPREAD", 0.0)
    monkeypatch.setitem(spaces, "START", 0.0)
    assert utilisation(10, 60, 10) == pytest.approx(1)  # one each
    assert utilisation(11, 60, 10) == pytest.approx(11 / 20)  # nine wait for the last
    assert utilisation(1, 60, 4) == pytest.approx(1 / 4)
    monkeypatch.setitem(spaces, "START", 60.0)
    assert utilisation(10, 60, 10) == pytest.approx(1 / 2)


def test_commands_are_accepted():
    commands = re.findall(r"^mderank ((?:batch|collection) [^#\n]*)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        name, *arguments = shlex.split(command)
        # With its parent: a command keeps the names of its help option from the first context that it meets.
        with cli.make_context("mderank", [name], resilient_parsing=True) as parent:
            cli.commands[name].make_context(name, arguments, parent=parent)


def test_python_examples_name_what_is_there():
    text = PAGE.read_text(encoding="utf-8")
    for home, name in re.findall(r"^from (mderank[\w.]*) import (\w+)$", text, re.MULTILINE):
        module = __import__(home, fromlist=[name])
        assert hasattr(module, name)
    for example in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        compile(example, "docs/scale.md", "exec")

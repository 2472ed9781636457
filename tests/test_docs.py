"""The documentation says what is so."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from mderank.cli import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_examples_of_the_readme():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=flags)
    assert results.attempted >= 8
    assert results.failed == 0


def test_python_examples_of_the_research_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # runs are written there
    results = doctest.testfile(str(ROOT / "docs" / "research.md"), module_relative=False)
    assert results.attempted >= 8
    assert results.failed == 0


@pytest.mark.slow
def test_console_examples_of_the_readme(monkeypatch):
    monkeypatch.chdir(ROOT)
    examples = re.findall(r"```console\n\$ mderank (.*?)\n(.*?)```", README, re.DOTALL)
    assert examples
    for command, output in examples:
        assert CliRunner().invoke(cli, shlex.split(command)).stdout == output


def test_shell_examples_of_the_readme_are_accepted_by_the_command_line():
    commands = re.findall(r"(?:^|[|`] ?)mderank (extract [^`>|#\n]*)", README, re.MULTILINE)
    assert len(commands) > 4
    for command in commands:
        arguments = shlex.split(command)[1:]
        cli.commands["extract"].make_parser(cli.make_context("mderank", ["info"])).parse_args(arguments)


def test_ci_runs_the_commands_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = re.findall(r"```sh\n(pip install .*)\n```", README)
    assert len(commands) == 2
    for command in commands:
        assert command in script.replace(" --quiet", "")


def test_the_command_line_reference_is_up_to_date():
    reference = runpy.run_path(str(ROOT / "docs" / "generate_cli.py"))["reference"]
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference(), "run: python docs/generate_cli.py"


def test_the_list_of_options_is_up_to_date():
    reference = runpy.run_path(str(ROOT / "docs" / "generate_options.py"))["reference"]
    page = (ROOT / "docs" / "options.md").read_text(encoding="utf-8")
    assert page == reference(), "run: python docs/generate_options.py"


def test_links_of_the_documentation_lead_somewhere():
    for page in (
        ROOT / name
        for name in (
            "README.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "benchmarks/README.md",
            "results/README.md",
            "docs/serve.md",
            "docs/paper.md",
            "docs/research.md",
        )
    ):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_extras_of_the_readme_exist():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(re.findall(r"^\| (.*?) \|", README, re.MULTILINE)) >= {
        f"`[{name}]`" for name in ("torch", "export", "pdf")
    }
    assert {"torch", "export", "pdf", "sifrank", "elmo", "dev", "bench"} <= set(extras)


def test_the_readme_has_the_weights_of_the_default():
    from mderank.methods.fusionrank import FusionWeights

    (row,) = (
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `weights`")
    )
    assert eval(row.split("|")[3].strip().strip("`"), {"FusionWeights": FusionWeights}) == FusionWeights()

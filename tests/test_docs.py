"""The documentation says what is so."""

from __future__ import annotations

import doctest
import json
import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement
from tests import pages

from mderank.cli import cli
from mderank.reading import FORMATS
from mderank.reading.discovery import SUFFIXES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FORMATS_PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


def test_python_examples_of_the_readme():
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=flags)
    assert results.attempted >= 8
    assert results.failed == 0


def test_the_page_of_formats_has_every_suffix_and_format():
    rows = re.findall(r"^\| \[.*?\]\(#.*?\) \| `(\w+)` \| (.*?) \|", FORMATS_PAGE, re.MULTILINE)
    listed = {suffix: kind for kind, suffixes in rows for suffix in re.findall(r"`(\.\w+)`", suffixes)}
    assert listed == SUFFIXES
    assert {kind for kind, _ in rows} == set(FORMATS)


def test_the_error_of_the_page_of_formats(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("letter.docx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1"))
    ((command, output),) = re.findall(r"```console\n\$ mderank (.*?)\n(.*?)```", FORMATS_PAGE, re.DOTALL)
    assert CliRunner().invoke(cli, shlex.split(command)).stderr == output


@pytest.mark.slow
def test_console_examples_of_the_readme(monkeypatch):
    monkeypatch.chdir(ROOT)
    examples = re.findall(r"```console\n\$ mderank (.*?)\n(.*?)```", README, re.DOTALL)
    assert examples
    for command, output in examples:
        assert pages.Checker().check_output(output, CliRunner().invoke(cli, shlex.split(command)).stdout, 0)


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


def test_the_page_of_reliability_is_up_to_date():
    reference = runpy.run_path(str(ROOT / "docs" / "generate_reliability.py"))["reference"]
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    assert page == reference(), "run: python docs/generate_reliability.py"


def named_tests() -> list[str]:
    """The tests that SECURITY.md and the page of reliability name, as ``file::function`` or a file."""
    rows = [
        row
        for file in sorted((ROOT / "docs" / "reliability").glob("*.json"))
        for row in json.loads(file.read_text(encoding="utf-8"))["rows"]
    ]
    promised = re.findall(r"`(tests/\S+?)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(promised) >= 15
    assert len(rows) >= 15
    return sorted({*promised, *(test for row in rows for test in row["tests"])})


@pytest.mark.parametrize("name", named_tests())
def test_tests_that_hold_a_promise_exist(name):
    file, _, function = name.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert re.search(rf"^(async )?def {function or 'test_'}", text, re.MULTILINE)


def test_every_row_of_reliability_has_a_test_or_says_what_was_measured():
    for file in (ROOT / "docs" / "reliability").glob("*.json"):
        for row in json.loads(file.read_text(encoding="utf-8"))["rows"]:
            assert row["tests"] or row["command"] != "pytest", row["tried"]
            assert row["figure"], f"run: python docs/generate_reliability.py --run {file.stem}"
            assert row["measured"], row["tried"]


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(each) for one in lists for each in one]


def test_the_pinned_versions_of_ci_are_those_that_the_project_allows():
    lines = (ROOT / ".ci" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert pins["torch"] == "2.13.0"
    assert {each.name for each in requirements()} & pins.keys() >= {"numpy", "onnxruntime", "tokenizers", "click"}
    for each in requirements():
        if each.name in pins:
            assert each.specifier.contains(pins[each.name]), f"{each} is pinned to {pins[each.name]}: run .ci/pin"


def test_upper_bounds_are_set_only_where_they_are_needed():
    upper = {"<", "<=", "~=", "==", "==="}
    bounded = {each.name for each in requirements() if upper & {part.operator for part in each.specifier}}
    assert {name for name in bounded if not name.startswith(("spacy", "en-core-web"))} <= {"pandas"}


def test_the_base_install_brings_only_what_its_makers_publish():
    """No package that somebody else uploaded again, as those of spaCy's pipelines are."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {Requirement(each).name for each in project["dependencies"]} == {
        "click",
        "jinja2",
        "numpy",
        "onnxruntime",
        "snowballstemmer",
        "tokenizers",
    }


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
            "docs/integrations.md",
            "docs/paper.md",
            "docs/research.md",
            "docs/languages.md",
            "docs/styles.md",
            "docs/vocabulary.md",
            "docs/reliability.md",
            "SECURITY.md",
            "RELEASING.md",
            "CODE_OF_CONDUCT.md",
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

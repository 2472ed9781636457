"""The project's own files: workflows, citation, version, packages."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from mderank.cli import cli

yaml = pytest.importorskip("yaml", reason="needs PyYAML (extra dev)")

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(file for file in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if file.name != "config.yml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
INDEX_PAGE = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]


def load(file: Path) -> Any:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if True in content:  # YAML 1.1 reads the key `on` as a truth value
        content["on"] = content.pop(True)
    return content


def workflow(name: str) -> Any:
    return load(ROOT / ".github" / "workflows" / name)


def commands(job: Any) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


# --- workflows --------------------------------------------------------------------------------------------------------


def test_ci_runs_the_same_script_as_everybody_and_the_audit():
    jobs = workflow("ci.yml")["jobs"]
    assert commands(jobs["test"]) == [".ci/run"]
    assert commands(jobs["audit"]) == [".ci/audit --required"]


def test_ci_tries_every_system_and_every_python_that_the_classifiers_name():
    named = [each.rpartition(" :: ")[2] for each in PROJECT["project"]["classifiers"] if "Python :: 3." in each]
    matrix = workflow("ci.yml")["jobs"]["quick"]["strategy"]["matrix"]
    assert matrix["python"] == named == ["3.11", "3.12", "3.13", "3.14"]
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"
    packages = workflow("ci.yml")["jobs"]["packages"]
    assert packages["strategy"]["matrix"]["python"] == [named[0], named[-1]]
    assert packages["strategy"]["matrix"]["os"] == matrix["os"]
    assert commands(packages) == ["python .ci/packages.py dist"]


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_has_least_rights_pinned_actions_and_an_end(file):
    content = load(file)
    assert content["permissions"] in ({}, {"contents": "read"})
    assert "pull_request_target" not in content["on"]
    for name, job in content["jobs"].items():
        if "uses" in job:  # a workflow of this repository
            assert job["uses"].startswith("./.github/workflows/")
            assert (ROOT / job["uses"]).is_file()
            continue
        assert job["timeout-minutes"] <= 120, name
        for step in job["steps"]:
            if "uses" in step:
                assert re.search(r"@v\d+(\.\d+)*$", step["uses"]), step["uses"]
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            # What others may write is never part of a command.
            assert "${{ github.event" not in step.get("run", ""), name


def test_only_the_jobs_that_publish_may_write():
    writing = {
        (file.name, name, right)
        for file in WORKFLOWS
        for name, job in load(file)["jobs"].items()
        for right, value in job.get("permissions", {}).items()
        if value == "write"
    }
    assert writing == {
        ("docs.yml", "deploy", "pages"),
        ("docs.yml", "deploy", "id-token"),
        ("release.yml", "publish", "id-token"),
        ("release.yml", "notes", "contents"),
    }


def test_a_release_is_published_from_a_tag_after_ci_with_the_packages_that_were_tried():
    content = workflow("release.yml")
    assert list(content["on"]) == ["push"]
    assert list(content["on"]["push"]) == ["tags"]
    jobs = content["jobs"]
    assert jobs["ci"]["uses"] == "./.github/workflows/ci.yml"
    assert "workflow_call" in workflow("ci.yml")["on"]
    assert jobs["publish"]["needs"] == "ci"
    assert jobs["publish"]["environment"] == "pypi"
    uploads = [
        step["with"]["name"]
        for step in workflow("ci.yml")["jobs"]["packages"]["steps"]
        if "upload-artifact" in step.get("uses", "")
    ]
    downloads = [
        step["with"]["name"]
        for job in jobs.values()
        for step in job.get("steps", [])
        if "download-artifact" in step.get("uses", "")
    ]
    assert set(downloads) == set(uploads)
    # Nothing but the action that publishes sees the token: no checkout, no build.
    assert [step["uses"].partition("@")[0] for step in jobs["publish"]["steps"]] == [
        "actions/download-artifact",
        "pypa/gh-action-pypi-publish",
    ]


def test_scripts_that_workflows_run_exist():
    for file in WORKFLOWS:
        for job in load(file)["jobs"].values():
            for command in commands(job) if "steps" in job else []:
                for script in re.findall(r"\.ci/[\w./]+", command):
                    assert (ROOT / script).is_file(), f"{file.name}: {command}"


@pytest.mark.parametrize("file", FORMS, ids=lambda file: file.name)
def test_an_issue_form_has_what_github_asks_for(file):
    form = load(file)
    assert {"name", "description", "body"} <= form.keys()
    names = [field["id"] for field in form["body"]]
    assert len(set(names)) == len(names)
    for field in form["body"]:
        assert field["type"] in {"textarea", "input", "dropdown", "checkboxes", "markdown"}
        assert field["attributes"]["label"]


# --- the version ------------------------------------------------------------------------------------------------------


def version_script(*arguments: str, root: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / ".ci" / "version.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)


def test_citation_and_changelog_name_the_version_of_the_package():
    said = runpy.run_path(str(ROOT / ".ci" / "version.py"))["versions"](ROOT)
    assert set(said) == {"src/mderank/_version.py", "CITATION.cff", "CHANGELOG.md"}
    assert len(set(said.values())) == 1, f"{said}: see RELEASING.md"


def a_project(folder: Path, *, citation: str = "1.2.3", heading: str = "1.2.3 (2026-12-01)") -> Path:
    (folder / "src" / "mderank").mkdir(parents=True)
    (folder / ".ci").mkdir()
    (folder / ".ci" / "version.py").write_bytes((ROOT / ".ci" / "version.py").read_bytes())
    (folder / "src" / "mderank" / "_version.py").write_text('"""V."""\n\n__version__ = "1.2.3"\n', encoding="utf-8")
    (folder / "CITATION.cff").write_text(f"cff-version: 1.2.0\nversion: {citation}\n", encoding="utf-8")
    changes = f"# Changelog\n\n## {heading}\n\n- New: ü.\n\n## 1.2.2 (2026-11-01)\n\n- Old.\n"
    (folder / "CHANGELOG.md").write_text(changes, encoding="utf-8")
    return folder


def test_a_tag_that_agrees(tmp_path):
    done = version_script("--tag", "v1.2.3", root=a_project(tmp_path))
    assert (done.returncode, done.stdout.strip()) == (0, "1.2.3")
    assert version_script("--notes", root=tmp_path).stdout.strip() == "- New: ü."


@pytest.mark.parametrize(
    ("project", "tag", "said"),
    [
        ({}, "v1.2.4", "the tag is v1.2.4, the version is 1.2.3"),
        ({"citation": "1.2.2"}, "v1.2.3", "CITATION.cff has 1.2.2"),
        ({"heading": "1.3.0 (2026-12-01)"}, "v1.2.3", "CHANGELOG.md has 1.3.0"),
        ({"heading": "1.2.3 (unreleased)"}, "v1.2.3", "has no date"),
    ],
)
def test_a_tag_that_does_not_agree(project, tag, said, tmp_path):
    done = version_script("--tag", tag, root=a_project(tmp_path, **project))
    assert done.returncode == 1
    assert said in done.stderr


# --- the citation -----------------------------------------------------------------------------------------------------


def test_the_citation_names_the_software_and_the_paper():
    citation = load(ROOT / "CITATION.cff")
    project = PROJECT["project"]
    assert citation["title"] == project["name"]
    assert citation["license"] == project["license"]
    assert citation["repository-code"] == project["urls"]["Source"]
    paper = citation["preferred-citation"]
    assert paper["url"] == project["urls"]["Paper"]
    assert len(paper["authors"]) == 8
    source = ROOT.parent / "shared" / "paper" / "000_1bc34fa3deb5a769.txt"
    if source.is_file():  # the paper's own title and authors
        text = source.read_text(encoding="utf-8")
        assert f"\\title{{{paper['title']}}}" in text
        for author in paper["authors"]:
            assert f"{author['given-names']} {author['family-names']}" in text


# --- the image and the Makefile ---------------------------------------------------------------------------------------


def instructions(name: str) -> list[tuple[str, str]]:
    """The instructions of Dockerfile, of the last stage first to last."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]
    last = max(number for number, (word, _) in enumerate(found) if word == "FROM")
    return found[last:]


def test_the_image_runs_the_server_without_rights_and_downloads_nothing():
    stage = dict(instructions("Dockerfile"))
    assert stage["USER"] == "65532:65532"
    assert "HF_HUB_OFFLINE=1" in stage["ENV"]
    assert "/readyz" in stage["HEALTHCHECK"]
    assert not [value for word, value in instructions("Dockerfile") if word in ("RUN", "ADD")]
    command = json.loads(stage["CMD"])
    parsed = cli.commands[command[0]].make_context(command[0], command[1:])
    assert parsed.params["host"] == "0.0.0.0"
    assert parsed.params["opens"] is False
    assert json.loads(stage["ENTRYPOINT"]) == list(PROJECT["project"]["scripts"])


def test_the_image_is_built_from_what_the_package_is_made_of():
    kept = [
        line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")
    ]
    readme = {fragment["path"] for fragment in INDEX_PAGE["fragments"]}
    needed = {"src", "pyproject.toml", *readme, *PROJECT["project"]["license-files"], ".ci/constraints.txt"}
    assert set(kept) == needed
    assert all((ROOT / each).exists() for each in kept)


def test_the_image_is_tried_on_every_change():
    assert commands(workflow("ci.yml")["jobs"]["image"]) == [".ci/image"]


def test_targets_of_make_run_what_there_is():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = [line.strip() for line in text.splitlines() if line.startswith("\t")]
    files = [word for line in recipes for word in line.split() if re.search(r"^\.?\w+/.*\w$", word)]
    assert len(files) >= 6
    assert all((ROOT / file).is_file() for file in files), files
    targets = re.findall(r"^([a-z-]+):.*## \w", text, re.MULTILINE)
    assert {"test", "lint", "docs", "bench", "package", "image"} <= set(targets)
    phony = re.search(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == set(targets)


# --- packages ---------------------------------------------------------------------------------------------------------


def test_the_sdist_has_everything_that_git_knows():
    try:
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no checkout of git")
    included = [each.lstrip("/") for each in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    tops = {Path(name).parts[0] for name in listed.splitlines()} - {".gitignore", "pyproject.toml"}  # always in it
    assert not {top for top in tops if not any(Path(top).match(each) for each in included)}


def test_the_page_of_the_package_index_has_links_that_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "pip install . &&" in text
    for each in INDEX_PAGE["substitutions"]:
        text = re.sub(each["pattern"], each["replacement"], text)
    version = "v$HFPR_VERSION"  # the hook fills it in
    assert f"](https://raw.githubusercontent.com/mderank/mderank/{version}/docs/images/highlight.png)" in text
    assert f"[docs/methods.md](https://github.com/mderank/mderank/blob/{version}/docs/methods.md)" in text
    assert not re.findall(r"\]\((?!https?:|#)", text)
    assert "pip install ." not in text
    assert "'.[pdf]'" not in text
    assert "'mderank[pdf]'" in text
    assert "pip install -e '.[dev]'" in text  # a checkout is needed for it


def test_urls_of_the_project_are_those_of_its_repository():
    urls = PROJECT["project"]["urls"]
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog", "Paper"} <= urls.keys()
    assert all(url.startswith("https://") for url in urls.values())
    assert urls["Issues"] == f"{urls['Source']}/issues"

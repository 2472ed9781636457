"""docs/serve.md says what is so."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.serve.conftest import Running

from mderank.cli import cli
from mderank.options import Options
from mderank.serve.config import ServerConfig
from mderank.serve.errors import CODES
from mderank.serve.extractor_cache import cost_factor
from mderank.serve.schemas import Answer

PAGE = (Path(__file__).parents[2] / "docs" / "serve.md").read_text(encoding="utf-8")
CURLS = re.findall(r"^curl .*", PAGE.replace("\\\n", " "), re.MULTILINE)


@pytest.mark.parametrize("command", CURLS, ids=lambda command: command.split()[2].rpartition("8000")[2])
def test_commands(shared: Running, command):
    if shutil.which("curl") is None:
        pytest.skip("no curl")
    arguments = shlex.split(command.replace("http://127.0.0.1:8000", shared.url))
    done = subprocess.run([*arguments, "--fail-with-body", "--noproxy", "*"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_every_address_is_asked():
    asked = {command.split()[2].rpartition("8000")[2] for command in CURLS}
    assert asked == {"/v1/extract", "/v1/extract/batch", "/v1/methods", "/v1/read", "/openapi.json"}


def test_the_answer_that_is_shown_has_the_form_of_answers():
    shown = re.search(r"```json\n(\{\"id\".*?)```", PAGE, re.DOTALL)[1]
    Answer.model_validate_json(shown)
    assert set(json.loads(shown)) == set(Answer.model_fields)


def test_codes_of_errors():
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (.*) \|$", PAGE, re.MULTILINE)
    assert {code: (int(status), meaning) for status, code, meaning in rows} == CODES


def test_limits():
    rows = dict(re.findall(r"^\| `--([\w-]+)` \| .* \| ([\d,]+) \|$", PAGE, re.MULTILINE))
    flags = {name.replace("_", "-") for name in (parameter.name for parameter in cli.commands["serve"].params)}
    settings = {each.name.replace("_", "-"): each.default for each in dataclasses.fields(ServerConfig)}
    assert set(rows) == flags & set(settings) - {"cors"}
    assert {name: float(value.replace(",", "")) for name, value in rows.items()} == {
        name: settings[name] for name in rows
    }
    assert f"beyond {settings['long-text-chars']:,} characters" in PAGE


def test_what_costly_options_count():
    some: tuple[dict[str, Any], ...] = ({"exact": True}, {"ngrams": "1"}, {"phrases": ["a"]}, {"masking": "highest"})
    assert [cost_factor(Options(**each)) for each in some] == [20, 2, 2, 1]
    assert "`exact` 20 times, `ngrams` and `phrases` twice" in PAGE


def test_metrics(shared: Running):
    text = shared.client.get("/metrics").text
    for name in re.findall(r"`(mderank_\w+)`", PAGE):
        assert f"# TYPE {name.removesuffix('_total')}" in text or f"# TYPE {name} " in text, name


def test_settings_named_in_the_text_are_flags():
    flags = {flag for parameter in cli.commands["serve"].params for flag in getattr(parameter, "opts", ())}
    of_extract = {"--max-words", "--set", "--phrases", "--stop-words", "--exclude"}
    own = re.sub(
        r"^curl .*|^docker .*?mderank(?= |$)|`docker [^`]*`", "", PAGE.replace("\\\n", " "), flags=re.MULTILINE
    )
    named = set(re.findall(r"(?<![\w-])(--[a-z][\w-]+)", own))
    assert named - of_extract <= flags | {"--no-open"}

import os
import signal
import sys

import pytest
from click.testing import CliRunner

from mderank.cli import cli


def invoke(*arguments):
    return CliRunner().invoke(cli, ["train", *map(str, arguments)])


@pytest.fixture
def file(recipe, tmp_path):
    (tmp_path / "recipe.toml").write_text(recipe().as_toml())
    return tmp_path / "recipe.toml"


def test_a_run_from_the_command_line(file, planted, tmp_path):
    planted()
    result = invoke(file, "--out", tmp_path / "run", "--set", "training.steps=2")
    assert result.exit_code == 0, result.output
    assert "step 2/2  loss" in result.stderr
    assert f"use it with --model {tmp_path / 'run' / 'model'}" in result.stderr
    assert invoke(file, "--out", tmp_path / "quiet", "--set", "training.steps=1", "--quiet").output == ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_ends_the_step_and_goes_on_later(file, planted, tmp_path, monkeypatch, number, code):
    planted()
    from mderank.research.training.losses import Objective

    forward, calls = Objective.forward, []

    def interrupting(self, batch):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), number)
        return forward(self, batch)

    monkeypatch.setattr(Objective, "forward", interrupting)
    before = signal.getsignal(number)
    result = invoke(file, "--out", tmp_path / "run")
    assert result.exit_code == code
    assert "stopped after step 2" in result.stderr
    assert signal.getsignal(number) is before
    result = invoke(file, "--out", tmp_path / "run")
    assert result.exit_code == 0
    assert "resuming from" in result.stderr
    assert "step 1/6" not in result.stderr


def test_the_recipe_is_shown(tmp_path):
    result = invoke("paper", "--out", tmp_path / "run", "--set", "training.seed=7", "--show")
    assert result.exit_code == 0
    assert "seed = 7\n" in result.stdout
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "there is no recipe 'nothing'"),
        (["paper", "--set", "training.sead=7"], "unknown setting of [training] 'sead': did you mean seed?"),
        (["paper", "--set", "seed"], "write SECTION.KEY=VALUE"),
    ],
)
def test_wrong_usage_is_one_line(arguments, message, tmp_path):
    result = invoke(*arguments, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_extra_is_named(file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "accelerate", None)
    result = invoke(file, "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "mderank train needs the extra 'train': pip install 'mderank[train]'" in result.stderr

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mderank.cli import cli

EXAMPLE = Path(__file__).parents[2] / "examples" / "tides.txt"


@pytest.fixture
def run() -> Callable[..., Result]:
    """Runs the command line in this process; standard output and standard error apart."""

    def invoke(*arguments: object, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)

    return invoke


@pytest.fixture
def example() -> Path:
    return EXAMPLE

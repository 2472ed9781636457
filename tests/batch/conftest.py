"""What the tests of batches share. None of them needs a model."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WORDS = "reef harbour fox dog river storm tide engine owl mouse coast winter salt water ice sun hill".split()


@pytest.fixture(autouse=True)
def _helpers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Worker processes look for modules where this one does."""
    monkeypatch.syspath_prepend(str(HERE))
    yield
    sys.modules.pop("hostile", None)


def sentence(rng: random.Random) -> str:
    return f"The {rng.choice(['old', 'new', 'big'])} {rng.choice(WORDS)} is near the {rng.choice(WORDS)}."


def texts(count: int, seed: int = 0) -> list[str]:
    """So many short texts, of one to six sentences."""
    rng = random.Random(seed)
    return [" ".join(sentence(rng) for _ in range(rng.randint(1, 6))) for _ in range(count)]


def write_jsonl(file: Path, some: list[str]) -> Path:
    file.write_text("".join(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(some)))
    return file


@pytest.fixture
def jsonl(tmp_path: Path) -> Callable[..., Path]:
    """A file with some texts, made from how many or from themselves."""

    def make(some: int | list[str], name: str = "in.jsonl") -> Path:
        return write_jsonl(tmp_path / name, texts(some) if isinstance(some, int) else some)

    return make


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of an output folder."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}


def rows(folder: Path) -> list[dict]:
    """All rows, in order."""
    return [json.loads(line) for part in sorted(folder.glob("part-*.jsonl")) for line in part.read_bytes().splitlines()]

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mderank.research.datasets.importers import import_dataset


@pytest.fixture
def folder(tmp_path) -> Callable[..., Path]:
    """Writes files, named with their contents, and returns their folder."""

    def write(files: dict[str, str | bytes], root: str = "source") -> Path:
        for name, content in files.items():
            file = tmp_path / root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / root

    return write


@pytest.fixture
def archive(tmp_path) -> Callable[..., Path]:
    """Writes files into a zip, under any names."""

    def write(files: dict[str, str | bytes]) -> Path:
        with zipfile.ZipFile(tmp_path / "source.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(name, content)
        return tmp_path / "source.zip"

    return write


@pytest.fixture
def imported(tmp_path) -> Callable[..., list[dict[str, Any]]]:
    """Imports, and reads back what was written."""

    def run(source: Path, kind: str, **options: Any) -> list[dict[str, Any]]:
        import_dataset(source, kind, tmp_path / "out.jsonl", **options)
        return [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]

    return run

"""The folders of tests mirror those of the package, and a test file is called after its module."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "mderank"
# Of the package as a whole: not of one module.
WHOLE = {"docs", "examples", "public_api", "docstrings", "structure", "project"}
FILES = [file.relative_to(TESTS) for file in sorted(TESTS.rglob("test_*.py")) if file.parent.name != "contract"]


def test_contracts_are_known():
    contracts = {file.name for file in (TESTS / "contract").glob("test_*.py")}
    assert contracts >= {"test_methods.py", "test_encoders.py", "test_engines.py"}


@pytest.mark.parametrize("file", FILES, ids=str)
def test_a_test_file_is_called_after_its_module(file):
    """``test_spacy.py`` and ``test_spacy_pipelines.py`` are both of ``spacy``, a module, folder or data file."""
    name = file.stem.removeprefix("test_")
    words = name.split("_")
    beginnings = ["_".join(words[:end]) for end in range(len(words), 0, -1)]
    folder = PACKAGE / file.parent
    names = ("{}.py", "_{}.py", "{}.toml", "{}")
    found = any((folder / each.format(beginning)).exists() for beginning in beginnings for each in names)
    assert found or WHOLE & set(beginnings), f"there is no module for it in {folder.relative_to(TESTS.parent)}"

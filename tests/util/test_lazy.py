from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mderank.util.lazy import lazy_names

ROOT = Path(__file__).parents[2]


def test_a_name_is_imported_when_it_is_used():
    names, load, listed = lazy_names(
        "shop", {"fractions": ("Fraction",), "decimal": ("Decimal",)}, eager=["__version__"]
    )
    assert names == ["Fraction", "Decimal", "__version__"]
    assert listed() == ["Decimal", "Fraction", "__version__"]
    assert load("Fraction").__module__ == "fractions"
    with pytest.raises(AttributeError, match="module 'shop' has no attribute 'Frction'"):
        load("Frction")


def test_importing_the_package_loads_none_of_its_modules():
    program = "import sys, mderank; print([name for name in sys.modules if name in ('spacy', 'numpy', 'onnxruntime')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_reading_a_text_file_imports_no_reader_of_other_formats():
    program = (
        "import sys; from mderank.cli import cli\n"
        "cli(['extract', 'examples/tides.txt', '--method', 'firstphrases'], standalone_mode=False)\n"
        "readers = [f'mderank.reading.{each}' for each in ('tex', 'rst', 'ipynb', 'docx', 'eml')]\n"
        "late = ['mderank.candidates.vocabulary', *readers]\n"
        "print([name for name in late if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stderr.strip() == "[]"
    assert "storm surge" in done.stdout.lower()

from __future__ import annotations

import subprocess
import sys

import pytest

from mderank.util.lazy import lazy_names


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

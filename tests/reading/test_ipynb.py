"""Notebooks: what is written between the code."""

from __future__ import annotations

import json

import pytest

from mderank.errors import InputError
from mderank.reading import ReadOptions, read_file
from mderank.reading.ipynb import notebook_text


def test_a_notebook_of_jupyters_own_library(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    v4 = nbformat.v4
    cells = [
        v4.new_markdown_cell("# Storm surges\n\nThe *surge* model of $n$ gauges."),
        v4.new_code_cell("# a comment\nx = 1", outputs=[v4.new_output("stream", text="printed")]),
        v4.new_raw_cell("raw"),
        v4.new_markdown_cell("It costs $5 or $6."),
    ]
    file = tmp_path / "a.ipynb"
    nbformat.write(v4.new_notebook(cells=cells), file)
    (source,) = read_file(file, ReadOptions())
    assert source.text == "# Storm surges\n\nThe *surge* model of $n$ gauges.\n\nIt costs $5 or $6."
    assert source.prose == "  Storm surges\n\nThe  surge  model of ,   gauges.\n\nIt costs $5 or $6."
    assert source.extracted


def test_formulas_are_no_words():
    cell = {"cell_type": "markdown", "source": "$$\ne = mc^2\n$$ and $a_b$\nbut $ 5 and 6$"}
    text, prose = notebook_text(json.dumps({"cells": [cell]}))
    assert len(prose) == len(text)
    assert prose.split() == [",", "and", ",", "but", "$", "5", "and", "6$"]


def test_old_notebooks_have_worksheets():
    cells = [{"cell_type": "heading", "source": ["Tides"]}, {"cell_type": "markdown", "source": "Reefs"}]
    assert notebook_text(json.dumps({"worksheets": [{"cells": cells}, 1]}))[0] == "Tides\n\nReefs"


def test_odd_cells_are_no_text():
    cells = [1, {}, {"cell_type": "markdown"}, {"cell_type": "markdown", "source": [1, "Reefs", None]}]
    assert notebook_text(json.dumps({"cells": cells}))[0] == "Reefs"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("", "this notebook is not JSON"),
        ('{"cells": [{"cell', "this notebook is not JSON"),
        ("[" * 100_000, "this notebook is not JSON"),
        ('{"cells": [' + "1" * 9_000 + "]}", "this notebook is not JSON"),
        ("[]", "is not a notebook"),
        ('{"text": "Reefs"}', "is not a notebook"),
        ('{"cells": {}}', "is not a notebook"),
        ('{"cells": [{"cell_type": "code", "source": "x"}]}', "has no text, only code"),
    ],
)
def test_files_that_cannot_be_read(source, told):
    with pytest.raises(InputError, match=told):
        notebook_text(source)


def test_the_suffix_says_that_it_is_not_a_file_of_records(tmp_path):
    file = tmp_path / "a.ipynb"
    file.write_text('{"text": "Reefs", "cells": [{"cell_type": "markdown", "source": "Tides"}]}')
    assert [source.text for source in read_file(file, ReadOptions())] == ["Tides"]

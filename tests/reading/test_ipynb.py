"""Notebooks: what is written between the code."""

from __future__ import annotations

import json

import pytest

from mderank.errors import InputError
from mderank.reading import ReadOptions, read_file
from mderank.reading.ipynb import notebook_text


def test_a_notebook_as_jupyter_writes_it(tmp_path):
    stream = {"name": "stdout", "output_type": "stream", "text": ["printed"]}
    code = {
        "cell_type": "code",
        "execution_count": 1,
        "id": "b",
        "metadata": {},
        "outputs": [stream],
        "source": ["x = 1"],
    }
    cells = [
        {
            "cell_type": "markdown",
            "id": "a",
            "metadata": {},
            "source": ["# Storm surges\n", "\n", "The *surge* of $n$."],
        },
        code,
        {"cell_type": "raw", "id": "c", "metadata": {}, "source": ["raw"]},
        {"cell_type": "markdown", "id": "d", "metadata": {}, "source": "It costs $5 or $6."},
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    file = tmp_path / "a.ipynb"
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    file.write_text(json.dumps(made, indent=1), encoding="utf-8")
    (source,) = read_file(file, ReadOptions())
    assert source.text == "# Storm surges\n\nThe *surge* of $n$.\n\nIt costs $5 or $6."
    assert source.prose == "  Storm surges\n\nThe  surge  of ,  .\n\nIt costs $5 or $6."
    assert source.extracted


def test_formulas_are_no_words():
    cell = {"cell_type": "markdown", "source": "$$\ne = mc^2\n$$ and $a_b$\nbut $ 5 and 6$"}
    text, prose = notebook_text(json.dumps({"cells": [cell]}))
    assert len(prose) == len(text)
    assert prose.split() == [",", "and", ",", "but", "$", "5", "and", "6$"]


def test_formulas_between_begin_and_end_are_no_words():
    source = "so \\begin{align*}\na &= b\n\\end{align*} holds, \\begin{equation} open, \\begin{align} c \\end{gather}"
    text, prose = notebook_text(json.dumps({"cells": [{"cell_type": "markdown", "source": source}]}))
    assert text == source
    assert prose == "so ," + " " * 13 + "\n" + " " * 6 + "\n" + " " * 12 + source[source.index(" holds") :]


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

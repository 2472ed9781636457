"""Read what is written in a Jupyter notebook: its Markdown cells."""

from __future__ import annotations

import json
import re
from typing import Any

from mderank.errors import InputError
from mderank.reading.markdown import blank_markup

_FORMULA = re.compile(
    r"\$\$[^$]{1,5000}\$\$|\$(?=[^\s$])[^$\n]{0,300}(?<=\S)\$(?!\d)"
    r"|\\begin\{(?P<name>(?:equation|align|gather|multline|eqnarray|displaymath|alignat|flalign|math)\*?)\}"
    r".{1,5000}?\\end\{(?P=name)\}",
    re.DOTALL,
)


def notebook_text(source: str) -> tuple[str, str]:
    r"""Return the Markdown cells of a notebook, with a blank line between them. Code and its outputs are left out.

    Args:
        source: the notebook's JSON.

    Returns:
        The text, and the same with its markup and formulas replaced by spaces.

    Raises:
        InputError: this is not a notebook, or it has no Markdown cell with text.

    >>> notebook_text('{"cells": [{"cell_type": "markdown", "source": ["# Storm\\n", "*surges*"]}]}')
    ('# Storm\n*surges*', '  Storm\n surges ')
    """
    texts = [text for cell in _cells(source) if (text := _markdown(cell)).strip()]
    if not texts:
        raise InputError("this notebook has no text, only code")
    return "\n\n".join(texts), "\n\n".join(blank_markup(_FORMULA.sub(_blank, text)) for text in texts)


def _cells(source: str) -> list[Any]:
    try:
        notebook = json.loads(source)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this notebook is not JSON: {' '.join(str(error).split())[:200]}") from error
    if isinstance(notebook, dict):
        sheets = notebook.get("worksheets")  # of notebooks before version 4
        holders = [notebook, *(sheets if isinstance(sheets, list) else [])]
        found = [each["cells"] for each in holders if isinstance(each, dict) and isinstance(each.get("cells"), list)]
        if found:
            return [cell for cells in found for cell in cells]
    raise InputError("this JSON file is not a notebook: it has no list of cells")


def _markdown(cell: Any) -> str:
    if not isinstance(cell, dict) or cell.get("cell_type") not in ("markdown", "heading"):
        return ""
    source = cell.get("source", "")
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str))


def _blank(formula: re.Match[str]) -> str:
    """Keep a comma, so that no phrase crosses the formula."""
    return "," + re.sub(r"[^\n]", " ", formula.group()[1:])

"""The paper's numbers, as printed, from ``paper.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from mderank.research.datasets import DATASETS, PAPER_DATASETS

KS = (5, 10, 15)


@cache
def data() -> dict[str, Any]:
    """Return the contents of the file."""
    with (Path(__file__).parent / "paper.toml").open("rb") as file:
        return tomllib.load(file)


SETS = PAPER_DATASETS  # the order of columns in `paper.toml`
LONG = ("krapivin", "nus")  # datasets of whole papers
SHORT = ("inspec", "semeval2017", "semeval2010")  # datasets of abstracts and paragraphs; DUC2001 is between
NAMES = {name: DATASETS[name].title for name in SETS}


def printed(*path: str | int) -> tuple[float, ...]:
    """Return a row of numbers that the paper prints.

    Args:
        *path: The row's path in the file.

    Returns:
        The numbers; empty if the paper does not print them.

    >>> printed("document_length", "MDERank(BERT)", 512)
    (15.24, 18.33, 17.95)
    >>> printed("long_documents", "MDERank(BERT)", "nus-2000")
    ()
    """
    place: Any = data()
    for step in path:
        place = place.get(str(step), {})
    return tuple(float(number) for number in place)


def slips(table: str) -> tuple[str, ...]:
    """Return the known errors of a printed table, by its section in the file."""
    return tuple(slip["text"] for slip in data()["slips"] if table in slip["tables"])

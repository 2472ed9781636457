"""The paper's numbers, from ``paper.toml``, where they are as printed."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from mderank.research.datasets import DATASETS, PAPER_DATASETS

KS = (5, 10, 15)


@cache
def data() -> dict[str, Any]:
    """Everything that is in the file."""
    with (Path(__file__).parent / "paper.toml").open("rb") as file:
        return tomllib.load(file)


SETS = PAPER_DATASETS  # the order of columns in `paper.toml`
LONG = ("krapivin", "nus")  # datasets of whole papers
SHORT = ("inspec", "semeval2017", "semeval2010")  # datasets of abstracts and paragraphs; DUC2001 is between
NAMES = {name: DATASETS[name].title for name in SETS}


def printed(*path: str | int) -> tuple[float, ...]:
    """The row of numbers that the paper prints, or nothing.

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
    """What is known not to agree with itself in a table, by its section in the file."""
    return tuple(slip["text"] for slip in data()["slips"] if table in slip["tables"])

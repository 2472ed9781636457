"""The arithmetic of docs/scale.md: python docs/scale_cost.py writes its tables from docs/scale_figures.json.

These figures are measured by `python benchmarks/scale.py --json docs/scale_figures.json cost driver`; with your own,
the tables are yours.
"""

from __future__ import annotations

import heapq
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE, FIGURES = (Path(__file__).parent / name for name in ("scale.md", "scale_figures.json"))
MEASURED = {each["what"]: each["value"] for each in json.loads(FIGURES.read_text(encoding="utf-8"))["figures"]}

PLANNING = 1e6 * MEASURED["planning"]  # bytes a second that one core plans
DRIVER = 1e-6 * MEASURED["driver, a document"]  # seconds: to read it, hand it out, take it back and write it
COUNTING = MEASURED["collection"]  # documents a second that `mderank collection` goes through
MEMORY = 0.6e9  # bytes for a process; 453 MB were measured on a paper of 8,000 words
START = 5.0  # seconds until a process has loaded its model: an assumption
SPREAD = 0.25  # of the time of shards around their mean, as a share of it: an assumption


@dataclass(frozen=True)
class Kind:
    """A kind of document, and what one of them costs."""

    name: str
    seconds: float  # of one core
    pieces: float  # word pieces
    read: float  # bytes of input
    written: float  # bytes of output, JSON lines

    @classmethod
    def of(cls, name: str) -> Kind:
        """As it was measured."""
        pieces, read, written = (MEASURED[f"{what}, {name}"] for what in ("word pieces", "input", "output"))
        return cls(f"{name}s", MEASURED[f"processor time, {name}"] / 1000, pieces, read, written)


ABSTRACT, PAPER = map(Kind.of, ("abstract", "paper"))


def hours(kind: Kind, documents: float) -> float:
    """Core-hours for so many documents."""
    return documents * kind.seconds / 3600


def cost_table() -> list[list[str]]:
    """What a million and a hundred million cost, and how long that is on some numbers of cores."""
    table = [["documents", "each takes", "core-hours", "2 cores", "64 cores", "1,000 cores", "input", "output"]]
    for kind in (ABSTRACT, PAPER):
        for documents in (1e6, 1e8):
            spent = hours(kind, documents)
            table.append(
                [
                    f"{documents / 1e6:,.0f} million {kind.name}",
                    f"{_digits(kind.pieces)} tokens, {_digits(1000 * kind.seconds)} ms",
                    _digits(spent),
                    *(_duration(spent * 3600 / cores) for cores in (2, 64, 1000)),
                    _bytes(documents * kind.read),
                    _bytes(documents * kind.written),
                ]
            )
    return table


def shard_table() -> list[list[str]]:
    """What the size of shards means for 100 million abstracts on 1,000 cores, and for 1 million papers on 64."""
    table = [
        [
            "what, on how many cores",
            "documents per shard",
            "files",
            "a shard takes",
            "stopping all loses",
            "cores at work",
        ]
    ]
    for kind, documents, cores, sizes in (
        (ABSTRACT, 1e8, 1000, (100, 1_000, 5_000, 100_000, 1_000_000)),
        (PAPER, 1e6, 64, (10, 80, 1_000, 10_000)),
    ):
        for size in sizes:
            seconds = size * kind.seconds
            lost = cores * seconds / 2 / 3600  # half a shard, on every core
            table.append(
                [
                    f"{documents / 1e6:,.0f} million {kind.name}, {cores:,}",
                    f"{size:,}",
                    f"{math.ceil(documents / size):,}",
                    _duration(seconds),
                    f"{_digits(lost)} core-hours",
                    f"{100 * utilisation(math.ceil(documents / size), seconds, cores):.1f} %",
                ]
            )
    return table


def utilisation(shards: int, seconds: float, cores: int, seed: int = 0) -> float:
    """The share of the cores' time that is worker, by simulation: each takes the next shard when it is done.

    Shards take about equally long, normally distributed. At the end cores wait for the last; at the beginning they
    load their model.
    """
    rng = random.Random(seed)
    times = [max(0.1, rng.gauss(1, SPREAD)) * seconds for _ in range(shards)]
    free = [START] * cores
    heapq.heapify(free)
    for each in times:
        heapq.heapreplace(free, free[0] + each)
    return sum(times) / (max(free) * cores)


def limits() -> list[list[str]]:
    """What one process of each kind can keep up with."""
    busy = [f"{_digits(kind.seconds / DRIVER)} cores on {kind.name}" for kind in (ABSTRACT, PAPER)]
    plan = [_duration(1e8 * kind.read / PLANNING) for kind in (ABSTRACT, PAPER)]
    share = [f"{100 * kind.read / PLANNING / kind.seconds:.2g} %" for kind in (ABSTRACT, PAPER)]
    return [
        ["what", "measured", "so"],
        [
            "the driver of `--engine local`",
            f"{1e6 * DRIVER:.0f} µs per document",
            f"it keeps {busy[0]} busy, {busy[1]}",
        ],
        [
            "planning, which is one process",
            f"{_digits(PLANNING / 1e6)} MB/s",
            f"{plan[0]} for 100 million abstracts ({share[0]} of the worker), {plan[1]} for papers ({share[1]})",
        ],
        ["memory", f"{MEMORY / 1e9:.1f} GB per process", f"64 processes: {64 * MEMORY / 1e9:.0f} GB"],
        ["`mderank collection`", f"{_digits(COUNTING)} documents/s", f"100 million: {_duration(1e8 / COUNTING)}"],
    ]


TABLES = {"cost": cost_table, "shards": shard_table, "limits": limits}


def with_tables(text: str) -> str:
    """The page with its tables as they are computed now."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name}: written by scale_cost.py -->", f"<!-- end of {name} -->"
        before, after = text.partition(begin)[0], text.partition(end)[2]
        text = f"{before}{begin}\n\n{_markdown(make())}\n\n{end}{after}"
    return text


def _markdown(table: Sequence[Sequence[str]]) -> str:
    heading, *rows = table
    return "\n".join(_lines([heading, ["---"] * len(heading), *rows]))


def _lines(table: Sequence[Sequence[str]]) -> Iterator[str]:
    for row in table:
        yield f"| {' | '.join(row)} |"


def _digits(value: float) -> str:
    """Two digits are as much as this is good for."""
    if value < 10:
        return f"{value:.2g}"
    step = 10 ** (math.floor(math.log10(value)) - 1)
    return f"{round(value / step) * step:,.0f}"


def _duration(seconds: float) -> str:
    for unit, size in (("years", 365.25 * 86_400), ("days", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        if seconds >= 2 * size or unit == "s":
            return f"{_digits(seconds / size)} {unit}"
    raise AssertionError


def _bytes(size: float) -> str:
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{_digits(size / factor)} {unit}"
    return f"{size:,.0f} B"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

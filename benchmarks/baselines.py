"""Documents a second of the methods without an encoder, on one core, and YAKE against the package of its authors.

Inspec abstracts with their titles, tagged beforehand: what is timed is candidates, scores and ranking, ten phrases a
document, one document after the other. All methods take turns. Times are of the processor, of which one thread uses
one core: on an idle machine they are those of the clock, on a busy one they leave out what others use of that core.
Stems are cached by word, and all methods but the package share that cache, as they do in a process that goes on for a
while. The package reads plain texts, which it splits by itself; ours is timed on tagged ones, and once more on plain
texts, with all that it does to them.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

# One core means one thread too, which numpy's libraries settle when they are loaded.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

from common import Figure, abstracts, alternate, blocks, main, ratio, tag
from mderank.document import Document
from mderank.methods.base import Extractor
from mderank.methods.registry import METHODS

NAMES = tuple(method.name for method in METHODS.values() if method.kind in ("graph", "statistics", "floor"))
AT_LEAST = {method.name: 100.0 for method in METHODS.values() if method.kind == "graph"}  # documents a second
BLOCK = 20  # documents between turns

Side = Callable[[int], object]


def keep_to_one_core() -> None:
    """Keep this process, and the threads that it starts, on one core (where the system lets us say so)."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def side(extractor: Extractor, parts: Sequence[Sequence[str | Document]]) -> Side:
    """Extract from every document of a block."""
    return lambda number: [extractor.extract(each) for each in parts[number]]


def package(parts: Sequence[Sequence[str]]) -> Side:
    """The `yake` package, with the settings that ours has."""
    from yake import KeywordExtractor

    extractor = KeywordExtractor(lan="en", n=3, top=10)
    return lambda number: [extractor.extract_keywords(text) for text in parts[number]]


def measure(quick: bool, names: Sequence[str] = NAMES) -> Iterator[Figure]:
    keep_to_one_core()
    rounds = 3 if quick else 7
    texts = abstracts(20 if quick else 200)
    plain = blocks(texts, BLOCK)
    tagged = blocks(tag(texts), BLOCK)
    sides = {name: side(METHODS[name].make(), tagged) for name in names}
    with_package = "yake" in names and importlib.util.find_spec("yake") is not None
    if with_package:
        sides |= {"plain": side(METHODS["yake"].make(), plain), "package": package(plain)}
    for each in sides.values():  # everything loaded, and every word stemmed once
        for number in range(len(plain)):
            each(number)
    timed = alternate(list(sides.values()), len(plain), rounds, warm_up=False, clock=time.process_time)
    seconds = dict(zip(sides, timed, strict=True))
    for name in names:
        speeds = [len(texts) / each for each in seconds[name]]
        detail = f"{len(texts)} tagged abstracts, {rounds} rounds: {min(speeds):.0f} to {max(speeds):.0f}"
        yield Figure(name, statistics.median(speeds), "documents/s", detail, at_least=AT_LEAST.get(name))
    if with_package:
        what = "the package yake against our YAKE"
        yield ratio(f"{what}, tagged texts", seconds["package"], seconds["yake"], len(texts))
        yield ratio(f"{what}, plain texts", seconds["package"], seconds["plain"], len(texts))


if __name__ == "__main__":
    main(measure, __doc__, NAMES)

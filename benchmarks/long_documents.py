"""Whole papers: the cost of 8,000 words against their first 1,000, and the memory that they take.

The papers are the NUS papers closest to 8,000 words, cut to exactly these. Memory is the largest resident set of a
fresh process that loads the default model and extracts from one paper, in an environment without torch, whose python
is named by MDERANK_LIGHT_PYTHON.
"""

from __future__ import annotations

from collections.abc import Iterator

from common import Figure, alternate, cut_to, light_python, main, one_pass, papers, peak_memory, ratio, requests, tag
from mderank.encoding import load_encoder

WHOLE, BEGINNING = 8000, 1000  # words


def measure(quick: bool) -> Iterator[Figure]:
    texts = papers(2 if quick else 5, WHOLE)
    yield _time(texts, 1 if quick else 3)
    yield _memory(texts)


def _time(texts: list[str], rounds: int) -> Figure:
    encoder = load_encoder()
    whole = requests(encoder, tag(texts))
    beginning = requests(encoder, tag(cut_to(BEGINNING, texts)))
    slow, fast = alternate(
        [
            lambda number: one_pass(encoder, [whole[number]]),
            # Eight times, so that both sides last equally long and meet the same disturbances.
            lambda number: [one_pass(encoder, [beginning[number]]) for _ in range(8)],
        ],
        len(texts),
        rounds,
    )
    once = [seconds / 8 for seconds in fast]
    what = f"encoder time, {WHOLE:,} words against their first {BEGINNING:,}"
    return ratio(what, slow, once, len(texts), note="NUS papers, one at a time", at_most=9)


def _memory(texts: list[str]) -> Figure:
    peaks = [peak_memory(light_python(), text) for text in texts]
    detail = f"the most of {len(texts)} papers ({min(peaks):.0f} to {max(peaks):.0f}), no torch installed"
    return Figure(f"peak memory, a paper of {WHOLE:,} words", max(peaks), "MB", detail, at_most=700)


if __name__ == "__main__":
    main(measure, __doc__)

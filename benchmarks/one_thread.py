"""Processor time of one thread: the default method against KeyBERT, and one pass against the paper's way.

Unlike the times of `against_keybert.py` and `one_pass.py`, these can be taken on a busy machine. KeyBERT is given the
candidates of the default method. "strict": finding them counts on our side only; otherwise it is added to KeyBERT's.
Sides take turns block by block, once through all texts, so that the cache of phrases holds what recurs in them.
Printed are medians over the blocks, with the smallest and the largest.

``python benchmarks/one_thread.py``; or one of ``keybert`` and ``paper``.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy and torch

from common import abstracts, blocks, model_folder, news, one_pass, requests, tag
from mderank import FusionRank, load_encoder
from mderank.encoding.torch import TorchEncoder


def turns(sides: Sequence[Callable[[int], object]], count: int) -> list[list[float]]:
    """The processor time of each side for each block."""
    seconds: list[list[float]] = [[] for _ in sides]
    for block in range(count):
        order = list(enumerate(sides))
        for index, side in order if block % 2 else reversed(order):
            start = time.process_time()
            side(block)
            seconds[index].append(time.process_time() - start)
    return seconds


def show(what: str, theirs: Sequence[float], ours: Sequence[float], texts: int) -> None:
    ratios = [one / other for one, other in zip(theirs, ours, strict=True)]
    print(
        f"{what}: {statistics.median(ratios):.2f} × ({min(ratios):.2f} to {max(ratios):.2f}), "
        f"{1000 * sum(theirs) / texts:.0f} against {1000 * sum(ours) / texts:.0f} ms per document, {texts} documents",
        flush=True,
    )


def keybert() -> None:
    import torch

    from against_keybert import Rival

    torch.set_num_threads(1)
    encoder = load_encoder(threads=1)
    print(f"precision {encoder.precision}")
    rival, far = Rival(), Rival(pieces=512)
    for kind, texts, size in (("abstracts", abstracts(60), 10), ("512 words", news(20), 4)):
        ours, finder = FusionRank(encoder), FusionRank(encoder)
        ours.extract("A warm engine starts at once.")
        parts = blocks(texts, size)

        def candidates(number: int, parts: Sequence[Sequence[str]] = parts, of: FusionRank = finder) -> list[list[str]]:
            return [[each.key for each in of.candidates.find(document)] for document in of.tagger.tag(parts[number])]

        given = [candidates(number) for number in range(len(parts))]
        rival.extract_given(parts[0][:1], given[0][:1])
        theirs, reading_all, finding, mine = turns(
            [
                lambda number, parts=parts, given=given: rival.extract_given(parts[number], given[number]),
                lambda number, parts=parts, given=given: far.extract_given(parts[number], given[number]),
                candidates,
                lambda number, parts=parts, ours=ours: list(ours.extract_many(parts[number])),
            ],
            len(parts),
        )
        both = [one + other for one, other in zip(theirs, finding, strict=True)]
        show(f"KeyBERT with our candidates, {kind}, strict", theirs, mine, len(texts))
        show(f"KeyBERT with our candidates, {kind}, tagging on both sides", both, mine, len(texts))
        show(f"KeyBERT reading 512 tokens, {kind}, strict", reading_all, mine, len(texts))


def paper() -> None:
    import torch

    from one_pass import PADDED, the_papers_way

    torch.set_num_threads(1)
    encoder, original = load_encoder(threads=1), TorchEncoder(str(model_folder()), device="cpu")
    for kind, texts in (("abstracts", abstracts(4)), ("512 words", news(2))):
        work = requests(encoder, tag(texts), PADDED)
        one_pass(encoder, work)
        theirs, mine = turns(
            [
                lambda number, work=work: the_papers_way(original, work[number]),
                lambda number, work=work: [one_pass(encoder, [work[number]]) for _ in range(10)],
            ],
            len(work),
        )
        show(f"the paper's way, {kind}", theirs, [each / 10 for each in mine], len(texts))


if __name__ == "__main__":
    chosen = sys.argv[1:] or ["keybert", "paper"]
    for name in chosen:
        {"keybert": keybert, "paper": paper}[name]()

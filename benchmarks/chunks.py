"""What chunks by length cost and gain, as ratios to chunks of 64 texts in the same run.

``python benchmarks/chunks.py``: texts of several lengths are extracted with the chunks of ``mderank.methods.chunks``
and with those of up to 64 texts and 400,000 characters, in turns, with the default method on one thread. For each
length are printed the processor time of the new chunks over that of the old ones (the median of ``--rounds`` rounds,
with the smallest and the largest), and how long the first result takes, over the time of the old chunks. A number after
the name of a kind, as in ``abstracts=128``, measures so many texts of this kind only.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator

from common import abstracts, news, papers, records
from mderank import FusionRank, load_encoder
from mderank.encoding.phrase_cache import PhraseCache
from mderank.methods import base, chunks

OLD = (64, 400_000, 10**9)  # texts and characters per chunk, and the length of a text that is alone
NEW = (chunks.CHUNK_TEXTS, chunks.CHUNK_CHARACTERS, chunks.LONG_TEXT)


def parts(characters: int, count: int) -> list[str]:
    """Papers in parts of so many characters."""

    def cut() -> Iterator[str]:
        for paper in papers(count):
            yield from (paper[start : start + characters] for start in range(0, len(paper) - characters, characters))

    return [part for part, _ in zip(cut(), range(count), strict=False)]


KINDS = {
    "titles": (256, lambda count: [record["title"] for record in records("inspec.jsonl")[:count]]),
    "abstracts": (128, abstracts),
    "news": (32, news),  # of 512 words
    "parts": (16, lambda count: parts(chunks.LONG_TEXT, count)),  # just long enough to be alone
    "papers": (4, papers),  # of 8,000 words
}


def run(extractor: FusionRank, texts: list[str], limits: tuple[int, int, int]) -> tuple[float, float]:
    """The processor time of all texts, and that until the first result."""
    chunks.CHUNK_TEXTS, base.CHUNK_CHARACTERS, chunks.LONG_TEXT = limits
    extractor.phrase_cache = PhraseCache()
    start = time.process_time()
    results = extractor.extract_many(texts)
    next(results)
    first = time.process_time() - start
    for _ in results:
        pass
    return time.process_time() - start, first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND[=N]", help=f"among {', '.join(KINDS)}")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    extractor = FusionRank(load_encoder("minilm-l6", threads=1))
    extractor.extract("A warm engine starts at once.")
    for kind in asked.kinds or KINDS:
        name, _, number = kind.partition("=")
        count, make = KINDS[name]
        texts = make(int(number or count))
        pairs = []
        for turn in range(asked.rounds):  # who is first changes
            order = (OLD, NEW) if turn % 2 else (NEW, OLD)
            seconds = {limits: run(extractor, texts, limits) for limits in order}
            pairs.append((seconds[OLD], seconds[NEW]))
        ratios = [new[0] / old[0] for old, new in pairs]
        first = statistics.median(new[1] / old[1] for old, new in pairs)
        print(
            f"{name}: {statistics.median(ratios):.2f} × the processor time "
            f"({min(ratios):.2f} to {max(ratios):.2f}); "
            f"the first result after {first:.2f} × ({pairs[0][1][1]:.2f} s against {pairs[0][0][1]:.2f} s); "
            f"{len(texts)} texts",
            flush=True,
        )


if __name__ == "__main__":
    main()

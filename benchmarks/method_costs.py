"""What a document costs with each method, as a ratio to the default method in the same run.

Processor time of one thread, tagging included: 40 abstracts of Inspec's development part with their titles, and 5
papers of Krapivin's validation part, cut to 4,000 words. The methods take turns on each block of texts, so that
whatever else the machine does meets all of them alike. All have the bundled encoder; AttentionRank has its float32
original in torch. The exact form runs on the first 5 abstracts only. Printed are medians over the blocks, with the
smallest and the largest.

``python benchmarks/method_costs.py``; with ``--quick`` on a few documents, to see that it works.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Sequence

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy and torch

from common import abstracts, blocks, model_folder, papers, processor_seconds
from mderank import load_encoder
from mderank.methods.base import Extractor
from mderank.methods.registry import METHODS

ENCODER = ("fusion", "mderank", "embedrank", "keybert", "sifrank", "sifrank-plus")
PLAIN = ("textrank", "singlerank", "positionrank", "topicrank", "multipartiterank", "yake", "tfidf", "firstphrases")
SQUARE = ("attentionrank", "mderank, exact")  # its time grows with the square of the length: abstracts only


def makers() -> dict[str, Extractor]:
    """Names to extractors, the default first."""
    import torch

    torch.set_num_threads(1)
    encoder = load_encoder("minilm-l6", threads=1)
    made: dict[str, Extractor] = {name: METHODS[name].make(model=encoder) for name in ENCODER}
    made["attentionrank"] = METHODS["attentionrank"].make(model=load_encoder(str(model_folder())))
    made["mderank, exact"] = METHODS["mderank"].make(model=encoder, exact=True)
    return made | {name: METHODS[name].make() for name in PLAIN}


def spent(extractor: Extractor, texts: Sequence[str]) -> float:
    start = time.process_time()
    list(extractor.extract_many(texts))
    return time.process_time() - start


def main() -> None:
    quick = sys.argv[1:] == ["--quick"]
    if sys.argv[1:] and not quick:
        sys.exit(__doc__)
    beginning, before = time.perf_counter(), processor_seconds()
    extractors = makers()
    print(f"precision {extractors['fusion'].encoder.precision}")  # type: ignore[attr-defined]
    kinds = {
        "abstracts": blocks(abstracts(10 if quick else 40, "tuning/inspec_dev.jsonl"), 5),
        "4,000 words": blocks(papers(1 if quick else 5, 4000, "tuning/krapivin_valid200.jsonl.gz"), 1),
    }
    for kind, parts in kinds.items():
        names = [name for name in extractors if kind == "abstracts" or name not in SQUARE]
        seconds: dict[str, list[float]] = {name: [] for name in names}
        for name in names:  # what is loaded or prepared at the first text is not counted
            extractors[name].extract("A warm engine starts at once.")
        for number, part in enumerate(parts):
            for name in names if number % 2 else reversed(names):
                if name != "mderank, exact" or number == 0:
                    seconds[name].append(spent(extractors[name], part))
        for name in names:
            ratios = [own / default for own, default in zip(seconds[name], seconds["fusion"], strict=False)]
            texts = sum(map(len, parts[: len(ratios)]))
            print(
                f"{name}, {kind}: {statistics.median(ratios):.3f} × ({min(ratios):.3f} to {max(ratios):.3f}), "
                f"{1000 * sum(seconds[name]) / texts:.0f} ms per document, {texts} documents",
                flush=True,
            )
    everyone, own = (now - then for now, then in zip(processor_seconds(), before, strict=True))
    others = (everyone - own) / (time.perf_counter() - beginning)
    print(f"Other processes used {others:.2f} of {os.cpu_count()} cores meanwhile.")


if __name__ == "__main__":
    main()

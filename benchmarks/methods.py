"""What a document costs with each method: processor time on one thread, tagging included.

Abstracts of Inspec with their titles, and news of DUC2001 cut to 512 words; the bundled encoder, and for AttentionRank
its float32 original in torch. A figure is the mean over documents, all of which are read once before. Times are of the
processor, so that a busy machine matters little.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from common import Figure, abstracts, main, model_folder, news
from mderank import load_encoder
from mderank.methods.base import Extractor
from mderank.methods.registry import METHODS

METHODS_WITH_ENCODER = ("fusion", "mderank", "embedrank", "sifrank-plus")
PLAIN = ("positionrank", "singlerank", "topicrank", "multipartiterank", "yake", "firstphrases")
FEW = 3  # documents, of what takes seconds


def makers() -> dict[str, tuple[Extractor, bool]]:
    """Names to extractors, and whether they are slow."""
    import torch

    torch.set_num_threads(1)
    encoder = load_encoder("minilm-l6", threads=1)
    made: dict[str, tuple[Extractor, bool]] = {}
    for name in METHODS_WITH_ENCODER:
        made[name] = METHODS[name].make(model=encoder), False
    made["mderank, exact"] = METHODS["mderank"].make(model=encoder, exact=True), True
    made["attentionrank"] = METHODS["attentionrank"].make(model=load_encoder(str(model_folder()))), False
    for name in PLAIN:
        made[name] = METHODS[name].make(), False
    return made


def measure(quick: bool) -> Iterator[Figure]:
    extractors = makers()
    kinds = {"abstracts": abstracts(5 if quick else 50), "512 words": news(FEW if quick else 15)}
    for kind, texts in kinds.items():
        plain = cost(extractors["mderank"][0], texts)
        for name, (extractor, slow) in extractors.items():
            some = texts[:FEW] if slow else texts
            spent = plain if name == "mderank" else cost(extractor, some)
            detail = f"{len(some)} documents; {spent / plain:.2f} times MDERank in one pass"
            yield Figure(f"{name}, {kind}", 1000 * spent, "ms", detail)


def cost(extractor: Any, texts: Sequence[str]) -> float:
    """Seconds a document."""
    list(extractor.extract_many(texts[:FEW]))
    start = time.process_time()
    list(extractor.extract_many(texts))
    return (time.process_time() - start) / len(texts)


if __name__ == "__main__":
    main(measure, __doc__)

"""Do they rank alike? One pass and exact; the bundled model and its float32 original; int8 and float32.

Spearman's rank correlation of the candidates' scores, a document at a time, then the mean over documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.stats import spearmanr

from common import LAYER, Figure, abstracts, main, model_folder, requests, tag
from mderank import FusionRank, MDERank
from mderank.encoding import BUNDLED_MODEL_FOLDER, Encoder, PoolingName, Request, embed, load_encoder
from mderank.encoding.base import Precision
from mderank.encoding.torch import TorchEncoder
from mderank.ranking import masked_similarity

Scores = list[np.ndarray]


def scores(encoder: Encoder, work: Sequence[Request], pooling: PoolingName = "mean", *, exact: bool = False) -> Scores:
    embeddings = embed(encoder, work, pooling=pooling, layer=LAYER, exact=exact)
    return [masked_similarity(each.document, each.changes, "cosine")[1] for each in embeddings]


def rho(what: str, one: Scores, other: Scores, at_least: float | None = None) -> Figure:
    each = [spearmanr(a, b).statistic for a, b in zip(one, other, strict=True) if len(a) > 2]
    detail = f"mean over {len(each)} abstracts, lowest {min(each):.3f}; {np.mean([len(a) for a in one]):.0f} candidates"
    return Figure(what, float(np.mean(each)), "ρ", detail, at_least)


def extracted(precision: Precision, method: type[FusionRank | MDERank], texts: Sequence[str]) -> list[dict[str, float]]:
    """Every phrase of every text with its score."""
    encoder = load_encoder(threads=1, precision=precision)
    extractor = method(encoder, dedupe="none", overlap="any")
    return [{each.text: each.raw_score for each in found} for found in extractor.extract_many(texts, top_k=None)]


def precisions(texts: Sequence[str]) -> Iterator[Figure]:
    methods = (("MDERank", MDERank, 0.98), ("the default", FusionRank, 0.99))
    for precision, (name, method, at_least) in product(("int16", "int8"), methods):
        one, other = (extracted(each, method, texts) for each in ("float32", precision))
        shared = [sorted(a.keys() & b.keys()) for a, b in zip(one, other, strict=True)]
        sides = [
            [np.array([scores[text] for text in some]) for scores, some in zip(side, shared, strict=True)]
            for side in (one, other)
        ]
        yield rho(f"{precision} to float32, {name}", *sides, at_least)


def measure(quick: bool) -> Iterator[Figure]:
    bundled, original = load_encoder(), TorchEncoder(str(model_folder()), device="cpu")
    work = requests(bundled, tag(abstracts(5 if quick else 100)))
    fast = scores(original, work)
    yield rho("one pass to exact, mean pooling", fast, scores(original, work, exact=True), 0.88)
    maxima = scores(original, work, "max"), scores(original, work, "max", exact=True)
    yield rho("one pass to exact, max pooling", *maxima)
    yield rho("bundled model to its float32 original, one pass", fast, scores(bundled, work), 0.995)
    yield from precisions(abstracts(5 if quick else 100, "tuning/inspec_dev.jsonl"))
    size = sum(file.stat().st_size for file in BUNDLED_MODEL_FOLDER.iterdir()) / 1e6
    yield Figure("size of the bundled model", size, "MB", "graph, tokenizer and description", at_most=30)


if __name__ == "__main__":
    main(measure, __doc__)

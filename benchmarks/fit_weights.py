"""Weights of `FusionRank` fitted for an encoder, on documents of the tuning datasets.

``python benchmarks/fit_weights.py MODEL --after 60 --upto 120``: of each dataset, documents 61 to 120 are read, so that
the first 60 are left to measure the weights on. The paper's input, F1@10 over all documents, protocol ``mderank``. The
weights are printed as options of `mderank evaluate`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import asdict

from mderank.methods.fusionrank import FusionRank
from mderank.options import Options
from mderank.research.evaluation.evaluate import Resources, prepare
from mderank.research.evaluation.runs import LabelledText, RunStore
from mderank.research.evaluation.spec import RunSpec
from weight_search import choose_weights, score_documents

DATASETS = ("inspec_dev", "semeval2010_train", "krapivin_valid200", "www", "citeulike180")


def show(stage: str, done: int, total: int) -> None:
    print(f"\r{stage} {done} of {total}", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="name or folder of the encoder")
    parser.add_argument("--after", type=int, default=60, help="documents of each dataset that are passed over")
    parser.add_argument("--upto", type=int, default=120, help="the last document of each dataset")
    parser.add_argument("--folds", type=int, default=2, help="of the cross-validation")
    arguments = parser.parse_args()
    resources = Resources()
    texts: list[LabelledText] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in DATASETS:
            options = Options(method="fusion", model=arguments.model, threads=1)
            run = prepare(
                RunSpec(f"tuning/{name}", options, limit=arguments.upto), RunStore(folder), resources=resources
            )
            texts += run.texts[arguments.after :]
    extractor = run.extractor  # the same one for all datasets
    assert isinstance(extractor, FusionRank)
    result = choose_weights(
        score_documents(extractor, texts, show), folds=arguments.folds, protocol="mderank", progress=show
    )
    print(file=sys.stderr)
    print(
        f"{arguments.model}, {result.documents} documents, {result.measure}: own weights {result.before:.2f}, fitted "
        f"{result.seen:.2f}; held-out folds {result.held_out:.2f}, {100 * result.comparison.difference:+.2f} "
        f"({100 * result.comparison.low:.2f} to {100 * result.comparison.high:.2f})"
    )
    fitted = asdict(result.chosen)
    print(" ".join(f"--set {name}={fitted[name]:g}" for name in fitted if name != "similarity"))


if __name__ == "__main__":
    main()

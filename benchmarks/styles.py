"""Gain of learned styles over the default, by number of labelled documents.

``python benchmarks/styles.py inspec_train www …`` learns from random documents of a tuning dataset and measures on
others of the same dataset, in several draws. Penalty and overlap are chosen on the training documents alone, as
``mderank tune`` does. A row is F1@5/10/15 in per cent under ``micro-stem``, as the mean over draws.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from mderank import FusionRank
from mderank.research.datasets import full_text, load_dataset
from mderank.research.evaluation.protocols import get_protocol
from mderank.research.evaluation.runs import LabelledText
from mderank.research.tuning.learner import Learner
from mderank.research.tuning.training_documents import read_training_documents


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+", help="tuning datasets, such as inspec_train")
    parser.add_argument("--limit", type=int, default=700, help="documents that are read of each")
    parser.add_argument("--sizes", type=int, nargs="+", default=[25, 50, 100, 200, 500])
    parser.add_argument("--tested", type=int, default=150, help="documents that a draw is measured on")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--forget-labels", action="store_true")
    arguments = parser.parse_args()
    for name in arguments.datasets:
        dataset = load_dataset(f"tuning/{name}", limit=arguments.limit)
        tasks = [LabelledText(each.id, full_text(each), each.keyphrases) for each in dataset.documents]
        training = read_training_documents(FusionRank(), tasks)
        learner = Learner(training, get_protocol("micro-stem"), remember_labels=not arguments.forget_labels)
        before = [learner.judge(each, each.default, None)[1] for each in learner.documents]
        print(f"{name}: {len(before)} documents, default {_cells(learner.figures(before), '')}", flush=True)
        for size in arguments.sizes:
            tested = min(arguments.tested, len(before) - size)
            if tested >= 30:
                _measure(learner, before, size, tested, arguments.draws)


def _measure(learner: Learner, before: list, size: int, tested: int, draws: int) -> None:
    started = time.process_time()
    gains, spent = [], []
    for draw in range(draws):
        order = np.random.default_rng((size, draw)).permutation(len(before)).tolist()
        chosen, held_out = ([learner.documents[index] for index in some] for some in (order[:size], order[-tested:]))
        begun = time.process_time()
        choice = learner.choose(chosen)
        fitted = learner.fit(chosen, choice.penalty)
        spent.append(time.process_time() - begun)
        after = [learner.judge(each, fitted.score(each), choice.overlap)[1] for each in held_out]
        gains.append(np.subtract(learner.figures(after), learner.figures([before[index] for index in order[-tested:]])))
    worst = np.min(gains, axis=0)
    print(
        f"  {size:>4} documents: {_cells(np.mean(gains, axis=0))}   worst draw {_cells(worst)}   "
        f"{np.mean(spent):.1f} s of processor time to choose and fit, {time.process_time() - started:.0f} s in all",
        flush=True,
    )


def _cells(values: object, sign: str = "+") -> str:
    return " / ".join(f"{value:{sign}.2f}" for value in values)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()

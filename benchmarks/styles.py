"""What styles gain: by number of labelled documents, and on the test datasets.

``python benchmarks/styles.py curve inspec_train www …`` learns from random documents of a tuning dataset and measures
on others of the same dataset, in several draws. Penalty and overlap are chosen on the training documents alone, as
``mderank tune`` does. A row is F1@5/10/15 in per cent under ``micro-stem``, as the mean over draws. ``--grid`` adds
what ``mderank tune`` did before: factors of the seven weights, one after the other, by F1@10.

``python benchmarks/styles.py test inspec=tuning/inspec_train duc2001=author …`` measures on a test dataset a style that
is learned from a tuning dataset, or one that is named. Input and protocol are those of ``mderank evaluate`` (512 words,
protocol ``mderank``), with the bundled tagger. Nothing may be chosen by these figures.

``python benchmarks/styles.py tune inspec_train --limit 1000 --sizes 50 1000`` measures the processor time of learning,
report and learning curve, beyond encoding.

``python benchmarks/styles.py cost inspec_train --limit 20 --style FILE`` measures what a style adds to the processor
time of an extraction.

``--encode`` computes features only. ``--cache DIR`` keeps them.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mderank import FusionRank, Options
from mderank.methods import fusionrank
from mderank.methods.fusionrank import FEATURES
from mderank.methods.style_features import style_features
from mderank.research.datasets import full_text, load_dataset
from mderank.research.evaluation.evaluate import RunSpec
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import get_protocol
from mderank.research.evaluation.runs import LabelledText
from mderank.research.evaluation.significance import compare
from mderank.research.tuning.learn import learn_from_documents
from mderank.research.tuning.learner import KS, Learner
from mderank.research.tuning.report import format_report
from mderank.research.tuning.training_documents import TrainingDocument, TrainingSet, read_training_documents
from mderank.style import load_style
from mderank.text import stem_phrase

TUNING = "tuning/"
_FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_ROUNDS = 7  # of which the fastest counts, for each text
_MOST_GRID = 100  # documents; the grid judges each document about a hundred times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("curve", "test", "tune", "cost"))
    parser.add_argument("names", nargs="+", help="tuning datasets; or test datasets, each with a style")
    parser.add_argument("--limit", type=int, help="documents that are read of each dataset")
    parser.add_argument("--train-limit", type=int, help="documents that a style is learned from, for test")
    parser.add_argument("--max-words", type=int, help="words that are read of each tuning document")
    parser.add_argument("--sizes", type=int, nargs="+", default=[25, 50, 100, 200, 500])
    parser.add_argument("--tested", type=int, default=150, help="documents that a draw is measured on")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--forget-labels", action="store_true")
    parser.add_argument("--style", default="terms", help="style whose cost is measured")
    parser.add_argument("--labels", action="store_true", help="give that style the labels of the documents")
    parser.add_argument("--grid", action="store_true")
    parser.add_argument("--encode", action="store_true")
    parser.add_argument("--cache", type=Path, help="folder of features, which are computed once")
    arguments = parser.parse_args()
    for name in arguments.names:
        {"curve": _curve, "test": _test, "tune": _tune, "cost": _cost}[arguments.what](name, arguments)


def _curve(name: str, arguments: argparse.Namespace) -> None:
    training = _tuning(name, arguments.limit, arguments)
    if arguments.encode:
        return
    learner = Learner(training, get_protocol("micro-stem"), remember_labels=not arguments.forget_labels)
    before = [learner.judge(each, each.default, None)[1] for each in learner.documents]
    print(f"{name}: {len(before)} documents, default {_cells(learner.figures(before), '')}", flush=True)
    for size in arguments.sizes:
        tested = min(arguments.tested, len(before) - size)
        if tested >= 30:
            _measure(learner, before, size, tested, arguments)


def _measure(learner: Learner, before: list[Judgement], size: int, tested: int, arguments: argparse.Namespace) -> None:
    gains, kept, by_grid, spent = [], 0, [], []
    for draw in range(arguments.draws):
        order = np.random.default_rng((size, draw)).permutation(len(before)).tolist()
        chosen, held_out = ([learner.documents[index] for index in some] for some in (order[:size], order[-tested:]))
        was = learner.figures([before[index] for index in order[-tested:]])
        begun = time.process_time()
        choice = learner.choose(chosen)
        fitted = learner.fit(chosen, choice.penalty)
        spent.append(time.process_time() - begun)
        kept += choice.is_default
        after = [learner.judge(each, fitted.score(each), choice.overlap)[1] for each in held_out]
        gains.append(np.subtract(learner.figures(after), was))
        if arguments.grid and size <= _MOST_GRID:
            weights = _search_grid(learner, chosen)
            after = [learner.judge(each, _weigh(each, weights), None)[1] for each in held_out]
            by_grid.append(np.subtract(learner.figures(after), was))
    grid = f"   grid {_cells(np.mean(by_grid, axis=0))}" if by_grid else ""
    print(
        f"  {size:>4} ({tested} tested): {_cells(np.mean(gains, axis=0))}   "
        f"worst draw {_cells(np.min(gains, axis=0))}   default kept {kept} times   "
        f"{np.mean(spent):.1f} s of processor time to choose and fit{grid}",
        flush=True,
    )


def _search_grid(learner: Learner, documents: Sequence[TrainingDocument]) -> np.ndarray:
    """The factors of the seven weights with the best F1@10, one after the other until none changes."""
    own = np.asarray(list(vars(learner.training.extractor.weights).values()))
    best, value, before = own, -1.0, None
    while before is None or not np.array_equal(best, before):
        before = best
        for index in range(1, len(own)):
            for factor in _FACTORS:
                tried = best.copy()
                tried[index] = own[index] * factor
                judged = [learner.judge(each, _weigh(each, tried), None, 10)[1] for each in documents]
                found = Measure("F1", 10).over(judged, learner.protocol.average)
                if found > value + 1e-12:
                    best, value = tried, found
    return best


def _weigh(document: TrainingDocument, weights: np.ndarray) -> np.ndarray:
    return document.features[:, : len(weights)] @ weights


def _test(pair: str, arguments: argparse.Namespace) -> None:
    name, _, named = pair.partition("=")
    dataset = load_dataset(name, limit=arguments.limit)
    tasks = RunSpec(name, Options(method="fusion")).make_texts(dataset)
    extractor = FusionRank(max_words=512, max_tokens=512, dedupe="case")
    tested = _cached(f"{name}-{arguments.limit}-test", extractor, tasks, arguments.cache)
    if arguments.encode:
        return
    scores, overlap, origin = _style(named, tested, arguments)
    learner = Learner(tested, get_protocol("mderank"))
    before = [learner.judge(each, each.default, None)[1] for each in learner.documents]
    after = [learner.judge(each, own, overlap)[1] for each, own in zip(learner.documents, scores, strict=True)]
    print(f"{name} ({len(before)} documents), {origin}")
    print(f"  without {_cells(learner.figures(before), '')}   with {_cells(learner.figures(after), '')}")
    for k in KS:
        found = compare(after, before, Measure("F1", k), learner.protocol.average)
        low, high = 100 * found.low, 100 * found.high
        print(f"  @{k}: {100 * found.difference:+.2f} ({low:.2f} to {high:.2f})", flush=True)


def _tune(name: str, arguments: argparse.Namespace) -> None:
    training = _tuning(name, arguments.limit, arguments)
    for size in arguments.sizes:
        started = time.process_time()
        report = learn_from_documents(replace(training, documents=training.documents[:size]), name=name)
        lines = len(list(format_report(report)))
        print(f"{name}: {size} documents, {time.process_time() - started:.1f} s of processor time, {lines} lines")


def _cost(name: str, arguments: argparse.Namespace) -> None:
    """The features of the style and the ranking by it, beside the rest: the encoder's own time varies by more."""
    dataset = load_dataset(f"{TUNING}{name}", limit=arguments.limit)
    style = load_style(arguments.style)
    if arguments.labels:  # as a style of one's own has them
        labels = {stem_phrase(label): 1 for each in dataset.documents for label in each.keyphrases}
        style = replace(style, labels=labels)
    plain, styled = FusionRank(), FusionRank(style=style)
    spent = np.full((len(dataset.documents), 4), np.inf)  # extraction, ranking without and with, features
    features: list[float] = []

    def timed(*inputs):  # type: ignore[no-untyped-def]
        started = time.process_time()
        found = style_features(*inputs)
        features.append(time.process_time() - started)
        return found

    fusionrank.style_features = timed
    for index, document in enumerate(dataset.documents):
        text = full_text(document)
        started = time.process_time()
        plain.extract(text)
        spent[index, 0] = time.process_time() - started
        scored = [extractor.score([text])[0] for extractor in (plain, styled)]
        spent[index, 3] = features[-1]
        for _ in range(_ROUNDS):
            for column, extractor in enumerate((plain, styled), start=1):
                started = time.process_time()
                extractor.rank(*scored[column - 1])
                spent[index, column] = min(spent[index, column], time.process_time() - started)
    whole, without, by_style, own = np.median(spent, axis=0) * 1000  # the mean is that of a few interruptions
    further = own + by_style - without
    print(
        f"{name}: {whole:.2f} ms of processor time per text; the style adds {further:.2f} ms, {further / whole:.2%} "
        f"(features {own:.2f} ms; ranking {without:.2f} ms without, {by_style:.2f} ms with)"
    )


def _style(named: str, tested: TrainingSet, arguments: argparse.Namespace) -> tuple[list[np.ndarray], str, str]:
    """Scores of the documents with a style, its overlap, and where it comes from."""
    if not named.startswith(TUNING):
        style = load_style(named)
        weights = np.asarray([style.weights.get(each, 0.0) for each in FEATURES])
        features = [each.features_with(style.labels, in_training=False) for each in tested.documents]
        return [each @ weights for each in features], style.overlap, f"style {named}"
    learner = Learner(_tuning(named.removeprefix(TUNING), arguments.train_limit, arguments), get_protocol("micro-stem"))
    order = np.random.default_rng(0).permutation(len(learner.documents)).tolist()
    choice = learner.choose([learner.documents[index] for index in order])
    fitted = learner.fit(learner.documents, choice.penalty)
    origin = f"learned from {len(order)} documents of {named}: {choice}"
    return [fitted.score(each) for each in tested.documents], choice.overlap, origin


def _tuning(name: str, limit: int | None, arguments: argparse.Namespace) -> TrainingSet:
    dataset = load_dataset(f"{TUNING}{name}", limit=limit)
    tasks = [LabelledText(each.id, full_text(each), each.keyphrases) for each in dataset.documents]
    extractor = FusionRank(max_words=arguments.max_words)
    return _cached(f"{name}-{limit}-{arguments.max_words}", extractor, tasks, arguments.cache)


def _cached(name: str, extractor: FusionRank, tasks: Sequence[LabelledText], folder: Path | None) -> TrainingSet:
    file = None if folder is None else folder / f"{name}.pickle"
    if file is not None and file.exists():
        return TrainingSet(extractor, pickle.loads(file.read_bytes()))
    started = time.process_time()
    training = read_training_documents(extractor, tasks, _progress(name))
    print(f"{name}: {len(tasks)} documents in {time.process_time() - started:.0f} s of processor time", flush=True)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(pickle.dumps(training.documents))
    return training


def _progress(name: str):  # type: ignore[no-untyped-def]
    def show(stage: str, done: int, total: int) -> None:
        if done % 64 < 32:
            print(f"{name}: {stage} {done} of {total}", flush=True)

    return show


def _cells(values: Sequence[float] | Iterator[float] | np.ndarray, sign: str = "+") -> str:
    return " / ".join(f"{value:{sign}.2f}" for value in values)


if __name__ == "__main__":
    main()

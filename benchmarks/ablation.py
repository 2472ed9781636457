"""What each part of `FusionRank` earns: every document is read once, then ranked with other weights.

``python benchmarks/ablation.py tuning`` is for choosing, ``python benchmarks/ablation.py test`` tells once what the
choice is worth on the paper's six sets. The paper's input. Differences are to the whole method, on the average over
the sets, with their 95 % intervals; a star where p < 0.05 after Holm's correction over the table. ``--keep FILE`` keeps
the evidence.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from mderank import FusionRank, FusionWeights, NounPhrases, load_encoder
from mderank.ranking import rank
from mderank.research.datasets import Dataset, full_text, load_dataset, paper_text
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import Prediction, get_protocol
from mderank.research.evaluation.significance import Comparison, Pair, compare_mean, holm

SETS = {
    "tuning": ("inspec_dev.jsonl", "semeval2010_train.jsonl", "krapivin_valid200.jsonl.gz", "www.jsonl.gz",
               "citeulike180.jsonl.gz"),
    "test": ("inspec", "semeval2017", "semeval2010", "duc2001", "krapivin", "nus"),
}  # fmt: skip
MEASURES = [Measure.parse(f"F1@{k}") for k in (5, 10, 15)]
CHUNK = 16


@dataclass(frozen=True)
class Evidence:
    """A document's candidates and what is known of each, not weighed yet."""

    set: str
    words: int
    gold: list[str]
    texts: list[str]
    firsts: list[int]
    found: list[int]
    nested: list[bool]
    contributions: dict[str, list[float]]

    def predictions(self, weights: Mapping[str, float], *, nested: bool = True) -> list[Prediction]:
        """The candidates, best first."""
        scores = np.sum([weights[name] * np.asarray(values) for name, values in self.contributions.items()], axis=0)
        kept = [nested or not inside for inside in self.nested]
        order = rank(list(np.atleast_1d(scores)), self.firsts, kept) if self.texts else []
        return [Prediction(self.texts[index], self.found[index]) for index in order if kept[index]]


def read(name: str, ranker: FusionRank, limit: int | None, *, whole: bool) -> Iterator[Evidence]:
    dataset = load(name)
    plain = NounPhrases()
    documents = iter(dataset.documents[:limit])
    while chunk := list(islice(documents, CHUNK)):
        texts = [full_text(each) if whole else paper_text(dataset.info, each) for each in chunk]
        for each, (reading, scores) in zip(chunk, ranker.score(texts), strict=True):
            themselves = {candidate.key for candidate in plain.find(reading.document)}
            text = reading.document.text
            yield Evidence(
                dataset.name,
                len(reading.document.tokens),
                list(each.keyphrases),
                [text.surface_form(candidate.occurrences[0].span) for candidate in reading.candidates],
                [candidate.first for candidate in reading.candidates],
                [candidate.match_count for candidate in reading.candidates],
                [candidate.key not in themselves for candidate in reading.candidates],
                {part: np.asarray(values).tolist() for part, values in scores.contributions.items()},
            )
        print(".", end="", file=sys.stderr, flush=True)


def load(name: str) -> Dataset:
    folder = Path(os.environ.get("MDERANK_DATA_DIR", "../shared/data"))
    return load_dataset(folder / "tuning" / name if "." in name else name)


def variants(weights: Mapping[str, float]) -> dict[str, tuple[dict[str, float], bool]]:
    """Names to weights, and whether nested phrases are candidates."""
    one = {f"without {name}": ({**weights, name: 0.0}, True) for name in weights}
    return {
        "all": (dict(weights), True),
        **one,
        "without nested phrases": (dict(weights), False),
        "similarity alone": ({**dict.fromkeys(weights, 0.0), "similarity": 1.0}, True),
        "mask effect alone": ({**dict.fromkeys(weights, 0.0), "mask_effect": 1.0}, True),
        "without frequency and position": ({**weights, "frequency": 0.0, "position": 0.0}, True),
    }


def judged(evidence: Sequence[Evidence], protocol: str, weights: Mapping[str, float], nested: bool) -> list[Judgement]:
    judge = get_protocol(protocol).judge
    results = (judge(each.predictions(weights, nested=nested), each.gold) for each in evidence if each.gold)
    return [result for result in results if result is not None]


def table(sets: Mapping[str, Sequence[Evidence]], protocol: str, weights: Mapping[str, float]) -> str:
    average = get_protocol(protocol).average
    cells = {
        name: {each: judged(sets[each], protocol, *variant) for each in sets}
        for name, variant in variants(weights).items()
    }
    others = [name for name in cells if name != "all"]
    compared: dict[str, list[Comparison]] = {
        name: [
            compare_mean([Pair(cells[name][each], cells["all"][each], measure, average) for each in sets])
            for measure in MEASURES
        ]
        for name in others
    }
    corrected = iter(holm([one.p for name in others for one in compared[name]]))
    stars = {name: ["*" if next(corrected) < 0.05 else "" for _ in MEASURES] for name in others}
    lines = [
        f"| F1@5 / 10 / 15, `{protocol}` | {' | '.join(sets)} | average | difference |",
        "|" + "---|" * (len(sets) + 3),
    ]
    for name in cells:
        values = np.array([[100 * m.over(cells[name][each], average) for m in MEASURES] for each in sets])
        shown = [" / ".join(f"{value:.2f}" for value in row) for row in [*values, values.mean(axis=0)]]
        difference = " / ".join(
            f"{100 * one.difference:+.2f}{star} ({100 * one.low:.2f} to {100 * one.high:.2f})"
            for one, star in zip(compared.get(name, []), stars.get(name, []), strict=True)
        )
        lines.append(f"| {name} | {' | '.join(shown)} | {difference} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", choices=SETS)
    parser.add_argument("--limit", type=int, help="documents of each set")
    parser.add_argument("--model", default="minilm-l6")
    parser.add_argument("--threads", type=int, help="of the encoder")
    parser.add_argument("--protocol", default="mderank")
    parser.add_argument("--whole", action="store_true", help="whole documents, title included")
    parser.add_argument("--keep", type=Path, help="a file for the evidence; one that is there is read")
    options = parser.parse_args()
    limits = {} if options.whole else {"max_words": 512, "max_tokens": 512}
    ranker = FusionRank(load_encoder(options.model, threads=options.threads), dedupe="case", **limits)
    weights = asdict(ranker.weights)
    ranker.weights = FusionWeights(**dict.fromkeys(weights, 1.0))  # contributions are then unweighted
    if options.keep and options.keep.exists():
        evidence = [Evidence(**json.loads(line)) for line in options.keep.read_text(encoding="utf-8").splitlines()]
    else:
        evidence = [
            each for name in SETS[options.sets] for each in read(name, ranker, options.limit, whole=options.whole)
        ]
        if options.keep:
            options.keep.write_text("".join(json.dumps(asdict(each)) + "\n" for each in evidence), encoding="utf-8")
    names = dict.fromkeys(each.set for each in evidence)
    print("weights:", ", ".join(f"{name} {weight:g}" for name, weight in weights.items()))
    print(table({name: [each for each in evidence if each.set == name] for name in names}, options.protocol, weights))


if __name__ == "__main__":
    main()

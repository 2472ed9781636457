"""How much of the exact form's changes a linear map of one pass's gives: ``python benchmarks/linear_distillation.py``.

One pass leaves out how the other words react to a mask. For documents of WikiText-2 and some candidates of each, both
forms are computed. A map is then fitted by ridge regression on three quarters of the documents: from what a phrase adds
to the document's embedding, unmasked and masked, to the change of the exact form. On the others it is compared with one
pass as it is: Spearman's rank correlation with the exact form, and the squared error of the changes, relative to them.
``--trained FOLDER`` adds the one pass of an encoder that ``mderank train minilm-distill`` made of the same original.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mderank import NounPhrases, load_encoder
from mderank.encoding import Encoder, Request, embed
from mderank.encoding.export import spearman
from mderank.ranking.similarity import masked_similarity
from mderank.research.training.corpus import read_documents
from mderank.research.training.settings import CorpusSettings
from mderank.tagging import SpacyTagger
from mderank.util.arrays import Floats


@dataclass(frozen=True)
class Pair:
    """A document in both forms: n rows, m candidates."""

    document: Floats  # (d,)
    added: Floats  # (m, 3 d) what each candidate adds: Σ (z − h) / n, Σ h / n, and its share of the rows × document
    one_pass: Floats  # (m, d)
    exact: Floats  # (m, d)
    trained: tuple[Floats, Floats] | None  # (d,) and (m, d) of the trained encoder, in one pass

    @property
    def size(self) -> float:
        return float(np.sqrt((self.exact**2).sum()))


def pairs(encoder: Encoder, trained: Encoder | None, count: int, candidates: int) -> Iterator[Pair]:
    rng = np.random.default_rng(3)
    corpus = CorpusSettings(files=("wikitext2/train.raw.gz",), min_words=60, max_words=256)
    texts = list(read_documents(corpus))
    chosen = [texts[number].text for number in rng.permutation(len(texts))[:count]]
    for tagged in SpacyTagger().tag(chosen):
        pieces = encoder.tokenize(tagged.text).upto(encoder.spec.capacity)
        end = pieces.ends[-1]
        spans = [tuple(place.span for place in each.occurrences if place.span.end <= end)
                 for each in NounPhrases().find(tagged)]  # fmt: skip
        spans = [each for each in spans if each]
        if len(spans) < 4:
            continue
        masks = [spans[number] for number in rng.permutation(len(spans))[:candidates]]
        request = [Request(pieces, (), masks)]
        (one,), (exact,) = (
            embed(encoder, request, pooling="mean", layer=encoder.spec.layers, exact=form) for form in (False, True)
        )
        rows = len(pieces) + encoder.spec.max_length - encoder.spec.capacity
        hidden = np.array([[len({piece for place in pieces.touching(mask) for piece in place})] for mask in masks])
        share = hidden / rows
        added = np.concatenate([one.changes, share * one.contexts, share * one.document], axis=1)
        learned = None
        if trained is not None:
            (found,) = embed(trained, request, pooling="mean", layer=trained.spec.layers, exact=False)
            learned = (found.document, found.changes)
        yield Pair(one.document, added, one.changes, exact.changes, learned)


def fitted(some: list[Pair], ridge: float) -> Floats:
    """The map (3 d, d) with the least squared error, every document counting the same."""
    inputs = np.concatenate([pair.added / pair.size for pair in some])
    outputs = np.concatenate([pair.exact / pair.size for pair in some])
    gram = inputs.T @ inputs
    penalty = ridge * np.trace(gram) / len(gram) * np.eye(len(gram))
    solved: Floats = np.linalg.solve(gram + penalty, inputs.T @ outputs)
    return solved


def told(name: str, some: list[Pair], found: list[tuple[Floats, Floats]]) -> str:
    ranks, errors = [], []
    for pair, (document, change) in zip(some, found, strict=True):
        ours, exact = (
            masked_similarity(*each, "cosine")[1] for each in ((document, change), (pair.document, pair.exact))
        )
        ranks.append(spearman(ours, exact))
        errors.append(((change - pair.exact) ** 2).sum() / pair.size**2)
    return f"| {name} | {np.mean(ranks):.3f} | {np.mean(errors):.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=240)
    parser.add_argument("--candidates", type=int, default=16, help="of each document, drawn at random")
    parser.add_argument("--ridge", type=float, default=0.01)
    parser.add_argument("--model", default="minilm-l6")
    parser.add_argument("--trained", metavar="FOLDER")
    arguments = parser.parse_args()
    trained = load_encoder(arguments.trained) if arguments.trained else None
    every = list(pairs(load_encoder(arguments.model), trained, arguments.documents, arguments.candidates))
    first, others = every[: len(every) * 3 // 4], every[len(every) * 3 // 4 :]
    linear = fitted(first, arguments.ridge)
    print(f"fitted on {len(first)} documents, measured on {len(others)} others")
    print("| | rank correlation with exact | relative squared error |\n|---|---|---|")
    print(told("one pass", others, [(pair.document, pair.one_pass) for pair in others]))
    if trained is not None:
        print(told("one pass, trained", others, [pair.trained for pair in others if pair.trained]))
    print(told("one pass, mapped", others, [(pair.document, pair.added @ linear) for pair in others]))


if __name__ == "__main__":
    main()

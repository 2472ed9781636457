"""Training: pairs learned a second in one pass, against the paper's triplets.

Both sides run forward and backward through the same encoder (MiniLM-L6, float32, mean pooling) on the same documents
of WikiText-2, with the same candidates; ten labels a document, absolute sampling. A triplet has one pair from three
passes; one pass has every pair of a label and another candidate. Neither side has the part that keeps the encoder from
forgetting, which costs both the same. What is learned from a pair is another question: those of one document have much
in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import torch

from common import Figure, alternate, blocks, data_file, main, model_folder, ratio
from mderank.research.training.corpus import read_documents
from mderank.research.training.encoder import load_trainable
from mderank.research.training.losses import Objective, collate
from mderank.research.training.pair_sampling import Sample, Sampler
from mderank.research.training.pseudo_labels import Labeller, PseudoLabelledDocument
from mderank.research.training.recipe import Recipe

BATCH = 2  # documents at once, on both sides


def recipe(kind: str) -> Recipe:
    """The shipped recipe of that kind, without what keeps the encoder, on the part of the corpus not trained on."""
    made = Recipe.load(f"minilm-{kind}", [f"model.name={model_folder()}", "labels.method=firstphrases"])
    files = (str(data_file("wikitext2/valid.raw.gz")),)
    return replace(made, objective=replace(made.objective, drift_weight=0.0), corpus=replace(made.corpus, files=files))


def measure(quick: bool) -> Iterator[Figure]:
    one_pass, triplet = recipe("one-pass"), recipe("triplet")
    texts = list(read_documents(replace(one_pass.corpus, limit=4 if quick else 48)))
    labelled = [each for each in Labeller(one_pass.labels).label(texts) if isinstance(each, PseudoLabelledDocument)]
    encoder, objective = load_trainable(one_pass, torch.device("cpu"))
    pieces = [encoder.tokenize(each.text) for each in labelled]

    def side(made: Recipe) -> tuple[list[Sequence[Sample]], Callable[[int], None]]:
        sampler = Sampler(made, encoder.spec, len(encoder.tokenizer.get_vocab()))
        samples = [sampler.sample(*each, (0, n)) for n, each in enumerate(zip(labelled, pieces, strict=True))]
        parts = blocks(samples, BATCH)
        own = Objective(made.objective, objective.encoder, pooling=objective.pooling)
        packed = made.objective.kind == "one-pass"

        def learn(number: int) -> None:
            own(collate(encoder.spec, parts[number], packed=packed))["loss"].sum().backward()

        return parts, learn

    (ours, learn_ours), (theirs, learn_theirs) = side(one_pass), side(triplet)
    rounds = 1 if quick else 3
    slow, fast = alternate([learn_theirs, learn_ours], len(ours), rounds)
    pairs = [sum(sample.pairs for part in parts for sample in part) for parts in (theirs, ours)]
    documents = len(labelled)
    told = f"{pairs[1] / documents:.0f} pairs a document against {pairs[0] / documents:.2f}"
    a_pair = [[seconds / count for seconds in side] for side, count in zip((slow, fast), pairs, strict=True)]
    rates = f"{1 / min(a_pair[1]):.0f} against {1 / min(a_pair[0]):.1f} pairs a second"
    learned = ratio("pairs learned a second, one pass against triplets", *a_pair, documents)
    yield replace(learned, detail=f"{rates}, {told}, {documents} documents, {rounds} rounds")
    yield ratio("time of a document, one pass against a triplet", fast, slow, documents)


if __name__ == "__main__":
    main(measure, __doc__)

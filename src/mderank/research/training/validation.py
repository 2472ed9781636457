"""What is measured on the way: pairs of held-out documents in the right order, F1 on labelled sets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from mderank.candidates import NounPhrases
from mderank.document import Document
from mderank.encoding import PoolingName
from mderank.encoding.torch import TorchEncoder
from mderank.methods.mderank import MDERank
from mderank.research.datasets import full_text, load_dataset, paper_text
from mderank.research.evaluation.measures import PAPER_MEASURES
from mderank.research.evaluation.protocols import Prediction, get_protocol
from mderank.research.training.losses import Objective, collate
from mderank.research.training.pair_sampling import Sample
from mderank.research.training.recipe import Validation
from mderank.tagging import SpacyTagger, Tagger

PAPER_LENGTH = 512  # words, and word pieces, that the paper reads


@dataclass(frozen=True)
class LabelledSet:
    """A set of labelled documents, tagged once for all validations."""

    name: str
    documents: tuple[Document, ...]
    gold: tuple[tuple[str, ...], ...]


def load_sets(settings: Validation, tagger: Tagger | None = None) -> list[LabelledSet]:
    """The sets that the recipe names."""
    tagger = tagger or (SpacyTagger(tokenizer="spacy") if settings.sets else None)
    loaded = []
    for name in settings.sets:
        assert tagger is not None
        dataset = load_dataset(name, limit=settings.documents)
        paper = settings.text == "paper"
        texts = [paper_text(dataset.info, each) if paper else full_text(each) for each in dataset.documents]
        if paper:  # the rest would be tagged for nothing
            texts = [_first_words(text, PAPER_LENGTH) for text in texts]
        gold = tuple(each.keyphrases for each in dataset.documents)
        loaded.append(LabelledSet(dataset.name.rsplit("/", 1)[-1], tuple(tagger.tag(texts)), gold))
    return loaded


def _first_words(text: str, count: int) -> str:
    words = text.split(maxsplit=count)
    return text if len(words) <= count else text[: len(text) - len(words[-1])].rstrip()


def f1(
    settings: Validation, sets: Sequence[LabelledSet], encoder: TorchEncoder, pooling: PoolingName
) -> dict[str, float]:
    """F1 in per cent by set and rank, ``inspec_dev F1@5``, and ``f1``, the mean over all of them."""
    if not sets:
        return {}
    paper = settings.text == "paper"
    extractor = MDERank(
        encoder,
        tagger=_NoTagger(),
        pooling=pooling,
        exact=pooling == "cls" or not encoder.spec.one_pass,
        candidates=NounPhrases(max_phrase_words=None) if paper else None,
        max_words=PAPER_LENGTH if paper else None,
        max_tokens=PAPER_LENGTH if paper else None,
    )
    protocol = get_protocol(settings.protocol)
    values: dict[str, float] = {}
    for each in sets:
        found = extractor.extract_many(each.documents, top_k=None)
        judged = [
            protocol.judge([Prediction(phrase.text, phrase.match_count) for phrase in phrases], gold, document.text)
            for phrases, gold, document in zip(found, each.gold, each.documents, strict=True)
            if gold
        ]
        kept = [judgement for judgement in judged if judgement is not None]
        for measure in PAPER_MEASURES:
            values[f"{each.name} {measure}"] = 100 * measure.over(kept, protocol.average)
    return values | {"f1": sum(values.values()) / len(values)}


class _NoTagger:
    """The documents are tagged already."""

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Nothing."""
        return iter(())


def held_out(
    objective: Objective, encoder: TorchEncoder, samples: Sequence[Sample], device: torch.device
) -> dict[str, float]:
    """The ranking loss on documents that are not trained on, and the share of their pairs in the right order."""
    losses, shares = [], []
    with torch.inference_mode():
        for sample in samples:
            packed = encoder.spec.one_pass and objective.pooling != "cls"
            batch = collate(encoder.spec, [sample], packed=packed).to(device)
            loss, share = (float(each[0]) for each in objective.rank(batch))
            if not math.isnan(share):  # a document without two phrases to compare
                losses.append(loss)
                shares.append(share)
    if not losses:
        return {}
    return {"held_out_loss": sum(losses) / len(losses), "held_out_accuracy": 100 * sum(shares) / len(shares)}

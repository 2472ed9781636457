"""The measurements during training: pairs of held-out documents in the right order, F1 on labelled datasets."""

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
from mderank.research.training.settings import ValidationSettings
from mderank.tagging import SpacyTagger, Tagger
from mderank.text import end_of_words

PAPER_LENGTH = 512  # words, and tokens, that the paper reads


@dataclass(frozen=True)
class ValidationDataset:
    """A labelled dataset, tagged once for all validations.

    Attributes:
        name: Its name.
        documents: Its tagged documents.
        gold: The gold keyphrases of each document.
    """

    name: str
    documents: tuple[Document, ...]
    gold: tuple[tuple[str, ...], ...]


def load_datasets(settings: ValidationSettings, tagger: Tagger | None = None) -> list[ValidationDataset]:
    """Load and tag the datasets of a recipe.

    Args:
        settings: The validation's settings.
        tagger: The tagger; by default the English spaCy pipeline.

    Returns:
        The datasets.

    Raises:
        InputError: A dataset cannot be found or read.
    """
    if not settings.datasets:
        return []
    tagger = tagger or SpacyTagger(tokenizer="spacy")
    loaded = []
    for name in settings.datasets:
        dataset = load_dataset(name, limit=settings.documents)
        paper = settings.text == "paper"
        texts = [paper_text(dataset.info, each) if paper else full_text(each) for each in dataset.documents]
        if paper:  # the rest would be tagged for nothing
            texts = [text[: end_of_words(text, PAPER_LENGTH)] for text in texts]
        gold = tuple(each.keyphrases for each in dataset.documents)
        loaded.append(ValidationDataset(dataset.name.rsplit("/", 1)[-1], tuple(tagger.tag(texts)), gold))
    return loaded


def measure_f1(
    settings: ValidationSettings, datasets: Sequence[ValidationDataset], encoder: TorchEncoder, pooling: PoolingName
) -> dict[str, float]:
    """Measure F1@5, F1@10 and F1@15 on labelled datasets.

    Args:
        settings: The validation's settings.
        datasets: The datasets.
        encoder: The encoder as it is now.
        pooling: Its pooling.

    Returns:
        F1 in per cent by dataset and rank (``inspec_dev F1@5``), and the mean of all (``f1``).
    """
    if not datasets:
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
    for each in datasets:
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
    """A tagger for documents that are tagged already."""

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag nothing."""
        return iter(())


def measure_held_out(
    objective: Objective, encoder: TorchEncoder, samples: Sequence[Sample], device: torch.device
) -> dict[str, float]:
    """Measure the loss on documents that are not trained on, and the share of their pairs in the right order.

    Args:
        objective: The objective with the encoder as it is now.
        encoder: The encoder.
        samples: The held-out documents.
        device: The device.

    Returns:
        ``held_out_loss``, and ``held_out_accuracy`` in per cent; nothing if no document has a pair.
    """
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

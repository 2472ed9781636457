"""What each step learns from: documents to samples to batches, for one of the processes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torch.utils.data import DataLoader, Dataset

from mderank.encoding.base import EncoderSpec, PoolingName
from mderank.encoding.tokenizer import tokenize
from mderank.errors import InputError
from mderank.research.training.losses import Batch, collate
from mderank.research.training.pair_sampling import Sample, Sampler, held_out, step_documents
from mderank.research.training.pseudo_labels import LabelledCorpus
from mderank.research.training.recipe import Recipe

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Steps(Dataset[list[Batch]]):
    """The steps of a run: step ``n`` is a list of the batches that this process computes."""

    def __init__(
        self,
        recipe: Recipe,
        corpus: LabelledCorpus,
        spec: EncoderSpec,
        tokenizer: Tokenizer,
        *,
        process: int = 0,
        processes: int = 1,
    ) -> None:
        self._recipe, self._corpus, self._spec, self._tokenizer = recipe, corpus, spec, tokenizer
        self._process, self._processes = process, processes
        self._vocabulary = len(tokenizer.get_vocab())
        self._sampler = Sampler(recipe, spec, self._vocabulary)
        settings = recipe.training
        self.documents, self.others = held_out(settings.seed, len(corpus), recipe.validation.held_out)
        self.steps_an_epoch = len(self.documents) // settings.batch
        if not self.steps_an_epoch:
            raise InputError(
                f"the corpus has {len(corpus)} documents, of which {len(self.others)} are held out: too few for a "
                f"batch of {settings.batch} (training.batch, validation.held_out)"
            )
        if settings.batch % processes:
            raise InputError(
                f"a batch of {settings.batch} documents cannot be shared equally by {processes} processes: choose "
                "another training.batch"
            )
        self._steps = settings.steps or settings.epochs * self.steps_an_epoch

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, step: int) -> list[Batch]:
        """The documents of a step that are this process', those of about one length together."""
        settings = self._recipe.training
        packed = self._recipe.objective.kind != "triplet"
        samples = []
        for epoch, number in step_documents(settings.seed, step, settings.batch, self.documents):
            document = self._corpus[number]
            pieces = tokenize(self._tokenizer, document.text)
            samples.append(self._sampler.sample(document, pieces, (settings.seed, 2, epoch, number)))
        samples.sort(key=lambda sample: sample.length if packed else len(sample.ids))
        mine = samples[self._process :: self._processes]
        size = settings.device_batch
        return [collate(self._spec, mine[first : first + size], packed=packed) for first in range(0, len(mine), size)]

    def since(self, start: int) -> Iterator[list[Batch]]:
        """The steps from ``start`` on, prepared by other processes if the recipe says so."""
        return iter(
            DataLoader(
                self,
                batch_size=None,
                sampler=range(start, len(self)),
                num_workers=self._recipe.training.loaders,
                collate_fn=_as_it_is,
            )
        )

    def held_out(self, pooling: PoolingName) -> list[Sample]:
        """All pairs of the held-out documents, whatever is trained on, so that runs can be compared by them."""
        recipe = self._recipe
        if not recipe.validation.every:
            return []
        if recipe.objective.kind == "triplet" and self._spec.one_pass and pooling != "cls":
            recipe = replace(recipe, objective=replace(recipe.objective, kind="one-pass", mlm=0.0))
        sampler = Sampler(recipe, self._spec, self._vocabulary)
        numbers = self.others.tolist()
        documents = [self._corpus[number] for number in numbers]
        return [
            sampler.sample(each, tokenize(self._tokenizer, each.text), (recipe.training.seed, 3, number))
            for number, each in zip(numbers, documents, strict=True)
        ]


def _as_it_is(batches: list[Batch]) -> list[Batch]:
    return batches

"""The batches of each step, for one of the processes: from documents to samples to batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from torch.utils.data import DataLoader, Dataset

from mderank.encoding.base import EncoderSpec, PoolingName
from mderank.encoding.tokenizer import tokenize
from mderank.errors import InputError
from mderank.research.training.losses import Batch, collate
from mderank.research.training.pair_sampling import Sample, Sampler, split_held_out, step_documents
from mderank.research.training.pseudo_labels import LabelledCorpus
from mderank.research.training.recipe import Recipe

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class StepBatches(Dataset[list[Batch]]):
    """The batches of a run: item ``n`` is the list of batches that this process computes in step ``n``.

    Args:
        recipe: All settings.
        corpus: The labelled documents.
        spec: The encoder's.
        tokenizer: The encoder's.
        process: Number of this process.
        processes: Number of processes that train together.

    Attributes:
        documents: The numbers of the documents that are trained on.
        held_out: The numbers of the others.
        steps_per_epoch: Number of steps per epoch.

    Raises:
        InputError: There are too few documents for a batch, or a batch cannot be divided among the processes.
    """

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
        self.documents, self.held_out = split_held_out(settings.seed, len(corpus), recipe.validation.held_out)
        self.steps_per_epoch = len(self.documents) // settings.batch
        if not self.steps_per_epoch:
            raise InputError(
                f"the corpus has {len(corpus)} documents, of which {len(self.held_out)} are held out: too few for a "
                f"batch of {settings.batch} (training.batch, validation.held_out)"
            )
        if settings.batch % processes:
            raise InputError(
                f"a batch of {settings.batch} documents cannot be shared equally by {processes} processes: choose "
                "another training.batch"
            )
        self._steps = settings.steps or settings.epochs * self.steps_per_epoch

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, step: int) -> list[Batch]:
        """Return the batches of a step for this process, documents of similar length together."""
        settings = self._recipe.training
        packed = self._recipe.objective.kind != "triplet"
        samples = [
            self._sample(self._sampler, number, (settings.seed, 2, epoch, number))
            for epoch, number in step_documents(settings.seed, step, settings.batch, self.documents)
        ]
        samples.sort(key=lambda sample: sample.length if packed else len(sample.ids))
        mine = samples[self._process :: self._processes]
        size = settings.device_batch
        return [collate(self._spec, mine[first : first + size], packed=packed) for first in range(0, len(mine), size)]

    def from_step(self, start: int) -> Iterator[list[Batch]]:
        """Iterate over the steps from ``start`` on.

        Args:
            start: The first step, from 0.

        Returns:
            The batches of each step, prepared by other processes if the recipe says so.
        """
        return iter(
            DataLoader(
                self,
                batch_size=None,
                sampler=range(start, len(self)),
                num_workers=self._recipe.training.loaders,
            )
        )

    def held_out_samples(self, pooling: PoolingName) -> list[Sample]:
        """Sample all pairs of the held-out documents, also for triplets, so that runs can be compared.

        Args:
            pooling: The encoder's pooling.

        Returns:
            A sample per document; none if the recipe has no validation.
        """
        recipe = self._recipe
        if not recipe.validation.every:
            return []
        if recipe.objective.kind == "triplet" and self._spec.one_pass and pooling != "cls":
            recipe = replace(recipe, objective=replace(recipe.objective, kind="one-pass", mlm_weight=0.0))
        sampler = Sampler(recipe, self._spec, self._vocabulary)
        return [self._sample(sampler, number, (recipe.training.seed, 3, number)) for number in self.held_out.tolist()]

    def _sample(self, sampler: Sampler, number: int, key: tuple[int, ...]) -> Sample:
        document = self._corpus[number]
        return sampler.sample(document, tokenize(self._tokenizer, document.text), key)

"""The training losses: the paper's triplets or all pairs in one pass, distillation, language model and drift.

A phrase's score is MDERank's own, 1 − cos(E(d), E(d without it)): masking a keyphrase should change the document more
than masking another phrase. The paper's triplet loss is max(sim(d, d⁺) − sim(d, d⁻) + m, 0), which in scores is
max(s⁻ − s⁺ + m, 0). Distillation has no labels: one pass learns the changes that the original encoder has when every
masked variant is encoded separately. Each loss is of one document, so that the division of documents among devices does
not change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from mderank.encoding.base import EncoderInputs, EncoderSpec, PoolingName
from mderank.encoding.padding import pad_sequences
from mderank.research.training.pair_sampling import IGNORED, Sample
from mderank.research.training.settings import ObjectiveSettings
from mderank.util.arrays import Ints

Tensor = torch.Tensor

_TINY = 1e-12  # below any 1 − cos that is not a rounding error


@dataclass(frozen=True)
class Batch:
    """Samples as tensors: ``B`` documents of up to ``N`` tokens, packed sequences of up to ``S`` tokens.

    Attributes:
        ids: Token ids. (B, N)
        attended: 1 where there is a token, 0 at padding. (B, N)
        lengths: Number of tokens of each document.
        rows: Of each document, the rows that each of its m phrases hides.
        better: Of each document, which phrase should rank above which. (m, m)
        mlm_ids: Token ids with some tokens hidden. (B, N)
        mlm_targets: The hidden tokens, IGNORED elsewhere. (B, N)
        packed_ids: In one pass, the packed sequences. (B, S)
        positions: In one pass, their positions. (B, S)
        visible: In one pass, which token sees which. (B, S, S)
        mask_id: Id of the mask token.
    """

    ids: Tensor
    attended: Tensor
    lengths: tuple[int, ...]
    rows: tuple[tuple[Tensor, ...], ...]
    better: tuple[Tensor, ...]
    mlm_ids: Tensor
    mlm_targets: Tensor
    packed_ids: Tensor | None = None
    positions: Tensor | None = None
    visible: Tensor | None = None
    mask_id: int = 0

    def to(self, device: torch.device) -> Batch:
        """Return the batch on another device."""
        moved = {each.name: _move(getattr(self, each.name), device) for each in fields(self)}
        return replace(self, **moved)


def _move(value: Any, device: torch.device) -> Any:
    if isinstance(value, Tensor):
        return value.to(device)
    return tuple(_move(each, device) for each in value) if isinstance(value, tuple) else value


def collate(spec: EncoderSpec, samples: Sequence[Sample], *, packed: bool) -> Batch:
    """Put samples side by side, padded at their end.

    Args:
        spec: The encoder's.
        samples: The samples.
        packed: Whether to pack each document and its masks into one sequence, for one pass.

    Returns:
        The batch.
    """
    lengths = tuple(len(sample.ids) for sample in samples)
    size = max(lengths)
    batch = Batch(
        ids=_pad([sample.ids for sample in samples], size, spec.pad_id),
        attended=_pad([np.ones_like(sample.ids) for sample in samples], size, 0),
        lengths=lengths,
        rows=tuple(tuple(torch.from_numpy(rows) for rows in sample.rows) for sample in samples),
        better=tuple(torch.from_numpy(sample.better) for sample in samples),
        mlm_ids=_pad([sample.mlm_ids for sample in samples], size, spec.pad_id),
        mlm_targets=_pad([sample.mlm_targets for sample in samples], size, IGNORED),
        mask_id=spec.mask_id,
    )
    if not packed:
        return batch
    inputs: EncoderInputs = pad_sequences(spec, samples)
    assert inputs.position_ids is not None
    assert inputs.attention_mask is not None
    return replace(
        batch,
        packed_ids=torch.from_numpy(inputs.input_ids),
        positions=torch.from_numpy(inputs.position_ids),
        visible=torch.from_numpy(inputs.attention_mask),
    )


def _pad(arrays: Sequence[Ints], size: int, value: int) -> Tensor:
    padded = np.full((len(arrays), size), value, dtype=np.int64)
    for row, array in zip(padded, arrays, strict=True):
        row[: len(array)] = array
    return torch.from_numpy(padded)


@dataclass(frozen=True)
class EmbeddedBatch:
    """The embeddings of a batch.

    Attributes:
        documents: The embedding of each document. B × (d,)
        changes: What each mask changes of it. B × (m, d)
        states: The document's hidden states. B × (n, d)
    """

    documents: list[Tensor]
    changes: list[Tensor]
    states: list[Tensor]


# One number per document (B,), by name: the loss and its parts, the share of pairs in the right order (NaN without
# pairs), the number of pairs. A plain dict, because parallel wrappers of torch look for tensors in it.
Losses = dict[str, Tensor]


class Objective(torch.nn.Module):
    """The encoder with its training losses.

    Args:
        settings: The recipe's.
        encoder: The model's body.
        pooling: Pooling of the hidden states.
        head: The whole model with its language model's head, whose body is ``encoder``. For ``mlm_weight``.
        original: A frozen copy of the encoder before training. For ``drift_weight`` and distillation.
    """

    def __init__(
        self,
        settings: ObjectiveSettings,
        encoder: torch.nn.Module,
        *,
        pooling: PoolingName,
        head: torch.nn.Module | None = None,
        original: torch.nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.settings, self.pooling = settings, pooling
        self.encoder = encoder
        self.head = head
        # In a list, so that it is not a submodule: it is neither trained nor saved nor synchronised.
        self._original = [original]

    def forward(self, batch: Batch) -> Losses:
        """Compute the losses of a batch.

        Args:
            batch: The batch.

        Returns:
            Numbers per document: ``loss`` with its parts ``rank``, ``mlm``, ``drift``; ``accuracy`` and ``pairs``.
        """
        ours = self.embeddings(batch)
        original = self._embed_original(batch) if self._distills or self.settings.drift_weight else None
        zero = torch.zeros(len(batch.lengths), device=batch.ids.device)
        rank, shares, pairs = self._rank(batch, ours, original)
        mlm = self._mlm(batch) if self.settings.mlm_weight else zero
        drift = self._drift(ours, original) if self.settings.drift_weight and original is not None else zero
        return {
            "loss": rank + self.settings.mlm_weight * mlm + self.settings.drift_weight * drift,
            "rank": rank.detach(),
            "mlm": mlm.detach(),
            "drift": drift.detach(),
            "accuracy": shares,
            "pairs": pairs,
        }

    def rank(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Compute the ranking or distillation loss alone.

        Args:
            batch: The batch.

        Returns:
            The loss, and the share of pairs in the right order, of each document. (B,)
        """
        losses, shares, _ = self._rank(
            batch, self.embeddings(batch), self._embed_original(batch) if self._distills else None
        )
        return losses, shares

    @property
    def _distills(self) -> bool:
        return self.settings.kind == "distill"

    def _rank(self, batch: Batch, ours: EmbeddedBatch, original: EmbeddedBatch | None) -> tuple[Tensor, Tensor, Tensor]:
        """Return the loss, the share of pairs in the right order, and the number of pairs, of each document."""
        scores = [cosine_distance(*each) for each in zip(ours.documents, ours.changes, strict=True)]
        if self._distills:
            assert original is not None
            targets = [cosine_distance(*each) for each in zip(original.documents, original.changes, strict=True)]
            # The right order is that of the exact form.
            better: Sequence[Tensor] = [target[:, None] > target[None] for target in targets]
            losses = [
                distillation_loss(*each) for each in zip(ours.changes, original.changes, scores, targets, strict=True)
            ]
        else:
            better = batch.better
            losses = [self.ranking(*each) for each in zip(scores, better, strict=True)]
        shares = [pair_accuracy(values.detach(), each) for values, each in zip(scores, better, strict=True)]
        return torch.stack(losses), torch.stack(shares), torch.stack([each.sum() for each in better])

    def ranking(self, scores: Tensor, better: Tensor) -> Tensor:
        """Compute the ranking loss of one document from its scores (m,) and comparisons (m, m)."""
        values = scale_scores(scores, self.settings.scale)
        if self.settings.loss == "hinge":
            return hinge_loss(values, better, self.settings.margin)
        return listwise_loss(values / self.settings.temperature, better)

    def embeddings(self, batch: Batch) -> EmbeddedBatch:
        """Embed the documents and their masked variants by the encoder as it is now.

        Args:
            batch: The batch; one pass is used if it is packed.

        Returns:
            The embeddings.
        """
        return self._packed(batch) if batch.packed_ids is not None else self._exact(batch, self.encoder)

    def _embed_original(self, batch: Batch) -> EmbeddedBatch:
        """Embed the documents by the original encoder, in the exact form; with their masks for distillation only."""
        (original,) = self._original
        assert original is not None
        if not self._distills:
            batch = replace(batch, rows=tuple(() for _ in batch.rows))
        with torch.no_grad():
            return self._exact(batch, original)

    def _packed(self, batch: Batch) -> EmbeddedBatch:
        """Embed in one pass: the masks' tokens stand behind the document."""
        assert batch.visible is not None
        dtype = next(self.encoder.parameters()).dtype
        mask = torch.zeros(batch.visible.shape, dtype=dtype, device=batch.visible.device)
        mask = mask.masked_fill(~batch.visible, torch.finfo(dtype).min)[:, None]
        output = self.encoder(
            input_ids=batch.packed_ids, position_ids=batch.positions, attention_mask=mask
        ).last_hidden_state
        documents, changes, states = [], [], []
        for each, length, rows in zip(output, batch.lengths, batch.rows, strict=True):
            window = _at_least_float32(each[:length])
            sizes = [len(hidden) for hidden in rows]
            masked = torch.split(_at_least_float32(each[length : length + sum(sizes)]), sizes)
            documents.append(_pool(window, self.pooling))
            changes.append(_POOLED_CHANGES[self.pooling](window, rows, masked))
            states.append(window)
        return EmbeddedBatch(documents, changes, states)

    def _exact(self, batch: Batch, encoder: torch.nn.Module) -> EmbeddedBatch:
        """Embed as the paper does: encode the document and every masked variant separately."""
        variants, owners = [], []
        for number, (ids, rows) in enumerate(zip(batch.ids, batch.rows, strict=True)):
            for hidden in rows:
                variants.append(ids.index_fill(0, hidden, batch.mask_id))
                owners.append(number)
        every = torch.cat([batch.ids, torch.stack(variants)]) if variants else batch.ids
        attended = torch.cat([batch.attended, batch.attended[owners]]) if owners else batch.attended
        output = encoder(input_ids=every, attention_mask=attended).last_hidden_state
        count = len(batch.lengths)
        states = [_at_least_float32(each[:length]) for each, length in zip(output, batch.lengths, strict=False)]
        documents = [_pool(each, self.pooling) for each in states]
        masked: list[list[Tensor]] = [[] for _ in states]
        for owner, each in zip(owners, output[count:], strict=True):
            window = _at_least_float32(each[: batch.lengths[owner]])
            if self.pooling == "mean":  # from differences, in which nothing cancels
                masked[owner].append((window - states[owner]).mean(dim=0))
            else:
                masked[owner].append(_pool(window, self.pooling) - documents[owner])
        empty = output.new_zeros((0, output.shape[-1]))
        return EmbeddedBatch(documents, [torch.stack(each) if each else empty for each in masked], states)

    def _mlm(self, batch: Batch) -> Tensor:
        """Compute the language model's loss: the mean over each document's hidden tokens. (B,)"""
        assert self.head is not None
        logits = self.head(input_ids=batch.mlm_ids, attention_mask=batch.attended).logits
        losses = functional.cross_entropy(
            logits.transpose(1, 2).float(), batch.mlm_targets, ignore_index=IGNORED, reduction="none"
        )
        return losses.sum(dim=1) / (batch.mlm_targets != IGNORED).sum(dim=1).clamp(min=1)

    def _drift(self, ours: EmbeddedBatch, original: EmbeddedBatch) -> Tensor:
        """Compute the distance of each document from its embedding by the original encoder. (B,)"""
        far = []
        for number, (document, states) in enumerate(zip(ours.documents, ours.states, strict=True)):
            if self.settings.drift_of == "states":
                then = original.states[number]
                far.append(((states - then) ** 2).sum() / (then**2).sum())
            else:
                reference = original.documents[number]
                far.append(cosine_distance(reference, (document - reference)[None])[0])
        return torch.stack(far)


def cosine_distance(document: Tensor, changes: Tensor) -> Tensor:
    """Compute 1 − cos of a document and its masked variants from the changes, as `ranking.similarity` does.

    Args:
        document: The document's embedding. (d,)
        changes: What each mask changes of it. (m, d)

    Returns:
        The distances. (m,)
    """
    length = document.norm().clamp(min=_TINY)
    direction = document / length
    along = changes @ direction
    across = ((changes - along[:, None] * direction) ** 2).sum(dim=1)  # its square, whose gradient exists at 0
    after = length + along
    hypotenuse = (after**2 + across).clamp(min=_TINY**2).sqrt()
    # For a > 0 nothing cancels in p² / (h · (h + a)); the other form is for embeddings that are turned around.
    positive = after > 0
    return torch.where(
        positive, across / (hypotenuse * (hypotenuse + torch.where(positive, after, 0.0))), 1 - after / hypotenuse
    )


def scale_scores(scores: Tensor, scale: str) -> Tensor:
    """Scale the scores (m,) of a document for the loss, by the recipe's ``objective.scale``."""
    if scale == "log":
        return (scores + _TINY).log()
    if scale == "standard" and len(scores) > 1:
        return (scores - scores.mean()) / (scores.std() + _TINY)
    return scores


def hinge_loss(values: Tensor, better: Tensor, margin: float) -> Tensor:
    """Compute the mean over pairs of max(margin − (s⁺ − s⁻), 0); 0 without any.

    Args:
        values: Scaled scores. (m,)
        better: Which phrase should rank above which. (m, m)
        margin: The margin.

    Returns:
        The loss.
    """
    losses = (margin - (values[:, None] - values[None])).clamp(min=0)
    return torch.where(better, losses, 0.0).sum() / better.sum().clamp(min=1)


def listwise_loss(values: Tensor, better: Tensor) -> Tensor:
    """Compute −log softmax of each phrase among itself and those that it should rank above; the mean over phrases.

    Args:
        values: Scaled scores. (m,)
        better: Which phrase should rank above which. (m, m)

    Returns:
        The loss; 0 without any pair.
    """
    judged = better.any(dim=1)
    if not judged.any():
        return values.sum() * 0
    rivals = better | torch.eye(len(values), dtype=torch.bool, device=values.device)
    shares = torch.where(rivals, values[None], -torch.inf).logsumexp(dim=1) - values
    return shares[judged].mean()


def distillation_loss(changes: Tensor, wanted: Tensor, scores: Tensor, targets: Tensor) -> Tensor:
    """Compare one document's changes and scores in one pass with those of the exact form.

    The loss is the squared error of the changes, relative to their squares, plus the variance of the difference of the
    scores' logarithms: a factor that all scores of a document share does not change their order.

    Args:
        changes: The changes in one pass. (m, d)
        wanted: The changes in the exact form. (m, d)
        scores: The scores in one pass. (m,)
        targets: The scores in the exact form. (m,)

    Returns:
        The loss.
    """
    if not len(scores):
        return changes.sum() * 0
    error = ((changes - wanted) ** 2).sum() / (wanted**2).sum().clamp(min=_TINY)
    ratios = (scores + _TINY).log() - (targets + _TINY).log()
    return error + ((ratios - ratios.mean()) ** 2).mean()


def pair_accuracy(values: Tensor, better: Tensor) -> Tensor:
    """Compute the share of pairs in the right order; ties are half right.

    Args:
        values: Scores. (m,)
        better: Which phrase should rank above which. (m, m)

    Returns:
        The share from 0 to 1; NaN without any pair.
    """
    difference = values[:, None] - values[None]
    right = (difference > 0).float() + 0.5 * (difference == 0).float()
    return torch.where(better, right, 0.0).sum() / better.sum()


def _at_least_float32(states: Tensor) -> Tensor:
    """Convert half precision, in which the change that a mask makes is lost in the sum."""
    return states if states.dtype in (torch.float32, torch.float64) else states.float()


def _pool(states: Tensor, pooling: PoolingName) -> Tensor:
    if pooling == "max":
        return states.max(dim=0).values
    return states[0] if pooling == "cls" else states.mean(dim=0)


def _mean_changes(window: Tensor, rows: Sequence[Tensor], masked: Sequence[Tensor]) -> Tensor:
    """Return E(d_M) − E(d) = Σ (z_t − h_t) / n. (m, d)"""
    changes = window.new_zeros((len(rows), window.shape[1]))
    if not rows:
        return changes
    sizes = torch.tensor([len(hidden) for hidden in rows], device=window.device)
    owners = torch.repeat_interleave(torch.arange(len(rows), device=window.device), sizes)
    difference = torch.cat(list(masked)) - window[torch.cat(list(rows))]
    return changes.index_add(0, owners, difference) / len(window)


def _max_changes(window: Tensor, rows: Sequence[Tensor], masked: Sequence[Tensor]) -> Tensor:
    """Return the change of the maximum over the window without the hidden rows, and over the mask's rows. (m, d)"""
    document = window.max(dim=0).values
    return (
        torch.stack(list(_maxima(window, rows, masked))) - document
        if len(rows)
        else window.new_zeros((0, window.shape[1]))
    )


def _maxima(window: Tensor, rows: Sequence[Tensor], masked: Sequence[Tensor]) -> Iterator[Tensor]:
    for hidden, states in zip(rows, masked, strict=True):
        left = window.index_fill(0, hidden, -torch.inf).max(dim=0).values
        yield torch.maximum(left, states.max(dim=0).values)


_POOLED_CHANGES: dict[str, Callable[[Tensor, Sequence[Tensor], Sequence[Tensor]], Tensor]] = {
    "mean": _mean_changes,
    "max": _max_changes,
}

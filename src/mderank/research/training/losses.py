"""What is minimised: the ranking loss of the paper's triplets or of all pairs in one pass, and what keeps the encoder.

A phrase's score is MDERank's own, 1 − cos(E(d), E(d without it)): masking a keyphrase should change the document more
than masking something else. The paper's triplet loss is max(sim(d, d⁺) − sim(d, d⁻) + m, 0), which in scores is
max(s⁻ − s⁺ + m, 0). Distillation has no labels: one pass learns the changes that the original encoder has when every
masked variant is encoded whole. All losses are of one document each, so that how documents are spread over devices does
not matter.
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
from mderank.research.training.recipe import Objective as Settings
from mderank.util.arrays import Ints

Tensor = torch.Tensor

_TINY = 1e-12  # below any 1 − cos that is not a rounding error


@dataclass(frozen=True)
class Batch:
    """Some samples as tensors: ``B`` documents of up to ``N`` tokens."""

    ids: Tensor  # (B, N)
    attended: Tensor  # (B, N) 1 where there is a token
    lengths: tuple[int, ...]  # tokens of each document
    rows: tuple[tuple[Tensor, ...], ...]  # of each document, the rows that each phrase hides
    better: tuple[Tensor, ...]  # of each document (m, m)
    mlm_ids: Tensor  # (B, N)
    mlm_targets: Tensor  # (B, N)
    packed_ids: Tensor | None = None  # (B, S) one pass: the packed sequences
    positions: Tensor | None = None  # (B, S)
    visible: Tensor | None = None  # (B, S, S)
    mask_id: int = 0

    def to(self, device: torch.device) -> Batch:
        """The same, there."""
        moved = {each.name: _moved(getattr(self, each.name), device) for each in fields(self)}
        return replace(self, **moved)


def _moved(value: Any, device: torch.device) -> Any:
    if isinstance(value, Tensor):
        return value.to(device)
    return tuple(_moved(each, device) for each in value) if isinstance(value, tuple) else value


def collate(spec: EncoderSpec, samples: Sequence[Sample], *, packed: bool) -> Batch:
    """The samples side by side, padded at their end."""
    lengths = tuple(len(sample.ids) for sample in samples)
    size = max(lengths)
    batch = Batch(
        ids=_padded([sample.ids for sample in samples], size, spec.pad_id),
        attended=_padded([np.ones_like(sample.ids) for sample in samples], size, 0),
        lengths=lengths,
        rows=tuple(tuple(torch.from_numpy(rows) for rows in sample.rows) for sample in samples),
        better=tuple(torch.from_numpy(sample.better) for sample in samples),
        mlm_ids=_padded([sample.mlm_ids for sample in samples], size, spec.pad_id),
        mlm_targets=_padded([sample.mlm_targets for sample in samples], size, IGNORED),
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


def _padded(arrays: Sequence[Ints], size: int, value: int) -> Tensor:
    padded = np.full((len(arrays), size), value, dtype=np.int64)
    for row, array in zip(padded, arrays, strict=True):
        row[: len(array)] = array
    return torch.from_numpy(padded)


@dataclass(frozen=True)
class Embedded:
    """The documents of a batch, each by its embedding (d,), its changes under the masks (m, d), its states (n, d)."""

    documents: list[Tensor]
    changes: list[Tensor]
    states: list[Tensor]


# What came out by name, one number a document (B,): the loss and its parts, the share of pairs in the right order (NaN
# where there is none), the number of pairs. A plain dict, since that is what parallel wrappers can look into.
Losses = dict[str, Tensor]


class Objective(torch.nn.Module):
    """The encoder and what is wrong with it.

    ``encoder`` is the model's body; ``head`` is the whole of it with its language model's head, which then has
    ``encoder`` as its body; ``original`` is a frozen copy to stay near to.
    """

    def __init__(
        self,
        settings: Settings,
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
        # Not a part of this module: it is neither trained nor saved, and processes need not tell each other of it.
        self._original = [original]

    def forward(self, batch: Batch) -> Losses:
        """The losses of a batch."""
        ours = self.embeddings(batch)
        original = self._embed_original(batch) if self._distills or self.settings.stay else None
        zero = torch.zeros(len(batch.lengths), device=batch.ids.device)
        rank, shares, pairs = self._rank(batch, ours, original)
        mlm = self._mlm(batch) if self.settings.mlm else zero
        stay = self._stay(ours, original) if self.settings.stay and original is not None else zero
        return {
            "loss": rank + self.settings.mlm * mlm + self.settings.stay * stay,
            "rank": rank.detach(),
            "mlm": mlm.detach(),
            "stay": stay.detach(),
            "accuracy": shares,
            "pairs": pairs,
        }

    def rank(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The loss without what keeps the encoder, and the share of pairs in the right order, of each document. (B,)"""
        losses, shares, _ = self._rank(
            batch, self.embeddings(batch), self._embed_original(batch) if self._distills else None
        )
        return losses, shares

    @property
    def _distills(self) -> bool:
        return self.settings.kind == "distill"

    def _rank(self, batch: Batch, ours: Embedded, original: Embedded | None) -> tuple[Tensor, Tensor, Tensor]:
        """The ranking or distillation loss, the share of pairs in the right order, and the pairs, of each document."""
        scores = [distance(*each) for each in zip(ours.documents, ours.changes, strict=True)]
        if self._distills:
            assert original is not None
            targets = [distance(*each) for each in zip(original.documents, original.changes, strict=True)]
            # The right order is that of the exact form.
            better: Sequence[Tensor] = [target[:, None] > target[None] for target in targets]
            losses = [
                distillation(changes, wanted, some, target)
                for changes, wanted, some, target in zip(ours.changes, original.changes, scores, targets, strict=True)
            ]
        else:
            better = batch.better
            losses = [self.ranking(some, each) for some, each in zip(scores, better, strict=True)]
        shares = [accuracy(some.detach(), each) for some, each in zip(scores, better, strict=True)]
        return torch.stack(losses), torch.stack(shares), torch.stack([each.sum() for each in better])

    def ranking(self, scores: Tensor, better: Tensor) -> Tensor:
        """The ranking loss of one document."""
        values = scaled(scores, self.settings.scale)
        if self.settings.loss == "hinge":
            return hinge(values, better, self.settings.margin)
        return listwise(values / self.settings.temperature, better)

    def embeddings(self, batch: Batch) -> Embedded:
        """The documents, and what the masks change, by the encoder as it is now."""
        return self._packed(batch) if batch.packed_ids is not None else self._exact(batch, self.encoder)

    def _embed_original(self, batch: Batch) -> Embedded:
        """The same by the original encoder, in the exact form; without the masks unless they are learned from."""
        (original,) = self._original
        assert original is not None
        if not self._distills:
            batch = replace(batch, rows=tuple(() for _ in batch.rows))
        with torch.no_grad():
            return self._exact(batch, original)

    def _packed(self, batch: Batch) -> Embedded:
        """One pass: the masks' tokens stand behind the document."""
        assert batch.visible is not None
        dtype = next(self.encoder.parameters()).dtype
        mask = torch.zeros(batch.visible.shape, dtype=dtype, device=batch.visible.device)
        mask = mask.masked_fill(~batch.visible, torch.finfo(dtype).min)[:, None]
        output = self.encoder(
            input_ids=batch.packed_ids, position_ids=batch.positions, attention_mask=mask
        ).last_hidden_state
        documents, changes, states = [], [], []
        for each, length, rows in zip(output, batch.lengths, batch.rows, strict=True):
            window = _exact_enough(each[:length])
            sizes = [len(hidden) for hidden in rows]
            masked = torch.split(_exact_enough(each[length : length + sum(sizes)]), sizes)
            documents.append(_pooled(window, self.pooling))
            changes.append(_POOLED_CHANGES[self.pooling](window, rows, masked))
            states.append(window)
        return Embedded(documents, changes, states)

    def _exact(self, batch: Batch, encoder: torch.nn.Module) -> Embedded:
        """The paper's way: the document and every masked variant encoded whole."""
        variants, owners = [], []
        for number, (ids, rows) in enumerate(zip(batch.ids, batch.rows, strict=True)):
            for hidden in rows:
                variants.append(ids.index_fill(0, hidden, batch.mask_id))
                owners.append(number)
        every = torch.cat([batch.ids, torch.stack(variants)]) if variants else batch.ids
        attended = torch.cat([batch.attended, batch.attended[owners]]) if owners else batch.attended
        output = encoder(input_ids=every, attention_mask=attended).last_hidden_state
        count = len(batch.lengths)
        states = [_exact_enough(each[:length]) for each, length in zip(output, batch.lengths, strict=False)]
        documents = [_pooled(each, self.pooling) for each in states]
        masked: list[list[Tensor]] = [[] for _ in states]
        for owner, each in zip(owners, output[count:], strict=True):
            window = _exact_enough(each[: batch.lengths[owner]])
            if self.pooling == "mean":  # from differences, in which nothing cancels
                masked[owner].append((window - states[owner]).mean(dim=0))
            else:
                masked[owner].append(_pooled(window, self.pooling) - documents[owner])
        empty = output.new_zeros((0, output.shape[-1]))
        return Embedded(documents, [torch.stack(some) if some else empty for some in masked], states)

    def _mlm(self, batch: Batch) -> Tensor:
        """The language model's loss: of each document the mean over the tokens to guess. (B,)"""
        assert self.head is not None
        logits = self.head(input_ids=batch.mlm_ids, attention_mask=batch.attended).logits
        losses = functional.cross_entropy(
            logits.transpose(1, 2).float(), batch.mlm_targets, ignore_index=IGNORED, reduction="none"
        )
        return losses.sum(dim=1) / (batch.mlm_targets != IGNORED).sum(dim=1).clamp(min=1)

    def _stay(self, ours: Embedded, original: Embedded) -> Tensor:
        """How far each document is from where the original encoder has it. (B,)"""
        far = []
        for number, (document, states) in enumerate(zip(ours.documents, ours.states, strict=True)):
            if self.settings.stay_to == "states":
                then = original.states[number]
                far.append(((states - then) ** 2).sum() / (then**2).sum())
            else:
                reference = original.documents[number]
                far.append(distance(reference, (document - reference)[None])[0])
        return torch.stack(far)


def distance(document: Tensor, changes: Tensor) -> Tensor:
    """1 − cos of ``document`` (d,) and ``document + changes`` (m, d), from the changes (see `ranking.similarity`)."""
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


def scaled(scores: Tensor, scale: str) -> Tensor:
    """The scores (m,) as the loss compares them."""
    if scale == "log":
        return (scores + _TINY).log()
    if scale == "standard" and len(scores) > 1:
        return (scores - scores.mean()) / (scores.std() + _TINY)
    return scores


def hinge(values: Tensor, better: Tensor, margin: float) -> Tensor:
    """The mean over pairs of max(margin − (s⁺ − s⁻), 0); 0 without any."""
    losses = (margin - (values[:, None] - values[None])).clamp(min=0)
    return torch.where(better, losses, 0.0).sum() / better.sum().clamp(min=1)


def listwise(values: Tensor, better: Tensor) -> Tensor:
    """−log of each phrase's share among itself and those that it should be above; the mean over such phrases."""
    judged = better.any(dim=1)
    if not judged.any():
        return values.sum() * 0
    rivals = better | torch.eye(len(values), dtype=torch.bool, device=values.device)
    shares = torch.where(rivals, values[None], -torch.inf).logsumexp(dim=1) - values
    return shares[judged].mean()


def distillation(changes: Tensor, wanted: Tensor, scores: Tensor, targets: Tensor) -> Tensor:
    """How far one document's changes (m, d) and scores (m,) are from those of the exact form.

    The squared error of the changes, relative to their squares, plus the variance of the difference of the scores'
    logarithms: a factor that all scores of a document have in common does not change their order.
    """
    if not len(scores):
        return changes.sum() * 0
    error = ((changes - wanted) ** 2).sum() / (wanted**2).sum().clamp(min=_TINY)
    ratios = (scores + _TINY).log() - (targets + _TINY).log()
    return error + ((ratios - ratios.mean()) ** 2).mean()


def accuracy(values: Tensor, better: Tensor) -> Tensor:
    """The share of pairs in the right order; ties are half right. NaN without any."""
    difference = values[:, None] - values[None]
    right = (difference > 0).float() + 0.5 * (difference == 0).float()
    return torch.where(better, right, 0.0).sum() / better.sum()


def _exact_enough(states: Tensor) -> Tensor:
    """In half precision the change that a mask makes is lost in the sum."""
    return states if states.dtype in (torch.float32, torch.float64) else states.float()


def _pooled(states: Tensor, pooling: PoolingName) -> Tensor:
    if pooling == "max":
        return states.max(dim=0).values
    return states[0] if pooling == "cls" else states.mean(dim=0)


def _mean_changes(window: Tensor, rows: Sequence[Tensor], masked: Sequence[Tensor]) -> Tensor:
    """E(d_M) − E(d) = Σ (z_t − h_t) / n. (m, d)"""
    changes = window.new_zeros((len(rows), window.shape[1]))
    if not rows:
        return changes
    sizes = torch.tensor([len(hidden) for hidden in rows], device=window.device)
    owners = torch.repeat_interleave(torch.arange(len(rows), device=window.device), sizes)
    difference = torch.cat(list(masked)) - window[torch.cat(list(rows))]
    return changes.index_add(0, owners, difference) / len(window)


def _max_changes(window: Tensor, rows: Sequence[Tensor], masked: Sequence[Tensor]) -> Tensor:
    """The maximum over the window without the hidden rows, and over the mask's. (m, d)"""
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

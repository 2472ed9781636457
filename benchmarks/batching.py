"""How sequences are put together: the settings of `mderank.encoding.one_pass`, and two ways to fill a batch.

A batch of B sequences of about equal length, padded to the longest, or one long sequence in which every document with
its masks is a further block: the second has no padding, but every token's attention is computed against all of them.
The texts are those set aside for tuning; times are of the encoder, relative to the settings that the package has.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from common import (
    Figure,
    abstracts,
    alternate,
    cut_to,
    light_python,
    main,
    one_pass,
    papers,
    peak_memory,
    records,
    requests,
    tag,
)
from mderank.candidates import NGrams
from mderank.encoding import Encoder, EncoderInputs, EncoderSpec, Request, TokenizedText, load_encoder
from mderank.encoding import one_pass as packing
from mderank.util.arrays import Floats

PAPERS = "tuning/krapivin_valid200.jsonl.gz"
ABSTRACTS = "tuning/inspec_dev.jsonl"


@dataclass(frozen=True)
class Setting:
    """Tokens computed at once, and tokens of the longest sequence."""

    batch: int
    longest: int

    def __str__(self) -> str:
        return f"BATCH_TOKENS {self.batch}, MAX_SEQUENCE_TOKENS {self.longest}"

    @property
    def code(self) -> str:
        return f"packing.BATCH_TOKENS, packing.MAX_SEQUENCE_TOKENS = {self.batch}, {self.longest}"


AS_IT_IS = Setting(packing.BATCH_TOKENS, packing.MAX_SEQUENCE_TOKENS)
BATCHES = (1, 320, 640, 1280, 2560)  # 1: every sequence by itself
LONGEST = (768, 1024, 1280, 2048, 4096)


@dataclass(frozen=True)
class OneSequence:
    """An encoder that computes a batch as blocks of one sequence."""

    encoder: Encoder

    @property
    def spec(self) -> EncoderSpec:
        return self.encoder.spec

    def tokenize(self, text: str) -> TokenizedText:
        return self.encoder.tokenize(text)

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        assert inputs.position_ids is not None
        assert inputs.attention_mask is not None
        used = inputs.attention_mask.any(axis=2)  # (B, S) without padding
        lengths = used.sum(axis=1).tolist()
        visible = np.zeros((1, sum(lengths), sum(lengths)), dtype=np.bool_)
        start = 0
        for block, length in zip(inputs.attention_mask, lengths, strict=True):
            visible[0, start : start + length, start : start + length] = block[:length, :length]
            start += length
        joined = EncoderInputs(inputs.input_ids[used][None], inputs.position_ids[used][None], visible)
        states = np.zeros((*inputs.input_ids.shape, self.spec.dimension), dtype=np.float32)
        states[used] = self.encoder.hidden_states(joined, layer)[0]
        return states


def under(setting: Setting, work: Callable[[], None]) -> None:
    packing.BATCH_TOKENS, packing.MAX_SEQUENCE_TOKENS = setting.batch, setting.longest
    try:
        work()
    finally:
        packing.BATCH_TOKENS, packing.MAX_SEQUENCE_TOKENS = AS_IT_IS.batch, AS_IT_IS.longest


def relative(sides: Sequence[Callable[[], None]], rounds: int) -> list[float]:
    """Each side's time to the first one's, of each the least disturbed round."""
    seconds = [min(side) for side in alternate([lambda _, side=side: side() for side in sides], 1, rounds)]
    return [side / seconds[0] for side in seconds]


def measure(quick: bool) -> Iterator[Figure]:
    encoder, rounds = load_encoder(), 2 if quick else 5
    texts = [each["text"] for each in records(PAPERS)]
    kinds = {
        "abstracts": requests(encoder, tag(abstracts(24, ABSTRACTS))),
        "512 words": requests(encoder, tag(cut_to(512, texts[:4]))),
        "2,000 words": requests(encoder, tag(cut_to(2000, texts[:1]))),
    }
    ngrams = {"512 words, all n-grams": requests(encoder, tag(cut_to(512, texts[:1])), candidates=NGrams(1, 3))}
    paper, page = papers(1, name=PAPERS)[0], cut_to(512, texts)[0]
    batches = [Setting(batch, AS_IT_IS.longest) for batch in BATCHES]
    longest = [Setting(AS_IT_IS.batch, length) for length in LONGEST]
    yield from _settings(encoder, kinds, batches, rounds, lambda s: peak_memory(light_python(), paper, s.code))
    yield from _settings(
        encoder, ngrams, longest, rounds, lambda s: peak_memory(light_python(), page, s.code, "candidates=NGrams(1, 3)")
    )
    yield from _layouts(encoder, kinds, rounds)


def _settings(
    encoder: Encoder,
    kinds: dict[str, list[Request]],
    settings: Sequence[Setting],
    rounds: int,
    memory: Callable[[Setting], float],
) -> Iterator[Figure]:
    times = [
        relative([partial(under, each, partial(one_pass, encoder, work)) for each in (AS_IT_IS, *settings)], rounds)
        for work in kinds.values()
    ]
    for setting, each in zip(settings, list(zip(*times, strict=True))[1:], strict=True):
        parts = ", ".join(f"{kind} {value:.2f}" for kind, value in zip(kinds, each, strict=True))
        what = f"encoder time with {setting}{' (as it is)' if setting == AS_IT_IS else ''}"
        detail = f"{parts}; peak memory {memory(setting):.0f} MB"
        yield Figure(what, statistics.geometric_mean(each), "×", detail)


def _layouts(encoder: Encoder, kinds: dict[str, list[Request]], rounds: int) -> Iterator[Figure]:
    sizes = (640, 1280)
    joined = OneSequence(encoder)
    for kind, work in list(kinds.items())[:2]:
        sides = [partial(one_pass, encoder, work)]
        sides += [partial(under, Setting(size, AS_IT_IS.longest), partial(one_pass, joined, work)) for size in sizes]
        for size, value in zip(sizes, relative(sides, rounds)[1:], strict=True):
            what = f"{kind} as blocks of one sequence of up to {size} tokens, against batches"
            yield Figure(what, value, "×", f"time to that of batches of {AS_IT_IS.batch} tokens")


if __name__ == "__main__":
    main(measure, __doc__)

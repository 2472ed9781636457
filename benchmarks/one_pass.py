"""Encoder time: one pass against the exact form, and against the way of the paper's own code.

All sides have the same weights, the same documents and the same candidates. One pass is the bundled model on ONNX
Runtime, as `MDERank` runs it. Exact is the float32 original on torch, every masked variant in batches of 4096 tokens
without padding, of a text in several windows only those that hold the candidate. The paper's way reads the first 512
pieces, pads every variant to 512, and encodes one at a time, beside each of them the original document again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from common import Figure, abstracts, alternate, blocks, exact, main, model_folder, news, one_pass, ratio, requests, tag
from mderank.encoding import Request, load_encoder
from mderank.encoding.torch import TorchEncoder

PADDED = 512  # pieces of every sequence of the paper's code

Side = Callable[[Sequence[Request]], None]


def the_papers_way(encoder: TorchEncoder, request: Request) -> None:
    """Encode every masked variant and, each time, the document, padded, one by one."""
    import torch

    spec, pieces = encoder.spec, request.tokenized
    ids = torch.full((1, PADDED), spec.pad_id)
    length = len(pieces) + len(spec.prefix) + len(spec.suffix)
    ids[0, :length] = torch.from_numpy(np.concatenate([spec.prefix, pieces.ids, spec.suffix]).astype(np.int64))
    attended = torch.zeros((1, PADDED), dtype=torch.int64)
    attended[0, :length] = 1
    for mask in request.masks:
        masked = ids.clone()
        for span in mask:
            touched = np.flatnonzero((pieces.ends > span.start) & (pieces.starts < span.end))
            masked[0, touched + len(spec.prefix)] = spec.mask_id
        with torch.inference_mode():
            for each in (masked, ids):
                encoder.module(input_ids=each, attention_mask=attended).last_hidden_state.mean(dim=1)


def measure(quick: bool) -> Iterator[Figure]:
    ours, original = load_encoder(), TorchEncoder(str(model_folder()), device="cpu")
    short = tag(abstracts(10 if quick else 100))
    long = tag(news(5 if quick else 30))
    few = [requests(ours, documents[:: len(documents) // 5], PADDED) for documents in (short, long)]
    one_pass(ours, few[0])
    exact(original, few[0][:1])

    def compare(what: str, slow: Side, work: Sequence[Request], size: int, target: float | None = None) -> Figure:
        """Turns every ``size`` documents, in five parts."""
        sides = [slow, lambda block: one_pass(ours, block)]
        seconds: list[list[float]] = [[], []]
        for part in blocks(work, len(work) // 5):
            turns = blocks(part, size)
            each = alternate(
                [lambda number, side=side: side(turns[number]) for side in sides],  # noqa: B023
                len(turns),
                1,
                warm_up=False,
            )
            for side, (total,) in zip(seconds, each, strict=True):
                side.append(total)
        return ratio(what, *seconds, len(work), parts=True, note=f"turns every {size}", at_least=target)

    def by_exact(block: Sequence[Request]) -> None:
        exact(original, block)

    def by_paper(block: Sequence[Request]) -> None:
        the_papers_way(original, block[0])

    yield compare("one pass against exact, abstracts", by_exact, requests(ours, short), 10, 10)
    yield compare("one pass against exact, 512 words", by_exact, requests(ours, long), 3, 40)
    cut = requests(ours, long, PADDED)
    yield compare("one pass against exact, 512 words, of them 512 pieces as the paper reads", by_exact, cut, 3, 40)
    yield compare("one pass against the paper's way, abstracts", by_paper, few[0], 1, 150)
    yield compare("one pass against the paper's way, 512 words", by_paper, few[1], 1, 100)


if __name__ == "__main__":
    main(measure, __doc__)

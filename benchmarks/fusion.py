"""What `FusionRank` costs against plain MDERank in one pass: the same texts, the same encoder, end to end.

Both tag, find candidates, encode, rank; FusionRank also embeds each candidate by itself in the same pass, and has a few
more candidates. Times are of the processor on one thread, so that a busy machine does not matter.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from common import Figure, abstracts, alternate, blocks, main, news, papers, ratio
from mderank import FusionRank, MDERank, load_encoder

BLOCK = 10
AT_MOST = 1.5


def measure(quick: bool) -> Iterator[Figure]:
    encoder = load_encoder("minilm-l6", threads=1)
    fusion, plain = FusionRank(encoder), MDERank(encoder)
    kinds = {
        "abstracts": abstracts(10 if quick else 100),
        "512 words": news(5 if quick else 30),
        "papers of 8,000 words": papers(1),
    }
    for kind, texts in kinds.items():
        parts = blocks(texts, BLOCK)
        slow, fast = alternate(
            [
                lambda number, parts=parts: list(fusion.extract_many(parts[number])),
                lambda number, parts=parts: list(plain.extract_many(parts[number])),
            ],
            len(parts),
            1 if quick else 3,
            clock=time.process_time,
        )
        yield ratio(f"fusion against MDERank, {kind}", slow, fast, len(texts), at_most=AT_MOST)


if __name__ == "__main__":
    main(measure, __doc__)

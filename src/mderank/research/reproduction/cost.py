"""How long a run will take, roughly: from the words to be read and the time that the encoder takes for a token.

The factors were fitted by eye to runs on the six sets; a finished run like it is a better guess, and is preferred.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from mderank.encoding import Encoder, EncoderInputs
from mderank.research.reproduction.shelf import Kept
from mderank.research.reproduction.wanted import Wanted

PIECES = 1.3  # word pieces a word
CANDIDATES = 0.18  # candidates a word
TAGGING = 8e-5  # seconds a word
GRAPH = 4e-5  # seconds a word for methods without an encoder
# Tokens that go through the encoder, for each word piece that is read.
TOKENS = {"mderank": 2.2, "embedrank": 1.8, "sifrank": 1.5}
CUT = 512  # words, and pieces, that the paper reads


def estimate(wanted: Wanted, lengths: Sequence[int], seconds_per_token: float) -> float:
    """Seconds for a run over documents of so many words."""
    words_read = int(wanted.option("--max-words") or CUT)
    pieces_read = int(wanted.option("--max-tokens") or CUT)
    return sum(_document(wanted, min(words, words_read), pieces_read, seconds_per_token) for words in lengths)


def scaled(wanted: Wanted, lengths: Sequence[int], kept: Kept) -> float:
    """Seconds for a run, by what another took on the same set that read more or less of it, or masked otherwise."""
    names = {"max_words": "--max-words", "max_tokens": "--max-tokens", "masking": "--masking"}
    given = [(names[name], str(value)) for name in names if (value := kept.settings.get(name)) is not None]
    exact = ("--exact",) if wanted.exact else ()
    other = Wanted(wanted.dataset, wanted.method, (*(each for pair in given for each in pair), *exact))
    ratio = estimate(wanted, lengths, 1.0) / max(1e-9, estimate(other, lengths, 1.0))
    return kept.seconds * len(lengths) * ratio


def _document(wanted: Wanted, words: int, pieces_read: int, seconds_per_token: float) -> float:
    reading = TAGGING * words
    if wanted.method not in TOKENS:
        return reading + GRAPH * words
    pieces = min(PIECES * words, pieces_read)
    if not wanted.exact:
        return reading + TOKENS[wanted.method] * pieces * seconds_per_token
    # Every variant is encoded whole; where only one occurrence is hidden at a time there are twice as many.
    variants = 1 + CANDIDATES * words * (2 if wanted.option("--masking") == "highest" else 1)
    return reading + variants * pieces * seconds_per_token


def seconds_per_token(encoder: Encoder) -> float:
    """The time that an encoder takes for a token, measured on one text of moderate length.

    Where others are at work too, the time that passes says little: the processor's own time is then the better guess.
    """
    size = min(256, encoder.spec.max_length)
    ids = np.full((1, size), encoder.spec.mask_id, dtype=np.int64)
    times = []
    for _ in range(3):  # the first call may still load or compile something
        starts = time.perf_counter(), time.process_time()
        encoder.hidden_states(EncoderInputs(ids), encoder.spec.layers)
        times += [time.perf_counter() - starts[0], time.process_time() - starts[1]]
    return max(min(times), 1e-9) / size

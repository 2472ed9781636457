"""Extractors that the parts of a program share: one for equal options, used by one thread at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from threading import Lock

from mderank.document import AnyText
from mderank.factory import build_extractor
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.options import Options


class SharedExtractor:
    """An extractor that several threads may call. Taggers are not made for that, hence the lock.

    Args:
        extractor: The extractor.
    """

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor
        self._lock = Lock()

    def extract(
        self,
        text: AnyText,
        top_k: int | None = 10,
        *,
        seeds: Sequence[str] | None = None,
        seed_weight: float | None = None,
    ) -> Keyphrases:
        """Extract the keyphrases of one text, as `Extractor.extract` does.

        Args:
            text: The text.
            top_k: Number of keyphrases; None returns all.
            seeds: Phrases that pull the ranking towards a topic.
            seed_weight: How much they count.

        Returns:
            The keyphrases, the best first.

        Raises:
            InputError: If the text cannot be read.
        """
        with self._lock:
            return self._extractor.extract(text, top_k, seeds=seeds, seed_weight=seed_weight)

    def extract_many(
        self,
        texts: Iterable[AnyText],
        top_k: int | None = 10,
        *,
        seeds: Sequence[str] | Iterable[Sequence[str] | None] | None = None,
        seed_weight: float | None = None,
    ) -> Iterator[Keyphrases]:
        """Extract the keyphrases of texts, all of them before the first is returned.

        Args:
            texts: The texts.
            top_k: Number of keyphrases per text; None returns all.
            seeds: Phrases that pull the ranking towards a topic: the same for all texts, or some for each.
            seed_weight: How much they count.

        Returns:
            An iterator over the keyphrases of each text, in order. A text that fails has its error in
            ``Keyphrases.error``.
        """
        with self._lock:
            return iter(list(self._extractor.extract_many(texts, top_k, seeds=seeds, seed_weight=seed_weight)))


def shared_extractor(options: Options) -> SharedExtractor:
    """Return the extractor for some options. It is built at the first call with equal options.

    Args:
        options: The options. ``top_k`` makes no difference.

    Returns:
        The extractor; the last four are kept.

    Raises:
        OptionError: If the method is unknown or does not take an option.
        ModelError: If the encoder cannot be loaded.
    """
    return _build(json.dumps({**options.to_dict(), "top_k": None}, sort_keys=True))


@lru_cache(maxsize=4)
def _build(options: str) -> SharedExtractor:
    return SharedExtractor(build_extractor(Options.from_dict(json.loads(options))))

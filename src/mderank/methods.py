"""Every method by its name: one line each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from mderank.errors import OptionError
from mderank.extractor import Extractor

COMMON = ("tagger", "candidates", "dedupe", "min_score", "max_words", "exclude")
ENCODER = (*COMMON, "diversity", "model", "pooling", "layer", "similarity", "exact", "max_pieces")


@dataclass(frozen=True)
class Method:
    """A method, where it is, and the options that it takes."""

    name: str
    home: str
    summary: str
    options: tuple[str, ...] = COMMON
    kind: Literal["embedding", "statistics", "floor"] = "statistics"

    def make(self, **options: Any) -> Extractor:
        """The extractor with these options; an option that it does not take is refused."""
        unknown = [name for name in options if name not in self.options]
        if unknown:
            raise OptionError(
                f"the method '{self.name}' does not take {', '.join(unknown)}; it takes {', '.join(self.options)}"
            )
        module, _, name = self.home.partition(":")
        extractor: Extractor = getattr(import_module(module), name)(**options)
        return extractor


METHODS = {
    method.name: method
    for method in (
        Method("mderank", "mderank.pipeline:MDERank", "masked document embeddings (the paper's method)",
               (*ENCODER, "masking"), "embedding"),
        Method("embedrank", "mderank.baselines:EmbedRank", "phrase and document embeddings compared",
               ENCODER, "embedding"),
        Method("tfidf", "mderank.baselines:TfIdf", "frequent here, rare in a corpus", (*COMMON, "frequencies")),
        Method("firstphrases", "mderank.baselines:FirstPhrases", "in the order of the text", kind="floor"),
        Method("random", "mderank.baselines:Random", "in no order", (*COMMON, "seed"), "floor"),
    )
}  # fmt: skip


def get_method(name: str) -> Method:
    """The method of that name."""
    try:
        return METHODS[name]
    except KeyError:
        raise OptionError(f"unknown method '{name}': it is one of {', '.join(METHODS)}") from None

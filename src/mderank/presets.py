"""Named sets of options. Preset ``paper``: MDERank as its paper and the authors' code run it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mderank.options import Options

# Zhang et al. (2022), sections 3 and 4, and the authors' code. docs/paper.md says what is not reproduced.
PAPER = Options(
    method="mderank",
    model="bert-base-uncased",
    exact=True,  # every masked document is encoded
    masking="all",  # all occurrences of a candidate at once
    pooling="max",
    layer=None,  # the last
    similarity="cosine",
    max_words=512,  # of the text, between white space
    max_tokens=512,  # of these words, with [CLS] and [SEP]
    max_phrase_words=0,  # candidates of any length
    dedupe="case",  # by the lower-case form, not by variants
    tokenizer="spacy",  # words as the Penn treebank has them, nearest to CoreNLP's
)

PRESETS: Mapping[str, Options] = MappingProxyType({"paper": PAPER})

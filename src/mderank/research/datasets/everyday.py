"""Everyday documents, for development: phrases that a reader would accept, and phrases that none would."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo

INFO = DatasetInfo(
    name="everyday",
    description="Documents of everyday kinds, such as e-mails, recipes and minutes. Each has phrases that a reader "
    "would accept as keyphrases, and phrases that none would.",
    citation="Part of mderank.",
    terms="Apache-2.0, as mderank.",
    split="for development",
    packaged=True,
)

"""Everyday documents, held out: for a last run, after all decisions."""

from __future__ import annotations

from mderank.research.datasets.base import DatasetInfo

INFO = DatasetInfo(
    name="everyday_held_out",
    description="Further everyday documents, judged as those of everyday. No decision may rest on them.",
    citation="Part of mderank.",
    terms="Apache-2.0, as mderank.",
    split="held out",
    packaged=True,
)

"""The sets known by name: the six of the paper's Table 2, SemEval2010 in full text, and everyday documents."""

from __future__ import annotations

from mderank.research.datasets import (
    duc2001,
    everyday,
    everyday_held_out,
    inspec,
    krapivin,
    nus,
    semeval2010,
    semeval2010_full,
    semeval2017,
)
from mderank.research.datasets.base import DatasetInfo

# In the order of the paper's main table; those that come with mderank last.
DATASETS: dict[str, DatasetInfo] = {
    module.INFO.name: module.INFO
    for module in (
        inspec,
        semeval2017,
        semeval2010,
        duc2001,
        krapivin,
        nus,
        semeval2010_full,
        everyday,
        everyday_held_out,
    )
}

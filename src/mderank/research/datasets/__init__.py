"""Labelled sets: what is known of each, reading them, and counting what is in them."""

from mderank.research.datasets.base import (
    Dataset,
    DatasetInfo,
    LabelledDocument,
    PaperInput,
    PaperStatistics,
    paper_text,
    whole_text,
)
from mderank.research.datasets.loading import DATA_DIR_VARIABLE, available, load_dataset
from mderank.research.datasets.registry import DATASETS
from mderank.research.datasets.statistics import Statistics, ceiling, statistics

__all__ = [
    "DATASETS",
    "DATA_DIR_VARIABLE",
    "Dataset",
    "DatasetInfo",
    "LabelledDocument",
    "PaperInput",
    "PaperStatistics",
    "Statistics",
    "available",
    "ceiling",
    "load_dataset",
    "paper_text",
    "statistics",
    "whole_text",
]

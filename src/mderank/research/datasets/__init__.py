"""Labelled datasets: descriptions, loading, importing and statistics."""

from mderank.research.datasets.base import (
    Dataset,
    DatasetInfo,
    LabelledDocument,
    PaperInput,
    PaperStatistics,
    full_text,
    paper_text,
)
from mderank.research.datasets.loading import DATA_DIR_VARIABLE, DATASETS, PAPER_DATASETS, available, load_dataset
from mderank.research.datasets.statistics import Statistics, candidate_recall, statistics

__all__ = [
    "DATASETS",
    "DATA_DIR_VARIABLE",
    "PAPER_DATASETS",
    "Dataset",
    "DatasetInfo",
    "LabelledDocument",
    "PaperInput",
    "PaperStatistics",
    "Statistics",
    "available",
    "candidate_recall",
    "full_text",
    "load_dataset",
    "paper_text",
    "statistics",
]

"""Datasets, evaluation, reports, the paper's tables and training. The library never imports it."""

"""Evaluation of extractors on labelled datasets: runs, protocols, measures, significance."""

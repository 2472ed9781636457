"""Measuring extractors on labelled sets: data sets, protocols, measures, significance, runs."""

"""Learning styles from labelled documents."""

from __future__ import annotations

from mderank.research.tuning.learn import StyleReport, learn_from_documents, learn_style

__all__ = ["StyleReport", "learn_from_documents", "learn_style"]

"""What was measured beside what the paper prints: as Markdown, LaTeX, CSV and one page."""

from __future__ import annotations

from mderank.research.reproduction.report.build import Report, Section, build
from mderank.research.reproduction.report.csv import as_csv, claims_as_csv
from mderank.research.reproduction.report.html import page
from mderank.research.reproduction.report.latex import as_latex
from mderank.research.reproduction.report.markdown import as_markdown

__all__ = ["Report", "Section", "as_csv", "as_latex", "as_markdown", "build", "claims_as_csv", "page"]

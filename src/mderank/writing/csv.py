"""CSV: one keyphrase per row, for spreadsheets."""

from __future__ import annotations

import csv

from mderank.keyphrase import Keyphrase
from mderank.util.format import format_number, round_number
from mderank.writing.base import DocumentResult, Writer, format_spans
from mderank.writing.explanation import Explainer, Explanation

COLUMNS = ("document", "rank", "keyphrase", "score", "raw_score", "count", "spans", "error")
EXPLAINING = (
    "contributions",
    "features",
    "masked_similarity",
    "lines",
    "confidence",
    "related",
)  # similarity=0.6 mask_effect=0.4; 3:14 for line and column; phrases with "; " between them


class CsvWriter(Writer):
    """Writes a header, then one row per keyphrase. A document that failed has one row with its error."""

    def begin(self) -> None:
        self._csv = csv.writer(self.stream, lineterminator="\n")
        self._csv.writerow((*COLUMNS, *(EXPLAINING if self.explain else ())))

    def write(self, result: DocumentResult) -> None:
        if result.keyphrases.error:
            empty = [""] * (len(EXPLAINING) if self.explain else 0)
            self._csv.writerow([result.id, "", "", "", "", "", "", str(result.keyphrases.error), *empty])
        explainer = Explainer(result.text) if self.explain else None
        for number, each in enumerate(result.keyphrases, start=1):
            scores = (round_number(each.score), round_number(each.raw_score))
            why = (
                (*_format_explanation(explainer.explain(each)), _format_confidence(each), "; ".join(each.related))
                if explainer
                else ()
            )
            self._csv.writerow([result.id, number, each.text, *scores, len(each.spans), format_spans(each), "", *why])


def _format_explanation(why: Explanation) -> tuple[str | float, ...]:
    return (
        " ".join(f"{name}={format_number(value)}" for name, value in why.contributions.items()),
        " ".join(f"{name}={format_number(value)}" for name, value in why.features.items()),
        "" if why.masked_similarity is None else round_number(why.masked_similarity),
        " ".join(f"{each.line}:{each.column}" for each in why.occurrences),
    )


def _format_confidence(keyphrase: Keyphrase) -> str | float:
    return "" if keyphrase.confidence is None else round_number(keyphrase.confidence)

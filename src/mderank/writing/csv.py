"""CSV: one keyphrase a row, for spreadsheets."""

from __future__ import annotations

import csv

from mderank.writing.base import Result, Writer, places, shown

COLUMNS = ("document", "rank", "keyphrase", "score", "similarity", "count", "spans", "error")


class CsvWriter(Writer):
    """A header, then a row for each keyphrase; a document that failed has one row with its error."""

    def begin(self) -> None:
        self._csv = csv.writer(self.stream, lineterminator="\n")
        self._csv.writerow(COLUMNS)

    def write(self, result: Result) -> None:
        if result.keyphrases.error:
            self._csv.writerow([result.id, "", "", "", "", "", "", str(result.keyphrases.error)])
        for number, each in enumerate(result.keyphrases, start=1):
            scores = (shown(each.score), shown(each.similarity))
            self._csv.writerow([result.id, number, each.text, *scores, len(each.spans), places(each), ""])

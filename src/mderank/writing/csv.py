"""CSV: one keyphrase per row, for spreadsheets.

A spreadsheet runs a cell that begins with =, +, -, @, a tab or a line break as a formula, and ids and texts come from
anybody. Such a cell of text gets an apostrophe before it. Cells of numbers stay numbers. `unescape_cell` takes the
apostrophe away, so that every text reads back as it was.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import TextIO

from mderank.errors import OptionError
from mderank.keyphrase import LanguageInfo
from mderank.row_columns import carried_cells
from mderank.util.format import format_number, round_number
from mderank.writing.base import DocumentResult, Writer, format_spans
from mderank.writing.explanation import Explainer, Explanation

COLUMNS = ("document", "rank", "keyphrase", "score", "raw_score", "confidence", "count", "spans", "error", "language",
           "warnings", "key", "concept_id", "concept_label")  # fmt: skip
EXPLAINING = (
    "contributions",
    "features",
    "masked_similarity",
    "lines",
    "related",
    "language_certainty",
    "tagger",
    "encoder",
)  # similarity=0.6 mask_effect=0.4; 3:14 for line and column; phrases with "; " between them


# Full-width forms of the four characters count too: some spreadsheets take them for the same.
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def escape_cell(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    >>> escape_cell("=1+1"), escape_cell("tidal marsh")
    ("'=1+1", 'tidal marsh')

    Args:
        text: The text of a cell.

    Returns:
        The text, or the text with an apostrophe before it.
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_cell(cell: str) -> str:
    """Return the text that `escape_cell` was given.

    >>> unescape_cell("'=1+1"), unescape_cell("'tis")
    ('=1+1', "'tis")

    Args:
        cell: The content of a cell, as a CSV reader gives it.

    Returns:
        The text.
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


class CsvWriter(Writer):
    """Writes a header, then one row per keyphrase. A document that failed has one row with its error.

    Carried fields of a document are in each of its rows. The arguments are those of `Writer`.

    Raises:
        OptionError: a carried field has the name of another column.
    """

    def __init__(
        self, stream: TextIO, *, color: bool = False, explain: bool = False, carried: Sequence[str] = ()
    ) -> None:
        super().__init__(stream, color=color, explain=explain, carried=carried)
        self._columns = (*COLUMNS, *(EXPLAINING if explain else ()))
        for name in carried:
            if name in self._columns:
                raise OptionError(f"carry '{name}': CSV has a column of this name: give another, {name}=NAME")

    def begin(self) -> None:
        self._csv = csv.writer(_LineFeeds(self.stream))
        self._writerow((*self._columns, *self.carried))

    def write(self, result: DocumentResult) -> None:
        carried = [cell or "" for cell in carried_cells(result.carried or {}, self.carried)]
        if result.keyphrases.error:
            empty = [""] * (len(EXPLAINING) if self.explain else 0)
            self._writerow([result.id, *[""] * 7, str(result.keyphrases.error), *[""] * 5, *empty, *carried])
        language = result.keyphrases.language or LanguageInfo("")
        explainer = Explainer(result.text) if self.explain else None
        for number, each in enumerate(result.keyphrases, start=1):
            scores = (round_number(each.score), round_number(each.raw_score), _format_number(each.confidence))
            why = (
                (
                    *_format_explanation(explainer.explain(each)),
                    "; ".join(each.related),
                    _format_number(language.certainty),
                    language.tagger,
                    language.encoder or "",
                )
                if explainer
                else ()
            )
            concept = (each.concept.id, each.concept.label) if each.concept else ("", "")
            read_as = (language.code, "; ".join(language.warnings), each.key, *concept)
            self._writerow(
                [
                    *(result.id, number, each.text, *scores, len(each.spans), format_spans(each), "", *read_as),
                    *(*why, *carried),
                ]
            )

    def _writerow(self, cells: Sequence[str | float]) -> None:
        self._csv.writerow([escape_cell(cell) if isinstance(cell, str) else cell for cell in cells])


class _LineFeeds:
    """Ends rows with a line feed, and escapes lone surrogates, which UTF-8 does not have.

    Python's writer is given its default line end, since before Python 3.13 it quotes no other line breaks in fields.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        row = row.removesuffix("\r\n") + "\n"
        self._stream.write(row.encode("utf-8", "backslashreplace").decode("utf-8"))


def _format_explanation(why: Explanation) -> tuple[str | float, ...]:
    return (
        " ".join(f"{name}={format_number(value)}" for name, value in why.contributions.items()),
        " ".join(f"{name}={format_number(value)}" for name, value in why.features.items()),
        "" if why.masked_similarity is None else round_number(why.masked_similarity),
        " ".join(f"{each.line}:{each.column}" for each in why.occurrences),
    )


def _format_number(value: float | None) -> str | float:
    return "" if value is None else round_number(value)

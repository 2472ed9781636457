"""Table 5: how much of a document is read."""

from __future__ import annotations

from mderank.research.reproduction.cells import Ask, Block, Cell, Grid, Row
from mderank.research.reproduction.config import Setup
from mderank.research.reproduction.paper import printed
from mderank.research.reproduction.plots import Plot, lines_plot
from mderank.research.reproduction.tables.base import F1S, GridPart, f1_row

SET = "nus"
WORDS = (128, 256, 512)


def cut(words: int) -> tuple[str, ...]:
    """The option that reads so many words; the paper's 512 are read anyway."""
    return () if words == WORDS[-1] else ("--max-words", str(words))


def _ask(setup: Setup) -> list[Grid[Ask]]:
    encoder = setup.encoder.title
    blocks = []
    for words in WORDS:
        rows: list[Row[Ask]] = [_row("EmbedRank(BERT)", encoder, words, setup)]
        for form in setup.forms_of(setup.encoder):
            paper = printed("document_length", "MDERank(BERT)", words)
            rows.append(f1_row("MDERank(BERT)", f"{encoder}, {form}", paper, setup.mderank(SET, form, *cut(words))))
        blocks.append(Block(f"{words} words", tuple(rows)))
    return [Grid("NUS by document length", F1S, tuple(blocks), "F1 in per cent")]


def _row(name: str, here: str, words: int, setup: Setup) -> Row[Ask]:
    return f1_row(name, here, printed("document_length", name, words), setup.embedrank(SET, *cut(words)))


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    return lines_plot("words", "NUS, F1@15 by words read", grids[0], WORDS, "words", column=F1S.index("F1@15"))


PART = GridPart(
    "table5",
    "document-length",
    "Document length",
    "The first 128, 256 and 512 words of the papers of NUS.",
    _ask,
    _plots,
)

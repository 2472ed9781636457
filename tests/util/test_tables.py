from __future__ import annotations

import csv
import io

import pytest

from mderank.util.tables import (
    NOTES,
    Block,
    Cell,
    Row,
    Table,
    as_csv,
    as_latex,
    as_markdown,
    as_text,
    number,
    with_places,
)

ROWS = with_places(
    [
        Row("A_1", (number(12.3), Cell("2.50 (±1.12)", 2.5))),
        Row("B & C", (number(20, mark="†"), Cell("1.00 (±0.00)", 1.0))),
        Row("D|E", (number(None), number(None))),
        Row("F", (number(12.349), Cell("3.00 (±0.00)", 3.0))),
        Row("gold", (number(99.0), number(None)), ranked=False),
    ],
    ["highest", "lowest"],
)
TABLE = Table("Scores", "Method", ("inspec", "AvgRank"), (Block("F1@5", ROWS), Block("F1@10", ROWS[:1])), "A † B 5 %.")


def test_the_best_and_the_second_as_they_are_printed():
    assert [[cell.place for cell in row.cells] for row in ROWS] == [[0, 2], [1, 1], [0, 0], [2, 0], [0, 0]]
    alike = with_places([Row("a", (number(1.001),)), Row("b", (number(1.002),)), Row("c", (number(0.5),))], ["highest"])
    assert [row.cells[0].place for row in alike] == [1, 1, 2]
    assert with_places([Row("a", (number(1.0),))], ["highest"])[0].cells[0].place == 0
    assert with_places([Row("a", (number(1.0),)), Row("b", (number(2.0),))], [None])[0].cells[0].place == 0


def test_text():
    assert as_text(TABLE, lambda text: f"<{text}>") == (
        "<Scores>\n"
        "\n"
        "Method  inspec        AvgRank\n"
        "─────────────────────────────\n"
        "F1@5\n"
        "A_1      12.30   2.50 (±1.12)\n"
        "B & C    <20.00†>  <1.00 (±0.00)>\n"
        "D|E          –              –\n"
        "F        12.35   3.00 (±0.00)\n"
        "gold     99.00              –\n"
        "\n"
        "F1@10\n"
        "A_1      12.30   2.50 (±1.12)\n"
        "\n"
        "A † B 5 %.\n"
    )


def test_wide_letters_keep_columns_aligned():
    table = Table("", "", ("x",), (Block("", (Row("关键词", (number(1.0),)), Row("word", (number(2.0),)))),))
    assert as_text(table).splitlines()[-2:] == ["关键词  1.00", "word    2.00"]


def test_markdown():
    assert as_markdown(TABLE) == (
        "## Scores\n"
        "\n"
        "| F1@5 | inspec | AvgRank |\n"
        "| --- | ---: | ---: |\n"
        "| A\\_1 | 12.30 | 2.50 (±1.12) |\n"
        "| B \\& C | **20.00**† | **1.00 (±0.00)** |\n"
        "| D\\|E | – | – |\n"
        "| F | 12.35 | 3.00 (±0.00) |\n"
        "| gold | 99.00 | – |\n"
        "\n"
        "| F1@10 | inspec | AvgRank |\n"
        "| --- | ---: | ---: |\n"
        "| A\\_1 | 12.30 | 2.50 (±1.12) |\n"
        "\n"
        "A † B 5 %.\n"
    )


def test_latex():
    assert as_latex(TABLE) == (
        "\\begin{table*}[t]\n"
        "\\centering\n"
        "\\begin{adjustbox}{max width=\\textwidth}\n"
        "\\begin{tabular}{@{}lrr@{}}\n"
        "\\toprule\n"
        "Method & inspec & AvgRank \\\\\n"
        "\\midrule\n"
        "\\multicolumn{3}{@{}l}{\\textit{F1@5}} \\\\\n"
        "A\\_1 & 12.30 & \\underline{2.50 ($\\pm$1.12)} \\\\\n"
        "B \\& C & \\textbf{20.00}$^\\dagger$ & \\textbf{1.00 ($\\pm$0.00)} \\\\\n"
        "D\\textbar{}E & -- & -- \\\\\n"
        "F & \\underline{12.35} & 3.00 ($\\pm$0.00) \\\\\n"
        "gold & 99.00 & -- \\\\\n"
        "\\midrule\n"
        "\\multicolumn{3}{@{}l}{\\textit{F1@10}} \\\\\n"
        "A\\_1 & 12.30 & \\underline{2.50 ($\\pm$1.12)} \\\\\n"
        "\\bottomrule\n"
        "\\end{tabular}\n"
        "\\end{adjustbox}\n"
        "\\caption{Scores. A $^\\dagger$ B 5 \\%.}\n"
        "\\end{table*}\n"
    )


HOSTILE = "\\input{/etc/passwd}$\n\x1b[2J^~%#{<script>|`*"


@pytest.mark.parametrize("render", [as_text, as_markdown, as_latex])
def test_hostile_names_stay_on_their_line_and_do_nothing(render):
    table = Table(HOSTILE, HOSTILE, (HOSTILE,), (Block(HOSTILE, (Row(HOSTILE, (Cell(HOSTILE),)),)),), HOSTILE)
    harmless = Table("t", "c", ("x",), (Block("b", (Row("r", (Cell("x"),)),)),), "l")
    shown = render(table)
    assert "\x1b" not in shown
    assert shown.count("\n") == render(harmless).count("\n")


def test_latex_and_markdown_escape_what_is_special():
    (row,) = (line for line in as_latex(Table("t", "c", (HOSTILE,), ())).splitlines() if "passwd" in line)
    assert row == (
        "c & \\textbackslash{}input\\{/etc/passwd\\}\\$??[2J\\textasciicircum{}\\textasciitilde{}\\%\\#\\{"
        "\\textless{}script\\textgreater{}\\textbar{}`* \\\\"
    )
    assert "| \\\\input\\{/etc/passwd\\}\\$\ufffd\ufffd\\[2J^\\~%\\#\\{\\<script\\>\\|\\`\\* |" in as_markdown(
        Table("t", "c", (HOSTILE,), (Block("", ()),))
    )


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_notes(form):
    lines = NOTES[form](["one", "two\nlines"]).splitlines()
    assert lines[-2].endswith(" one")
    assert lines[-1].endswith(" two\ufffdlines")


def test_csv_survives_reading():
    text = as_csv(("a", "b"), [('x, "y"', None), ("two\nlines", 1.5)])
    assert list(csv.reader(io.StringIO(text))) == [["a", "b"], ['x, "y"', ""], ["two\nlines", "1.5"]]

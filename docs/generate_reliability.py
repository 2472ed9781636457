"""Writes docs/reliability.md from docs/reliability/*.json.

    python docs/generate_reliability.py                       write the page
    python docs/generate_reliability.py --run                 first run the tests of all rows, and keep their figures
    python docs/generate_reliability.py --run supply_chain    first run the tests of this file's rows

A file holds an area and its rows. A row whose command is ``pytest`` is measured by ``--run``: its figure is the number
of cases that passed. The figures of other rows are what their command printed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
FOLDER, PAGE = ROOT / "docs" / "reliability", ROOT / "docs" / "reliability.md"
FIELDS = ("tried", "command", "figure", "held", "measured", "tests")
MEASURED_BY_TESTS = "pytest"

INTRODUCTION = """# Reliability

What was tried to break mderank, what came of it, and the test or the command that measured it. A case is one input or
one attack; a test that makes its inputs itself counts once. [SECURITY.md](../SECURITY.md) says what is promised.

`python docs/generate_reliability.py` makes this page from `docs/reliability/*.json`. With `--run` it also runs the
tests and counts their cases.
"""


def reference() -> str:
    """The page."""
    return "\n".join([INTRODUCTION, *map(_section, sorted(FOLDER.glob("*.json")))])


def read(file: Path) -> dict[str, Any]:
    """An area with its rows; ends with a message where a row is not complete."""
    area: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    for row in area["rows"]:
        if tuple(row) != FIELDS:
            sys.exit(f"{file}: a row must have the fields {', '.join(FIELDS)} in this order, not {', '.join(row)}")
    return area


def _section(file: Path) -> str:
    area = read(file)
    lines = [
        f"## {area['area']}\n",
        '<div class="wide-1" markdown>\n',
        "| tried | figure | held | measured | by |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_row, area["rows"]), "\n</div>\n"])


def _row(row: dict[str, Any]) -> str:
    held = {True: "yes", False: "**no**", None: "not measured"}[row["held"]]
    command = [] if row["command"] == MEASURED_BY_TESTS else [row["command"]]
    by = "<br>".join(f"`{each}`" for each in [*command, *row["tests"]])
    cells = [row["tried"], row["figure"], held, row["measured"], by]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def measure(file: Path) -> None:
    """Run the tests of an area's rows, and keep what came of them."""
    area = read(file)
    for row in area["rows"]:
        if row["command"] == MEASURED_BY_TESTS:
            row["figure"], row["held"] = _run(row["tests"])
            row["measured"] = datetime.date.today().isoformat()
            print(f"{row['tried']}: {row['figure']}", flush=True)
    file.write_text(json.dumps(area, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _run(tests: list[str]) -> tuple[str, bool | None]:
    """The number of cases that passed, and whether all did; None if all were skipped."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *tests]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        if not report.is_file():
            sys.exit(f"pytest could not run {' '.join(tests)}")
        suite = ElementTree.parse(report).getroot()[0]
    total, wrong, skipped = (
        sum(int(suite.get(name, 0)) for name in names) for names in (("tests",), ("failures", "errors"), ("skipped",))
    )
    run = total - skipped
    left_out = f", {skipped} skipped" if skipped else ""
    return f"{run - wrong} of {run} cases{left_out}", (wrong == 0 if run else None)


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--run", nargs="*", metavar="NAME", help="run the tests of these files' rows; of all without NAME"
    )
    names = parser.parse_args().run
    if names is not None:
        for file in [FOLDER / f"{name}.json" for name in names] or sorted(FOLDER.glob("*.json")):
            measure(file)
    PAGE.write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    main()

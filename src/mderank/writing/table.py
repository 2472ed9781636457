"""A table for people. The phrase comes last, so that nothing is ever cut off."""

from __future__ import annotations

import click

from mderank.writing.base import Result, Writer

_BAR = 10  # characters of the longest bar


class TableWriter(Writer):
    """Rank, score with a bar, number of occurrences, phrase; a heading for each document if there are several."""

    def write(self, result: Result) -> None:
        lines = [self._style(str(result.id), bold=True)]
        best = max((each.score for each in result.keyphrases), default=0.0)
        for number, each in enumerate(result.keyphrases, start=1):
            filled = round(_BAR * each.score / best) if best > 0 else 0
            bar = self._style("█" * filled, fg="cyan") + " " * (_BAR - filled)
            count = self._style(f"{len(each.spans):>3}×", dim=True)
            lines.append(f"{number:>4}  {each.score:<10.4g} {bar} {count}  {self._style(each.text, bold=number <= 3)}")
        if result.keyphrases.error:
            lines.append("      " + self._style("could not be read", fg="red"))
        elif not result.keyphrases:
            lines.append("      " + self._style("no keyphrases", dim=True))
        self.stream.write("\n".join(lines) + "\n\n")
        self.stream.flush()

    def _style(self, text: str, *, bold: bool = False, dim: bool = False, fg: str | None = None) -> str:
        return click.style(text, bold=bold, dim=dim, fg=fg) if self.color else text

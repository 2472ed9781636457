"""A table for the terminal. The phrase is the last column, so that no phrase is cut off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

from mderank.keyphrase import Keyphrase, LanguageInfo
from mderank.util.format import escape_unprintable, format_number, style_text
from mderank.writing.base import DocumentResult, Writer, describe_language, format_concept
from mderank.writing.explanation import CONFIDENCE, MASKED, MEANINGS, RAW_SCORE, Explainer, Explanation

_BAR = 10  # characters of the longest bar
_OCCURRENCES = 5  # occurrences per phrase that are shown; JSON and HTML have all
_RELATED = 5  # likewise, related phrases


class TableWriter(Writer):
    """Writes rank, score with a bar, number of occurrences, phrase and concept, below the document's id.

    With ``explain``, the contributions to the score and the occurrences follow each phrase. Without it, a warning that
    several documents have is written once.
    """

    def __init__(
        self, stream: TextIO, *, color: bool = False, explain: bool = False, carried: Sequence[str] = ()
    ) -> None:
        super().__init__(stream, color=color, explain=explain, carried=carried)
        self._told: set[str] = set()

    def write(self, result: DocumentResult) -> None:
        lines = [self._style(escape_unprintable(str(result.id)), bold=True), *self._notes(result.keyphrases.language)]
        best = max((each.score for each in result.keyphrases), default=0.0)
        explainer = Explainer(result.text) if self.explain else None
        for number, each in enumerate(result.keyphrases, start=1):
            filled = round(_BAR * each.score / best) if best > 0 else 0
            bar = self._style("█" * filled, colour="cyan") + " " * (_BAR - filled)
            count = self._style(f"{len(each.spans):>3}×", dim=True)
            concept = escape_unprintable(format_concept(each))
            phrase = self._style(each.text, bold=number <= 3) + self._style(concept and f"  {concept}", dim=True)
            lines.append(f"{number:>4}  {each.score:<10.4g} {bar} {count}  {phrase}")
            if explainer:
                lines += [*self._why(each, explainer.explain(each)), *([""] if number < len(result.keyphrases) else [])]
        if result.keyphrases.error:
            lines.append("      " + self._style("could not be read", colour="red"))
        elif not result.keyphrases:
            lines.append("      " + self._style("no keyphrases", dim=True))
        self.stream.write("\n".join(lines) + "\n\n")
        self.stream.flush()

    def _notes(self, language: LanguageInfo | None) -> Iterator[str]:
        if language is None:
            return
        if self.explain or language.code != "en":
            yield "      " + self._style(escape_unprintable(describe_language(language)), dim=True)
        new = [warning for warning in language.warnings if self.explain or warning not in self._told]
        self._told.update(new)
        for warning in new:
            yield "      " + self._style(escape_unprintable(f"note: {warning}"), dim=True)

    def _why(self, keyphrase: Keyphrase, why: Explanation) -> Iterator[str]:
        for name, value in why.contributions.items():
            measured = f"{why.features[name]:.4g}" if name in why.features else ""
            yield self._row(name, f"{value:+.4f}", measured and f"from {measured}", MEANINGS.get(name, ""))
        if not why.contributions:
            yield self._row("raw score", format_number(keyphrase.raw_score), "", RAW_SCORE)
        if why.masked_similarity is not None:
            yield self._row("without it", why.format_masked_similarity(), "", MASKED)
        if keyphrase.confidence is not None:
            yield self._row("confidence", f"{keyphrase.confidence:.3f}", "", CONFIDENCE)
        if keyphrase.related:
            yield self._related(keyphrase.related)
        for context in why.occurrences[:_OCCURRENCES]:
            around = (self._style(context.before, dim=True), self._style(context.after, dim=True))
            yield f"      {f'{context.line}:{context.column}':<12}{around[0]}[{context.phrase}]{around[1]}"
        if len(why.occurrences) > _OCCURRENCES:
            yield self._style(
                f"      and {len(why.occurrences) - _OCCURRENCES} more occurrences: -f html or -f json has all",
                dim=True,
            )

    def _related(self, phrases: Sequence[str]) -> str:
        further = len(phrases) - _RELATED
        more = self._style(f", and {further} more: -f html or -f json has all", dim=True) if further > 0 else ""
        return f"      {'related':<12}{', '.join(phrases[:_RELATED])}{more}"

    def _row(self, name: str, value: str, measured: str, meaning: str) -> str:
        return f"      {name:<12}{value:>9}  {self._style(f'{measured:<14} {meaning}', dim=True)}".rstrip()

    def _style(self, text: str, *, bold: bool = False, dim: bool = False, colour: str | None = None) -> str:
        return style_text(text, bold=bold, dim=dim, colour=colour) if self.color else text

"""HTML: the text itself with its keyphrases highlighted by score, in one file that needs nothing else.

There is no script in the page: what belongs together is linked by anchors and by CSS. All text is escaped, and a
Content-Security-Policy forbids anything but the page's own style.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from mderank.document import Span
from mderank.keyphrase import Keyphrase, Keyphrases
from mderank.util.format import format_number, round_number
from mderank.writing.base import DocumentResult, Writer, strength
from mderank.writing.explanation import CONFIDENCE, MASKED, MEANINGS, RAW_SCORE, RELATED, Explainer, Explanation

_LINKED = 60  # phrases of a document whose occurrences light up together

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #5c6675; --paper: #fcfcfa; --rule: #dfe3e8;
  --mark: 255, 190, 40; --on: #b04a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --dim: #98a2b1; --paper: #14181f; --rule: #2b323d;
  --mark: 224, 150, 20; --on: #ffb066; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.65 Georgia, 'Times New Roman', serif; }
header, section { max-width: 76rem; margin: 0 auto; padding: 1.2rem 1.5rem; }
header { color: var(--dim); font: 14px/1.4 system-ui, sans-serif; padding-bottom: 0; }
section { display: grid; grid-template-columns: minmax(0, 1fr) 20rem; gap: 0 2.5rem;
  border-bottom: 1px solid var(--rule); }
h2 { grid-column: 1 / -1; font: 600 19px/1.4 system-ui, sans-serif; margin: .2rem 0 .8rem; overflow-wrap: anywhere; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.note { grid-column: 1 / -1; font: 14px/1.5 system-ui, sans-serif; color: var(--on); margin: 0 0 1rem; }
mark { color: inherit; border-radius: 3px; padding: 1px 1px; scroll-margin-top: 4rem;
  background: rgba(var(--mark), var(--strength)); }
mark:target { outline: 2px solid var(--on); }
.truncated { color: var(--dim); opacity: .6; }
ol { font: 15px/1.35 system-ui, sans-serif; list-style: none; margin: 0; padding: 0; position: sticky; top: 1rem;
  align-self: start; max-height: calc(100vh - 2rem); overflow: auto; }
li a { display: grid; grid-template-columns: 1.8rem 1fr auto; gap: 0 .4rem; padding: .32rem .4rem; color: inherit;
  text-decoration: none; border-radius: 4px; }
li a:focus-visible { outline: 2px solid var(--on); }
li .rank, li .score { color: var(--dim); font-variant-numeric: tabular-nums; font-size: 13px; }
li .bar { grid-column: 2 / -1; height: 3px; border-radius: 2px; background: rgb(var(--mark)); width: var(--width); }
@media (max-width: 52rem) { section { display: block; }
  ol { position: static; max-height: none; margin-bottom: 1rem; } }
"""

_EXPLAINING_STYLE = """
section { grid-template-columns: minmax(0, 1fr) 28rem; }
details { font-size: 13px; color: var(--dim); margin: 0 .4rem .5rem 2.6rem; }
summary { cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--on); }
table { border-collapse: collapse; width: 100%; margin: .3rem 0; }
th { font-weight: 600; text-align: left; vertical-align: top; white-space: nowrap; }
th, td { padding: .15rem .5rem .15rem 0; }
td.value { text-align: right; vertical-align: top; font-variant-numeric: tabular-nums; color: var(--ink); }
td.related { color: var(--ink); overflow-wrap: anywhere; }
.part { display: block; height: 3px; border-radius: 2px; background: rgb(var(--mark)); width: var(--width); }
.part.less { background: var(--dim); }
ul { list-style: none; margin: 0; padding: 0; }
ul li { padding: .15rem 0; overflow-wrap: anywhere; }
ul li a { display: inline; padding: 0; text-decoration: underline; }
ul b { color: var(--ink); }
"""


class HtmlWriter(Writer):
    """One page for all documents. Explained, each phrase of the list can be unfolded."""

    _number = 0

    def begin(self) -> None:
        linked = ",".join(f"section:has(.k{n}:hover) .k{n}" for n in range(1, _LINKED + 1))
        self.stream.write(
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Keyphrases</title>'
            f"<style>{_STYLE}{_EXPLAINING_STYLE if self.explain else ''}{linked} {{ outline: 2px solid var(--on); }}"
            "</style></head><body>\n"
            "<header>Keyphrases by mderank: the stronger the colour, the more the phrase says what the text is about."
            "</header>\n"
        )

    def write(self, result: DocumentResult) -> None:
        self._number += 1
        prefix = f"d{self._number}"
        found = result.keyphrases
        self.stream.write(f'<section><h2>{_safe(str(result.id))}</h2>\n{"".join(_notes(found))}<div class="text">')
        marks = _marks(result)
        self.stream.writelines(_highlighted(result, marks, prefix, every=self.explain))
        self.stream.write("</div>\n<ol>")
        best = max(map(strength, found), default=0.0)
        explainer = Explainer(result.text) if self.explain else None
        for number, each in enumerate(found, start=1):
            width = 100 * strength(each) / best if best > 0 else 0
            self.stream.write(
                f'<li class="k{number}"><a href="#{prefix}k{number}"><span class="rank">{number}</span>'
                f"<span>{_safe(each.text)}</span>"
                f'<span class="score">{round_number(each.score):.4g} · {len(each.spans)}×</span>'
                f'<span class="bar" style="--width:{width:.0f}%"></span></a>'
            )
            if explainer:
                anchors = {mark.span: mark.anchor(prefix) for mark in marks if mark.number == number}
                self.stream.writelines(_why(each, explainer.explain(each), anchors))
            self.stream.write("</li>")
        self.stream.write("</ol></section>\n")

    def end(self) -> None:
        self.stream.write("</body></html>\n")


def _notes(found: Keyphrases) -> Iterator[str]:
    if found.error:
        yield f'<p class="note">Error: {_safe(str(found.error))}</p>'
    if found.missing_phrases:
        yield f'<p class="note">Not in the text: {_safe(", ".join(found.missing_phrases))}</p>'
    if found.truncated:
        yield f'<p class="note">Not read: what follows character {found.truncated.start}.</p>'


class _Mark(NamedTuple):
    """A highlighted place: the rank of its phrase, and the how-manieth mark of that phrase it is."""

    span: Span
    number: int
    place: int

    def anchor(self, prefix: str) -> str:
        """Its id in the page."""
        return f"{prefix}k{self.number}" + (f"p{self.place}" if self.place > 1 else "")


def _marks(result: DocumentResult) -> list[_Mark]:
    """What is highlighted, in the order of the text; where phrases overlap, the better one is."""
    marks = []
    covered = bytearray(len(result.text))
    for number, each in enumerate(result.keyphrases, start=1):
        place = 0
        for span in each.spans:
            if not any(covered[span.start : span.end]):
                covered[span.start : span.end] = b"\1" * (span.end - span.start)
                place += 1
                marks.append(_Mark(span, number, place))
    return sorted(marks)


def _highlighted(result: DocumentResult, marks: list[_Mark], prefix: str, *, every: bool) -> Iterator[str]:
    """The text with marks; a phrase's first can be linked to, or ``every`` one."""
    text, found = result.text, result.keyphrases
    best = max(map(strength, found), default=0.0)
    position = 0
    limit = found.truncated.start if found.truncated else len(text)
    for mark in marks:
        opacity = 0.15 + 0.75 * (strength(found[mark.number - 1]) / best if best > 0 else 0)
        anchor = f' id="{mark.anchor(prefix)}"' if every or mark.place == 1 else ""
        yield _safe(text[position : mark.span.start])
        yield f'<mark class="k{mark.number}"{anchor} title="{mark.number}" style="--strength:{opacity:.2f}">'
        yield f"{_safe(text[mark.span.start : mark.span.end])}</mark>"
        position = mark.span.end
    yield _safe(text[position:limit])
    if limit < len(text):
        yield f'<span class="truncated">{_safe(text[limit:])}</span>'


def _why(keyphrase: Keyphrase, why: Explanation, anchors: Mapping[Span, str]) -> Iterator[str]:
    """What unfolds below a phrase: the parts of its score, and its places, linked where they are highlighted."""
    yield "<details><summary>why</summary><table>"
    largest = max(map(abs, why.contributions.values()), default=0.0)
    for name, value in why.contributions.items():
        fact = f"{why.features[name]:.4g}" if name in why.features else ""
        width = 100 * abs(value) / largest if largest else 0
        less = " less" if value < 0 else ""
        bar = f'<span class="part{less}" style="--width:{width:.0f}%"></span>'
        yield _row(name, f"{value:+.4f}", ": ".join(filter(None, (fact, MEANINGS.get(name)))), bar)
    if not why.contributions:
        yield _row("raw score", format_number(keyphrase.raw_score), RAW_SCORE)
    if why.masked_similarity is not None:
        yield _row("without it", why.format_masked_similarity(), MASKED)
    if keyphrase.confidence is not None:
        yield _row("confidence", f"{keyphrase.confidence:.3f}", CONFIDENCE)
    if keyphrase.related:
        yield _related(keyphrase.related)
    yield "</table><ul>"
    for place in why.occurrences:
        where = f"{place.line}:{place.column}"
        link = f'<a href="#{anchors[place.span]}">{where}</a>' if place.span in anchors else where
        yield f"<li>{link} {_safe(place.before)}<b>{_safe(place.phrase)}</b>{_safe(place.after)}</li>"
    yield "</ul></details>"


def _row(name: str, value: str, meaning: str, bar: str = "") -> str:
    return f'<tr><th scope="row">{_safe(name)}</th><td class="value">{value}</td><td>{_safe(meaning)}{bar}</td></tr>'


def _related(phrases: Sequence[str]) -> str:
    named = _safe(", ".join(phrases))
    return f'<tr title="{_safe(RELATED)}"><th scope="row">related</th><td colspan="2" class="related">{named}</td></tr>'


def _safe(text: str) -> str:
    """Text that is never markup; control characters, which HTML forbids, are shown as a replacement."""
    shown = "".join(character if character >= " " or character in "\n\t\r" else "\ufffd" for character in text)
    return escape(shown.encode("utf-8", "replace").decode("utf-8"))

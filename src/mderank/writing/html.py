"""HTML: the text itself with its keyphrases highlighted by score, in one file that needs nothing else.

There is no script in the page: what belongs together is linked by anchors and by CSS. All text is escaped, and a
Content-Security-Policy forbids anything but the page's own style.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from mderank.keyphrase import Keyphrases
from mderank.writing.base import Result, Writer, shown

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
.unseen { color: var(--dim); opacity: .6; }
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


class HtmlWriter(Writer):
    """One page for all documents."""

    _number = 0

    def begin(self) -> None:
        linked = ",".join(f"section:has(.k{n}:hover) .k{n}" for n in range(1, _LINKED + 1))
        self.stream.write(
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Keyphrases</title>'
            f"<style>{_STYLE}{linked} {{ outline: 2px solid var(--on); }}</style></head><body>\n"
            "<header>Keyphrases by mderank: the stronger the colour, the more the text changes without the phrase."
            "</header>\n"
        )

    def write(self, result: Result) -> None:
        self._number += 1
        prefix = f"d{self._number}"
        found = result.keyphrases
        self.stream.write(f'<section><h2>{_safe(str(result.id))}</h2>\n{"".join(_notes(found))}<div class="text">')
        self.stream.writelines(_highlighted(result, prefix))
        self.stream.write("</div>\n<ol>")
        best = max((each.score for each in found), default=0.0)
        for number, each in enumerate(found, start=1):
            width = 100 * each.score / best if best > 0 else 0
            self.stream.write(
                f'<li class="k{number}"><a href="#{prefix}k{number}"><span class="rank">{number}</span>'
                f"<span>{_safe(each.text)}</span>"
                f'<span class="score">{shown(each.score):.4g} · {len(each.spans)}×</span>'
                f'<span class="bar" style="--width:{width:.0f}%"></span></a></li>'
            )
        self.stream.write("</ol></section>\n")

    def end(self) -> None:
        self.stream.write("</body></html>\n")


def _notes(found: Keyphrases) -> Iterator[str]:
    if found.error:
        yield f'<p class="note">Error: {_safe(str(found.error))}</p>'
    if found.missing:
        yield f'<p class="note">Not in the text: {_safe(", ".join(found.missing))}</p>'
    if found.unseen:
        yield f'<p class="note">Not read: what follows character {found.unseen.start}.</p>'


def _highlighted(result: Result, prefix: str) -> Iterator[str]:
    """The text with marks; where phrases overlap, the better one is marked."""
    text, found = result.text, result.keyphrases
    best = max((each.score for each in found), default=0.0)
    taken: list[tuple[int, int, int, bool]] = []
    covered = bytearray(len(text))
    for number, each in enumerate(found, start=1):
        first = True
        for start, end in each.spans:
            if not any(covered[start:end]):
                covered[start:end] = b"\1" * (end - start)
                taken.append((start, end, number, first))
                first = False
    position = 0
    limit = found.unseen.start if found.unseen else len(text)
    for start, end, number, first in sorted(taken):
        score = found[number - 1].score
        strength = 0.15 + 0.75 * (score / best if best > 0 else 0)
        anchor = f' id="{prefix}k{number}"' if first else ""
        yield _safe(text[position:start])
        yield f'<mark class="k{number}"{anchor} title="{number}" style="--strength:{strength:.2f}">'
        yield f"{_safe(text[start:end])}</mark>"
        position = end
    yield _safe(text[position:limit])
    if limit < len(text):
        yield f'<span class="unseen">{_safe(text[limit:])}</span>'


def _safe(text: str) -> str:
    """Text that is never markup; control characters, which HTML forbids, are shown as a replacement."""
    shown = "".join(character if character >= " " or character in "\n\t\r" else "\ufffd" for character in text)
    return escape(shown.encode("utf-8", "replace").decode("utf-8"))

"""``mderank collection``: what all documents of a batch are about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._options import SectionedCommand, option
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import progress, wants_color

if TYPE_CHECKING:
    from mderank.collection import Output, Overview, Phrase

FORMATS = ("table", "json", "html")
ORDERS = ("weight", "documents", "typical")
_TOP = {"table": 30, "json": 100, "html": 300}


@click.command(cls=SectionedCommand)
@click.argument("out", type=click.Path(path_type=Path), metavar="OUT")
@option("Input", "--against", type=click.Path(path_type=Path), metavar="OTHER",
        help="Another output of 'mderank batch': what is typical of OUT against it.")  # fmt: skip
@option("Input", "--language", metavar="CODE",
        help="Whose variants of words are one, e.g. de.  [default: that of the tagger, or en]")  # fmt: skip
@option("Results", "--by", type=click.Choice(ORDERS),
        help="Order of the phrases.  [default: typical with --against, else weight]")  # fmt: skip
@option("Results", "--top", "-n", type=click.IntRange(1),
        help="How many phrases.  [default: 30; json: 100; html: 300]")  # fmt: skip
@option("Results", "--min-documents", type=click.IntRange(1), default=1, show_default=True,
        help="Leave out phrases of fewer documents.")  # fmt: skip
@option("Results", "--places", type=click.IntRange(0), default=5, show_default=True,
        help="Documents named for each phrase: those that it is most important in.")  # fmt: skip
@option("Results", "--format", "-f", "form", type=click.Choice(FORMATS), default="table", show_default=True,
        help="html is a page to browse.")  # fmt: skip
@option("Results", "--output", "-o", metavar="FILE", help="Write to FILE.  [default: standard output]")
@option("Results", "--quiet", "-q", is_flag=True, help="No progress and no notes; errors only.")
def collection(
    out: Path,
    against: Path | None,
    language: str | None,
    by: Any,
    top: int | None,
    min_documents: int,
    places: int,
    form: str,
    output: str | None,
    quiet: bool,
) -> None:
    """Say what a whole collection is about.

    OUT is the folder of a 'mderank batch', or a file of 'mderank extract -f jsonl'. Phrases are counted over all
    documents, variants of a phrase together: how many documents have it among their keyphrases, and its weight, the
    sum of 1 / log2(1 + rank) over these (a first place counts 1, a third 0.5). Memory is bounded, whatever the size.

    \b
    mderank batch papers/ out && mderank collection out
    mderank collection out -f html -o overview.html
    mderank collection out --against other     what is typical of one against the other
    """  # noqa: D301
    from mderank.collection import build_overview, open_output

    ours = open_output(out)
    other = open_output(against) if against is not None else None
    for note in () if quiet else _notes(ours, other):
        click.echo(f"mderank: note: {note}", err=True)
    with progress("counting", _steps(ours, other), silent=quiet) as advance:
        shown = build_overview(
            ours,
            other,
            top=top or _TOP[form],
            order=by,
            min_documents=min_documents,
            places=places,
            language=language,
            advance=advance,
        )
    with opened(output) as stream:
        if form == "html":
            from mderank.collection.page import page

            stream.write(page(shown))
        elif form == "json":
            from mderank.writing.json import json_text

            stream.write(json_text(shown.as_dict(), 2) + "\n")
        else:
            stream.writelines(line + "\n" for line in _table(shown, color=wants_color(stream)))


def _steps(ours: Output, other: Output | None) -> int | None:
    """Documents to read: ours twice."""
    if ours.documents is None or (other is not None and other.documents is None):
        return None
    return 2 * ours.documents + (other.documents or 0 if other is not None else 0)


def _notes(ours: Output, other: Output | None) -> Iterator[str]:
    for each in (ours, other):
        if each is not None and not each.whole:
            yield f"{each.name}: the batch is not finished: only what is there is counted"
    if other is not None:
        for difference in ours.differences(other):
            yield f"the two were made with different settings ({difference}): what differs may be due to that"


def _table(shown: Overview, *, color: bool) -> Iterator[str]:
    """Rank, numbers, phrase with its variants; the phrase comes last, so that nothing is ever cut off."""
    read = max(1, shown.documents - shown.failed)
    heading = f"{shown.documents:,} documents, {shown.distinct:,} phrases"
    yield _style(heading + (f", against {shown.against}" if shown.against else ""), color, bold=True)
    columns = "       documents      %    weight" + ("   there   ratio      G²" if shown.against else "") + "  phrase"
    yield _style(columns, color, dim=True)
    for number, phrase in enumerate(shown.phrases, start=1):
        cells = f"{number:>5}  {phrase.documents:>9,} {100 * phrase.documents / read:>6.2f} {phrase.weight:>9.1f}"
        if phrase.typical is not None:
            compared = phrase.typical
            cells += f" {compared.documents:>7,} {compared.ratio:>7.1f} {compared.surprise:>7.1f}"
        yield f"{cells}  {_style(phrase.text, color, bold=True)}{_style(_variants(phrase), color, dim=True)}"


def _variants(phrase: Phrase) -> str:
    others = [text for text, _ in phrase.variants if text.lower() != phrase.text.lower()]
    distinct = list({text.lower(): text for text in reversed(others)}.values())[::-1]
    return f"  ({', '.join(distinct[:3])}{', …' if len(distinct) > 3 else ''})" if distinct else ""


def _style(text: str, color: bool, **style: Any) -> str:
    return click.style(text, **style) if color else text

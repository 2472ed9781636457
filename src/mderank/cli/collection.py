"""``mderank collection``: the phrases of all documents of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._options import SectionedCommand, option
from mderank.cli._terminal import check_output, format_of_output, progress, wants_color
from mderank.cli._terminal import output as opened
from mderank.errors import OptionError

if TYPE_CHECKING:
    from mderank.collection import BatchOutput, CollectionPhrase, Overview

FORMATS = ("table", "json", "html")
SORT_ORDERS = ("weight", "documents", "keyness")
_TOP_K = {"table": 30, "json": 100, "html": 300}


@click.command(cls=SectionedCommand)
@click.argument("out", type=click.Path(path_type=Path), metavar="OUT")
@option("Input", "--against", type=click.Path(path_type=Path), metavar="OTHER",
        help="Compare with another output of 'mderank batch'.")  # fmt: skip
@option("Input", "--language", metavar="CODE",
        help="Language of the word variants, e.g. de.  [default: that of each document]")  # fmt: skip
@option("Results", "--sort", type=click.Choice(SORT_ORDERS),
        help="Order of the phrases.  [default: keyness with --against, else weight]")  # fmt: skip
@option("Results", "--top-k", "-k", metavar="N", type=click.IntRange(1),
        help="Number of phrases.  [default: 30; json: 100; html: 300]")  # fmt: skip
@option("Results", "--min-documents", metavar="N", type=click.IntRange(1), default=1, show_default=True,
        help="Leave out phrases of fewer documents.")  # fmt: skip
@option("Results", "--examples", metavar="N", type=click.IntRange(0), default=5, show_default=True,
        help="Documents per phrase: those in which it ranks highest.")  # fmt: skip
@option("Results", "--format", "-f", "output_format", type=click.Choice(FORMATS),
        help="Output format; html is a page to browse.  [default: by FILE's suffix, else table]")  # fmt: skip
@option("Results", "--failed", is_flag=True,
        help="List the documents that failed with their errors, as a table or JSON, instead of phrases.")  # fmt: skip
@option("Results", "--output", "-o", metavar="FILE", help="Write to FILE.  [default: standard output]")
@option("Results", "--quiet", "-q", is_flag=True, help="No progress and no notes; errors only.")
def collection(
    out: Path,
    against: Path | None,
    language: str | None,
    sort: Any,
    top_k: int | None,
    min_documents: int,
    examples: int,
    output_format: str | None,
    failed: bool,
    output: str | None,
    quiet: bool,
) -> None:
    """List the phrases of a whole collection.

    OUT is the folder of a 'mderank batch', or a file of 'mderank extract -f jsonl'. Phrases are counted over all
    documents; variants of a phrase count together. A phrase has a number of documents, and a weight: the sum of
    1 / log2(1 + rank) over these documents (rank 1 counts 1, rank 3 counts 0.5). Memory is bounded.

    With --against, phrases are sorted by keyness: how much more frequent they are in OUT than in OTHER, by the
    log-likelihood ratio G².

    \b
    mderank batch papers/ out && mderank collection out
    mderank collection out -o overview.html
    mderank collection out --against other     compare two collections
    mderank collection out --failed            the documents that failed
    """  # noqa: D301
    from mderank.collection import build_overview, open_output

    check_output(output, filter(None, (out, against)))
    output_format = output_format or format_of_output(output, FORMATS, quiet=quiet)
    if failed and (against is not None or output_format == "html"):
        raise OptionError("--failed lists documents: leave out --against, and choose -f table or json")
    ours = open_output(out)
    if failed:
        _write_failures(ours, output_format, output)
        return
    other = open_output(against) if against is not None else None
    for note in () if quiet else _notes(ours, other):
        click.echo(f"mderank: note: {note}", err=True)
    with progress("counting", _count_steps(ours, other), silent=quiet) as advance:
        overview = build_overview(
            ours,
            other,
            top_k=top_k or _TOP_K[output_format],
            sort=sort,
            min_documents=min_documents,
            examples=examples,
            language=language,
            advance=advance,
        )
    with opened(output) as stream:
        if output_format == "html":
            from mderank.collection.page import collection_page

            stream.write(collection_page(overview))
        elif output_format == "json":
            from mderank.util.format import json_text

            stream.write(json_text(overview.as_dict(), 2) + "\n")
        else:
            stream.writelines(line + "\n" for line in _table(overview, color=wants_color(stream)))


def _write_failures(ours: BatchOutput, output_format: str, output: str | None) -> None:
    """Write a line per failed document, or a JSON array."""
    from mderank.util.format import escape_unprintable, json_text

    with opened(output) as stream:
        if output_format == "json":
            listed = [{"id": row["id"], "error": row["error"]} for row in ours.failures()]
            stream.write(json_text(listed, 2) + "\n")
            return
        for row in ours.failures():
            identity, error = escape_unprintable(str(row["id"])), escape_unprintable(str(row["error"]))
            stream.write(error + "\n" if error.startswith(f"{identity}: ") else f"{identity}: {error}\n")


def _count_steps(ours: BatchOutput, other: BatchOutput | None) -> int | None:
    """Return the number of documents to read. Ours are read twice."""
    if ours.documents is None or (other is not None and other.documents is None):
        return None
    return 2 * ours.documents + (other.documents or 0 if other is not None else 0)


def _notes(ours: BatchOutput, other: BatchOutput | None) -> Iterator[str]:
    for each in (ours, other):
        if each is not None and not each.whole:
            yield f"{each.name}: the batch is not finished; only its finished documents are counted"
    if other is not None:
        for difference in ours.differences(other):
            yield f"the two batches have different settings ({difference}), which may explain differences in phrases"


def _table(overview: Overview, *, color: bool) -> Iterator[str]:
    """Yield the lines of the table. The phrase is the last column, so that no phrase is cut off."""
    from mderank.util.tables import align_columns

    read = max(1, overview.documents - overview.failed)
    heading = f"{overview.documents:,} documents, {overview.distinct:,} phrases"
    yield _style(heading + (f", against {overview.against}" if overview.against else ""), color, bold=True)
    rows: list[tuple[str, ...]] = [
        ("", "documents", "%", "weight", *(("there", "ratio", "G²") if overview.against else ()))
    ]
    for number, phrase in enumerate(overview.phrases, start=1):
        cells = [str(number), f"{phrase.documents:,}", f"{100 * phrase.documents / read:.2f}", f"{phrase.weight:.1f}"]
        if (compared := phrase.keyness) is not None:
            cells += [f"{compared.documents:,}", f"{compared.ratio:.1f}", f"{compared.log_likelihood:.1f}"]
        rows.append(tuple(cells))
    first, *lines = align_columns(rows, ">" * len(rows[0]))
    yield _style(f"{first}  phrase", color, dim=True)
    for line, phrase in zip(lines, overview.phrases, strict=True):
        yield f"{line}  {_style(phrase.text, color, bold=True)}{_style(_format_variants(phrase), color, dim=True)}"


def _format_variants(phrase: CollectionPhrase) -> str:
    others = [text for text, _ in phrase.variants if text.lower() != phrase.text.lower()]
    distinct = list({text.lower(): text for text in reversed(others)}.values())[::-1]
    return f"  ({', '.join(distinct[:3])}{', …' if len(distinct) > 3 else ''})" if distinct else ""


def _style(text: str, color: bool, **style: Any) -> str:
    return click.style(text, **style) if color else text

"""``mderank extract``: from files to keyphrases."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from mderank.cli._config import config_option
from mderank.cli._inputs import input_options, read_options
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    import_spacy_without_torch,
    make_options,
    option,
)
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import progress, wants_color
from mderank.factory import build_extractor
from mderank.options import Options
from mderank.pipeline import extract_documents
from mderank.reading import ReadOptions, SourceDocument, find_files, read_file, read_stream
from mderank.tagging import SpacyTagger
from mderank.writing import WRITERS, DocumentResult, make_writer

STDIN = "-"


@click.command(cls=SectionedCommand)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@input_options
@option("Results", "--format", "-f", "form", type=click.Choice(list(WRITERS)), default="table", show_default=True,
        help="html shows the text itself with its keyphrases highlighted.")  # fmt: skip
@option("Results", "--explain", is_flag=True,
        help="Explain each score: features, contributions, effect of the mask, all occurrences.")  # fmt: skip
@option("Results", "--output", "-o", metavar="FILE", help="Write to FILE.  [default: standard output]")
@option("Results", "--quiet", "-q", is_flag=True, help="No progress, notes or warnings; errors only.")
@extraction_options()
@config_option
def extract(
    paths: tuple[str, ...],
    form: Any,
    explain: bool,
    output: str | None,
    quiet: bool,
    **settings: Any,
) -> None:
    """Extract the keyphrases of files, folders, patterns, or standard input.

    PATH is a text, Markdown, HTML, PDF, JSON lines, CSV or Parquet file (also .gz), a folder, which is searched to the
    bottom, a pattern in quotes ('notes/**/*.md'), or - for standard input, which is also read when there is no PATH.

    Scores rank the phrases of one document; --explain tells what they are made of.
    """
    if not paths and sys.stdin.isatty():
        raise click.UsageError("Name a file or folder, or pipe a text in: mderank extract FILE")
    found = find_files([path for path in dict.fromkeys(paths) if path != STDIN])
    reading = read_options(settings)
    with _warnings_silenced(quiet):
        options = make_options(settings)
        tagger = SpacyTagger(options.tagger, tokenizer=options.tokenizer)
        extractor = build_extractor(options, tagger=tagger)
        if options.tagger is None and reading.tokens_field is None:
            import_spacy_without_torch()
        sources = _sources(found.errors, found.files, STDIN in paths or not paths, reading)
        made = extract_documents(extractor, sources, options.top_k or None)
        count = None if STDIN in paths or not paths else len(found.files)
        with opened(output) as stream:
            writer = make_writer(form, stream, color=wants_color(stream), explain=explain)
            failed = _write_all(writer, _show_progress(made, count, quiet or stream.isatty()), options, quiet)
    if found.skipped and not quiet:
        kinds = Counter(file.suffix or "without suffix" for file in found.skipped)
        listed = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common(5))
        click.echo(f"mderank: note: {len(found.skipped)} other files in the folders were not read ({listed})", err=True)
    if failed:
        sys.exit(1)


def _sources(
    errors: list[SourceDocument], files: list[Path], stdin: bool, options: ReadOptions
) -> Iterator[SourceDocument]:
    yield from errors
    if stdin:
        yield from read_stream(sys.stdin.buffer, "<stdin>", options)
    for file in files:
        yield from read_file(file, options)


def _write_all(writer: Any, made: Iterable[DocumentResult], options: Options, quiet: bool) -> int:
    """Write the results and say on stderr what could not be done. The number of documents that failed."""
    failed = 0
    writer.begin()
    for result in made:
        writer.write(result)
        found = result.keyphrases
        if found.error:
            failed += 1
            click.echo(f"mderank: error: {found.error}", err=True)
        if quiet:
            continue
        if found.truncated:
            limits = {"--max-words": options.max_words, "--max-tokens": options.max_tokens}
            listed = ", ".join(f"{flag} {limit}" for flag, limit in limits.items() if limit)
            words = len(result.text[found.truncated.start :].split())
            click.echo(f"mderank: note: {result.id}: the last {words} words were not read ({listed})", err=True)
        if found.missing_phrases:
            listed = ", ".join(found.missing_phrases[:10]) + (", …" if len(found.missing_phrases) > 10 else "")
            click.echo(
                f"mderank: note: {result.id}: {len(found.missing_phrases)} listed phrases do not occur: {listed}",
                err=True,
            )
    writer.end()
    return failed


def _show_progress(made: Iterator[DocumentResult], count: int | None, silent: bool) -> Iterator[DocumentResult]:
    """The results, with a progress bar if there is more than one document."""
    with progress("extracting", count, silent=silent or count == 1) as advance:
        for result in made:
            advance(1)
            yield result


@contextlib.contextmanager
def _warnings_silenced(quiet: bool) -> Iterator[None]:
    import warnings

    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        yield

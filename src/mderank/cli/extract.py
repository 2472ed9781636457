"""``mderank extract``: from files to keyphrases."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from mderank.cli._config import config_option
from mderank.cli._inputs import SkippedPaths, carry_option, echo_absent_fields, input_options, read_options
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    import_spacy_without_torch,
    make_options,
    option,
)
from mderank.cli._reading_progress import ReadingProgress
from mderank.cli._signals import signal_of, signals_held
from mderank.cli._terminal import check_output, format_of_output, partial_file, wants_color
from mderank.cli._terminal import output as opened
from mderank.errors import InputError, OptionError
from mderank.factory import build_extractor
from mderank.options import Options
from mderank.pipeline import extract_documents
from mderank.reading import ReadOptions, SourceDocument, find_files, read_file, read_stream
from mderank.reading.carried import without_values
from mderank.row_columns import carried_columns
from mderank.util.format import escape_unprintable, format_count
from mderank.writing import WRITERS, DocumentResult, Writer, make_writer

STDIN = "-"
_CARRYING = ("jsonl", "json", "csv")  # formats whose rows have further fields


@click.command(cls=SectionedCommand, short_help="Extract the keyphrases of files, folders or standard input.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@input_options
@option("Results", "--format", "-f", "form", type=click.Choice(list(WRITERS)),
        help="html shows the text itself with its keyphrases highlighted; markdown is a report with a table per "
             "document; csv puts ' before what a spreadsheet would run as a formula.  "
             "[default: by FILE's suffix, else table]")  # fmt: skip
@option("Results", "--explain", is_flag=True,
        help="Explain each score: features, contributions, effect of the mask, all occurrences.")  # fmt: skip
@option("Results", "--output", "-o", metavar="FILE", help="Write to FILE.  [default: standard output]")
@carry_option
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

    PATH is a file of text, Markdown, reStructuredText, LaTeX, HTML, PDF, Word, EPUB, mail (.eml, .mbox), notebooks,
    JSON lines, JSON, CSV or Parquet (also .gz), a folder, a pattern in quotes ('notes/**/*.md'), or - for standard
    input, which is also read when there is no PATH. A folder is searched to the bottom, except for hidden files and
    folders, links to folders, node_modules, __pycache__, site-packages and virtual environments. CSV and JSON files in
    it are not read. Name such a folder or file itself to read it.

    Scores rank the phrases of one document; --explain tells what they are made of.
    """
    if STDIN in paths or not paths:
        _check_stdin()
    if not paths and sys.stdin.isatty():
        raise click.UsageError("Name a file or folder, or pipe a text in: mderank extract FILE")
    form = form or format_of_output(output, WRITERS, quiet=quiet)
    found = find_files([path for path in dict.fromkeys(paths) if path != STDIN])
    check_output(output, found.files)
    reading = read_options(settings)
    if reading.carry and form not in _CARRYING:
        raise OptionError(f"--carry is for -f {', '.join(_CARRYING)}: {form} has no place for other fields")
    if not quiet:
        echo_absent_fields(found.files, reading)
    with _warnings_silenced(quiet):
        options = make_options(settings)
        extractor = build_extractor(options)
        if reading.tokens_field is None:
            import_spacy_without_torch(options.tagger, options.tokenizer)
        stdin = STDIN in paths or not paths
        with opened(output, keep_partial=True) as stream:
            silent = quiet or stream.isatty() or not sys.stderr.isatty()
            shown = ReadingProgress(None if stdin else found.files, silent=silent)
            sources = _sources(found.errors, found.files, stdin, reading, shown)
            made = shown.follow(extract_documents(extractor, sources, options.top_k or None))
            carried = carried_columns(reading.carry)
            writer = make_writer(form, stream, color=wants_color(stream), explain=explain, carried=carried)
            failed = _write_all(writer, made, options, quiet, output)
    if not quiet:
        skipped = SkippedPaths()
        for path in found.skipped:
            skipped.add(path)
        skipped.echo()
    if failed:
        sys.exit(1)


def _check_stdin() -> None:
    if sys.stdin is None:
        raise InputError("standard input is closed: name a file or folder, or pipe a text in")


def _sources(
    errors: list[SourceDocument], files: list[Path], stdin: bool, options: ReadOptions, shown: ReadingProgress
) -> Iterator[SourceDocument]:
    if options.carry:
        errors = [replace(each, carried=without_values(options.carry)) for each in errors]
    yield from shown.stream(errors)
    if stdin:
        yield from shown.stream(read_stream(sys.stdin.buffer, "<stdin>", options))
    yield from shown.read(files, lambda file: read_file(file, options))


def _write_all(
    writer: Writer, made: Iterable[DocumentResult], options: Options, quiet: bool, output: str | None
) -> int:
    """Write the results and say on stderr what could not be done. The number of documents that failed."""
    failed = written = 0
    writer.begin()
    try:
        for result in made:
            with signals_held():  # a document is written as a whole
                writer.write(result)
                writer.stream.flush()  # a reader at the end of a pipe has it at once
                written += 1
            failed += _report(result, options, quiet)
    except (KeyboardInterrupt, Exception) as error:
        stopped = signal_of(error)
        if stopped is None:
            raise
        writer.end()  # what is done is a whole file of its kind
        where = "" if output is None else f" to {partial_file(output)}"
        stopped.args = (f"{written} document{'' if written == 1 else 's'} written{where}",)
        raise stopped from None
    writer.end()
    if not written and not quiet:
        click.echo("mderank: note: the input has no documents: its files have no records", err=True)
    return failed


def _report(result: DocumentResult, options: Options, quiet: bool) -> bool:
    """Say on stderr what could not be done with a document. Whether it failed."""
    found, name = result.keyphrases, escape_unprintable(str(result.id))
    if found.error:
        click.echo(f"mderank: error: {escape_unprintable(str(found.error))}", err=True)
    if found.truncated and not quiet:
        limits = {"--max-words": options.max_words, "--max-tokens": options.max_tokens}
        listed = ", ".join(f"{flag} {limit}" for flag, limit in limits.items() if limit)
        words = len(result.text[found.truncated.start :].split())
        click.echo(f"mderank: note: {name}: the last {words} words were not read ({listed})", err=True)
    if found.missing_phrases and options.phrases and not quiet:
        listed = ", ".join(found.missing_phrases[:10]) + (", …" if len(found.missing_phrases) > 10 else "")
        phrases = format_count(len(found.missing_phrases), "listed phrase")
        verb = "does" if len(found.missing_phrases) == 1 else "do"
        click.echo(f"mderank: note: {name}: {phrases} {verb} not occur: {listed}", err=True)
    return found.error is not None


@contextlib.contextmanager
def _warnings_silenced(quiet: bool) -> Iterator[None]:
    import warnings

    with warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        yield

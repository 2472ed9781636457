"""``mderank vocabulary``: look into a vocabulary, convert it, and find what it lacks."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._inputs import read_options, text_input_options
from mderank.cli._options import SectionedCommand, import_spacy_without_torch, option
from mderank.cli._reading_progress import ReadingProgress
from mderank.cli._terminal import check_output, format_of_output, progress, wants_color
from mderank.cli._terminal import output as opened
from mderank.errors import InputError, OptionError
from mderank.util.format import escape_unprintable, format_count, json_text, style_text

if TYPE_CHECKING:
    from mderank.candidates import Concept, Vocabulary
    from mderank.candidates.vocabulary import AmbiguousLabel
    from mderank.collection import BatchOutput, Suggestion
    from mderank.vocabularies import VocabularyFile

_SHOWN = 20  # ambiguous labels that the table has
_SHOWN_CONCEPTS = 5  # of an ambiguous label
_TOP_K = 15  # keyphrases per document that suggestions come from

_VOCABULARY = click.argument("file", type=click.Path(path_type=Path), metavar="VOCAB")
_OUTPUT = option("Results", "--output", "-o", metavar="FILE", help="Write to FILE.  [default: standard output]")
_LANGUAGE = option("Input", "--language", metavar="CODE",
                   help="Language of labels and forms.  [default: that with the most labels]")  # fmt: skip


@click.group()
def vocabulary() -> None:
    """Look into a vocabulary, convert it, and find what it lacks.

    VOCAB is a file in SKOS (.rdf, .xml, .skos, .owl, .ttl, .nt, .jsonld; needs: pip install 'mderank[skos]'), CSV
    (.csv, .tsv), JSON (.json, .jsonl), or with one phrase per line (.txt); each also with .gz. The command
    'mderank extract --vocabulary VOCAB' uses it.
    """


@vocabulary.command(cls=SectionedCommand)
@_VOCABULARY
@_LANGUAGE
@option("Results", "--format", "-f", "form", type=click.Choice(("table", "json")), default="table", show_default=True,
        help="Output format; json has all ambiguous labels.")  # fmt: skip
@_OUTPUT
def check(file: Path, language: str | None, form: str, output: str | None) -> None:
    """Count concepts and labels, and list the labels that several concepts have.

    Deprecated concepts and those without labels are not used. Of the concepts that share a label, that is found which
    prefers it, then one that has it as an alternative, then as a hidden label; of equals, the first of the file.
    """
    from mderank.vocabularies import read_vocabulary

    read = read_vocabulary(file)
    _check_language(read.vocabulary, language)
    ambiguous = read.vocabulary.ambiguous(language)
    shown = language or read.vocabulary.main_language
    with opened(output) as stream:
        if form == "json":
            stream.write(json_text(_as_dict(read, ambiguous, shown), 2) + "\n")
        else:
            stream.writelines(f"{line}\n" for line in _summary(file, read, ambiguous, shown))


@vocabulary.command(cls=SectionedCommand)
@_VOCABULARY
@click.argument("phrases", nargs=-1, required=True, metavar="PHRASE...")
@_LANGUAGE
def show(file: Path, phrases: tuple[str, ...], language: str | None) -> None:
    """Show the concept that a phrase leads to, with all its labels."""
    from mderank.variants import phrase_key
    from mderank.vocabularies import load_vocabulary

    loaded = load_vocabulary(file)
    _check_language(loaded, language)
    missing = []
    shown = language or loaded.main_language
    for phrase in phrases:
        concept = loaded.concept_of(phrase, language)
        if concept is None:
            missing.append(phrase)
        else:
            click.echo("\n".join(_describe(concept, shown)))
    for each in loaded.ambiguous(language) if missing else ():
        same = [phrase for phrase in missing if phrase_key(phrase) == phrase_key(each.label)]
        if same and not each.is_found:
            missing = [phrase for phrase in missing if phrase not in same]
            click.echo(escape_unprintable(f"{same[0]}: {_describe_use(each, shown)}"))
    if missing:
        raise InputError(
            f"{file}: no label is a form of {', '.join(map(repr, missing))}: see mderank vocabulary suggest"
        )


@vocabulary.command(cls=SectionedCommand)
@_VOCABULARY
@_OUTPUT
def convert(file: Path, output: str | None) -> None:
    """Write a vocabulary as JSON, which is read faster than SKOS and without further packages.

    The file has ids, labels and their languages: what mderank uses. Notes and relations are not in it, nor are
    deprecated concepts and those without labels.
    """
    from mderank.vocabularies import read_vocabulary, vocabulary_json

    if output is not None and not output.lower().endswith(".json"):
        raise OptionError(f"{output}: the suffix must be .json, by which the file is read again")
    read = read_vocabulary(file)
    with opened(output) as stream:
        stream.write(vocabulary_json(read.vocabulary))
    for name, text in _left_out(read):
        click.echo(f"mderank: note: {escape_unprintable(f'{file}: {name}: {text}')}", err=True)


@vocabulary.command(cls=SectionedCommand)
@_VOCABULARY
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@text_input_options
@option("Input", "--language", metavar="CODE", help="Language of the documents.  [default: found out for each]")
@option("Results", "--top-k", "-k", "-n", type=click.IntRange(1), default=50, show_default=True, metavar="N",
        help="Number of suggestions.")  # fmt: skip
@option("Results", "--min-documents", type=click.IntRange(1), default=2, show_default=True, metavar="N",
        help="Leave out phrases of fewer documents.")  # fmt: skip
@option("Results", "--min-confidence", type=click.FloatRange(0, 1), default=0.6, show_default=True, metavar="X",
        help="Leave out phrases that readers are less likely to accept, on average.")  # fmt: skip
@option("Results", "--examples", type=click.IntRange(0), default=3, show_default=True, metavar="N",
        help="Documents per suggestion: those in which it ranks highest.")  # fmt: skip
@option("Results", "--format", "-f", "form", type=click.Choice(("table", "csv", "json")),
        help="Output format; csv and json have the documents, and all variants.  "
             "[default: by FILE's suffix, else table]")  # fmt: skip
@_OUTPUT
@option("Results", "--quiet", "-q", is_flag=True, help="No progress and no notes; errors only.")
def suggest(
    file: Path,
    paths: tuple[str, ...],
    language: str | None,
    top_k: int,
    min_documents: int,
    min_confidence: float,
    examples: int,
    form: str | None,
    output: str | None,
    quiet: bool,
    **reading: Any,
) -> None:
    """Suggest concepts: good phrases of documents that the vocabulary lacks.

    PATH is as in 'mderank extract', or the output folder of a 'mderank batch' without --vocabulary. The keyphrases of
    all documents are counted together. Those that are a form of a label are left out. The others are sorted by the sum
    of 1 / log2(1 + rank) over their documents, times their mean confidence. Beside each is the nearest concept: the
    phrase is narrower than a label that it ends with, broader than one that ends with it, and near one that has half of
    its words.
    """
    from mderank.collection import open_output, suggest_concepts
    from mderank.collection.batch_output import is_batch_output
    from mderank.vocabularies import load_vocabulary

    check_output(output, [file, *map(Path, paths)])
    form = form or format_of_output(output, ("csv", "json"), quiet=quiet)
    loaded = load_vocabulary(file)
    with tempfile.TemporaryDirectory() as folder:
        if len(paths) == 1 and is_batch_output(Path(paths[0])):
            found = open_output(Path(paths[0]))
        else:
            found = _extract(paths, Path(folder) / "rows.jsonl", language, quiet, reading)
        with progress("counting", None, silent=quiet) as advance:
            suggestions = suggest_concepts(
                found,
                loaded,
                top_k=top_k,
                min_documents=min_documents,
                min_confidence=min_confidence,
                examples=examples,
                language=language,
                advance=advance,
            )
    with opened(output) as stream:
        if form == "json":
            stream.write(json_text([each.as_dict(loaded.main_language) for each in suggestions], 2) + "\n")
        elif form == "csv":
            _write_csv(stream, suggestions, loaded.main_language)
        else:
            stream.writelines(f"{line}\n" for line in _table(suggestions, loaded, color=wants_color(stream)))


def _extract(
    paths: Iterable[str], file: Path, language: str | None, quiet: bool, reading: dict[str, Any]
) -> BatchOutput:
    """Extract the keyphrases of documents freely, into a file of rows."""
    from mderank.collection import open_output
    from mderank.factory import build_extractor
    from mderank.options import Options
    from mderank.pipeline import extract_documents
    from mderank.reading import find_files, read_file

    found = find_files(list(dict.fromkeys(paths)))
    options = Options(language=language, top_k=_TOP_K)
    extractor = build_extractor(options)
    import_spacy_without_torch(options.tagger, options.tokenizer)
    shown = ReadingProgress(found.files, silent=quiet or not sys.stderr.isatty())
    settings = read_options(reading)

    def sources() -> Iterator[Any]:
        yield from shown.stream(found.errors)
        yield from shown.read(found.files, lambda each: read_file(each, settings))

    failed = 0
    with file.open("w", encoding="utf-8", newline="\n") as stream:
        for result in shown.follow(extract_documents(extractor, sources(), options.top_k)):
            if result.keyphrases.error is not None:
                failed += 1
                click.echo(f"mderank: error: {escape_unprintable(str(result.keyphrases.error))}", err=True)
            stream.write(json_text(result.as_dict()) + "\n")
    if failed and not quiet:
        click.echo(f"mderank: note: {format_count(failed, 'document')} could not be read and did not count", err=True)
    return open_output(file)


def _check_language(loaded: Vocabulary, language: str | None) -> None:
    if language is not None and not {language.lower().replace("_", "-").partition("-")[0], ""} & {*loaded.languages}:
        known = ", ".join(loaded.languages)
        raise OptionError(f"--language {language}: the vocabulary has no labels in it; its languages are {known}")


def _summary(file: Path, read: VocabularyFile, ambiguous: list[AmbiguousLabel], language: str) -> Iterator[str]:
    counts = _count(read.vocabulary)
    yield escape_unprintable(f"{file}: {format_count(len(read.vocabulary), 'concept')}")
    yield f"  labels          {', '.join(f'{count:,} {kind}' for kind, count in counts.items())}"
    languages = _count_languages(read.vocabulary)
    yield f"  languages       {', '.join(f'{name} {count:,}' for name, count in languages)}"
    yield from (f"  {name:<16}{escape_unprintable(text)}" for name, text in _left_out(read))
    if read.comments:
        yield f"  {'comments':<16}{format_count(read.comments, 'line')} that begin with #"
    yield f"  ambiguous       {format_count(len(ambiguous), 'label')}"
    for each in ambiguous[:_SHOWN]:
        yield escape_unprintable(f"    {each.label}: {_describe_use(each, language)}")
    if len(ambiguous) > _SHOWN:
        yield f"    and {len(ambiguous) - _SHOWN:,} more: -f json has all"


def _left_out(read: VocabularyFile) -> Iterator[tuple[str, str]]:
    """What of a file is not in the vocabulary, or otherwise than it stands there."""
    from mderank.reading.limits import list_names

    for name, count in (("deprecated", read.deprecated), ("without label", read.without_label)):
        if count:
            yield name, f"{format_count(count, 'concept')}, left out"
    if read.second_preferred:
        labels = format_count(read.second_preferred, "preferred label")
        yield "alternative", f"{labels} beside another one of the same concept and language"
    if read.unused:
        yield "not used", f"columns or fields: {list_names(read.unused)}"


def _describe_use(ambiguous: AmbiguousLabel, language: str) -> str:
    """Which concept a label of several concepts leads to."""
    first, *others = (
        _describe_name(concept, language, kind if ambiguous.is_found else None)
        for concept, kind in ambiguous.concepts[:_SHOWN_CONCEPTS]
    )
    if len(ambiguous.concepts) > _SHOWN_CONCEPTS:
        others.append(f"and {len(ambiguous.concepts) - _SHOWN_CONCEPTS:,} more")
    if ambiguous.is_found:
        return f"found as {first}, not as {', '.join(others)}"
    return f"not found without a qualifier: {', '.join((first, *others))}"


def _describe_name(concept: Concept, language: str, kind: str | None) -> str:
    """The preferred label, with the id where it differs, and the kind that another label has."""
    label = concept.label(language)
    more = [*([] if concept.id == label else [concept.id]), *([] if kind is None else [kind])]
    return f"{label} ({', '.join(more)})" if more else label


def _as_dict(read: VocabularyFile, ambiguous: list[AmbiguousLabel], language: str) -> dict[str, Any]:
    return {
        "concepts": len(read.vocabulary),
        "labels": _count(read.vocabulary),
        "languages": dict(_count_languages(read.vocabulary)),
        "deprecated": read.deprecated,
        "without_label": read.without_label,
        "second_preferred": read.second_preferred,
        "unused": list(read.unused),
        "ambiguous": [
            {
                "label": each.label,
                "is_found": each.is_found,
                "concepts": [
                    {"id": concept.id, "label": concept.label(language), "kind": kind}
                    for concept, kind in each.concepts
                ],
            }
            for each in ambiguous
        ],
    }


def _count(loaded: Vocabulary) -> dict[str, int]:
    counts = Counter[str](kind for concept in loaded.concepts for kind, _, _ in concept.labels())
    return {kind: counts[kind] for kind in ("preferred", "alternative", "hidden")}


def _count_languages(loaded: Vocabulary) -> list[tuple[str, int]]:
    return Counter(tag or "none" for concept in loaded.concepts for _, tag, _ in concept.labels()).most_common()


def _describe(concept: Concept, language: str) -> Iterator[str]:
    yield escape_unprintable(f"{concept.label(language)}  ({concept.id})")
    for kind, tag, text in concept.labels():
        yield escape_unprintable(f"  {kind:<12} {tag:<6} {text}")


def _table(suggestions: list[Suggestion], loaded: Vocabulary, *, color: bool) -> Iterator[str]:
    """Yield the lines of the table. The phrase comes last but for the concept, so that nothing is cut off."""
    from mderank.util.tables import align_columns

    def dim(text: str) -> str:
        return style_text(text, dim=True) if color else text

    if not suggestions:
        yield "no good phrase is missing: lower --min-documents or --min-confidence for more"
        return
    rows = [("", "documents", "weight")]
    rows += [(str(number), f"{each.documents:,}", f"{each.weight:.1f}") for number, each in enumerate(suggestions, 1)]
    first, *lines = align_columns(rows, ">>>")
    yield dim(f"{first}  phrase")
    for line, each in zip(lines, suggestions, strict=True):
        variants = [text for text, _ in each.variants if text.casefold() != each.text.casefold()]
        names = list({text.casefold(): text for text in reversed(variants)}.values())[::-1][:3]
        shown = f"  ({', '.join(names)})" if names else ""
        near = ""
        if each.nearest is not None and each.relation is not None:
            near = f"  {_RELATIONS[each.relation]} {each.nearest.label(loaded.main_language)}"
        documents = ", ".join(str(example.id) for example in each.examples)
        yield f"{line}  {escape_unprintable(each.text)}{dim(escape_unprintable(shown + near))}"
        if documents:
            yield dim(escape_unprintable(f"{'':{len(line)}}    in {documents}"))


_RELATIONS = {"narrower": "narrower than", "broader": "broader than", "related": "near"}
_COLUMNS = ("phrase", "documents", "weight", "confidence", "occurrences", "variants", "relation", "nearest_id",
            "nearest_label", "examples")  # fmt: skip


def _write_csv(stream: Any, suggestions: Iterable[Suggestion], language: str) -> None:
    import csv

    from mderank.writing.csv import escape_cell

    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for each in suggestions:
        plain = each.as_dict(language)
        near = plain["nearest"] or {"id": "", "label": ""}
        cells = (
            each.text,
            each.documents,
            plain["weight"],
            "" if plain["confidence"] is None else plain["confidence"],
            each.occurrences,
            "|".join(text for text, _ in each.variants if text != each.text),
            each.relation or "",
            near["id"],
            near["label"],
            "|".join(str(example.id) for example in each.examples),
        )
        writer.writerow([escape_cell(cell) if isinstance(cell, str) else cell for cell in cells])

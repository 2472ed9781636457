"""``mderank languages``: the languages that texts are read in, and with what."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(short_help="List the known languages, and what reads each of them.")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def languages(files: tuple[Path, ...], as_json: bool) -> None:
    """List the languages that are known, and what reads each of them here; of FILES, the language of each."""
    from mderank.util.tables import align_columns

    rows = _detect(files) if files else _list_known()
    if as_json:
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    click.echo("\n".join(align_columns([tuple(map(str, row.values())) for row in rows], "<<<<")))


def _list_known() -> list[dict[str, str]]:
    from mderank.languages import LANGUAGES
    from mderank.tagging.language_tagger import describe_tagger

    return [
        {
            "code": each.code,
            "name": each.name,
            "stemmer": each.stemmer or "no stemmer",
            "tagger": describe_tagger(each.code),
        }
        for each in LANGUAGES.values()
    ]


def _detect(files: tuple[Path, ...]) -> list[dict[str, str]]:
    from mderank.languages import detect_language, get_language
    from mderank.reading import ReadOptions, find_files, read_file

    found = find_files([str(file) for file in files])
    rows = []
    for source in (*found.errors, *(each for file in found.files for each in read_file(file, ReadOptions()))):
        if source.error is not None:
            raise source.error
        detected = detect_language(source.text if source.prose is None else source.prose)
        rows.append(
            {
                "file": str(source.id),
                "code": detected.code,
                "certainty": f"{detected.certainty:.2f}",
                "name": get_language(detected.code).name,
            }
        )
    return rows

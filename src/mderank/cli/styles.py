"""``mderank styles``: what --style takes."""

from __future__ import annotations

import click

from mderank.style import load_style, ready_made


@click.command(short_help="List the styles that --style takes; describe one.")
@click.argument("name", metavar="[STYLE]", required=False)
def styles(name: str | None) -> None:
    """List the styles that are part of mderank; of one STYLE or style file, what it was learned from and its worth."""
    from mderank.util.tables import align_columns

    if name is None:
        loaded = [load_style(each) for each in ready_made()]
        rows = [
            (each.name, str(each.learned_from.get("description", "")), ", ".join(each.preferences)) for each in loaded
        ]
        click.echo("\n".join(align_columns(rows, "<<<")))
        return
    style = load_style(name)
    click.echo(f"{style.name}: {style.learned_from.get('description', 'a learned style')}")
    for key, value in style.learned_from.items():
        if key != "description":
            click.echo(f"  {key:<24}{value}")
    click.echo(f"  {'encoder':<24}{style.encoder}")
    click.echo(f"  {'overlap':<24}{style.overlap}")
    click.echo(f"  {'prefers':<24}{', '.join(style.preferences) or 'what the default prefers'}")
    for key, label in (("before", "F1@5/10/15 without it"), ("after", "F1@5/10/15 with it")):
        if key in style.figures:
            click.echo(f"  {label:<24}{' / '.join(f'{each:.2f}' for each in style.figures[key])}")

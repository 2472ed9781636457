"""``mderank methods``: what --method takes."""

from __future__ import annotations

from importlib import import_module
from inspect import cleandoc

import click

from mderank.methods.registry import METHODS, Method, get_method

_ARGUMENTS = "\n\nArgs:"  # for Python; the command line has options


@click.command(short_help="List the methods that --method takes; describe one.")
@click.argument("name", metavar="[METHOD]", required=False)
def methods(name: str | None) -> None:
    """List the methods that --method takes; of one METHOD, what it does and the options that --set takes."""
    if name is not None:
        _describe(get_method(name))
        return
    from mderank.util.tables import align_columns

    rows = [(method.name, method.kind, method.summary) for method in METHODS.values()]
    click.echo("\n".join(align_columns(rows, "<<<")))


def _describe(method: Method) -> None:
    home = method.load()
    click.echo(f"{method.name}: {method.summary}\n")
    for text in (import_module(home.__module__).__doc__, home.__doc__):
        click.echo(f"{cleandoc(text or '').partition(_ARGUMENTS)[0].rstrip()}\n")
    overlap = getattr(home, "default_overlap", None)
    if overlap is not None:
        click.echo(f"Phrases that are part of each other, unless --overlap says otherwise: {overlap}\n")
    parameters = method.parameters()
    if parameters:
        click.echo("Parameters (--set NAME=VALUE):")
    for each in parameters.values():
        click.echo(f"  {each.name:<20}{each.describe()}  [default: {each.default_text()}]")
        if each.param.help:
            click.echo(f"  {'':<20}{each.param.help}")

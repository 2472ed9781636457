"""``mderank methods``: what --method takes."""

from __future__ import annotations

import click

from mderank.methods import METHODS


@click.command()
def methods() -> None:
    """List the methods that --method takes."""
    for method in METHODS.values():
        click.echo(f"{method.name:<14}{method.kind:<12}{method.summary}")

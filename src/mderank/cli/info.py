"""``mderank info``: what is installed and how it is set up, for bug reports."""

from __future__ import annotations

import json
import platform
from typing import Any

import click

from mderank.cli._options import DEFAULT_MODEL
from mderank.util.environment import available_cores, versions

PACKAGES = ("numpy", "onnxruntime", "tokenizers", "spacy", "torch", "transformers", "onnx", "pypdf")


@click.command()
@click.option(
    "--model", "-m", default=DEFAULT_MODEL, show_default=True, metavar="NAME|DIR", help="The encoder to show."
)
@click.option("--tagger", metavar="NAME", help="The tagger to show.  [default: encoder]")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def info(model: str, tagger: str | None, as_json: bool) -> None:
    """Show versions, the encoder and the tagger."""
    from mderank.encoding import load_encoder
    from mderank.tagging import load_tagger

    spec = load_encoder(model).spec
    facts: dict[str, Any] = {
        **{name: version or "not installed" for name, version in versions(PACKAGES).items()},
        "platform": platform.platform(),
        "cores": available_cores(),
        "tagger": getattr(load_tagger(tagger), "name", tagger),
        "model": spec.name,
        "layers": spec.layers,
        "dimension": spec.dimension,
        "window": f"{spec.max_length} tokens",
        "pooling": spec.pooling,
        "one pass": "yes" if spec.one_pass else "no: every masked variant is encoded whole",
    }
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    for name, value in facts.items():
        click.echo(f"{name:<13}{value}")

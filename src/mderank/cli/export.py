"""``mderank export``: a Hugging Face encoder to ONNX form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("model")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--storage", type=click.Choice(["float32", "int8"]), default="float32", show_default=True,
              help="Number format of stored weights. int8 takes a quarter of the space.")  # fmt: skip
@click.option("--compute", type=click.Choice(["float32", "int16", "int8"]), default="float32", show_default=True,
              help="Number format of products that --precision auto uses. int16 and int8 are faster; the export "
                   "checks that they rank like the original.")  # fmt: skip
@click.option("--name", help="What the exported model calls itself.  [default: the last part of MODEL]")
@click.option("--prefix", help="Words to put before every text, such as 'query: ' for e5.  [default: the model's own]")
@click.option("--quiet", "-q", is_flag=True, help="Say nothing.")
def export(
    model: str, folder: Path, storage: str, compute: str, name: str | None, prefix: str | None, quiet: bool
) -> None:
    """Turn an encoder into ONNX form, which needs no torch.

    MODEL is a hub name or a folder, FOLDER is new or empty. The result is checked against
    the original before it is written, on texts up to the encoder's maximum; --model FOLDER then uses it. An encoder
    whose attention changes with the length of the text, such as BigBird, cannot be exported. Needs the extra 'export'.
    """
    from mderank.encoding.export import export as write

    report = (lambda line: None) if quiet else (lambda line: click.echo(line, err=True))
    formats: Any = {"storage": storage, "compute": compute}
    spec = write(model, folder, **formats, name=name, text_prefix=prefix, report=report)
    size = sum(file.stat().st_size for file in folder.iterdir())
    if not quiet:
        use = "" if spec.one_pass else ", in the exact form only"
        click.echo(f"{folder}: {size / 1e6:.1f} MB; use it with --model {folder}{use}", err=True)

"""``mderank train``: train an encoder for keyphrases."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import click

from mderank.cli._signals import INTERRUPTED, TERMINATED, Terminated


@click.command()
@click.argument("recipe")
@click.argument("texts", nargs=-1)
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR",
              help="Folder for checkpoints, log and model; a run that is there resumes.")  # fmt: skip
@click.option("--set", "changes", multiple=True, metavar="SECTION.KEY=VALUE",
              help="Change a setting of the recipe; repeatable.")  # fmt: skip
@click.option("--labels", type=click.Path(path_type=Path), metavar="DIR",
              help="Folder for pseudo labels, which runs share.  [default: labels/ beside OUT]")  # fmt: skip
@click.option("--show", is_flag=True, help="Print the recipe with all settings, and do nothing.")
@click.option("--quiet", "-q", is_flag=True, help="No progress; errors only.")
@click.pass_context
def train(
    context: click.Context,
    recipe: str,
    texts: tuple[str, ...],
    out: Path,
    changes: tuple[str, ...],
    labels: Path | None,
    show: bool,
    quiet: bool,
) -> None:
    """Train an encoder for keyphrases, without labels by people.

    RECIPE is a TOML file, or the name of a recipe that comes with mderank:

    \b
    paper            KPEBERT as the paper trained it: BERT, WikiText-103, triplets
    own-texts        a small encoder, on texts of yours: mderank train own-texts papers/ --out mine
    minilm-one-pass  the same on WikiText-2: all pairs of a document in one pass
    minilm-triplet   the same with the paper's triplets
    minilm-distill   one pass learns from the exact form, without labels

    TEXTS are files, folders or patterns that any recipe is then trained on, in place of its own corpus. Models and
    corpora that are not on this machine are fetched from the Hugging Face hub.

    Training runs on the GPU or CPU that it finds, or in several processes: accelerate launch --no_python mderank train
    …, or torchrun --no-python --nproc-per-node 2 mderank train …. A stopped run resumes with the same command.
    DIR/model is the result, for --model and 'mderank export'. Needs: pip install 'mderank[train]'.
    """  # noqa: D301
    from mderank.research.training.recipe import Recipe
    from mderank.research.training.trainer import train as run

    chosen = Recipe.load(recipe, changes, texts)
    if show:
        click.echo(chosen.as_toml())
        return
    asked: list[int] = []
    quiet = quiet or int(os.environ.get("RANK", "0")) > 0  # of several processes, the first reports
    previous = {each: signal.signal(each, _note_signal(asked, quiet)) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        result = run(
            chosen,
            out,
            labels=labels,
            progress=(lambda line: None) if quiet else (lambda line: click.echo(line, err=True)),
            stop=lambda: bool(asked),
        )
    finally:
        for each, handler in previous.items():
            signal.signal(each, handler)
    if not result.state.finished:
        context.exit(TERMINATED if signal.SIGTERM in asked else INTERRUPTED)
    if not quiet and result.model is not None:
        click.echo(f"{result.model}: use it with --model {result.model}", err=True)
        if result.last is not None:
            click.echo(f"{result.last}: the encoder of the last step", err=True)


def _note_signal(asked: list[int], quiet: bool) -> Any:
    """Return a signal handler that lets the step end; a second signal interrupts it."""

    def handle(number: int, frame: Any) -> None:
        if asked:
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
        asked.append(number)
        if not quiet:
            click.echo("mderank: stopping after this step; once more to stop at once", err=True)

    return handle

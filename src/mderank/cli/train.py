"""``mderank train``: an encoder for keyphrases."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("recipe")
@click.option("--out", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR",
              help="Where checkpoints, log and model go; a run that is there goes on.")  # fmt: skip
@click.option("--set", "changes", multiple=True, metavar="SECTION.KEY=VALUE",
              help="Another value for a setting of the recipe; repeatable.")  # fmt: skip
@click.option("--labels", type=click.Path(path_type=Path), metavar="DIR",
              help="Where pseudo labels are kept for runs to share.  [default: labels/ beside OUT]")  # fmt: skip
@click.option("--show", is_flag=True, help="Print the recipe with all settings, and do nothing.")
@click.option("--quiet", "-q", is_flag=True, help="No progress; errors only.")
@click.pass_context
def train(
    context: click.Context,
    recipe: str,
    out: Path,
    changes: tuple[str, ...],
    labels: Path | None,
    show: bool,
    quiet: bool,
) -> None:
    """Train an encoder for keyphrases, without labels by people.

    RECIPE is a TOML file, or one that comes with mderank: paper (KPEBERT as the paper trained it), minilm-one-pass,
    minilm-triplet. Runs on the CPU or GPU that it finds, or on several: accelerate launch --no_python mderank train ….
    Stopped at any moment, the same command goes on. DIR/model is the result, for --model and 'mderank export'. Needs
    the extra 'train'.
    """
    from mderank.training.loop import train as run
    from mderank.training.recipe import Recipe

    chosen = Recipe.load(recipe, changes)
    if show:
        click.echo(chosen.as_toml())
        return
    asked: list[int] = []
    previous = {each: signal.signal(each, _note(asked)) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        result = run(
            chosen,
            out,
            labels=labels,
            report=(lambda line: None) if quiet else (lambda line: click.echo(line, err=True)),
            stop=lambda: bool(asked),
        )
    finally:
        for each, handler in previous.items():
            signal.signal(each, handler)
    if not result.state.finished:
        context.exit(130)
    if not quiet and result.model is not None:
        click.echo(f"{result.model}: use it with --model {result.model}", err=True)


def _note(asked: list[int]) -> Any:
    """A handler that lets the step end; asked again, it does not."""

    def handle(number: int, frame: Any) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)
        click.echo("mderank: stopping after this step; once more to stop at once", err=True)

    return handle

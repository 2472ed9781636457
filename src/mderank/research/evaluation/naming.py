"""Names of encoders in labels of runs: the shortest end of an encoder's path that distinguishes it from others."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mderank.research.evaluation.runs import SETTINGS_FILE, encoder_key

# "mderank train" calls its encoder "model", and exported ones are often called "onnx": the folder around tells more.
GENERIC = ("model", "onnx")


@dataclass(frozen=True)
class NamedRun:
    """A run in a folder of runs.

    Attributes:
        dataset: The name of its dataset's folder.
        label: Its label, the name of its folder.
        encoder: What identifies its encoder; None if it has none.

    """

    dataset: str
    label: str
    encoder: str | None


def endings(model: str) -> list[str]:
    """Return the ends of an encoder's path, the shortest first.

    Args:
        model: The encoder's name or path.

    Returns:
        The ends; the last is the whole path.

    >>> endings("kpe/ab-yake/onnx"), endings("minilm-l6")
    (['onnx', 'ab-yake/onnx', 'kpe/ab-yake/onnx'], ['minilm-l6'])
    """
    parts = Path(model).parts
    return [Path(*parts[-count:]).as_posix() for count in range(1, len(parts) + 1)] or [model]


def short_name(model: str) -> str:
    """Return the shortest end of an encoder's path that is not a generic name.

    Args:
        model: The encoder's name or path.

    Returns:
        The name.

    >>> short_name("kpe/ab-yake/onnx"), short_name("org/bert"), short_name("onnx")
    ('ab-yake/onnx', 'bert', 'onnx')
    """
    return next((ending for ending in endings(model) if ending not in GENERIC), model)


def tell_apart(models: Sequence[str]) -> list[str]:
    """Find short names that distinguish encoders.

    Args:
        models: The encoders' names or paths.

    Returns:
        For each, the shortest end of its path that no other has, or the whole path.

    >>> tell_apart(["kpe/ab-yake/onnx", "kpe/re-yake/onnx", "minilm-l6"])
    ['ab-yake/onnx', 're-yake/onnx', 'minilm-l6']
    """
    names = []
    for index, model in enumerate(models):
        others = {ending for other, each in enumerate(models) if other != index for ending in endings(each)}
        own = (each for each in endings(model) if each not in others and each not in GENERIC)
        names.append(next(own, model))
    return names


def in_label(name: str) -> str:
    """Return the part of a label that names the encoder. Labels are also names of folders.

    >>> in_label("ab-yake/onnx")
    'model=ab-yake_onnx'
    """
    return f"model={name.replace('/', '_')}"


def named_runs(folder: Path) -> list[NamedRun]:
    """List the runs in a folder, ``folder/DATASET/LABEL``.

    Args:
        folder: The folder.

    Returns:
        The runs that can be read.

    """
    files = sorted(folder.glob(f"*/*/{SETTINGS_FILE}"))
    found = (_named(file, file.stat().st_mtime_ns) for file in files)
    return [run for run in found if run is not None]


@lru_cache(maxsize=16_384)
def _named(file: Path, changed: int) -> NamedRun | None:
    """Read a run's settings. ``changed``, the time they were written, makes the cache read each version once."""
    try:
        return NamedRun(
            file.parent.parent.name, file.parent.name, encoder_key(json.loads(file.read_text(encoding="utf-8")))
        )
    except (OSError, ValueError, AttributeError):
        return None


def choose_label(
    labels: Callable[[str], str],
    model: str,
    encoder: str | None,
    dataset: str,
    runs: Iterable[NamedRun],
    *,
    numbered: bool = False,
) -> str:
    """Choose the label of a run.

    A run that exists keeps its label, so that it can resume. Otherwise the label has an end of the encoder's path that
    only runs of this encoder have, or else the shortest that no run has.

    Args:
        labels: Makes a label from an end of the encoder's path.
        model: The encoder's name or path.
        encoder: What identifies the encoder.
        dataset: The name of the dataset's folder.
        runs: The runs that exist.
        numbered: Whether runs may also be in ``LABEL~2``.

    Returns:
        The label.

    """
    known = endings(str(Path(model).absolute()) if Path(model).is_dir() else model)
    runs = list(runs)
    mine = {run.label for run in runs if (run.dataset, run.encoder) == (dataset, encoder)}
    if numbered:
        mine |= {re.sub(r"~\d+$", "", label) for label in mine}
    for ending in known:
        if labels(ending) in mine:
            return labels(ending)
    owners = {ending: {run.encoder for run in runs if _names(run.label, ending)} for ending in known}
    begun = [ending for ending in known if owners[ending] == {encoder}]
    free = [ending for ending in known if not owners[ending] and (ending not in GENERIC or len(known) == 1)]
    return labels((*begun, *free, known[-1])[0])


def _names(label: str, ending: str) -> bool:
    return re.search(rf"{re.escape(in_label(ending))}(?=$|[-~])", label) is not None

"""Names of encoders in the labels of runs: the shortest ending of an encoder's path that tells it from others."""

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
    """A run that is there: its dataset and its label, which name its folder, and its encoder."""

    dataset: str
    label: str
    encoder: str | None


def endings(model: str) -> list[str]:
    """The endings of an encoder's path, the shortest first and the whole last.

    >>> endings("kpe/ab-yake/onnx"), endings("minilm-l6")
    (['onnx', 'ab-yake/onnx', 'kpe/ab-yake/onnx'], ['minilm-l6'])
    """
    parts = Path(model).parts
    return [Path(*parts[-count:]).as_posix() for count in range(1, len(parts) + 1)] or [model]


def short_name(model: str) -> str:
    """The shortest ending that says something.

    >>> short_name("kpe/ab-yake/onnx"), short_name("org/bert"), short_name("onnx")
    ('ab-yake/onnx', 'bert', 'onnx')
    """
    return next((ending for ending in endings(model) if ending not in GENERIC), model)


def tell_apart(models: Sequence[str]) -> list[str]:
    """For each of several encoders the shortest ending of its path that no other has, or the whole path.

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
    """The part of a label that names the encoder; labels are names of folders too.

    >>> in_label("ab-yake/onnx")
    'model=ab-yake_onnx'
    """
    return f"model={name.replace('/', '_')}"


def named_runs(folder: Path) -> list[NamedRun]:
    """The runs in ``folder``, which are ``folder/DATASET/LABEL``; those that cannot be read are left out."""
    files = sorted(folder.glob(f"*/*/{SETTINGS_FILE}"))
    found = (_named(file, file.stat().st_mtime_ns) for file in files)
    return [run for run in found if run is not None]


@lru_cache(maxsize=16_384)
def _named(file: Path, changed: int) -> NamedRun | None:
    """A run by its settings; ``changed`` is when they were written, so that each file is read once."""
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
    """The label of a run with the encoder ``model``, beside other runs.

    ``labels`` makes a label from an ending of the encoder's path. A run that is there keeps its label, so that it can
    resume. Otherwise an ending is taken that only runs of this encoder have, and else the shortest that no run has.
    ``numbered`` says that a run may also be in ``LABEL~2``.
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

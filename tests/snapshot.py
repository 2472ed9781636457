"""The public interface as text: names with their signatures, and the options of every command.

``python tests/snapshot.py --write`` writes it to ``tests/public_api.txt``, after a change that is meant.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, ForwardRef

import click

FILE = Path(__file__).with_name("public_api.txt")
# Packages whose ``__all__`` is public.
PACKAGES = (
    "mderank",
    "mderank.methods",
    "mderank.reading",
    "mderank.batch",
    "mderank.serve",
    "mderank.testing",
    "mderank.research.datasets",
)
# What a notebook imports from integrations and research.
ENTRY_POINTS = {
    "mderank.integrations.haystack": ("KeyphraseExtractor",),
    "mderank.integrations.langchain": ("KeyphraseTransformer",),
    "mderank.integrations.sklearn": ("KeyphraseVectorizer",),
    "mderank.research.evaluation.evaluate": ("evaluate",),
    "mderank.research.evaluation.measures": ("Measure",),
    "mderank.research.evaluation.protocols": ("Protocol", "get_protocol"),
    "mderank.research.evaluation.runs": ("Run", "RunStore"),
    "mderank.research.evaluation.spec": ("RunSpec",),
    "mderank.research.reports.compare": ("RunComparison", "compare"),
    "mderank.research.reproduction.reproduce": ("Reproduction", "reproduce"),
    "mderank.research.training.recipe": ("Recipe", "recipe_names"),
    "mderank.research.training.trainer": ("TrainingResult", "train"),
    "mderank.research.tuning.labelled_files": ("LabelFields", "load_labelled"),
    "mderank.research.tuning.learn": ("StyleReport", "learn_style"),
}


def snapshot() -> str:
    """All of it, one name or option per line."""
    lines = []
    known: dict[int, str] = {}  # a class that two packages have is described once
    for module in (*PACKAGES, *ENTRY_POINTS):
        for name, value in public_names(module):
            path = f"{module}.{name}"
            if callable(value) and id(value) in known:
                lines.append(f"{path} = {known[id(value)]}")
            else:
                lines += _describe(path, value)
                known[id(value)] = path
    from mderank.cli import cli

    return "\n".join([*lines, *_options("mderank", cli)]) + "\n"


def public_names(module: str) -> Iterator[tuple[str, Any]]:
    """The public names of a module: its entry points, its ``__all__``, or what it defines itself."""
    loaded = import_module(module)
    defined = [name for name, value in vars(loaded).items() if getattr(value, "__module__", None) == module]
    names = ENTRY_POINTS.get(module) or getattr(loaded, "__all__", defined)
    for name in sorted(names):
        if not name.startswith("_"):
            yield name, getattr(loaded, name)


def public_members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that mderank itself defines, inherited ones too."""
    for name in sorted(dir(kind)):
        value = inspect.getattr_static(kind, name)
        if name.startswith("_"):
            continue
        function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if callable(function) and getattr(function, "__module__", "").startswith("mderank"):
            yield name, value


def _describe(path: str, value: Any) -> list[str]:
    if inspect.isclass(value):
        lines = [f"class {path}{'' if getattr(value, '_is_protocol', False) else _signature(value)}"]
        for name, member in public_members(value):
            if isinstance(member, property):
                returned = inspect.signature(member.fget).return_annotation if member.fget else ""
                lines.append(f"{path}.{name}: {_type(returned)}")
            else:
                lines.append(f"{path}.{name}{_signature(getattr(value, name))}")
        return lines
    if inspect.isfunction(value):
        return [f"{path}{_signature(value)}"]
    return [path]  # a constant, or a type alias


def _signature(value: Any) -> str:
    """The signature, with a line for each parameter if it is long."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    parts = []
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    for index, parameter in enumerate(signature.parameters.values()):
        if parameter.kind is parameter.KEYWORD_ONLY and not {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL} & set(
            kinds[:index]
        ):
            parts.append("*")
        parts.append(_parameter(parameter))
    returned = "" if signature.return_annotation is signature.empty else f" -> {_type(signature.return_annotation)}"
    line = f"({', '.join(parts)}){returned}"
    return line if len(line) <= 90 else "(" + "".join(f"\n    {part}," for part in parts) + f"\n){returned}"


def _parameter(parameter: inspect.Parameter) -> str:
    text = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "") + parameter.name
    if parameter.annotation is not parameter.empty:
        text += f": {_type(parameter.annotation)}"
    if parameter.default is not parameter.empty:
        text += f" = {re.sub(r' at 0x[0-9a-f]+', '', repr(parameter.default))}"
    return text


def _type(annotation: Any) -> str:
    if isinstance(annotation, ForwardRef):
        return annotation.__forward_arg__
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _options(path: str, command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            flags = ", ".join((*parameter.opts, *parameter.secondary_opts))
            yield f"{path} {flags}{'' if parameter.is_flag else ' ' + _values(parameter)}"
        else:
            yield f"{path} {parameter.name.upper() if parameter.name else ''}"
    if isinstance(command, click.Group):
        for name, below in sorted(command.commands.items()):
            yield from _options(f"{path} {name}", below)


def _values(option: click.Option) -> str:
    text = "|".join(map(str, option.type.choices)) if isinstance(option.type, click.Choice) else option.type.name
    return text + (" (repeatable)" if option.multiple else "")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(snapshot(), encoding="utf-8")
    else:
        sys.stdout.write(snapshot())

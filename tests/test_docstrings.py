"""Public classes and functions say what they take, what they return, and what they raise."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest
from tests.snapshot import public_members, public_names

DOCUMENTED = ("mderank", "mderank.methods", "mderank.reading", "mderank.batch", "mderank.serve")


def documented() -> dict[str, Any]:
    """Every class, function and method that must have sections, by its path."""
    found: dict[str, Any] = {}
    known: set[int] = set()
    for module in DOCUMENTED:
        for name, value in public_names(module):
            if id(value) in known or not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            known.add(id(value))
            found[f"{module}.{name}"] = value
            if inspect.isclass(value):
                for member, _ in public_members(value):
                    static = vars(value).get(member)
                    if static is not None and not isinstance(static, property):
                        found[f"{module}.{name}.{member}"] = getattr(static, "__func__", static)
    return found


def missing_sections(value: Any) -> Iterator[str]:
    """The sections that the docstring lacks, and the parameters that it does not name."""
    text = inspect.getdoc(value) or ""
    names = parameters(value)
    arguments = section(text, "Args") + section(text, "Attributes")
    if names and not arguments:
        yield "Args"
    elif unnamed := [name for name in names if not re.search(rf"^\s*\**{name}\b.*:", arguments, re.MULTILINE)]:
        yield f"Args: {', '.join(unnamed)}"
    if not inspect.isclass(value):
        returned = inspect.signature(value).return_annotation
        if returned not in (None, "None", inspect.Signature.empty) and not re.search(r"^(Returns|Yields):", text, re.M):
            yield "Returns"
    if raises(value) and not section(text, "Raises"):
        yield "Raises"


def parameters(value: Any) -> list[str]:
    """The parameters that a user can give by name."""
    if getattr(value, "_is_protocol", False) or (inspect.isclass(value) and issubclass(value, BaseException)):
        return []
    try:
        signature = inspect.signature(value)
    except ValueError:
        return []
    given = (each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD)
    described = (
        {each.name for each in dataclasses.fields(value) if "help" in each.metadata} if _is_data(value) else set()
    )
    return [each.name for each in given if each.name not in ("self", "cls", *described) and each.name[0] != "_"]


def _is_data(value: Any) -> bool:
    return inspect.isclass(value) and dataclasses.is_dataclass(value)


def section(text: str, title: str) -> str:
    """The lines of one section of a docstring, or nothing."""
    found = re.search(rf"^{title}:\n((?:[ \t]+.*\n?|\n)+)", text, re.MULTILINE)
    return found[1] if found else ""


def raises(value: Any) -> bool:
    """Whether it has a ``raise`` of its own: in a function, or in what makes an object of a class."""
    if not inspect.isclass(value):
        return _raises(value)
    if getattr(value, "_is_protocol", False):  # typing's own refusal to make one
        return False
    return any(_raises(vars(value)[name]) for name in ("__init__", "__post_init__") if name in vars(value))


def _raises(function: Any) -> bool:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError):  # dataclasses write their own __init__
        return False
    return any(isinstance(node, ast.Raise) and node.exc is not None for node in ast.walk(tree))


@pytest.mark.parametrize("path", sorted(documented()))
def test_sections(path):
    missing = list(missing_sections(documented()[path]))
    assert not missing, f"the docstring of {path} lacks {'; '.join(missing)}"

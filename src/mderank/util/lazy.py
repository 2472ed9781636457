"""Names of a package that are imported when they are first used, so that importing the package stays fast."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, Iterable[str]], eager: Iterable[str] = ()
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Make the ``__all__``, ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: The name of the package.
        modules: The names that each module defines, in the order in which documentation shows them.
        eager: Further public names, which the package defines itself.

    Returns:
        The names in this order, a function that imports one of them, and a function that lists them sorted.

    """
    module_of = {name: module for module, names in modules.items() for name in names}
    public = [*module_of, *eager]

    def load(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(module_of[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return public, load, lambda: sorted(public)

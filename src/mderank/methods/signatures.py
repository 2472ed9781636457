"""Signatures of methods: the parameters of a constructor, with those that it passes on to its base class."""

from __future__ import annotations

from functools import cache
from inspect import Parameter, Signature, signature
from typing import ClassVar, Protocol, get_args, get_type_hints

from mderank.parameters import to_parameter


class _Method(Protocol):
    has_vectors: ClassVar[bool]


class AllParameters:
    """The signature of a method's class for `help`: all parameters by name and with plain types, no ``**options``."""

    def __get__(self, instance: object, owner: type[_Method]) -> Signature:
        found = constructor_signature(owner).parameters.values()
        return Signature([each.replace(annotation=to_parameter(each).hint) for each in found])


@cache
def constructor_signature(method: type[_Method]) -> Signature:
    """Return the parameters of a method's constructor, those that it passes on to its base class among them.

    Args:
        method: the class of the method.

    Returns:
        The signature, without ``self`` and without ``**options``. Annotations are resolved, with `Param`.
    """
    homes = [home for home in method.__mro__ if "__init__" in vars(home) and home is not object]
    found = _declared(homes[0])
    passed_on = found.pop("**", None)
    if passed_on is not None:
        (group,) = get_args(passed_on.annotation)  # Unpack[BaseOptions]
        inherited = {name: each for home in reversed(homes[1:]) for name, each in _declared(home).items()}
        for name in get_type_hints(group):
            if name in inherited and name not in found:
                found[name] = inherited[name].replace(kind=Parameter.KEYWORD_ONLY)
    if not method.has_vectors:
        found.pop("diversity", None)
    return Signature(list(found.values()))


def _declared(home: type) -> dict[str, Parameter]:
    """The parameters that a class declares in its own constructor; ``**options`` under the name ``**``."""
    constructor = vars(home)["__init__"]
    hints = get_type_hints(constructor, include_extras=True)
    return {
        "**" if each.kind is each.VAR_KEYWORD else name: each.replace(annotation=hints[name])
        for name, each in signature(constructor).parameters.items()
        if name != "self"
    }

"""Settings of the classes for other libraries: the most used as arguments, the others as `Options`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mderank.errors import OptionError
from mderank.options import Options


def merge_options(options: Options | Mapping[str, Any] | None, **named: Any) -> Options:
    """Options from a mapping, and from arguments that have a name of their own.

    Args:
        options: The options; those that are named as well must have their default here.
        **named: Options by name. None is not given.

    Returns:
        The options.

    Raises:
        OptionError: If an option is unknown, does not fit, or is given twice.
    """
    if not isinstance(options, Options | Mapping | None):
        raise OptionError(f"options must be Options or a mapping such as {{'max_words': 500}}, not {options!r}")
    given = options.given() if isinstance(options, Options) else dict(options or {})
    named = {name: value for name, value in named.items() if value is not None}
    twice = sorted({name.replace("-", "_") for name in given} & named.keys())
    if twice:
        raise OptionError(f"options must not hold {', '.join(twice)}: that is an argument of its own")
    return Options.from_dict({**given, **named})

"""``--config FILE``: a command's options from a TOML file. What is written on the command line comes first.

A key is the long name of an option, with dashes or underscores; options that may be repeated take a list. Phrases are
the name of a file, or a list. The parameters of the method (``--set``) are a table:

    method = "fusion"
    top-k = 15

    [params]
    position = 0.3
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from mderank.cli._options import CONFIG, PARAMS, option
from mderank.errors import InputError, OptionError
from mderank.options import Options
from mderank.parameters import Params

F = TypeVar("F", bound=Callable[..., Any])

_SET, _TABLE = "set", "params"
_NOT_IN_FILES = ("config", "help")


def config_option(command: F) -> F:
    """The option ``--config``."""
    return option(
        "Other",
        "--config",
        metavar="FILE",
        is_eager=True,  # before the options whose values it gives
        expose_value=False,
        callback=_read,
        help="Read options from a TOML file: long names = values, those of --set in a "
        "table [params]. The command line comes first.",
    )(command)


def _read(context: click.Context, _: click.Parameter, file: str | None) -> None:
    """Take the file's values for those of options that are not written on the command line."""
    if file is not None:
        context.default_map = {**(context.default_map or {}), **_values(context, file)}
        context.meta[CONFIG] = file


def _values(context: click.Context, file: str) -> dict[str, Any]:
    """The file's values by the names of parameters, as they would come from the command line."""
    options = _options(context.command)
    values: dict[str, Any] = {}
    for key, value in _load(file).items():
        name = key.replace("_", "-")
        if name not in options:
            raise OptionError(
                f"{file}: the option '{key}' is unknown; 'mderank {context.command.name}' has {', '.join(options)}"
            )
        parameter = options[name]
        if parameter.name in values:
            raise OptionError(f"{file}: the option '{key}' is there twice: leave one out")
        try:
            values[str(parameter.name)] = _checked(context, file, key, parameter, value)
        except click.BadParameter as error:
            raise OptionError(f"{file}: {key} = {value!r}: {error.message}") from error
    context.meta[PARAMS] = values.pop(_TABLE, {})
    return values


def _checked(context: click.Context, file: str, key: str, parameter: click.Option, value: Any) -> Any:
    """A value of the file: options of an extraction as `Options` checks them, others as on the command line."""
    known = Options.parameters().get(str(parameter.name))
    if known is None or parameter.multiple != (known.hint is Params):
        as_given = _given(file, key, parameter, value)
        parameter.type_cast_value(context, as_given)
        return as_given
    try:
        if isinstance(value, str) and known.is_list:
            return value
        checked = known.check(value)
    except OptionError as error:
        raise OptionError(f"{file}: {key} = {value!r}: {error}") from error
    if known.hint is Params:
        return {name.replace("-", "_"): each for name, each in checked.items()}
    parameter.type_cast_value(context, checked)
    return checked


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options that a file may have, by their long names."""
    return {
        _TABLE if name == f"--{_SET}" else name.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in parameter.opts
        if name.startswith("--") and name.removeprefix("--") not in _NOT_IN_FILES
    }


def _load(file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is not a TOML file: {error}") from error


def _given(file: str, key: str, parameter: click.Option, value: Any) -> Any:
    """A value as the command line would have it: yes or no, a text, or several."""
    if parameter.is_flag:
        if not isinstance(value, bool):
            raise OptionError(f"{file}: {key} = {value!r}: write true or false")
        return value
    if parameter.multiple:
        return [_text(file, key, each) for each in (value if isinstance(value, list) else [value])]
    return _text(file, key, value)


def _text(file: str, key: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise OptionError(f"{file}: {key} = {value!r}: write a number, or a text in quotes")
    return str(value)

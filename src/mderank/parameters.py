"""Typed values that users set: options, and parameters of methods.

A `Parameter` has a name, a type, a default, and a `Param` with its range and description. It checks values and
reads them from text. Only the standard library is needed.

>>> Parameter("window", int, 2, Param(ge=2)).check(1)
Traceback (most recent call last):
    ...
mderank.errors.OptionError: window must be a whole number of at least 2, not 1
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter as InspectedParameter
from inspect import signature
from pathlib import Path
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from mderank.errors import OptionError

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True, repr=False)
class Param:
    """Range and description of a parameter.

    Attributes:
        help: what the parameter does, in one sentence.
        ge: the least value.
        gt: a bound below all values.
        le: the largest value.
        lt: a bound above all values.
        expects: the values that are allowed, in words, where type and range do not say it well.
        describe_refused: returns what else to say of a value of the wrong type; empty for nothing.
        http: whether clients of the server may set it. Paths, models and devices are the operator's.
        http_ge: the least value for clients of the server.
        http_le: the largest value for clients of the server.
    """

    def __repr__(self) -> str:
        given = [each for each in fields(self) if getattr(self, each.name) != each.default]
        return f"Param({', '.join(f'{each.name}={getattr(self, each.name)!r}' for each in given)})"

    none_is_default: ClassVar[bool] = False  # whether None is not a value of its own

    help: str = ""
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    expects: str = ""
    describe_refused: Callable[[Any], str] | None = None
    http: bool = True
    http_ge: float | None = None
    http_le: float | None = None


class NGramRange(NamedTuple):
    """Range of the number of words of an n-gram; written ``1-3``, or ``2`` for 2 words only.

    Attributes:
        shortest: Minimum number of words.
        longest: Maximum number of words.
    """

    shortest: int
    longest: int

    @classmethod
    def parse(cls, text: str) -> NGramRange:
        """Read ``N-M`` or ``N``.

        Args:
            text: The range as text.

        Returns:
            The range.

        Raises:
            ValueError: if ``text`` has another form, or M is less than N.
        """
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text.strip())
        if not match:
            raise ValueError(text)
        return cls._checked(int(match[1]), int(match[2] or match[1]))

    @classmethod
    def _checked(cls, shortest: int, longest: int) -> NGramRange:
        if not 1 <= shortest <= longest:
            raise ValueError(f"{shortest}-{longest}")
        return cls(shortest, longest)

    def __str__(self) -> str:
        return f"{self.shortest}-{self.longest}"


class Params(Mapping[str, Any]):
    """Parameters of one method by name: plain values that can be hashed, pickled and written as JSON.

    Args:
        values: The values by name; None for no parameter.
    """

    __slots__ = ("_items",)

    def __init__(self, values: Mapping[str, Any] | None = None) -> None:
        self._items: dict[str, Any] = dict(values or {})

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)


@dataclass(frozen=True)
class Parameter:
    """A named, typed value that a user can set: an option, or a method's own parameter.

    Attributes:
        name: its name.
        hint: its type.
        default: its default value.
        param: its range and description.
    """

    name: str
    hint: Any
    default: Any = None
    param: Param = Param()

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types that a value may have."""
        return get_args(self.hint) if get_origin(self.hint) in (Union, UnionType) else (self.hint,)

    @property
    def is_list(self) -> bool:
        """Whether a value is a list of phrases."""
        return any(map(_is_list, self.kinds))

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that a value may be; empty if it is not one of a few words."""
        return tuple(word for kind in self.kinds if get_origin(kind) is Literal for word in get_args(kind))

    def check(self, value: Any) -> Any:
        """Check a value's type and range.

        Args:
            value: the value.

        Returns:
            The value in its normal form: a list of phrases as a tuple, ``"1-3"`` as an `NGramRange`.

        Raises:
            OptionError: if the value has another type or is out of range.
        """
        for kind in self.kinds:
            try:
                converted = _convert(kind, value)
            except OptionError:
                raise
            except ValueError:
                continue
            if isinstance(converted, int | float) and not isinstance(converted, bool):
                self._check_range(converted)
            return converted
        more = self.param.describe_refused(value) if self.param.describe_refused else ""
        problem = f"{self.name} must be {self.describe()}{more}" if more else ""
        problem = problem or f"{self.name} must be {self.describe()}, not {_shorten(value)}"
        if isinstance(value, str) and self.is_list:
            problem += f": write [{_shorten(value)}] for one"
        raise OptionError(problem)

    def parse(self, text: str) -> Any:
        """Read a value from text, as on a command line, and check it.

        Args:
            text: the value as a user writes it: ``none``, ``yes``, ``no``, a number, a word, a path.

        Returns:
            The value.

        Raises:
            OptionError: if the text is not such a value, or the value is out of range.
        """
        for kind in sorted(self.kinds, key=lambda kind: kind is not NoneType):  # else "none" would be a text
            try:
                return self.check(_parse(kind, text))
            except OptionError:
                raise
            except ValueError:
                continue
        raise OptionError(f"{self.name} must be {self.describe()}, not {_shorten(text)}")

    def describe(self) -> str:
        """Describe the values that are allowed.

        Returns:
            The description in words.
        """
        if self.param.expects:
            return self.param.expects
        kinds = [kind for kind in self.kinds if kind is not NoneType or not self.param.none_is_default]
        return " or ".join(filter(None, (_describe(kind, self.param) for kind in kinds)))

    def default_text(self) -> str:
        """Return the default value as a user would write it.

        Returns:
            The text.
        """
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        return "none" if self.default is None else str(self.default)

    def _check_range(self, value: float) -> None:
        param = self.param
        low = (param.ge is not None and value < param.ge) or (param.gt is not None and value <= param.gt)
        high = (param.le is not None and value > param.le) or (param.lt is not None and value >= param.lt)
        if low or high:
            raise OptionError(f"{self.name} must be {self.describe()}, not {value}")


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (tuple, Sequence)


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _convert(kind: Any, value: Any) -> Any:
    """The value as ``kind``; `ValueError` if it is not one."""
    if get_origin(kind) is Literal:
        return _accept(isinstance(value, str) and value in get_args(kind), value)
    if _is_list(kind):
        several = isinstance(value, list | tuple | set | frozenset) and all(isinstance(each, str) for each in value)
        return _accept(several, tuple(value) if several else value)
    if kind in _CONVERSIONS:
        return _CONVERSIONS[kind](value)
    # A protocol that cannot be checked at run time, or Any: the constructor looks at the value. A string or
    # a class is none of our objects, whatever methods it has.
    if not isinstance(kind, type) or kind is Any:
        return value
    if getattr(kind, "_is_protocol", False):
        checkable = getattr(kind, "_is_runtime_protocol", False)
        return _accept(not isinstance(value, str | type) and (not checkable or isinstance(value, kind)), value)
    return _accept(isinstance(value, kind), value)


def _accept(right: bool, value: Any) -> Any:
    if not right:
        raise ValueError
    return value


def _is_number(value: Any, kinds: Any) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _to_path(value: Any) -> Path:
    return Path(_accept(isinstance(value, str | Path), value))


def _ngram_range(value: Any) -> NGramRange:
    if isinstance(value, str):
        return NGramRange.parse(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return NGramRange._checked(value, value)
    if isinstance(value, list | tuple) and len(value) == 2 and all(type(each) is int for each in value):
        return NGramRange._checked(*value)
    raise ValueError


def _plain_params(values: Any) -> Params:
    """Paths become text: parameters are written to JSON files and sent to other machines."""
    if not isinstance(values, Mapping):
        raise ValueError(values)
    plain = {name: str(value) if isinstance(value, Path) else value for name, value in values.items()}
    for name, value in plain.items():
        if not isinstance(name, str) or not isinstance(value, str | int | float | NoneType):
            raise OptionError(
                f"params: {name} = {_shorten(value)}: a parameter is a number, a text, true, false or None; "
                "give objects to the method's constructor"
            )
    return Params(plain)


def _parse(kind: Any, text: str) -> Any:
    """The value of ``kind`` that ``text`` stands for; `ValueError` if there is none."""
    if kind is NoneType and text.lower() == "none":
        return None
    if kind is bool and text.lower() in ("yes", "true", "no", "false"):
        return text.lower() in ("yes", "true")
    if get_origin(kind) is Literal and text in get_args(kind):
        return text
    if kind in (int, float, str, Path):
        return kind(text)
    if kind is NGramRange:
        return NGramRange.parse(text)
    raise ValueError(text)


_CONVERSIONS: dict[Any, Callable[[Any], Any]] = {
    NoneType: lambda value: _accept(value is None, value),
    bool: lambda value: _accept(isinstance(value, bool), value),
    int: lambda value: _accept(_is_number(value, int), value),
    float: lambda value: _accept(_is_number(value, int | float) and math.isfinite(value), value),
    str: lambda value: _accept(isinstance(value, str), value),
    Path: _to_path,
    NGramRange: _ngram_range,
    Params: _plain_params,
}


def _describe(kind: Any, param: Param) -> str:
    if get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, get_args(kind)))}"
    if _is_list(kind):
        return "a list of texts"
    words = {
        int: "a whole number",
        float: "a number",
        str: "a text",
        Path: "a file",
        bool: "true or false",
        NGramRange: "a range N-M with 1 <= N <= M, such as 1-3",
        Params: "names with values",
        NoneType: "none",
    }
    # Objects are left out, since a user of the command line cannot write them.
    return words.get(kind, "") + (_describe_range(param) if kind in (int, float) else "")


def _describe_range(param: Param) -> str:
    if param.ge is not None and param.le is not None:
        return f" from {param.ge:g} to {param.le:g}"
    parts = [
        *([f" of at least {param.ge:g}"] if param.ge is not None else []),
        *([f" above {param.gt:g}"] if param.gt is not None else []),
        *([f" of at most {param.le:g}"] if param.le is not None else []),
        *([f" below {param.lt:g}"] if param.lt is not None else []),
    ]
    return " and".join(parts)


def unknown_name(what: str, name: str, known: Mapping[str, Any]) -> OptionError:
    """Make the error for an unknown name, which suggests the nearest name or lists all.

    Args:
        what: What the name is of, such as "option".
        name: The unknown name.
        known: The known names.

    Returns:
        The error, to be raised.
    """
    near = get_close_matches(name, known, 1)
    fix = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(known)}" if known else "there are none"
    return OptionError(f"unknown {what} '{name}': {fix}")


def read_parameters(function: Callable[..., Any]) -> dict[str, Parameter]:
    """Read the parameters of a function from its annotations.

    Args:
        function: a function whose parameters are annotated, ``Annotated[int, Param(ge=2, help="…")]`` or just ``int``.

    Returns:
        The parameters by name, but for ``self``, ``*args`` and ``**options``.
    """
    hints = get_type_hints(function, include_extras=True)
    return {
        each.name: to_parameter(each.replace(annotation=hints[each.name]))
        for each in signature(function).parameters.values()
        if each.name in hints and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def to_parameter(inspected: InspectedParameter) -> Parameter:
    """Make a `Parameter` from a parameter of a signature whose annotation is resolved.

    Args:
        inspected: The parameter of the signature.

    Returns:
        The parameter with its type, default and range.
    """
    hint = inspected.annotation
    hint, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    param = next((extra for extra in extras if isinstance(extra, Param)), Param())
    return Parameter(inspected.name, hint, inspected.default, param)


def check_arguments(function: F) -> F:
    """Check the types and ranges of a function's arguments at every call, by their annotations.

    Args:
        function: a function or constructor, annotated as `read_parameters` describes.

    Returns:
        The function. It raises an `OptionError` that says what to pass, before anything else is done.
    """
    plain = signature(function)

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        known = _read_parameters(function)
        for name, value in plain.bind(*args, **kwargs).arguments.items():
            if name in known:
                known[name].check(value)
        return function(*args, **kwargs)

    return cast(F, checked)


_read_parameters = cache(read_parameters)  # after all modules are loaded, since annotations may name what comes later

"""Checks of constructors' arguments that types and ranges do not say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mderank.errors import OptionError


def check_words(option: str, words: Iterable[str]) -> tuple[str, ...]:
    """Check that an option is several phrases or words.

    Args:
        option: the option's name.
        words: its value.

    Returns:
        The phrases or words.

    Raises:
        OptionError: if the value is one string, or holds something else than strings.
    """
    if isinstance(words, str):
        raise OptionError(f"{option} takes several phrases, not one string: {option}=[{words!r}]")
    if isinstance(words, Iterable):
        listed = tuple(words)
        if all(isinstance(word, str) for word in listed):
            return listed
    raise OptionError(f"{option} must be a list of phrases, not {words!r}")


def one_of(option: str, value: object, valid: Sequence[object]) -> None:
    """Check that a value is one of the valid ones.

    Args:
        option: Name of the option, for the error.
        value: The value.
        valid: The valid values.

    Raises:
        OptionError: If the value is not valid.
    """
    if value not in valid:
        raise OptionError(f"{option}={value!r} is unknown: it is one of {', '.join(map(str, valid))}")


def at_least(option: str, value: int | None, least: int) -> None:
    """Check that a number is not too small.

    Args:
        option: Name of the option, for the error.
        value: The number; None is valid.
        least: The smallest valid number.

    Raises:
        OptionError: If the number is too small.
    """
    if value is not None and value < least:
        raise OptionError(f"{option} must be at least {least}, not {value}")

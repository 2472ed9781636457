"""A batch of which one text fails: the others are computed, and that one carries its error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from mderank.errors import InputError, MDERankError

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def isolate_failures(
    compute: Callable[[Sequence[_Item]], Sequence[_Result]], items: Sequence[_Item]
) -> Iterator[_Result | Exception]:
    """Compute a batch; if it fails, compute each item alone, so that only the faulty one carries an error.

    Args:
        compute: Computes one result per item of a batch.
        items: The batch.

    Yields:
        The result of each item, in order, or the exception that it raised alone.
    """
    try:
        results = compute(items)
    except Exception:
        for item in items:
            try:
                (result,) = compute([item])
            except Exception as error:
                yield error
            else:
                yield result
    else:
        yield from results


def input_error(error: Exception) -> InputError:
    """Return the error of a text that failed, whatever a tagger or an encoder raised.

    Args:
        error: The exception that was raised for the text.

    Returns:
        An `InputError`.

    Raises:
        MDERankError: If a model, an extra or an option is at fault. Then no other text would fare better.
    """
    if isinstance(error, InputError):
        return error
    if isinstance(error, MDERankError):
        raise error
    return InputError(f"extraction failed: {type(error).__name__}: {error}")

"""Seed phrases: what a reader looks for in a text. They pull its ranking towards a topic."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real

from mderank.errors import OptionError

MOST_SEEDS = 100  # of one document; each is encoded, and compared with every candidate
LONGEST_SEED = 200  # characters


def check_seeds(seeds: Iterable[str]) -> tuple[str, ...]:
    """Check seed phrases.

    >>> check_seeds(["coral  bleaching", "reef", "reef"])
    ('coral bleaching', 'reef')

    Args:
        seeds: The phrases.

    Returns:
        The phrases with single spaces, each once.

    Raises:
        OptionError: If they are one string or no strings, if one is blank or too long, or if there are too many.
    """
    if isinstance(seeds, str):
        raise OptionError(f"seeds takes several phrases, not one string: seeds=[{_shorten(seeds)}]")
    if not isinstance(seeds, Iterable):
        raise OptionError(f"seeds must be a list of phrases, not {_shorten(seeds)}")
    checked: dict[str, None] = {}
    for number, seed in enumerate(seeds, 1):
        if not isinstance(seed, str):
            raise OptionError(f"seeds must be a list of phrases, and number {number} is {_shorten(seed)}")
        if number > MOST_SEEDS:
            raise OptionError(f"seeds has more than {MOST_SEEDS} phrases: name the few that say what you look for")
        phrase = " ".join(seed.split())
        if not phrase:
            raise OptionError(f"seeds has a blank phrase (number {number}): leave it out")
        if len(phrase) > LONGEST_SEED:
            raise OptionError(
                f"the seed {_shorten(phrase)} has {len(phrase)} characters: give a phrase of at most {LONGEST_SEED}"
            )
        checked[phrase] = None
    return tuple(checked)


def check_seed_weight(weight: object) -> None:
    """Check how much seeds count.

    Args:
        weight: The weight; None for the method's own.

    Raises:
        OptionError: If it is not a number from 0 to 1.
    """
    if weight is None:
        return
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= float(weight) <= 1:
        raise OptionError(f"seed_weight must be a number from 0 to 1, not {_shorten(weight)}")


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

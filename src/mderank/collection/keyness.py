"""What is typical of one collection against another: Dunning's log-likelihood ratio on document frequencies.

T. Dunning, Accurate Methods for the Statistics of Surprise and Coincidence, Computational Linguistics 19(1), 1993. It
holds for rare phrases too, where the usual chi-squared test does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Typical:
    """How a phrase here compares with the same phrase there.

    ``surprise`` is G², negative where the phrase is rarer here; with one degree of freedom it passes 15.1 by chance
    once in 10,000 phrases. ``ratio`` is that of the shares of documents, each count half a document more, so that
    none is zero.
    """

    documents: int  # there
    ratio: float
    surprise: float


def typical(here: int, of_here: int, there: int, of_there: int) -> Typical:
    """Compare ``here`` documents out of ``of_here`` with ``there`` out of ``of_there``."""
    everywhere = of_here + of_there
    together = here + there
    surprise = 0.0
    for observed, row, column in (
        (here, of_here, together),
        (of_here - here, of_here, everywhere - together),
        (there, of_there, together),
        (of_there - there, of_there, everywhere - together),
    ):
        if observed:
            surprise += 2 * observed * math.log(observed * everywhere / (row * column))
    more = here * of_there >= there * of_here
    ratio = ((here + 0.5) / (of_here + 1)) / ((there + 0.5) / (of_there + 1))
    return Typical(there, ratio, max(0.0, surprise) if more else -max(0.0, surprise))

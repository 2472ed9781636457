"""Keyness: how much more frequent a phrase is in one collection than in another.

The measure is Dunning's log-likelihood ratio on document frequencies: T. Dunning, Accurate Methods for the Statistics
of Surprise and Coincidence, Computational Linguistics 19(1), 1993. Unlike the chi-squared test, it holds for rare
phrases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Keyness:
    """The frequency of a phrase compared with another collection.

    Attributes:
        documents: number of documents of the other collection that have the phrase.
        ratio: ratio of the shares of documents. Half a document is added to each count, so that none is zero.
        log_likelihood: G², negative if the phrase is rarer here. By chance one phrase in 10,000 exceeds 15.1.
    """

    documents: int
    ratio: float
    log_likelihood: float


def compute_keyness(here: int, of_here: int, there: int, of_there: int) -> Keyness:
    """Compare the document frequencies of a phrase in two collections.

    Args:
        here: documents of this collection that have the phrase.
        of_here: all documents of this collection.
        there: documents of the other collection that have the phrase.
        of_there: all documents of the other collection.

    Returns:
        The ratio of the shares and the log-likelihood ratio.
    """
    everywhere = of_here + of_there
    together = here + there
    ratio = ((here + 0.5) / (of_here + 1)) / ((there + 0.5) / (of_there + 1))
    log_likelihood = 0.0
    for observed, row, column in (
        (here, of_here, together),
        (of_here - here, of_here, everywhere - together),
        (there, of_there, together),
        (of_there - there, of_there, everywhere - together),
    ):
        if observed:
            log_likelihood += 2 * observed * math.log(observed * everywhere / (row * column))
    more_here = here * of_there >= there * of_here
    return Keyness(there, ratio, max(0.0, log_likelihood) if more_here else -max(0.0, log_likelihood))

"""Words for people who do not know the method: what a chance is called, and what each feature of a score means."""

from __future__ import annotations

# Names of chances, and the least chance that has each name: the scale that the reports of the IPCC use, without the
# names that overlap. Mastrandrea et al. (2010), "Guidance note for lead authors of the IPCC Fifth Assessment Report on
# consistent treatment of uncertainties".
CONFIDENCE_WORDS = (
    (0.9, "very likely"),
    (0.66, "likely"),
    (0.33, "as likely as not"),
    (0.1, "unlikely"),
    (0.0, "very unlikely"),
)

# Features of `Keyphrase.contributions`, for people. ``{}`` stands for the measured value.
PLAIN_MEANINGS = {
    "similarity": "how close its meaning is to that of the whole text",
    "mask_effect": "how much the meaning of the text changes without it",
    "norm": "how much weight the language model gives to its words",
    "frequency": "how often it occurs ({}×)",
    "position": "how early it first occurs (words before it: {})",
    "length": "how many words it has ({})",
    "unithood": "whether it stands on its own, not only inside longer phrases",
    "seeds": "how close its meaning is to your topics",
    # Those that only styles weigh.
    "context_similarity": "how close its meaning in this text is to that of the whole text",
    "context_agreement": "how close its meaning in this text is to its usual meaning",
    "centrality": "how close its meaning is to that of the other phrases",
    "words": "how many words it has ({})",
    "single_word": "whether it is a single word",
    "long_phrase": "whether it has four words or more",
    "capital": "whether it begins with a capital",
    "capitals": "whether it is written in capitals",
    "digit": "whether it has a digit",
    "hyphen": "whether it has a hyphen",
    "single_word_frequency": "how often it occurs, if it is a single word",
    "single_word_unithood": "whether it stands on its own, if it is a single word",
    "known_label": "how many labelled documents have it as a label",
}
PLAIN_MASKED = "how similar the text without it is to the whole text; 1 is the same"


def name_confidence(confidence: float) -> str:
    """Name a chance.

    >>> name_confidence(0.95)
    'very likely'

    Args:
        confidence: The chance, from 0 to 1.

    Returns:
        Its name in words.
    """
    return next(words for least, words in CONFIDENCE_WORDS if confidence >= least)


def describe_feature(name: str, value: str | None) -> str:
    """Say what a feature measures, in plain words and with its value.

    >>> describe_feature("frequency", "3")
    'how often it occurs (3×)'
    >>> describe_feature("norm", "6.62")
    'how much weight the language model gives to its words (6.62)'

    Args:
        name: Name of the feature.
        value: Its formatted value; None if it has none.

    Returns:
        The description; only the value for a feature without one.
    """
    words = PLAIN_MEANINGS.get(name, "")
    if "{}" in words:
        return words.format("–" if value is None else value)
    return words if value is None else f"{words} ({value})".lstrip()

"""A style's preferences in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_CLEAR = 0.1  # standardised weight from which on a preference is worth a word
_MOST = 5

# Of each feature: what is preferred if its weight is above that of the default, and if it is below.
_WORDS = {
    "similarity": ("phrases near the subject of the text", "phrases less near the subject of the text"),
    "mask_effect": ("phrases that carry much of the text", "phrases that carry less of the text"),
    "norm": ("words that the encoder stresses", "words that the encoder stresses less"),
    "frequency": ("phrases that recur", "phrases that need not recur"),
    "position": ("early phrases", "late phrases too"),
    "length": ("two or three words", "single words and very long phrases"),
    "unithood": ("whole terms", "parts of terms"),
    "context_similarity": ("phrases in central sentences", "phrases outside central sentences"),
    "context_agreement": ("words in their usual sense", "words in a sense of this text"),
    "centrality": ("phrases like the others of the text", "phrases unlike the others of the text"),
    "words": ("longer phrases", "shorter phrases"),
    "single_word": ("single words", "several words"),
    "long_phrase": ("phrases of four words and more", "phrases of at most three words"),
    "capital": ("names", "fewer names"),
    "capitals": ("acronyms", "fewer acronyms"),
    "digit": ("phrases with digits", "phrases without digits"),
    "hyphen": ("words with hyphens", "words without hyphens"),
    "single_word_frequency": ("single words that recur", "single words that need not recur"),
    "single_word_unithood": ("single words that stand alone", "single words out of longer terms"),
    "known_label": ("labels of the training documents", "phrases that were not labels before"),
}


def describe_preferences(importance: Mapping[str, float]) -> Iterator[str]:
    """Say what a style prefers, compared with the default.

    >>> list(describe_preferences({"words": 0.4, "capital": -0.2, "digit": 0.01}))
    ['longer phrases', 'fewer names']

    Args:
        importance: Standardised weights beside the default score, by feature.

    Yields:
        A few words per preference, the strongest first.
    """
    ordered = sorted(importance.items(), key=lambda item: -abs(item[1]))
    for name, weight in ordered[:_MOST]:
        if abs(weight) >= _CLEAR:
            yield _WORDS[name][weight < 0]

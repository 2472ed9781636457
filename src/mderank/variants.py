"""Forms of one phrase: its inflections and spellings, and not whatever else shares a stem with it.

"networks" is a form of "network", "cost-benefit" of "cost benefit"; "university" is not a form of "universe", although
a stemmer takes both to "univers".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from mderank.text import comparable, stem_phrase

_DASHES = re.compile(r"[-‐‑‒–—−]+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s?(?=\s|$)")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")

# Plurals that no rule gives.
_IRREGULAR = {
    "men": "man", "women": "woman", "children": "child", "mice": "mouse", "lice": "louse",
    "feet": "foot", "teeth": "tooth", "geese": "goose", "oxen": "ox", "dice": "die", "pence": "penny",
    "knives": "knife", "lives": "life", "wives": "wife", "leaves": "leaf", "halves": "half", "shelves": "shelf",
    "wolves": "wolf", "calves": "calf", "loaves": "loaf", "thieves": "thief", "scarves": "scarf", "selves": "self",
    "criteria": "criterion", "phenomena": "phenomenon", "automata": "automaton", "schemata": "schema",
    "stimuli": "stimulus", "nuclei": "nucleus", "fungi": "fungus", "alumni": "alumnus", "cacti": "cactus",
    "radii": "radius", "foci": "focus", "loci": "locus", "bacteria": "bacterium", "curricula": "curriculum",
    "spectra": "spectrum", "strata": "stratum", "symposia": "symposium", "memoranda": "memorandum",
    "indices": "index", "indexes": "index", "matrices": "matrix", "vertices": "vertex", "vortices": "vortex",
    "appendices": "appendix", "codices": "codex", "cortices": "cortex", "helices": "helix",
    "analyses": "analysis", "hypotheses": "hypothesis", "theses": "thesis", "crises": "crisis", "axes": "axis",
    "syntheses": "synthesis", "diagnoses": "diagnosis", "prognoses": "prognosis", "parentheses": "parenthesis",
    "ellipses": "ellipsis", "oases": "oasis", "bases": "base", "larvae": "larva", "algae": "alga",
    "formulae": "formula", "antennae": "antenna", "vertebrae": "vertebra", "movies": "movie", "cookies": "cookie",
    "calories": "calorie", "zombies": "zombie", "ties": "tie", "pies": "pie", "lies": "lie", "dies": "die",
    "shoes": "shoe", "toes": "toe", "canoes": "canoe", "buses": "bus", "viruses": "virus", "gases": "gas",
    "biases": "bias", "lenses": "lens", "atlases": "atlas", "caches": "cache", "headaches": "headache", "aches": "ache",
    "quizzes": "quiz", "axises": "axis",
}  # fmt: skip
# Words that end like a plural and are none.
_SINGULAR = frozenset(
    "series species news physics mathematics statistics economics politics ethics electronics mechanics dynamics "
    "robotics genetics linguistics graphics analytics logistics acoustics optics informatics bioinformatics genomics "
    "proteomics semantics kinetics thermodynamics ergonomics aerodynamics athletics gymnastics aids sars covid "
    "diabetes rabies measles herpes always perhaps gas bias lens atlas alias atlas canvas christmas texas paris "
    "kubernetes jenkins postgres redis athens james charles thomas jones williams mars venus hermes sales means "
    "headquarters pros cons dos windows ios aws chaos kudos cosmos ethos pathos tigris".split()
)


@lru_cache(maxsize=65_536)
def variant_key(phrase: str, language: str = "en") -> str:
    """The key that all forms of a phrase share: lower case, one spelling, singular words.

    The key has a space between words; a hyphen or dash counts as one. Outside English a word keeps its endings: there
    `stem_phrase` is used.

    >>> variant_key("Cost–Benefit Analyses") == variant_key("cost-benefit analysis")
    True
    >>> variant_key("universities") == variant_key("universe")
    False

    Args:
        phrase: The phrase.
        language: Language code.

    Returns:
        The key.
    """
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", phrase)).casefold()
    text = _POSSESSIVE.sub("", _DASHES.sub(" ", text))
    words = text.split()
    return " ".join(singular(word) for word in words) if language == "en" else " ".join(words)


def phrase_key(phrase: str, language: str = "en") -> str:
    """Return what all forms of a phrase have in common, in any language, so that documents can be grouped by it.

    >>> phrase_key("Coral reefs"), phrase_key("Häuser", "de")
    ('coral reef', 'haus')

    Args:
        phrase: The phrase.
        language: Language code.

    Returns:
        The key: `variant_key`, and outside English its stems. It is for comparison, and not for people to read.
    """
    key = variant_key(phrase, language) or phrase  # of a phrase of dashes nothing is left
    return key if language == "en" else comparable(stem_phrase(key, language), language)


@lru_cache(maxsize=65_536)
def singular(word: str) -> str:
    """The singular of an English word in lower case, and any other word as it is.

    >>> [singular(word) for word in ("networks", "boxes", "studies", "analyses", "glass", "status", "physics")]
    ['network', 'box', 'study', 'analysis', 'glass', 'status', 'physics']

    Args:
        word: The word, in lower case.

    Returns:
        The singular.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word in _SINGULAR or word.endswith(("ss", "us", "is", "'s", "’s")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("oes") and len(word) > 5:
        return word[:-2]
    return word[:-1]

"""Is this text plainly not English?

Not language identification: only the question whether an English tagger is out of place, answered from the scripts
of the letters and from the commonest function words, and answered "no" wherever there is doubt.
"""

from __future__ import annotations

import re
import unicodedata
import warnings

from mderank.errors import LanguageWarning

_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 5_000  # characters
_FEWEST_WORDS = 12

_ENGLISH = frozenset(
    "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were her all she there would their we him been has when who will more if out so what up its can our "
    "than other some could these may then do no such into only also how a i".split()
)
# Function words of the European languages most often met, less those that are spelled like English ones.
_OTHER = frozenset(
    "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es werden aus einer sind "
    "le la les et des du un une est que dans qui pour pas sur au par ce il avec plus sont aux cette "
    "el los las y de del una por con para como su al lo más este pero sus entre "
    "il di che per non sono della gli nel alla dei con anche è delle si più "
    "o os em um uma não com para mais foi ao das dos seu sua "
    "het een van op te zijn voor met niet aan er om ook bij dat wordt "
    "och att det som på är av för den med inte om ett har till "
    "w na nie się z do że jest to jak po od za".split()
) - {"die", "an", "to", "do", "in", "has", "was", "is", "o", "w", "z", "y", "a", "i", "met", "van", "per", "on", "as"}


def plainly_not_english(text: str) -> bool:
    """Whether the beginning of ``text`` is in another script, or in another European language.

    >>> plainly_not_english(
    ...     "Die Bedeutung eines Dokuments ist nicht die Summe der Wörter, und das gilt auch für den Titel."
    ... )
    True
    >>> plainly_not_english("kubernetes docker helm terraform ansible jenkins")
    False

    Args:
        text: Any text.

    Returns:
        True if it is plainly not English.
    """
    sample = text[:_SAMPLE]
    words = _WORD.findall(sample)
    if not sample.isascii():
        letters = [letter for word in words for letter in word]
        latin = sum(letter.isascii() or unicodedata.name(letter, "").startswith("LATIN") for letter in letters)
        if len(letters) >= _FEWEST_WORDS and latin < len(letters) / 2:
            return True
    if len(words) < _FEWEST_WORDS:
        return False
    lowered = [word.lower() for word in words]
    english = sum(word in _ENGLISH for word in lowered) / len(lowered)
    other = sum(word in _OTHER for word in lowered) / len(lowered)
    return english < 0.08 and other > 0.15


def warn_if_not_english(text: str) -> bool:
    """Warn that an English tagger reads a text that is plainly not English.

    Args:
        text: Any text.

    Returns:
        True if there was a warning.
    """
    if not plainly_not_english(text):
        return False
    warnings.warn(
        "the text is plainly not English, but the tagger is: name a spaCy pipeline of its language, --tagger NAME or "
        "SpacyTagger('NAME'), for example de_core_news_sm",
        LanguageWarning,
        stacklevel=3,
    )
    return True

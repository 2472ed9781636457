"""Languages: their traits, their stop words, and the language that a text is written in.

Modules:
    table: One row per language, and the lists of stop words.
    detect: The language of a text.
    word_model: The tables of words, letters and trigrams that detection reads.
"""

from typing import TYPE_CHECKING

from mderank.util.lazy import lazy_names

if TYPE_CHECKING:
    from mderank.languages.detect import DetectedLanguage as DetectedLanguage
    from mderank.languages.detect import detect_language as detect_language
    from mderank.languages.table import LANGUAGES as LANGUAGES
    from mderank.languages.table import Language as Language
    from mderank.languages.table import find_language as find_language
    from mderank.languages.table import get_language as get_language
    from mderank.languages.table import stop_words as stop_words

_MODULES = {
    "mderank.languages.detect": ("DetectedLanguage", "detect_language"),
    "mderank.languages.table": ("LANGUAGES", "Language", "find_language", "get_language", "stop_words"),
}

__all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)

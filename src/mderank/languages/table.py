"""The languages that mderank knows, and the traits of each that other rooms need: one row per language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Literal

from mderank.errors import OptionError

Family = Literal["romance", "germanic", "slavic", "baltic", "uralic", "turkic", "semitic", "indic", "cjk", "other"]
Links = tuple[tuple[str, ...], ...]
_STOP_WORDS = "stop_words"


@dataclass(frozen=True)
class Language:
    """A language and the traits that candidates, taggers and stems depend on.

    Attributes:
        code: ISO 639-1 code.
        name: English name.
        script: Unicode name of the script, such as "Latin".
        stemmer: Name of the Snowball stemmer, or None.
        family: Family, as far as the form of noun phrases depends on it.
        adjectives: Place of most adjectives: before the noun, after it, or both.
        links: Sequences of words that join two nouns inside a phrase. An elided word ends with an apostrophe.
        elisions: Short words that are written together with the next word. Each ends with an apostrophe.
        enclitics: Regular expression of pronouns at the end of a word, or "".
        capital_nouns: Whether nouns are written with a capital letter.
        segmenter: Name of the extra that finds words, for a language without spaces; otherwise None.
        pipelines: Names of spaCy pipelines, the first that is installed first.
        right_to_left: Whether the script runs from right to left.
    """

    code: str
    name: str
    script: str = "Latin"
    stemmer: str | None = None
    family: Family = "other"
    adjectives: Literal["before", "after", "both"] = "before"
    links: Links = ()
    elisions: tuple[str, ...] = ()
    enclitics: str = ""
    capital_nouns: bool = False
    segmenter: str | None = None
    pipelines: tuple[str, ...] = ()
    right_to_left: bool = False


def _links(text: str) -> Links:
    """Read sequences of words that are separated by commas."""
    return tuple(tuple(sequence.split()) for sequence in text.split(","))


def _elisions(text: str) -> tuple[str, ...]:
    return tuple(f"{word}'" for word in text.split())


_FRENCH_PRONOUNS = "je|tu|il|elle|on|nous|vous|ils|elles|ce|ci|là|le|la|les|lui|leur|y|en|moi|toi"
_PORTUGUESE_PRONOUNS = "me|te|se|nos|vos|lhes?|[lnm]?[oa]s?"
_CATALAN_PRONOUNS = r"-(?:me|te|se|nos|vos|lo|la|los|les|li|ho|hi|ne)|['’](?:ls?|ns?|m|t|s|hi|ho)"

_ROWS = (
    Language("ar", "Arabic", "Arabic", "arabic", "semitic", "after", right_to_left=True),
    Language("bg", "Bulgarian", "Cyrillic", None, "slavic", links=_links("на, за, от")),
    Language(
        "ca",
        "Catalan",
        stemmer="catalan",
        family="romance",
        adjectives="after",
        links=_links("de, del, de la, dels, de les, de l', d', al, a la, als, a les, a l', en, per a"),
        elisions=_elisions("l d s n m t"),
        enclitics=f"(?:{_CATALAN_PRONOUNS})",
    ),
    Language("cs", "Czech", stemmer="czech", family="slavic"),
    Language("da", "Danish", stemmer="danish", family="germanic"),
    Language("de", "German", stemmer="german", family="germanic", capital_nouns=True),
    Language("el", "Greek", "Greek", "greek", links=_links("του, της, των")),
    Language("en", "English", stemmer="porter", family="germanic"),
    Language("eo", "Esperanto", stemmer="esperanto", adjectives="both", links=_links("de, de la")),
    Language(
        "es",
        "Spanish",
        stemmer="spanish",
        family="romance",
        adjectives="after",
        links=_links("de, del, de la, de los, de las, a la, al, en, para"),
    ),
    Language("et", "Estonian", stemmer="estonian", family="uralic"),
    Language("eu", "Basque", stemmer="basque", adjectives="after"),
    Language("fa", "Persian", "Arabic", "persian", adjectives="after", right_to_left=True),
    Language("fi", "Finnish", stemmer="finnish", family="uralic"),
    Language(
        "fr",
        "French",
        stemmer="french",
        family="romance",
        adjectives="after",
        links=_links("de, du, des, d', de la, de l', à, à la, à l', au, aux, en, par, sur"),
        elisions=_elisions("l d j qu n s m t c jusqu lorsqu puisqu quoiqu presqu quelqu"),
        enclitics=f"-(?:t-)?(?:{_FRENCH_PRONOUNS})",
    ),
    Language("ga", "Irish", stemmer="irish", adjectives="after", links=_links("na"), elisions=_elisions("d b m")),
    Language("he", "Hebrew", "Hebrew", None, "semitic", "after", links=_links("של"), right_to_left=True),
    Language("hi", "Hindi", "Devanagari", "hindi", "indic", links=_links("का, के, की")),
    Language("hr", "Croatian", family="slavic"),
    Language("hu", "Hungarian", stemmer="hungarian", family="uralic"),
    Language("hy", "Armenian", "Armenian", "armenian"),
    Language("id", "Indonesian", stemmer="indonesian", adjectives="after"),
    Language(
        "it",
        "Italian",
        stemmer="italian",
        family="romance",
        adjectives="both",
        links=_links("di, del, della, dell', dei, degli, delle, dello, d', a, al, da, in, per"),
        elisions=_elisions(
            "l un d all dall dell nell sull coll quest quell c s m t v n com dov cos tutt quant sant nient altr "
            "bell grand quarant cinquant sessant settant ottant novant mezz senz anch neanch"
        ),
    ),
    Language("ja", "Japanese", "Japanese", None, "cjk", links=_links("の"), segmenter="ja"),
    Language("ko", "Korean", "Hangul", None, "cjk", segmenter="ko"),
    Language("lt", "Lithuanian", stemmer="lithuanian", family="baltic"),
    Language("lv", "Latvian", family="baltic"),
    Language("mk", "Macedonian", "Cyrillic", None, "slavic", links=_links("на, за, од")),
    Language("nb", "Norwegian", stemmer="norwegian", family="germanic"),
    Language("ne", "Nepali", "Devanagari", "nepali", "indic"),
    Language("nl", "Dutch", stemmer="dutch", family="germanic"),
    Language("pl", "Polish", stemmer="polish", family="slavic", adjectives="both"),
    Language(
        "pt",
        "Portuguese",
        stemmer="portuguese",
        family="romance",
        adjectives="after",
        links=_links("de, do, da, dos, das, em, para, a"),
        enclitics=f"-(?:{_PORTUGUESE_PRONOUNS})(?:-(?:{_PORTUGUESE_PRONOUNS}))?",
    ),
    Language(
        "ro",
        "Romanian",
        stemmer="romanian",
        family="romance",
        adjectives="after",
        links=_links("de, al, ale, a, ai, cu, din, pentru"),
        enclitics="-(?:l|i|le|o|ul|ului|uri|urile|mi|ți|și|se|lea|a)",
    ),
    Language("ru", "Russian", "Cyrillic", "russian", "slavic"),
    Language("sk", "Slovak", family="slavic"),
    Language("sl", "Slovenian", family="slavic"),
    Language("sr", "Serbian", "Cyrillic", "serbian", "slavic"),
    Language("st", "Sesotho", stemmer="sesotho", adjectives="after"),
    Language("sv", "Swedish", stemmer="swedish", family="germanic"),
    Language("ta", "Tamil", "Tamil", "tamil"),
    Language("th", "Thai", "Thai", None, adjectives="after", segmenter="th"),
    Language("tr", "Turkish", stemmer="turkish", family="turkic"),
    Language("uk", "Ukrainian", "Cyrillic", None, "slavic"),
    Language("ur", "Urdu", "Arabic", None, "indic", right_to_left=True),
    Language("vi", "Vietnamese", adjectives="after", links=_links("của")),
    Language("yi", "Yiddish", "Hebrew", "yiddish", "germanic", right_to_left=True),
    Language("zh", "Chinese", "Han", None, "cjk", links=_links("的"), segmenter="zh"),
)

# Languages that spaCy has pipelines for; those of English and Chinese are trained on the web instead of news.
_NEWS_PIPELINES = "ca da de el es fi fr hr it ja ko lt mk nb nl pl pt ro ru sl sv uk".split()
_WEB_PIPELINES = ("en", "zh")


def _pipelines(code: str) -> tuple[str, ...]:
    """Name the pipelines of a language, small ones first: they are fast, and their tags are nearly as good."""
    genre = "news" if code in _NEWS_PIPELINES else "web" if code in _WEB_PIPELINES else ""
    return tuple(f"{code}_core_{genre}_{size}" for size in ("sm", "md", "lg")) if genre else ()


LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {row.code: replace(row, pipelines=_pipelines(row.code)) for row in _ROWS}
)
_ALIASES = {language.name.lower(): language.code for language in _ROWS} | {
    "no": "nb", "nn": "nb", "bokmål": "nb", "nynorsk": "nb", "iw": "he", "in": "id", "ji": "yi", "farsi": "fa",
    "castilian": "es", "flemish": "nl", "mandarin": "zh", "cmn": "zh", "brazilian": "pt", "slovene": "sl",
    "hrv": "hr", "sh": "hr", "bs": "hr", "mo": "ro", "moldovan": "ro", "valencian": "ca",
}  # fmt: skip


def find_language(name: str) -> Language | None:
    """Look up a language that may be unknown.

    Args:
        name: A code such as "pt", "pt-BR" or "zh_CN", or an English name such as "german".

    Returns:
        The language, or None.
    """
    lowered = name.strip().lower()
    for key in (lowered, lowered.replace("_", "-").partition("-")[0]):
        language = LANGUAGES.get(_ALIASES.get(key, key))
        if language is not None:
            return language
    return None


def get_language(name: str) -> Language:
    """Look up a language.

    >>> get_language("pt-BR").name, get_language("german").code
    ('Portuguese', 'de')

    Args:
        name: A code such as "pt", "pt-BR" or "zh_CN", or an English name such as "german".

    Returns:
        The language.

    Raises:
        OptionError: The language is unknown.
    """
    language = find_language(name)
    if language is None:
        known = ", ".join(sorted(LANGUAGES))
        raise OptionError(f"unknown language {name[:40]!r}; use one of these codes: {known}")
    return language


@cache
def _read_stop_words(code: str) -> frozenset[str]:
    folder = resources.files("mderank")
    path = folder / "candidates" / "words" if code == "en" else folder / "languages" / _STOP_WORDS
    file = path / f"{'stop_words' if code == 'en' else code}.txt"
    if not file.is_file():
        return frozenset()
    words = file.read_text(encoding="utf-8").split()
    return frozenset(words).union(word.replace("'", "’") for word in words if "'" in word)


def stop_words(name: str) -> frozenset[str]:
    """Return the stop words of a language: words that no keyphrase has inside it.

    The lists hold function words with all their forms, and verbs, adverbs and adjectives that say little of a subject.
    A word with an apostrophe is there with both forms of it.

    >>> "les" in stop_words("fr")
    True

    Args:
        name: Code or English name of a language.

    Returns:
        The words in lower case; none for a language without a list.

    Raises:
        OptionError: The language is unknown.
    """
    return _read_stop_words(get_language(name).code)

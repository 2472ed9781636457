r"""Text to words: the tokenizer that all taggers of English read.

A word is a stretch without white space that a reader takes for one: "TCP/IP", "F-16", "O'Brien", "C++", "U.S.",
"cost–benefit". Clitics are words of their own, as in the Penn treebank, because taggers know them so: "do" "n't",
"Zipf" "'s". "--" and "—" separate.

How it works: every code point that is not ASCII is replaced by one that stands for its class, so that offsets hold and
the regular expression below has few classes to know. It is tried once for each token. A part of it that can fail late
is bounded in length, and the rest consumes all that it reads: time grows with the text's length only.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

WordKind = Literal["word", "number", "mark", "address"]

LONGEST_WORD = 100  # characters; a longer run is data, and an address whatever it is made of


class Word(NamedTuple):
    """A token: its character offsets and its kind.

    Attributes:
        start: Offset of the first character.
        end: Offset after the last character.
        kind: ``number``: a number, quantity, date, time or version. ``mark``: a punctuation mark, symbol or emoji.
            ``address``: a URL, e-mail address, path, file name, handle, hashtag, shortcode, identifier with
            underscores, or a run of more than 100 characters. ``word``: all others that have a letter.
    """

    start: int
    end: int
    kind: WordKind


def tokenize(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words and marks of ``text[start:end]``, in order; only white space is in none of them.

    Offsets are those of ``text``. What stands outside ``start`` and ``end`` is not looked at.

    >>> text = "They didn't use TCP/IP."
    >>> [text[word.start : word.end] for word in tokenize(text)]
    ['They', 'did', "n't", 'use', 'TCP/IP', '.']

    Args:
        text: The text.
        start: Offset at which to begin.
        end: Offset at which to stop; None for the end of the text.

    Returns:
        The words and marks, in order. Their offsets are those of ``text``.
    """
    piece = text[start:end]
    view = piece if piece.isascii() else _NOT_ASCII.sub(_representative, piece)
    start = slice(start, end).indices(len(text))[0]
    words: list[Word] = []
    for match in _TOKEN.finditer(view):
        first, last = match.span()
        group = match.lastgroup
        if group == "plain":
            _add_plain(words, match[0], start + first)
        elif group == "compound":
            _add_compound(words, view, first, last, start)
        elif group == "stopped":
            _add_stopped(words, view, first, last, start)
        else:
            words.append(Word(start + first, start + last, group))  # type: ignore[arg-type]
    return words


def _add_plain(words: list[Word], run: str, position: int) -> None:
    """Add the words of letters that ``run`` has between spaces."""
    for word in run.split(" "):
        end = position + len(word)
        if word in _TWO_WORDS:
            words.append(Word(position, position + 3, "word"))
            words.append(Word(position + 3, end, "word"))
        elif word:
            words.append(Word(position, end, "word" if end - position <= LONGEST_WORD else "address"))
        position = end + 1


def _add_stopped(words: list[Word], view: str, first: int, last: int, offset: int) -> None:
    """Add a word that a full stop follows: it belongs to abbreviations and initials, else it is a mark."""
    length = last - 1 - first
    if length == 1:
        abbreviated = view[first].isupper() and view[first] != "I" and _is_initial(view, last)
    else:
        abbreviated = length <= _LONGEST_ABBREVIATION and view[first : last - 1] in _ABBREVIATIONS
    if abbreviated:
        words.append(Word(offset + first, offset + last, "word"))
    else:
        _add_plain(words, view[first : last - 1], offset + first)
        words.append(Word(offset + last - 1, offset + last, "mark"))


def _is_initial(view: str, position: int) -> bool:
    """Whether the capital and full stop before ``position`` are an initial, by the word that follows ("J. Smith")."""
    following = _FOLLOWING.match(view, position)
    return following is not None and following[1] not in _SENTENCE_STARTS


def _add_compound(words: list[Word], view: str, first: int, last: int, offset: int) -> None:
    """Add a word of letters, digits and what joins them; its clitics are words of their own."""
    if last - first > LONGEST_WORD:
        words.append(Word(offset + first, offset + last, "address"))
        return
    cuts = [last]
    while clitic := _CLITIC.search(view, max(first + 1, cuts[-1] - 3), cuts[-1]):
        cuts.append(clitic.start())
    words.append(Word(offset + first, offset + cuts[-1], _kind(view[first : cuts[-1]])))
    words.extend(Word(offset + cuts[index], offset + cuts[index - 1], "word") for index in range(len(cuts) - 1, 0, -1))


def _kind(compound: str) -> WordKind:
    if not _LETTER.search(compound):
        return "number"
    if _IDENTIFIER.search(compound) or _FILE_NAME.search(compound) or compound.count("/") > _MOST_SLASHES:
        return "address"
    return "word"


# Classes of code points. ASCII characters are themselves; every other one is replaced by the first that fits.

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_MARK, _SOFT, _JOINER, _EMOJI, _FLAG = "\u0301", "\u00ad", "\u200d", "\u263a", "\u2691"
_STAND_INS = {
    **{each: each for each in "–—−×°…\u200d"},
    **dict.fromkeys("’‘‛ʼ′＇", "'"),
    **dict.fromkeys("‐‑﹣－", "-"),
    **dict.fromkeys("\u00ad\u200c\u2060", _SOFT),
}
_BY_CATEGORY = {
    "Lu": "X", "Lt": "X", "L": "x", "M": _MARK, "N": "1", "Ps": "(", "Pe": ")", "Pi": '"', "Pf": '"', "Pd": "—",
    "P": ";", "Sc": "$", "Sm": "=", "So": _EMOJI, "S": ";", "Z": " ", "C": ";",
}  # fmt: skip


class _Representatives(dict[str, str]):
    """The stand-in of each code point, found when it is first met."""

    def __missing__(self, character: str) -> str:
        category = unicodedata.category(character)
        found = _BY_CATEGORY.get(category) or _BY_CATEGORY[category[0]]
        if character.isspace():
            found = " "
        elif "\U0001f3fb" <= character <= "\U0001f3ff" or "\U000e0020" <= character <= "\U000e007f":
            found = _MARK  # skin tones, and the letters of subdivision flags
        elif "\U0001f1e6" <= character <= "\U0001f1ff":
            found = _FLAG
        self[character] = found
        return found


_REPRESENTATIVES = _Representatives(_STAND_INS)


def _representative(match: re.Match[str]) -> str:
    return _REPRESENTATIVES[match[0]]


# Words that end in a full stop. Those that are common words without it ("no", "fig", "art") are not among them, unless
# capitals tell them apart.
_ABBREVIATIONS = frozenset(
    "Dr Mr Mrs Ms Prof Rev Hon Jr Sr St Mt Ft Gen Col Capt Lt Sgt Maj Gov Sen Rep Pres Messrs Mme Mlle "
    "Inc Corp Co Ltd Bros Univ Dept Assn Inst Ave Blvd Rd vs etc al cf ca approx resp viz ibid incl excl est "
    "Fig Figs fig figs Eq Eqs eq eqs Sec Secs Ch Chap Vol vol Nos Ref Refs Tab Thm Prop Def Ed eds Eds pp Proc Trans "
    "Jan Feb Mar Apr Jun Jul Aug Sept Sep Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri "
    "Ala Ariz Ark Calif Colo Conn Fla Ga Ill Ind Kan Ky La Md Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Penn "
    "Tenn Tex Va Vt Wis Wyo Phys Chem Biol Math Comput Sci Technol Natl Acad Int".split()
)
_LONGEST_ABBREVIATION = max(map(len, _ABBREVIATIONS))

_FOLLOWING = re.compile(r"\s{1,4}([A-Za-z]{1,30}+)")
_SENTENCE_STARTS = frozenset(
    "A After All Also Although An And As At Because Before Both But By During Each Finally First For From He Her Here "
    "His How However I If In It Its Many More Most No Not On One Or Our Several She Since So Some Such That The Their "
    "Then There Therefore These They This Those Thus To Under Until We What When Where Which While Who With You".split()
)

_TWO_WORDS = frozenset("cannot Cannot gonna Gonna gotta Gotta".split())  # each after its third letter
# Of the verbs' negation and short forms, and the possessive.
_CLITIC = re.compile(r"(?:(?<=[A-Za-z])n't|'(?:s|m|d|ll|re|ve))\Z", re.IGNORECASE)

_LETTER = re.compile("[A-Za-z]")
_IDENTIFIER = re.compile(r"_|::|[A-Za-z0-9]{2}\.[A-Za-z0-9]+\.[a-z]{2}")  # and names of hosts, as "docs.python.org"
_FILE_NAME = re.compile(
    r"[A-Za-z0-9]\.(?:7z|avi|bak|bat|bib|bin|bmp|bz2|cc|cfg|conf|cpp|css|csv|dat|dll|docx?|eps|exe|gif|gz|hpp|html?|"
    r"ini|ipynb|iso|jar|java|jpe?g|json|jsonl|log|md|mov|mp[34]|ods|odt|onnx|parquet|pdf|php|pkl|png|pptx?|ps|py|rar|"
    r"rs|rst|rtf|sh|so|sql|svg|tar|tex|tiff?|toml|tsv|txt|wav|xlsx?|xml|ya?ml|zip|zst|c|h)\Z",
    re.IGNORECASE,
)
_MOST_SLASHES = 2  # in a word: "red/green/blue"; a path has more, or a file's name

# The parts of the expression. N: a letter or digit; A: what may follow one in the same part of a word.
_N = "[A-Za-z0-9]"
_A = f"[A-Za-z0-9{_MARK}{_SOFT}{_JOINER}]"
# The last point of "U.S.", "e.g.", "Ph.D.", "M.Sc.".
_LAST_POINT = (
    rf"(?:(?<=\.[A-Za-z])(?<!{_N}{{2}}\.[A-Za-z])|(?<=\bPh\.D)|(?<=\b[BMD]\.(?:Sc|Ed))|(?<=\b[BMD]\.(?:Eng|Com))"
    rf"|(?<=\b[BMD]\.(?:Phil|Tech)))\.(?!{_N}|\.)"
)
# A point inside a word: "node.js", "ASP.NET", "GPT-3.5", "U.S.", "H.264", "Ph.D.", "M.Sc."; not in "the end.The next".
_POINT = (
    rf"\.(?:(?<={_N}[a-z0-9]\.)(?=[a-z])|(?<=[A-Z]\.)(?=[A-Z]{{2}})|(?<=[0-9]\.)(?=[0-9])"
    rf"|(?<!{_N}[A-Za-z]\.)(?:(?<=[A-Za-z]\.)(?=[A-Za-z](?!{_N}))|(?<=[A-Z]\.)(?=[0-9]))|(?<=\bPh\.)(?=D(?!{_N}))"
    rf"|(?<=\b[BMD]\.)(?=(?:Sc|Ed|Eng|Com|Phil|Tech)(?!{_N})))"
)
_JOIN = (
    rf"(?:(?:{_LAST_POINT}|'|\+{{1,2}})?[-–/&](?={_N})|'(?=[A-Za-z])|_++(?={_N})|::(?=[A-Za-z])"
    rf"|,(?<=[0-9],)(?=[0-9]{{3}}(?![0-9]))|{_POINT})"
)
# What belongs to a word though it is no letter: "C++", "C++11", "Na+", "C#", "A*".
_SIGN = (
    rf"(?:\+\+[0-9]{{2}}(?!{_N})|(?:\+\+|(?:(?<=[A-Z])|(?<=[A-Z]{_N})|(?<=[A-Za-z]{{2}}{_N}))\+)(?!{_N}|\+)"
    rf"|(?<!{_N}{_N})(?<=[A-Z])[#*](?!{_N}|[#*]))"
)
_COMPOUND = rf"{_N}{_A}*+(?:{_JOIN}{_N}{_A}*+)*+(?:{_LAST_POINT}|{_SIGN})?"

# "G", "K", "D" and "T" are none of them: "5G", "4K", "3D" and "3T" are names.
_UNIT = (
    "(?:[kmcnµμ]?m|[kmnµμ]?g|lbs?|oz|mi|ft|yd|[mnµμ]?s|secs?|mins?|hr?s?|[kMGT]?Hz|[mkM]?V|[mkMG]?W|[kMGT]?Wh|mA|mAh|"
    "[kM]?J|k?cal|[kMGh]?Pa|dB|bits?|bps|[kKMGTP]i?[Bb](?:ps|/s)?|[md]?[lL]|m?mol|rpm|mph|km/h|m/s|px|pt|fps|ppm|"
    "[kMGT]?eV|[ap]m|bp|k|x|bn)"
)
_DIGITS = r"(?:[0-9]{1,20}+(?:[.,][0-9]{1,20}+){0,6}+|(?<![A-Za-z0-9])\.[0-9]{1,20}+)"
_NUMBER = (
    rf"(?:(?<!{_N})[-+−])?(?:(?:US|AU|CA|HK|NZ)?\$)?{_DIGITS}(?:[eE][-+−]?[0-9]{{1,4}}+)?"
    rf"(?:[%$°]?[-–−/:×xX^]\$?-?{_DIGITS}){{0,6}}+"
    rf"(?:[%$]|°[CFKNSEW]?|{_UNIT}|(?<=\$[0-9])[KMBT]|(?<=\$[0-9]{{2}})[KMBT]|(?<=\$[0-9]{{3}})[KMBT])?\+?"
    rf"(?!{_A}|'?[-–/&_]{_N}|\.[0-9])"
)

_ADDRESS = "|".join(
    (
        # URLs without the punctuation behind them; brackets in pairs.
        r"""(?:[A-Za-z][A-Za-z0-9+.-]{1,9}://|www\.)(?:[^\s<>"()]|\([^\s<>"()]{0,100}\)){1,2000}(?<![.,;:!?'\]}*_])""",
        rf"[A-Za-z0-9._%+-]{{1,64}}+@{_N}[A-Za-z0-9-]{{0,62}}+(?:\.{_N}[A-Za-z0-9-]{{0,62}}+){{1,6}}+",
        r"(?:\bdoi:)?\b10\.[0-9]{4,9}+/[^\s<>\"]{1,200}(?<![.,;:!?'\])}])",
        rf"(?<!{_N})[@#][A-Za-z_]{_A[:-1]}_]*+",  # handles, hashtags
        rf"(?<!{_N}):[A-Za-z][A-Za-z0-9_+-]{{1,40}}+:(?!{_N})",  # shortcodes
        # Paths.
        r"(?<![A-Za-z0-9/])(?:(?:~|\.\.?)(?:/[A-Za-z0-9_.+-]{0,100}[A-Za-z0-9_]){1,50}"
        r"|(?:/[A-Za-z0-9_.+-]{0,100}[A-Za-z0-9_]){2,50})/?",
        r"\b[A-Za-z]:\\[^\s<>\"|?*]{0,300}(?<![.,;:!?')\]}])",
        rf"\\{{1,2}}[A-Za-z]{_A}*+(?:\\{_A}++)*+",  # and commands of TeX
        rf"(?<![A-Za-z0-9.)\]])\.(?![Nn][Ee][Tt](?!{_N}))[A-Za-z]{_A[:-1]}_]*+",  # ".gitignore"
        rf"__{_N}[A-Za-z0-9_]{{0,100}}__",
    )
)

_WORD = "|".join(
    (
        rf"(?<!{_N})\.[Nn][Ee][Tt](?!{_N})",
        rf"'(?i:em|cause|til|tis|twas)(?!{_N})",
        rf"'(?i:s|ll|re|ve|d|m)(?!{_N}|')",  # behind a mark, as in "(SVM)'s", or written apart
    )
)

_MARKS = "|".join(
    (
        r"&(?:[A-Za-z]{2,8}|#[0-9]{1,6});",  # an entity of HTML
        rf"(?<!{_N})[:;]['-]?[()\[\]DPp](?!{_N})",  # ":-)"
        r"\.{2,100}+|-{2,100}+|={2,100}+|\*{2,100}+|_{2,100}+|~{2,100}+|#{2,100}+|\+{2,100}+|''|``",
        rf"{_FLAG}{{1,2}}+",
        rf"{_EMOJI}{_MARK}*+(?:{_JOINER}{_EMOJI}{_MARK}*+)*+",
        rf"\S{_MARK}*+",
    )
)

# The commonest first: words of ASCII letters with nothing unusual between and behind them, a word before a full stop.
_TOKEN = re.compile(
    r"(?P<plain>(?:[A-Za-z]++(?=[\s,;!?)]|\Z) ?)++)"
    r"|(?P<stopped>[A-Za-z]++\.(?![A-Za-z0-9.@/\\_]))"
    rf"|(?P<address>{_ADDRESS})"
    rf"|(?P<number>(?<!{_N})[vV][0-9]{{1,20}}+(?:\.[0-9]{{1,20}}+){{1,6}}+(?!{_A}|[-–/&_]{_N})"
    rf"|(?<!{_N})'[0-9]0s(?!{_N})|0x[0-9A-Fa-f]{{1,40}}+(?!{_N})|{_NUMBER})"
    rf"|(?P<word>{_WORD})"
    rf"|(?P<compound>{_COMPOUND})"
    rf"|(?P<mark>{_MARKS})"
)

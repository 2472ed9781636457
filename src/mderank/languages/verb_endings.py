"""Endings that only verbs have, or nearly so, for words without tags.

Endings that many nouns share are left out: to take a noun for a verb costs a phrase, to miss a verb costs little.
"""

from __future__ import annotations

import re
from functools import cache

# Letters of the stem before the ending, and the endings.
_ENDINGS = {
    "cs": (2, "uje ují ají ejí oval ovala ovalo ovali ovaly ovat ávat ívat nul nula nulo nuli ával ávala ávalo ávali"),
    "el": (2, "ουν ούν ονται ούνται εται είται άται θηκε θηκαν"),
    "es": (3, "aron ieron aban arán erán irán arían erían irían iendo yendo arse erse irse bó có dó gó jó ló mó nó "
              "pó ró só tó vó zó ió"),
    "fi": (2, "vat vät ttiin daan dään isivat isivät"),
    "fr": (2, "èrent aient eront iront eraient iraient erait irait issent issait"),
    "hr": (2, "uje uju ujemo ovao ovala ovali irao irala irali ovati irati ivati"),
    "hu": (3, "tatta tette ották ették hatja hatják ják"),
    "it": (3, "arono erono irono avano evano ivano eranno iranno assero essero issero arsi ersi irsi ò"),
    "pl": (2, "uje ują ywa ywają ają eją ował owała owało owali owały owano ować ywać iwać nął nęła nęli"),
    "pt": (3, "aram eram iram avam arão erão irão ariam eriam iriam assem essem issem ou iu"),
    "ro": (3, "ează ește ând aseră iseră"),
    "ru": (2, "ает ают яет яют ует уют еет еют ится ются утся ятся ется лась лось лись лся ться овать евать ивать "
              "ывать ировал ировала ировали ировало ывала ывали ывало"),
    "sk": (2, "uje ujú ajú ejú oval ovala ovali ovať ávať"),
    "sl": (2, "uje ujejo ajo oval ovala ovali ovati irati"),
    "sr": (2, "ује ују ујемо овао овала овали ирао ирала ирали овати ирати"),
    "tr": (2, "ıyor iyor uyor üyor ıyorlar iyorlar uyorlar üyorlar maktadır mektedir mıştır miştir muştur müştür "
              "acaktır ecektir"),
    "uk": (2, "ає ають яє яють ує ують ється ються яться лась лося лися увати ювати"),
}  # fmt: skip


def is_verb_form(word: str, code: str) -> bool:
    """Check whether a word has an ending that only verbs have.

    >>> is_verb_form("presentaron", "es"), is_verb_form("presentación", "es")
    (True, False)

    Args:
        word: The word, in lower case.
        code: Language code.

    Returns:
        True for such a word; False for a language whose endings are not known.
    """
    pattern = _pattern(code)
    return pattern is not None and pattern.search(word) is not None


@cache
def _pattern(code: str) -> re.Pattern[str] | None:
    if code not in _ENDINGS:
        return None
    stem, endings = _ENDINGS[code]
    return re.compile(rf"\w{{{stem}}}(?:{'|'.join(endings.split())})\Z")

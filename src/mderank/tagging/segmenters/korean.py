"""Korean: kiwipiepy and its model (both Apache-2.0). Particles and endings are units of their own."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from threading import Lock
from typing import Any

from mderank.tagging.segmenters.base import LIGHT, NOUNS, Morpheme, adjacent, join, join_to_prefix, library_name

# Nouns that name nothing by themselves, or tell a time.
_LIGHT = frozenset(
    "이래 내년 내달 배 시 개 곳 때 경우 정도 이후 이전 다음 사이 동안 가운데 중 앞 뒤 위 아래 안 밖 전 후 간 "
    "내 외 모두 자신 오늘 어제 내일 올해 지난해 최근 현재 당시 이날 대부분 일부 각각 하나 이번 그동안 여러 "
    "전체 나머지 이상 이하 미만 이외 이유 점 면 측 쪽 말 일 것 수 등 때문 예 한편 역시 도중 첫째 둘째 먼저 "
    "우선 처음 마지막 사실 그림 사람 누구 무엇 이때 그때 여기 저기 바탕 대신 이곳 그곳".split()
)
# Nouns that name nothing unless they are part of a compound.
_LIGHT_ALONE = frozenset(
    "부분 측면 내용 반면 예정 나중 관련 해당 도움 덕분 참고 감사 말씀 수고 예시 기본 일반 계획 장 날 표 종류 "
    "필요 가능 각자 대상 결과 방법 목적 상황 상태 의미 차이 과정 역할 방식 이야기 말로 마련 추가 이용 사용".split()
)
_DETERMINERS = frozenset("주요 각종 다양 기존".split())
_DESCRIBES = frozenset(("적", "적인"))  # a noun with it describes: "상업적"
# Determiners that are a prefix where no space follows: "전고체".
_PREFIXES = frozenset("전 총 비 재 초 반 범 탈 친 대 신 구 고 저 각".split())
_PLURAL = frozenset(("들",))

_TAGS = {
    "NNG": "NOUN", "NNP": "PROPN", "NNB": LIGHT, "NR": "NUM", "NP": "PRON", "MM": "DET", "MAG": "ADV", "MAJ": "CCONJ",
    "IC": "INTJ", "SN": "NUM", "SH": "NOUN", "SL": "NOUN", "XR": "ADJ", "UN": "NOUN", "XPN": "PREFIX", "XSN": "SUFFIX",
    "XSM": "ENDING", "XSV": "VERBAL", "XSA": "ADJECTIVAL", "JC": "CCONJ", "VCP": "AUX", "VCN": "AUX", "VX": "AUX",
}  # fmt: skip
# By their first letter. Inflected adjectives count as verbs, since terms have none of them.
_FAMILIES = {"V": "VERB", "J": "ADP", "E": "ENDING", "S": "PUNCT", "W": "SYM", "Z": "ENDING", "U": "X"}


class KoreanSegmenter:
    """Units of kiwipiepy, without its dictionary of titles, which takes 200 MB of memory.

    Attributes:
        name: Library and model with their versions.
        join_lines: A line ends between words, or inside one with no sign of it.
    """

    join_lines = False

    def __init__(self) -> None:
        from kiwipiepy import Kiwi

        self.name = library_name("kiwipiepy", "kiwipiepy_model")
        with warnings.catch_warnings():  # about the meaning of num_workers=0 in older versions
            warnings.simplefilter("ignore", DeprecationWarning)
            self._kiwi: Any = Kiwi(num_workers=0, load_multi_dict=False)
        self._lock = Lock()

    def segment(self, text: str) -> list[Morpheme]:
        """Divide a text; see `Segmenter`. Units that share a syllable are one."""
        found: list[Morpheme] = []
        with self._lock:
            units = self._kiwi.tokenize(text)
        for unit in units:
            start, end = unit.start, unit.start + unit.len
            fine = unit.tag.partition("-")[0]
            tag = _TAGS.get(fine) or _FAMILIES.get(fine[0], "X")
            if found and start < found[-1].end:
                if end > found[-1].end:
                    first = found[-1]
                    found[-1] = Morpheme(text[first.start : end], first.tag, first.start, end, first.fine)
                if tag in ("VERBAL", "ADJECTIVAL"):
                    found[-1] = found[-1]._replace(tag="VERB")
            elif start < end:
                found.append(Morpheme(text[start:end], tag, start, end, fine))
        return found

    def mend(self, words: Sequence[Morpheme]) -> list[Morpheme]:
        """Join units to words; see `Segmenter`."""
        found: list[Morpheme] = []
        for word in words:
            _add(found, word)
        return [_mend_alone(found, index) for index in range(len(found))]


def load() -> KoreanSegmenter:
    """Load the library and its model.

    Returns:
        The segmenter.
    """
    return KoreanSegmenter()


def _add(words: list[Morpheme], word: Morpheme) -> None:
    """Add a unit: affixes join the noun that they belong to, endings their verb."""
    before = words[-1] if words and adjacent(words[-1], word) else None
    if before is not None and before.tag == "PREFIX":
        if join_to_prefix(words, word):
            return
    elif before is not None and before.text in _PREFIXES and before.tag == "DET" and word.tag == "NOUN":
        words[-1] = join(before, word, word.tag, word.fine)
        return
    elif before is not None and word.tag == "SUFFIX" and word.text not in _PLURAL:
        if before.tag in ("NOUN", "PROPN", "ADJ"):
            tag = "ADJ" if word.text in _DESCRIBES else "PROPN" if before.tag == "PROPN" else "NOUN"
            words[-1] = join(before, word, tag, "NNG")
            return
        if before.tag == "NUM":
            words[-1] = join(before, word, "NUM")
            return
    elif before is not None and word.tag in ("VERBAL", "ADJECTIVAL"):
        # "분석하다" is a verb; "자연어처리하다" has a compound before its ending.
        compound = len(words) > 1 and adjacent(words[-2], before) and words[-2].tag in NOUNS
        if before.tag in ("NOUN", "ADJ", "PROPN") and not compound:
            words[-1] = join(before, word, "VERB")
            return
    elif before is not None and word.tag in ("ENDING", "AUX") and before.tag in ("VERB", "AUX"):
        words[-1] = join(before, word, before.tag)
        return
    words.append(word)


def _in_compound(words: Sequence[Morpheme], index: int) -> bool:
    """Whether a noun stands before or after a word, with or without a space between."""
    neighbours = (*words[max(0, index - 1) : index], *words[index + 1 : index + 2])
    return any(each.tag in NOUNS for each in neighbours)


_LEFT = {"PREFIX": "X", "SUFFIX": LIGHT, "ENDING": LIGHT, "VERBAL": "AUX", "ADJECTIVAL": "AUX"}


def _mend_alone(words: Sequence[Morpheme], index: int) -> Morpheme:
    """Give units that were not joined a universal tag, and take the noun's tag from words that name nothing."""
    word = words[index]
    if word.tag in _LEFT:
        return word._replace(tag=_LEFT[word.tag])
    if word.tag == "NOUN":
        counts = index > 0 and adjacent(words[index - 1], word) and words[index - 1].tag == "NUM"
        if counts and len(word.text) == 1:
            return word._replace(tag="NUM")
        if word.text in _DETERMINERS:
            return word._replace(tag="DET")
        if word.text in _LIGHT or (word.text in _LIGHT_ALONE and not _in_compound(words, index)):
            return word._replace(tag=LIGHT)
    return word

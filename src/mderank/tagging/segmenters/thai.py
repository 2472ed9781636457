"""Thai: PyThaiNLP (Apache-2.0), with the dictionary and the tagger that are part of it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from threading import Lock

from mderank.tagging.segmenters.base import LIGHT, NOUNS, Morpheme, adjacent, join, library_name

# Nouns that name nothing by themselves, classifiers, and function words that the tagger takes for nouns.
_LIGHT = frozenset(
    "ปีหน้า ปีนี้ ปีที่แล้ว สิ่ง คน อัน ตัว ครั้ง วัน เดือน ปี ชนิด แบบ กรณี ส่วน เวลา เรื่อง จำนวน ด้าน ทาง ขณะ ช่วง "
    "อย่าง ประการ ฝ่าย กัน เช่น ที่ ซึ่ง ของ ใน และ หรือ แต่ เพื่อ โดย จาก กับ เป็น คือ มี ได้ ให้ ว่า นี้ นั้น ไม่ ก็ จะ "
    "แล้ว ยัง ถึง ตาม เมื่อ ต่อ ต่าง ต่างๆ มาก หลาย ทั้ง ทุก บาง แต่ละ ภายใน ภายนอก ระหว่าง หลัง ก่อน บน ล่าง ใต้ เหนือ "
    "ผล ผู้คน ใด อะไร ใคร ความ การ ผู้ นัก ประมาณ เปอร์เซ็นต์ ร้อยละ ตอน สมัย เหล่านี้ ดังกล่าว ตัวอย่าง ลักษณะ รูปแบบ "
    "วิธี ปัจจุบัน วันนี้ ๆ ฯ ฯลฯ ทำให้ สามารถ ต้อง ควร อาจ จึง".split()
)
_MAKES_NOUN = frozenset(("การ", "ความ", "ผู้", "นัก"))  # before a verb or adjective: "doing", "being", "one who"


_SETTINGS = ("PYTHAINLP_READ_ONLY", "PYTHAINLP_READ_MODE")


@contextlib.contextmanager
def _read_only() -> Iterator[None]:
    """Keep the library from making a folder in the user's home, unless the user decided about that."""
    if any(name in os.environ for name in _SETTINGS):
        yield
        return
    os.environ[_SETTINGS[0]] = "1"
    try:
        yield
    finally:
        os.environ.pop(_SETTINGS[0], None)


class ThaiSegmenter:
    """Words of PyThaiNLP.

    Attributes:
        name: Library and version.
        join_lines: A line ends between words.
    """

    join_lines = False

    def __init__(self) -> None:
        with _read_only():
            from pythainlp.tag import pos_tag
            from pythainlp.tokenize import word_tokenize

            self.name = library_name("pythainlp")
            self._divide, self._tag = word_tokenize, pos_tag
            self._lock = Lock()
            self.segment("ภาษาไทย")  # reads the dictionary and the tagger

    def segment(self, text: str) -> list[Morpheme]:
        """Divide a text; see `Segmenter`. The safe variant reads long ambiguous runs in parts."""
        with self._lock:
            words = self._divide(text, engine="newmm-safe")
            tags = self._tag(words, corpus="orchid_ud")
        found = []
        at = 0
        for word, (_, tag) in zip(words, tags, strict=True):
            start = text.find(word, at)
            if start < 0 or not word:
                continue
            at = start + len(word)
            if not word.isspace():
                found.append(Morpheme(word, tag, start, at, tag))
        return found

    def mend(self, words: Sequence[Morpheme]) -> list[Morpheme]:
        """Join units to words; see `Segmenter`."""
        found: list[Morpheme] = []
        for word in words:
            before = found[-1] if found and adjacent(found[-1], word) else None
            if before is not None and before.text in _MAKES_NOUN and word.tag in ("VERB", "ADJ", "NOUN", "ADV", "AUX"):
                found[-1] = join(before, word, "NOUN", word.tag)
            else:
                found.append(word)
        return [word._replace(tag=LIGHT) if word.tag in NOUNS and _is_light(word.text) else word for word in found]


def _is_light(text: str) -> bool:
    return text in _LIGHT or text.startswith("ใน")  # "in": the dictionary has "in the country" as one word


def load() -> ThaiSegmenter:
    """Load the library and its data.

    Returns:
        The segmenter.
    """
    return ThaiSegmenter()

"""Japanese: SudachiPy with the small edition of its dictionary (both Apache-2.0)."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from mderank.tagging.segmenters.base import LIGHT, NOUNS, Morpheme, adjacent, join, join_at_dots, library_name

# Nouns that name nothing by themselves.
_LIGHT = frozenset(
    "こと 事 もの 物 者 ため 為 よう 様 とき 時 ところ 所 ほう 方 わけ 訳 はず つもり うち 内 中 上 下 前 後 "
    "間 点 際 他 ほか 場合 場所 以上 以下 以外 以降 以前 等 など 程度 一つ ひとつ 自分 自身 私たち まま 一方 "
    "全て すべて 多く 一部 例 例え 何 必要 とおり 通り かた 今回 今後 現在 最近 今 今日 昨日 明日 これまで "
    "互い お互い 同様 次 度 度合い ほとんど あと 側 面 さ さん 側面 種類 用 込み 毎 おかげ せい ゆえ たび "
    "最後 最初 人 人々 日 月 年 回 件 個 本 頃 ころ 向け 付き ごと なか ここ 代わり かわり".split()
)
# Nouns that name nothing unless they are part of a compound.
_LIGHT_ALONE = frozenset(
    "常 別 同時 詳細 説明 両者 逆 一緒 否 最新 ご覧 固有 専用 任意 複雑 便利 有益 種 役 元 章 節 図 数 注意 "
    "間違い 手助け 興味 名前 大型 小型 半日 形 限り 本当 複数 既存 特定 関連 無駄 理由 目的 方法 結果 可能 "
    "自前 全体 利用 使用 存在 実際 意味 違い 問題 話 一般 場面 状態 状況 内容 様々 さまざま 重要 有効 多数 "
    "少数 最大 最小 十分 同じ 新た 大幅 簡単 特別 部分 機会 恐れ 影響 対象 実施 実現 確認 検討 対応".split()
)
_APART = frozenset("さん 氏 様 さま 君 くん ちゃん".split())  # forms of address
_DETERMINERS = frozenset("本 同 各 当 約 計 毎 両 翌 昨 某 今 第 全".split())  # prefixes that are no part of a term

_FINE = {
    ("名詞", "固有名詞"): "PROPN", ("名詞", "数詞"): "NUM", ("名詞", "助動詞語幹"): "AUX",
    ("形状詞", "助動詞語幹"): "AUX", ("動詞", "非自立可能"): "AUX", ("形容詞", "非自立可能"): "AUX",
    ("助詞", "接続助詞"): "SCONJ", ("助詞", "終助詞"): "PART", ("助詞", "準体助詞"): "PART",
    ("補助記号", "AA"): "SYM", ("記号", "文字"): "NOUN",
}  # fmt: skip
# Inflected adjectives count as verbs, since terms have none of them: "高い精度" is "high accuracy", not a term.
_COARSE = {
    "名詞": "NOUN", "代名詞": "PRON", "形状詞": "ADJ", "連体詞": "DET", "副詞": "ADV",
    "接続詞": "CCONJ", "感動詞": "INTJ", "動詞": "VERB", "形容詞": "VERB", "助詞": "ADP", "助動詞": "AUX",
    "接頭辞": "PREFIX", "接尾辞": "SUFFIX", "補助記号": "PUNCT", "記号": "SYM", "空白": "X",
}  # fmt: skip


class JapaneseSegmenter:
    """Units of SudachiPy. A tokenizer of it cannot be shared by threads at one time, hence the lock.

    Attributes:
        name: Library and dictionary with their versions.
        join_lines: A line may end inside a word.
    """

    join_lines = True

    def __init__(self) -> None:
        import sudachidict_small  # noqa: F401
        from sudachipy import Dictionary, SplitMode

        self.name = library_name("SudachiPy", "SudachiDict-small")
        self._tokenizer: Any = Dictionary(dict="small").tokenizer(SplitMode.C)
        self._lock = Lock()

    def segment(self, text: str) -> list[Morpheme]:
        """Divide a text; see `Segmenter`."""
        found = []
        with self._lock:
            for unit in self._tokenizer.tokenize(text):
                start, end = unit.begin(), unit.end()
                coarse, middle, fine, *_ = unit.part_of_speech()
                tag = _FINE.get((coarse, middle)) or _COARSE.get(coarse, "X")
                if start < end and not text[start:end].isspace():
                    found.append(Morpheme(text[start:end], tag, start, end, fine if coarse == "名詞" else middle))
        return found

    def mend(self, words: Sequence[Morpheme]) -> list[Morpheme]:
        """Join units to words; see `Segmenter`."""
        found: list[Morpheme] = []
        for word in words:
            _add(found, word)
        joined = join_at_dots(found, "・", lambda one, other: _is_katakana(one.text) and _is_katakana(other.text))
        return [_mend_alone(joined, index) for index in range(len(joined))]


def load() -> JapaneseSegmenter:
    """Load the library and its dictionary.

    Returns:
        The segmenter.
    """
    return JapaneseSegmenter()


def _add(words: list[Morpheme], word: Morpheme) -> None:
    """Add a unit: affixes join the noun that they belong to, endings their verb."""
    before = words[-1] if words and adjacent(words[-1], word) else None
    if word.tag == "PREFIX":
        word = word._replace(tag="DET") if word.text in _DETERMINERS else word
    elif word.tag == "SUFFIX":
        word = _suffix(before, word)
        if before is not None and word.start == before.start:
            words[-1] = word
            return
    elif before is not None and before.tag == "PREFIX":
        if word.tag in ("NOUN", "PROPN", "ADJ", "NUM"):
            words[-1] = join(before, word, word.tag, word.fine)
            return
        words[-1] = before._replace(tag="X")
    elif before is not None and word.tag in ("NOUN", "ADJ") and before.tag == "NUM" and "助数詞" in word.fine:
        word = word._replace(tag="NUM")
    elif before is not None and word.tag == "AUX" and word.text[0] in "しすさせ" and before.fine.startswith("サ変"):
        # "解析した" is a verb; "国際化推進した" has a compound before its ending.
        if not (len(words) > 1 and adjacent(words[-2], before) and words[-2].tag in NOUNS):
            words[-1] = join(before, word, "VERB")
            return
    elif before is not None and before.tag in ("VERB", "AUX") and (
        word.tag == "AUX" or (word.tag == "SCONJ" and word.text in ("て", "で"))
    ):  # fmt: skip
        words[-1] = join(before, word, before.tag)
        return
    words.append(word)


def _suffix(before: Morpheme | None, word: Morpheme) -> Morpheme:
    if before is None or before.tag not in ("NOUN", "PROPN", "ADJ", "NUM", "X", "VERB") or word.text in _APART:
        return word._replace(tag="PART")
    if before.tag == "X" or word.fine == "":
        return word._replace(tag="PART")
    if word.fine == "形状詞的":
        return join(before, word, "ADJ")
    if word.fine in ("動詞的", "形容詞的"):
        return join(before, word, "VERB")
    if before.tag == "VERB":  # "考え方"
        return join(before, word, "NOUN")
    return join(before, word, before.tag if before.tag in ("PROPN", "NUM") else "NOUN", "一般")


def _is_katakana(text: str) -> bool:
    return all("\u30a1" <= letter <= "\u30ff" for letter in text)


def _mend_alone(words: Sequence[Morpheme], index: int) -> Morpheme:
    """Take the noun's tag from words that name nothing, and from adverbs that are no part of a compound."""
    word = words[index]
    if word.tag in ("PREFIX", "SUFFIX"):
        return word._replace(tag="X")
    if word.tag not in ("NOUN", "ADJ"):
        return word
    after_noun = index > 0 and adjacent(words[index - 1], word) and words[index - 1].tag in NOUNS
    before_noun = index + 1 < len(words) and adjacent(word, words[index + 1]) and words[index + 1].tag in NOUNS
    if word.text in _LIGHT:
        return word._replace(tag=LIGHT)
    if not after_noun and not before_noun:
        if word.text in _LIGHT_ALONE:
            return word._replace(tag=LIGHT)
        if word.fine == "副詞可能":
            return word._replace(tag="ADV")
    return word

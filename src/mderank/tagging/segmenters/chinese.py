"""Chinese: rjieba (MIT), jieba's dictionary in Rust. The tags are those of the dictionary, mended by the neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

from mderank.tagging.segmenters.base import (
    LIGHT,
    NOUNS,
    Morpheme,
    adjacent,
    join,
    join_at_dots,
    join_to_prefix,
    library_name,
)

# Nouns that name nothing by themselves.
_LIGHT = frozenset(
    "接下来 目的 产生 指 值得一提的是 值得注意的是 长久以来 有点 成 结果表明 研究表明 实验表明 明显提高 时会 "
    "诸如此类 前者 后者 换句话说 首个 无法 手动 换言之 与此同时 另一方面 总的来说 时候 时 时间 情况 方面 地方 "
    "东西 事 事情 样子 部分 内容 人 人们 大家 后 前 期间 同时 一方面 本文 我们 他们 种类 例子 时期 个 种 类 "
    "等 等等 一些 之一 以下 以上 其中 全部 所有 年 月 日 天 次 点 者 此 处 名 家 位 条 项 件 句 段 份 中 里 "
    "内 外 上 下 间 左右 原因 结果 方式 过程 作用 程度 时刻 現在 時候 時 時間 情況 東西 種類 個 種 類 之間 "
    "部份 问题 問題 办法 必要 可能 需要 使用 自己 本身 一般 有时 全文 有关 相关 说 话 意思 用 法 即 图 表 式 "
    "例 数 量 值 度 性 力 率 界 业 面 端 版 期 区".split()
)
_FIRST = frozenset("图 圖 表 量 值 力 面 端 数".split())
# Adjectives that describe nothing.
_DETERMINERS = frozenset(
    "首个 无法 手动 相关 多 少 大 小 新 旧 好 不同 主要 重要 一定 整个 其他 其它 同样 一样 相同 许多 很多 "
    "大量 唯一 具体 完全 直接 真正 普通 常见 必要 可能 重大 实际 传统 自动 当前 大型 众多 明显 显著 简单 特殊 "
    "特别 容易 基本 原 正 副 总 不少 多种 各种 额外 所谓 原来 有效 方便 正确 错误 全新 個別 許多 簡單".split()
)
# A single character that makes a noun of the word before it.
_NOUN_ENDINGS = frozenset(
    "率性化器者力度学學法式型机機图圖值量层層集库庫码碼群域端网網员員界业業户戶包表树樹元体體态態源库们們"
)
# Nouns that stand after a verb in a compound: "机器学习方法", "信息处理系统".
_HEADS = frozenset(
    "精度 准确率 误差 成本 时间 速度 范围 目标 对象 空间 样本 周期 功能 性质 区域 条件 参数 经费 报告 论文 "
    "小组 模式 手段 水平 温度 强度 曲线 函数 单元 语言 中心 学院 大学 会议 会 院 所 局 部 量 率 力 方法 模型 "
    "算法 系统 技术 问题 能力 任务 效率 性能 机制 平台 工具 程序 软件 服务 服务器 网络 策略 框架 理论 研究 "
    "工程 设备 装置 过程 结果 数据 文件 机构 部门 公司 环境 管理 管理员 团队 人员 标准 协议 方案 项目 计划 "
    "政策 市场 行业 产业 领域 指标 仪器 材料 系統 技術 問題 任務 機制 程式 軟體 服務 伺服器 網路 理論 設備 "
    "資料 檔案 機構 環境 計畫 專案 團隊 人員 標準".split()
)
# Activities that a noun before them makes a term of, in any context: "机器学习", "图像识别".
_ACTIVITIES = frozenset(
    "学习 处理 识别 分析 检测 管理 控制 计算 设计 优化 预测 测量 监测 治疗 诊断 评估 保护 通信 传输 编程 推理 "
    "训练 挖掘 检索 翻译 生成 合成 融合 分割 分类 跟踪 搜索 存储 更新 变化 交易 教育 竞争 合作 发展 改革 污染 "
    "排放 研究 學習 處理 識別 檢測 計算 設計 最佳化 預測 測量 監測 治療 診斷 評估 保護 通訊 傳輸 訓練 檢索 "
    "翻譯 搜尋 儲存 變化 發展".split()
)
_AFTER_NOUN = frozenset("、 之 中 时 時 上 是 在 与 與 和 及 為 为".split())
_ASPECTS = frozenset("了着过過着得把被将將就才都也很更最已不未会會能要可应應须須再又所")

# Verbs of little meaning, and words that the dictionary calls nouns though they are mostly verbs.
_AUXILIARIES = frozenset(
    "会 能 能够 可以 应该 必须 应 要 會 能夠 應該 必須 是 有 为 成为 进行 具有 包括 属于 作为 没有 存在 得到 "
    "使得 使 让 令 叫 称为 等于 位于 來 来 去 做 說 為 進行 沒有 成為 包含 始于".split()
)
_VERBS = frozenset(
    "发现 认为 表明 指出 表示 相比 升高 提高 宣布 显示 说明 發現 認為 顯示 說明 利用 使用 采用 提供 请 通过 "
    "支持 需要 要求 允许 造成 带来 开始 採用 透過 建议 选择 选取 决定 打算".split()
)
_COUNTS = frozenset(
    "一个 一种 一些 一次 一样 这个 那个 这种 一下 一组 一項 一個 一種 两个 三个 几个 兩個 某个 多个 每个".split()
)

_TAGS = {
    "a": "ADJ", "ad": "ADV", "ag": "ADJ", "an": "NOUN", "b": "ADJ", "c": "CCONJ", "d": "ADV", "df": "ADV", "dg": "ADV",
    "e": "INTJ", "eng": "NOUN", "f": "ADP", "h": "PREFIX", "i": "X", "j": "NOUN", "k": "SUFFIX", "l": "NOUN",
    "m": "NUM", "mq": "NUM", "nr": "PROPN", "ns": "PROPN", "nt": "PROPN", "nz": "PROPN", "nrt": "PROPN",
    "nrfg": "PROPN", "o": "INTJ", "p": "ADP", "q": "NUM", "r": "PRON", "rg": "PRON", "rr": "PRON", "rz": "PRON",
    "t": "ADV", "tg": "ADV", "vn": "VN", "y": "PART", "x": "X", "z": "ADV", "zg": "X",
}  # fmt: skip
_FAMILIES = {"n": "NOUN", "s": "NOUN", "u": "PART", "v": "VERB", "g": "NOUN"}


class ChineseSegmenter:
    """Units of rjieba.

    Attributes:
        name: Library and version.
        join_lines: A line may end inside a word.
    """

    join_lines = True

    def __init__(self) -> None:
        from rjieba import Jieba

        self.name = library_name("rjieba")
        self._jieba: Any = Jieba()
        self._lock = Lock()

    def segment(self, text: str) -> list[Morpheme]:
        """Divide a text; see `Segmenter`."""
        with self._lock:
            units = self._jieba.tag(text)
        found = []
        at = 0
        for unit, listed in units:
            fine = "v" if unit in _VERBS else listed
            start = text.find(unit, at)
            at = start + len(unit)
            tag = _TAGS.get(fine) or _FAMILIES.get(fine[:1], "X")
            if tag == "X" and fine == "x" and len(unit) > 1:  # not in the dictionary: mostly a name or term
                tag = "NOUN"
            if not unit.isspace():
                found.append(Morpheme(unit, tag, start, at, fine))
        return found

    def mend(self, words: Sequence[Morpheme]) -> list[Morpheme]:
        """Join units to words; see `Segmenter`."""
        found: list[Morpheme] = []
        for word in words:
            _add(found, word)
        found = join_at_dots(found, "·•・", lambda one, other: _is_han(one.text) and _is_han(other.text))
        nominal = [_is_nominal(found, index) for index in range(len(found))]
        named = [
            word._replace(tag="NOUN") if noun else word._replace(tag="VERB") if word.tag == "VN" else word
            for word, noun in zip(found, nominal, strict=True)
        ]
        return [_mend_alone(named, index) for index in range(len(named))]


def load() -> ChineseSegmenter:
    """Load the library.

    Returns:
        The segmenter.
    """
    return ChineseSegmenter()


def _add(words: list[Morpheme], word: Morpheme) -> None:
    """Add a unit: affixes join the word that they belong to."""
    before = words[-1] if words and adjacent(words[-1], word) else None
    if before is not None and before.tag == "PREFIX":
        if join_to_prefix(words, word):
            return
    elif before is not None and len(word.text) == 1 and word.tag not in ("NUM", "PUNCT", "SYM"):
        affix = word.tag == "SUFFIX" or word.text in _NOUN_ENDINGS
        if affix and before.tag in ("NOUN", "PROPN", "VN", "VERB", "ADJ") and len(before.text) > 1 and before.fine:
            words[-1] = join(before, word, "PROPN" if before.tag == "PROPN" else "NOUN", "n")
            return
    words.append(word)


def _is_han(text: str) -> bool:
    return all("\u3400" <= letter <= "\u9fff" or letter in "·•・" for letter in text)


def _is_nominal(words: Sequence[Morpheme], index: int) -> bool:
    """Whether a verb is a noun here: the name of an activity, in a compound."""
    word = words[index]
    if word.tag not in ("VN", "VERB") or len(word.text) < 2:
        return False
    before = words[index - 1] if index and adjacent(words[index - 1], word) else None
    after = words[index + 1] if index + 1 < len(words) and adjacent(word, words[index + 1]) else None
    if (after is not None and after.text[0] in _ASPECTS) or (before is not None and before.text[-1] in _ASPECTS):
        return False
    after_noun = before is not None and before.tag in NOUNS and before.text not in _LIGHT
    ended = after is None or after.text in _AFTER_NOUN or (word.tag == "VN" and after.tag == "PUNCT")
    headed = after is not None and after.text.rstrip("们們") in _HEADS
    if word.text in _ACTIVITIES and (after_noun or headed):
        return True
    if word.tag == "VN" and (headed or (ended and before is not None and before.text in ("的", "之"))):
        return True
    return after_noun and (ended or headed) and word.text not in _VERBS


def _begins_compound(words: Sequence[Morpheme], index: int) -> bool:
    """Whether a noun that is light by itself is part of a term: "图神经网络"."""
    after = words[index + 1] if index + 1 < len(words) else None
    return words[index].text in _FIRST and after is not None and adjacent(words[index], after) and after.tag in NOUNS


def _mend_alone(words: Sequence[Morpheme], index: int) -> Morpheme:
    """Give units that were not joined a universal tag, and take the noun's tag from words that name nothing."""
    word = words[index]
    if word.text in _AUXILIARIES:
        tag = "AUX"
    elif word.text in _COUNTS or (word.tag in ("ADJ", "NOUN") and word.text in _DETERMINERS):
        tag = "DET"
    elif word.tag == "SUFFIX" or (word.tag in NOUNS and word.text in _LIGHT and not _begins_compound(words, index)):
        tag = LIGHT
    else:
        tag = "X" if word.tag == "PREFIX" else word.tag
    return word._replace(tag=tag)

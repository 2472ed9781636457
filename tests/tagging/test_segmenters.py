import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mderank import MissingExtraError, NGrams, NounPhrases, OptionError, Options, PhraseList, build_extractor
from mderank.tagging import Tagger
from mderank.tagging.segmenters import SegmenterTagger, tagger

LIBRARIES = {"zh": "rjieba", "ja": "sudachidict_small", "ko": "kiwipiepy", "th": "pythainlp"}

TEXTS = {
    "zh": (
        "国家海洋局的研究人员发现，南海的珊瑚礁正在白化。珊瑚白化会使鱼类失去栖息地。\n\n"
        "该团队提出了一种基于图神经网络的蛋白质结构预测方法。机器学习方法在GPT-4模型上😀进行了测试，详见https://example.org/a。"
    ),
    "ja": (
        "気象庁の研究グループは、線状降水帯の発生を半日前に予測する手法を開発した。線状降水帯は大きな被害をもたらした。\n\n"
        "研究者は機械学習を用いて、GPT-4モデル😀の再利用を検討している。機械学習の国際化が課題である。"
    ),
    "ko": (
        "국립해양조사원은 동해의 해수면 온도가 가장 높았다고 발표했다. 해수면 온도 상승은 어민들에게 피해를 준다.\n\n"
        "연구진은 기계 학습과 GPT-4 모델을 이용해 전고체 배터리의 수명을 예측했다😀. 기계학습은 중요한 것이다."
    ),
    "th": (
        "นักวิทยาศาสตร์พบว่าแนวปะการังในอ่าวไทยได้รับผลกระทบ การฟื้นฟูแนวปะการังต้องใช้เวลา\n\n"
        "นักวิจัยพัฒนาระบบปัญญาประดิษฐ์เพื่อพยากรณ์ฝุ่นละออง PM2.5 และโมเดล GPT-4 😀 ระบบนี้ใช้ข้อมูลดาวเทียม"
    ),
}
PHRASES = {
    "zh": {"珊瑚礁", "珊瑚白化", "图神经网络", "蛋白质结构预测方法", "机器学习方法", "GPT-4模型"},
    "ja": {"線状降水帯", "気象庁", "研究者", "機械学習", "GPT-4モデル", "再利用", "国際化"},
    "ko": {"국립해양조사원", "해수면 온도", "해수면 온도 상승", "전고체 배터리", "GPT-4 모델", "수명"},
    "th": {"แนวปะการัง", "อ่าวไทย", "ระบบปัญญาประดิษฐ์", "ข้อมูลดาวเทียม", "โมเดล GPT-4"},
}
NO_PHRASES = {
    "zh": {"一种", "的", "研究人员发现"},
    "ja": {"こと", "もの", "検討", "開発"},
    "ko": {"것", "어민들", "예측", "기계학습은"},
    "th": {"การ", "เวลา", "และ"},
}


def needs(language):
    return pytest.param(language, marks=pytest.mark.skipif(not _installed(language), reason=f"needs [{language}]"))


def _installed(language):
    import importlib.util

    return importlib.util.find_spec(LIBRARIES[language]) is not None


ALL = [needs(language) for language in LIBRARIES]
zh, ja, ko, th = (
    pytest.mark.skipif(not _installed(language), reason=f"needs [{language}]") for language in ("zh", "ja", "ko", "th")
)


def tag(language, text):
    (document,) = SegmenterTagger(language).tag([text])
    return document


def words(language, text):
    return [(token.text, token.tag) for token in tag(language, text).tokens]


def tags(language, text):
    return dict(words(language, text))


def assert_offsets(document):
    """Tokens are in order, do not overlap, and only white space is in none."""
    at = 0
    for token in document.tokens:
        assert not document.text[at : token.start].strip()
        assert document.text[token.start : token.end] == token.text
        assert token.start < token.end
        at = token.end
    assert not document.text[at:].strip()


@pytest.mark.parametrize("language", ALL)
def test_documents(language):
    document = tag(language, TEXTS[language])
    assert (document.language, document.tagset) == (language, "universal")
    assert_offsets(document)
    known = {token.text: token.tag for token in document.tokens}
    assert known["😀"] == "SYM"
    assert known["GPT-4"] == "PROPN"
    found = {document.surface_form(each.occurrences[0].span) for each in NounPhrases().find(document)}
    assert found >= PHRASES[language]
    assert not found & NO_PHRASES[language]


@pytest.mark.parametrize("language", ALL)
def test_it_is_a_tagger(language):
    own = SegmenterTagger(language)
    assert isinstance(own, Tagger)
    assert own.name.split()[0].lower() in ("rjieba", "sudachipy", "kiwipiepy", "pythainlp")
    assert own.name.split()[1][0].isdigit()


@pytest.mark.parametrize("language", ALL)
@pytest.mark.parametrize("text", ["", " \n\n ", "😀", "。", "GPT-4", "ab", "\ud800", "a\u0301", "\u3000", "﷽㍿ﬁ"])
def test_texts_without_a_word_of_the_language(language, text):
    document = tag(language, text)
    assert_offsets(document)


@zh
@pytest.mark.parametrize(
    "text",
    [
        "她在2024年买了GPT-4。",
        "COVID-19疫情",
        "使用C++编程",
        "３Ｄ打印",
        "𠮷野家很好吃",
        "漢字かな交じり한국어ไทย文",
        "中国😀👩‍👩‍👧人",
    ],
)
def test_mixed_scripts_in_chinese(text):
    assert_offsets(tag("zh", text))


@zh
def test_words_of_other_scripts_stay_whole():
    found = tags(
        "zh", "COVID-19疫情期间，团队在https://example.org/a-b_c发布了C++程序，准确率为95.5%，邮件a.b@example.org。"
    )
    assert found["COVID-19"] == "PROPN"
    assert found["https://example.org/a-b_c"] == "X"
    assert found["C++"] == "PROPN"
    assert found["95.5%"] == "NUM"
    assert found["a.b@example.org"] == "X"


@zh
def test_foreign_names_are_one_word():
    assert tags("zh", "物理学家阿尔伯特·爱因斯坦访问了上海。")["阿尔伯特·爱因斯坦"] == "PROPN"


@zh
def test_activities_are_nouns_in_compounds():
    assert ("学习", "NOUN") in words("zh", "机器学习是人工智能的分支。")
    assert ("学习", "VERB") in words("zh", "他正在学习。")
    assert ("分析", "VERB") in words("zh", "我们分析了数据。")


@zh
def test_a_plural_ending_joins_its_noun():
    assert tags("zh", "研究人员们提出了方法。")["人员们"] == "NOUN"


@ja
@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("若い研究者が集まった。", "研究者", "NOUN"),
        ("国際化が進む。", "国際化", "NOUN"),
        ("社会的な影響がある。", "社会的", "ADJ"),
        ("非線形モデルを使う。", "非線形", "NOUN"),
        ("アルベルト・アインシュタインの論文。", "アルベルト・アインシュタイン", "PROPN"),
        ("データを解析した。", "解析した", "VERB"),
        ("そのことを知る。", "こと", "PART"),
        ("ｶﾞｽﾀｰﾋﾞﾝの図面。", "ｶﾞｽﾀｰﾋﾞﾝ", "NOUN"),
        ("ＧＰＴ－４を使う。", "ＧＰＴ－４", "PROPN"),
        ("2024年に始まる。", "年", "NUM"),
    ],
)
def test_japanese_words(text, word, tag):
    assert tags("ja", text)[word] == tag


WRAPPED = (
    "気象庁の研究グループは、線状降水帯の発生を半日前に予測する新しい手法を開発し\n"
    "た。この手法では、水蒸気ライダーの観測データを数値予報モデルに取り込む。線状降\n"
    "水帯は、九州地方で大きな被害をもたらしてきた。研究グループは、深層学習や画像認\n"
    "識の利用も検討している。"
)


@ja
def test_a_word_may_go_on_in_the_next_line():
    document = tag("ja", WRAPPED)
    found = {document.surface_form(each.occurrences[0].span): each for each in NounPhrases().find(document)}
    assert {"線状降水帯", "画像認識", "開発した"} - found.keys() == {"開発した"}
    assert "開発した" in {token.text for token in document.tokens}
    span = found["線状降水帯"].occurrences[1].span
    assert WRAPPED[span.start : span.end] == "線状降\n水帯"


@ja
def test_lines_of_a_list_are_not_joined():
    lines = [
        "気候変動の観測と予測に関する研究の現状",
        "再生可能エネルギーの普及と電力系統の課題",
        "深層学習を用いた古典籍の画像認識の手法",
    ]
    document = tag("ja", "\n".join(lines))
    assert len(document.paragraph_starts) == 3


@ja
def test_kana_in_parts():
    document = tag("ja", "か\u3099くふ\u309aを読む")
    assert_offsets(document)


@ko
@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("연구자들은 논문을 썼다.", "연구자", "NOUN"),
        ("정확도를 높이는 방법이다.", "정확도", "NOUN"),
        ("데이터를 분석하였다.", "분석하였다", "VERB"),
        ("중요한 것은 무엇인가.", "것", "PART"),
        ("전고체 배터리의 수명", "전고체", "NOUN"),
        ("학교에서 배운다.", "에서", "ADP"),
        ("상업적 소프트웨어를 판다.", "상업적", "ADJ"),
    ],
)
def test_korean_words(text, word, tag):
    assert tags("ko", text)[word] == tag


@ko
def test_syllables_in_parts():
    import unicodedata

    document = tag("ko", unicodedata.normalize("NFD", "기후 변화의 영향을 분석한다."))
    assert_offsets(document)
    assert unicodedata.normalize("NFC", document.tokens[0].text) == "기후"


@ko
def test_a_compound_with_and_without_a_space_is_one_phrase():
    text = "기계 학습은 어렵다. 기계학습 모델은 크다. 기계학습을 배운다."
    found = build_extractor(Options(method="tfidf"), tagger=SegmenterTagger("ko")).extract(text, None)
    forms = {each.forms: len(each.spans) for each in found}
    assert forms["기계학습", "기계 학습"] == 3


@th
def test_a_space_ends_a_thai_phrase():
    document = tag("th", "แนวปะการัง ฝุ่นละออง")
    assert 1 in document.paragraph_starts
    assert len(NounPhrases().find(document)) == 2


@th
def test_thai_function_words():
    found = tags("th", "การพยากรณ์ฝุ่นละอองในภาคเหนือและความร่วมมือของชุมชน")
    assert found["ฝุ่นละออง"] == "NOUN"
    assert found["ของ"] == "ADP"


@th
def test_no_folder_is_made_in_the_home(tmp_path):
    code = "from mderank.tagging import SegmenterTagger; print(len(list(SegmenterTagger('th').tag(['ภาษาไทย']))))"
    environment = {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert not list(tmp_path.glob("*pythainlp*"))


@pytest.mark.parametrize("language", ALL)
@pytest.mark.parametrize("kind", ["sentence", "one letter", "without a space"])
def test_20000_characters_without_a_break(language, kind):
    text = "".join(letter for letter in TEXTS[language] if letter.isalpha() and not letter.isascii())
    text = text[:1] if kind == "one letter" else text[:40] if kind == "without a space" else text
    document = tag(language, (text * 20_000)[:20_000])
    assert_offsets(document)
    assert len(document.tokens) > 1


@pytest.mark.parametrize("language", ALL)
def test_a_text_is_tagged_alone(language):
    text = TEXTS[language]
    first, second = SegmenterTagger(language).tag([text, text.replace("😀", "")])
    assert first == tag(language, text)
    assert second == tag(language, text.replace("😀", ""))


@pytest.mark.parametrize("language", ALL)
def test_without_tags(language):
    plain = next(SegmenterTagger(language).without_tags().tag([TEXTS[language]]))
    tagged = tag(language, TEXTS[language])
    assert [token.text for token in plain.tokens] == [token.text for token in tagged.tokens]
    assert plain.sentence_ends() == tagged.sentence_ends()
    assert not {"NOUN", "PROPN", "ADJ"} & {token.tag for token in plain.tokens}
    assert "ADP" in {token.tag for token in plain.tokens}


@pytest.mark.parametrize("language", ALL)
def test_it_can_be_sent_to_another_process(language):
    own = SegmenterTagger(language)
    before = list(own.tag([TEXTS[language]]))
    copy = pickle.loads(pickle.dumps(own))
    assert list(copy.tag([TEXTS[language]])) == before
    assert len(pickle.dumps(own)) < 300


@pytest.mark.parametrize("language", ALL)
def test_threads_share_a_tagger(language):
    own = SegmenterTagger(language)
    expected = tag(language, TEXTS[language])
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda text: next(own.tag([text])), [TEXTS[language]] * 16)
    assert all(each == expected for each in found)


@pytest.mark.parametrize(
    ("language", "module"),
    [("zh", "rjieba"), ("ja", "sudachipy"), ("ja", "sudachidict_small"), ("ko", "kiwipiepy"), ("th", "pythainlp.tag")],
)
def test_a_missing_library(language, module, monkeypatch):
    monkeypatch.setattr(tagger, "_loaded", {})
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"needs the extra '{language}': pip install 'mderank\[{language}\]'"):
        next(SegmenterTagger(language).tag(["x"]))


def test_another_language():
    with pytest.raises(OptionError, match="zh, ja, ko and th, not 'de'"):
        SegmenterTagger("de")


@pytest.mark.parametrize("language", ALL)
@pytest.mark.parametrize(
    ("method", "candidates"),
    [("multipartiterank", None), ("yake", None), ("tfidf", NGrams(1, 3)), ("fusion", NounPhrases()), ("fusion", None)],
)
def test_extracting(language, method, candidates):
    text = TEXTS[language]
    extractor = build_extractor(Options(method=method), tagger=SegmenterTagger(language))
    if candidates is not None:
        extractor.candidates = candidates
    found = extractor.extract(text, None)
    for each in found:
        assert {" ".join(text[start:end].split()) for start, end in each.spans} == set(each.forms)
    names = {each.text for each in found}
    assert names & PHRASES[language]
    assert not names & (NO_PHRASES[language] - {"研究人员发现", "検討", "開発", "เวลา"})


@ja
def test_the_best_phrases():
    extractor = build_extractor(Options(method="multipartiterank"), tagger=SegmenterTagger("ja"))
    assert {"線状降水帯", "機械学習"} <= {each.text for each in extractor.extract(TEXTS["ja"], 6)}


@ja
def test_a_list_of_phrases():
    document = tag("ja", "機械学習を用いて、機械学習のGPT-4モデルを検証する。学習は楽しい。")
    phrases = PhraseList(["機械学習", "学習", "械学", "GPT-4モデル", "gpt-4", "用い"])
    counts = {each.key: len(each.occurrences) for each in phrases.find(document)}
    assert counts == {"機械学習": 2, "学習": 3, "gpt-4モデル": 1, "gpt-4": 1}


@ko
def test_a_list_of_phrases_needs_no_spaces():
    document = tag("ko", "기계학습을 배운다. 기계 학습은 어렵다.")
    (found,) = PhraseList(["기계 학습"]).find(document)
    assert len(found.occurrences) == 2


@ja
def test_overlap_looks_at_words():
    extractor = build_extractor(Options(method="tfidf", overlap="none"), tagger=SegmenterTagger("ja"))
    extractor.candidates = NGrams(1, 2)
    found = extractor.extract("機械学習を使う。機械学習が広がる。機械学習は便利である。", None)
    assert not {"機械学習", "学習"} <= {each.text for each in found}
    assert not {"機械学習", "機械"} <= {each.text for each in found}


@ko
def test_excluded_phrases_need_no_spaces():
    extractor = build_extractor(Options(method="tfidf", exclude=("기계 학습",)), tagger=SegmenterTagger("ko"))
    assert "기계학습" not in {each.text for each in extractor.extract("기계학습을 배운다. 모델이 크다.", None)}


@ja
def test_an_english_abstract_has_the_tags_of_the_bundled_tagger():
    document = tag(
        "ja", "線状降水帯の発生を予測する手法を開発した。\n\nWe develop a method that predicts heavy rain bands."
    )
    found = {token.text: token.tag for token in document.tokens}
    assert (found["develop"], found["method"], found["heavy"], found["a"]) == ("VERB", "NOUN", "ADJ", "DET")
    assert document.sentence_ends()[-1] == len(document.text)

"""Texts of many languages, from the text to keyphrases with the bundled encoder. The sentences are our own."""

import pytest

from mderank import FusionRank, MarkedUpText, build_extractor
from mderank.options import Options
from mderank.tagging import language_tagger

TEXTS = {
    "de": (
        "Die Stadtwerke erweitern das Netz der Fernwärme. Die Fernwärme soll aus Geothermie stammen. Dafür werden neue "
        "Bohrungen vorbereitet, denn die Geothermie gilt als zuverlässige Quelle.",
        "Geothermie",
    ),
    "fr": (
        "La commune restaure la base de données des archives. La base de données décrit des manuscrits médiévaux que "
        "les chercheurs consultent à distance.",
        "base de données",
    ),
    "es": (
        "El Gobierno protege los arrecifes de coral del Caribe. La pesca de arrastre daña los arrecifes de coral, y "
        "los científicos piden límites.",
        "arrecifes de coral",
    ),
    "pt": (
        "Os hospitais de Lisboa usam redes neuronais para analisar radiografias. As redes neuronais encontram tumores "
        "mais depressa do que os médicos.",
        "redes neuronais",
    ),
    "pl": (
        "Szpitale w Krakowie używają sieci neuronowych do analizy zdjęć. Te sieci neuronowych obrazów rozpoznają "
        "zmiany szybciej niż lekarze.",
        "sieci neuronowych",
    ),
    "ru": (
        "Больницы Москвы используют нейронные сети для анализа снимков. Нейронные сети распознают опухоли "
        "быстрее врачей.",
        "нейронные сети",
    ),
    "ar": (
        "تستخدم مستشفيات القاهرة الشبكات العصبية في تحليل صور الأشعة. تكشف الشبكات العصبية عن الأورام في وقت قصير.",
        "الشبكات العصبية",
    ),
    "he": (
        "בתי החולים בתל אביב משתמשים ברשתות נוירונים. רשתות נוירונים מזהות גידולים מהר יותר, "
        "אבל רשתות נוירונים דורשות נתונים.",
        "רשתות נוירונים",
    ),
    "zh": (
        "北京的医院使用神经网络处理图像。神经网络发现肿瘤的速度比医生更快,但是神经网络需要很多数据。",
        "神经网络",
    ),
    "ja": (
        "東京の病院は機械学習を使って画像を調べている。機械学習は腫瘍を医師より速く見つけるが、多くのデータが必要だ。",
        "機械学習",
    ),
    "th": (
        "โรงพยาบาลในกรุงเทพใช้โครงข่ายประสาทเทียมกับภาพเอกซเรย์ โครงข่ายประสาทเทียมพบเนื้องอกได้เร็วกว่าแพทย์",
        "โครงข่ายประสาทเทียม",
    ),
}  # fmt: skip
LIBRARIES = {"zh": "rjieba", "ja": "sudachipy", "th": "pythainlp"}


@pytest.fixture(scope="module")
def fusion():
    return FusionRank()


@pytest.fixture(autouse=True)
def no_pipelines(monkeypatch):
    monkeypatch.setattr(language_tagger, "find_pipeline", lambda code: None)


@pytest.mark.parametrize("code", TEXTS)
def test_the_language_is_found_and_the_best_phrase_too(code, fusion):
    if code in LIBRARIES:
        pytest.importorskip(LIBRARIES[code])
    text, best = TEXTS[code]
    found = fusion.extract(text, top_k=5)
    assert found.language.code == code
    assert best in [each.text for each in found[:2]]
    assert all(each.confidence is None for each in found)
    assert all(" ".join(text[slice(*span)].split()) in each.forms for each in found for span in each.spans)
    assert any("English" in each or "no words" in each for each in found.language.warnings)


def test_a_mixed_batch_is_as_each_text_alone(fusion):
    texts = [text for code, (text, _) in TEXTS.items() if code not in LIBRARIES]
    together = list(fusion.extract_many(texts))
    for text, found in zip(texts, together, strict=True):
        assert list(found) == list(fusion.extract(text))


@pytest.mark.parametrize("method", ["yake", "tfidf", "multipartiterank", "textrank", "positionrank", "firstphrases"])
@pytest.mark.parametrize("code", ["fr", "ru", "ar"])
def test_methods_without_an_encoder(method, code):
    text, _ = TEXTS[code]
    found = build_extractor(Options(method=method)).extract(text)
    assert found
    assert found.language.code == code
    assert found.language.encoder is None
    assert not any("encoder" in each for each in found.language.warnings)


def test_n_grams_need_no_tagger():
    text, best = TEXTS["ru"]
    found = build_extractor(Options(method="tfidf", ngrams="1-2")).extract(text)
    assert best in {each.text.lower() for each in found}


def test_an_encoder_of_english_says_so_on_another_language():
    text, _ = TEXTS["fr"]
    found = build_extractor(Options(method="embedrank")).extract(text)
    assert any("--model" in each for each in found.language.warnings)


def test_a_confidence_that_was_asked_for_is_not_known(fusion):
    text, _ = TEXTS["fr"]
    found = FusionRank(fusion.encoder, min_confidence=0.9).extract(text)
    assert found
    assert any("min_confidence" in each for each in found.language.warnings)


def test_an_english_text_has_no_warnings(fusion):
    found = fusion.extract("Storm surges are measured by the tide gauges of a harbour, and models predict the surges.")
    assert (found.language.code, found.language.warnings) == ("en", ())
    assert found[0].confidence is not None


def test_a_named_language(fusion):
    found = fusion.extract(MarkedUpText("Flut Ebbe Hafen", language="de"))
    assert (found.language.code, found.language.certainty) == ("de", None)

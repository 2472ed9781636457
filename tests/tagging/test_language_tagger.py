"""Each text is tagged in its own language."""

import pytest

from mderank.errors import InputError, MissingExtraError, OptionError
from mderank.tagging import EncoderTagger, LanguageTagger, SpacyTagger, WordTagger, language_tagger, load_tagger

ENGLISH = "Storm surges are measured by the tide gauges of a harbour, and models predict how high they will be."
FRENCH = "Les marées de tempête sont mesurées par les marégraphes du port, et des modèles prévoient leur hauteur."
GERMAN = "Sturmfluten werden von den Pegeln eines Hafens gemessen, und Modelle sagen voraus, wie hoch sie werden."


@pytest.fixture
def no_pipelines(monkeypatch):
    monkeypatch.setattr(language_tagger, "find_pipeline", lambda code: None)


def test_mixed_texts(no_pipelines):
    texts = [FRENCH, ENGLISH, GERMAN, FRENCH]
    documents = list(LanguageTagger().tag(texts))
    assert [document.language for document in documents] == ["fr", "en", "de", "fr"]
    assert [document.text for document in documents] == texts
    assert [document.tagset for document in documents] == ["words", "penn", "words", "words"]
    assert all(document.certainty > 0.8 for document in documents)
    assert documents[1].tagger == EncoderTagger().name
    assert documents[1].warnings == ()


def test_results_do_not_depend_on_the_batch(no_pipelines):
    texts = [(FRENCH, None), (ENGLISH, None), (GERMAN, "de"), (FRENCH, "fr")]
    together = list(LanguageTagger().tag_in(texts))
    assert together == [document for pair in texts for document in LanguageTagger().tag_in([pair])]


def test_english_is_tagged_as_it_is_by_its_tagger():
    (expected,) = EncoderTagger().tag([ENGLISH])
    (document,) = LanguageTagger().tag([ENGLISH])
    assert (document.tokens, document.paragraph_starts) == (expected.tokens, expected.paragraph_starts)


def test_a_language_that_is_named_is_not_detected(no_pipelines):
    (document,) = LanguageTagger("fr").tag([ENGLISH])
    assert (document.language, document.certainty) == ("fr", None)
    (document,) = LanguageTagger("fr").tag_in([(ENGLISH, "en")])
    assert document.language == "en"


def test_a_language_of_a_record_that_is_none(no_pipelines):
    """The field may be about something else, such as programming languages."""
    (document,) = LanguageTagger().tag_in([(FRENCH, "Python 3")])
    assert document.language == "fr"
    assert "'Python 3' is unknown" in document.warnings[0]


def test_words_without_tags_are_told(no_pipelines):
    (document,) = LanguageTagger().tag([FRENCH])
    assert any("fr_core_news_sm" in warning for warning in document.warnings)


def test_an_installed_pipeline_is_used(monkeypatch):
    monkeypatch.setattr(language_tagger, "find_pipeline", lambda code: "xx_pipeline" if code == "fr" else None)
    tagger = LanguageTagger()
    assert isinstance(tagger.tagger_of("fr"), SpacyTagger)
    assert isinstance(tagger.tagger_of("de"), WordTagger)
    assert tagger.for_language("fr").tagger_of("fr") is tagger.tagger_of("fr")


def test_a_segmenter_that_is_missing_is_an_error_of_the_text(monkeypatch, no_pipelines):
    class Missing:
        def tag(self, texts):
            raise MissingExtraError("words of Chinese text", "zh")
            yield

    monkeypatch.setattr(LanguageTagger, "_make", lambda self, code: Missing())
    with pytest.raises(InputError, match=r"mderank\[zh\]"):
        list(LanguageTagger("zh").tag(["机器学习"]))


def test_an_unknown_language():
    with pytest.raises(OptionError, match="klingon"):
        LanguageTagger("klingon")


def test_a_tagger_and_a_language_exclude_each_other():
    with pytest.raises(OptionError, match="its own language"):
        load_tagger("encoder", language="fr")
    assert isinstance(load_tagger(None, language="fr"), LanguageTagger)


def test_empty_texts():
    assert [len(document.tokens) for document in LanguageTagger().tag(["", " \n"])] == [0, 0]

"""Other spaCy pipelines than the English one."""

import pickle

import pytest
import spacy
from spacy.language import Language

from mderank import MDERank, ModelError, NounPhrases, SpacyTagger
from mderank.testing import FakeEncoder

TAGS = {"der": "DET", "die": "DET", "ein": "DET", "schnelle": "ADJ", "schützt": "VERB", "schützen": "VERB"}


@Language.component("mderank_test_tagger")
def tag_words(doc):
    for word in doc:
        word.pos_ = "PUNCT" if word.is_punct else TAGS.get(word.lower_, "NOUN")
    return doc


@pytest.fixture(scope="module")
def german(tmp_path_factory):
    """The folder of a German pipeline that knows a few words."""
    nlp = spacy.blank("de")
    nlp.add_pipe("mderank_test_tagger")
    folder = tmp_path_factory.mktemp("pipelines") / "german"
    nlp.to_disk(folder)
    return folder


TEXT = "Das schnelle Riff schützt die Küste. Die schnellen Riffe schützen andere Küsten."


def test_a_pipeline_by_folder(german):
    document = next(SpacyTagger(str(german)).tag([TEXT]))
    assert (document.tagset, document.language) == ("universal", "de")
    assert [(token.text, token.tag) for token in document.tokens[:4]] == [
        ("Das", "NOUN"),
        ("schnelle", "ADJ"),
        ("Riff", "NOUN"),
        ("schützt", "VERB"),
    ]
    # "Das", "die" and "andere" are German stop words.
    assert [each.key for each in NounPhrases().find(document)] == [
        "schnelle riff",
        "küste",
        "schnellen riffe",
        "küsten",
    ]


def test_its_stemmer(german):
    extractor = MDERank(FakeEncoder(), tagger=str(german))
    assert sorted(each.forms for each in extractor.extract(TEXT)) == [
        ("Küste", "Küsten"),
        ("schnelle Riff", "schnellen Riffe"),
    ]


def test_a_loaded_pipeline(german):
    tagger = SpacyTagger(spacy.load(german))
    assert next(tagger.tag([TEXT])) == next(SpacyTagger(str(german)).tag([TEXT]))


def test_no_warning_about_the_language(german):
    long = "Die Bedeutung des Dokuments ist nicht die Summe der Wörter, und das gilt auch für den Titel."
    assert next(SpacyTagger(str(german)).tag([long])).tokens


def test_its_name(german):
    assert SpacyTagger(str(german)).name.startswith("de_")
    assert SpacyTagger().name.startswith("en_core_web_sm")


def test_a_pickled_tagger_loads_its_pipeline_again(german):
    tagger = SpacyTagger(str(german))
    before = next(tagger.tag([TEXT]))
    assert next(pickle.loads(pickle.dumps(tagger)).tag([TEXT])) == before


def test_other_tags_by_option():
    tagger = SpacyTagger(tagset="penn")
    assert next(tagger.tag(["Coral reefs."])).tagset == "penn"


def test_a_pipeline_without_a_tagger(tmp_path):
    spacy.blank("de").to_disk(tmp_path / "bare")
    with pytest.raises(ModelError, match=r"gives no part-of-speech tags; name one that has a tagger, e\.g\. --tagger"):
        next(SpacyTagger(str(tmp_path / "bare")).tag([TEXT]))


def test_a_pipeline_without_a_tagger_does_not_mind_an_empty_text(tmp_path):
    spacy.blank("de").to_disk(tmp_path / "bare")
    assert next(SpacyTagger(str(tmp_path / "bare")).tag([""])).tokens == ()


@pytest.mark.parametrize("name", ["xx_no_such_pipeline", "/no/such/folder", "json", "no-such-pipeline", ""])
def test_a_pipeline_that_cannot_be_loaded(name):
    with pytest.raises(ModelError, match=f"the spaCy pipeline '{name}' cannot be loaded") as caught:
        next(SpacyTagger(name).tag(["Coral reefs."]))
    assert "\n" not in str(caught.value)


def test_no_english_pipeline(monkeypatch):
    monkeypatch.setattr("mderank.tagging.spacy.ENGLISH_PIPELINES", ("no_such_pipeline",))
    with pytest.raises(ModelError, match=r"pip install 'mderank\[spacy\]'"):
        next(SpacyTagger().tag(["Coral reefs."]))


def test_words_without_tags(german, english):
    for tagger in (SpacyTagger(str(german)), english):
        (tagged,), (words,) = tagger.tag([TEXT]), tagger.without_tags().tag([TEXT])
        assert [token._replace(tag="") for token in words.tokens] != list(words.tokens)  # the full stops have a tag
        assert [token._replace(tag="") for token in words.tokens] == [token._replace(tag="") for token in tagged.tokens]
        assert words.sentence_ends() == tagged.sentence_ends() == [36, 80]
        assert {token.tag for token in words.tokens if token.text != "."} == {""}
        assert (words.language, words.tagset) == (tagged.language, tagged.tagset)


@pytest.mark.slow
def test_words_without_a_tagger():
    (document,) = SpacyTagger(spacy.blank("fr"), tags=False).tag(["Un récif. Deux récifs !"])
    assert [token.text for token in document.tokens] == ["Un", "récif", ".", "Deux", "récifs", "!"]
    assert document.sentence_ends() == [9, 23]


def test_what_is_loaded_is_shared_without_tags(english):
    assert english.without_tags().nlp is english.nlp

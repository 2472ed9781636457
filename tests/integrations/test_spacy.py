"""The component for spaCy pipelines."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest
import spacy
from spacy.tokens import Doc
from tests.conftest import TEXT

import mderank.integrations.spacy
from mderank import ConceptLabel, FusionRank, MissingExtraError, OptionError
from mderank.tagging.spacy import ENGLISH_PIPELINES, _load


def english():
    return _load(None)


def test_keyphrases_are_spans_of_the_document():
    nlp = english()
    nlp.add_pipe("mderank", config={"top_k": 5})
    doc = nlp(TEXT)
    assert len(doc._.keyphrases) == 5
    for each in doc._.keyphrases:
        assert each.spans
        for span in each.spans:
            assert span.doc is doc
            assert span.label_ == "KEYPHRASE"
            assert span.text.lower() in {form.lower() for form in (each.text, span.text)}
    assert [each.score for each in doc._.keyphrases] == sorted((e.score for e in doc._.keyphrases), reverse=True)
    assert len(doc.spans["mderank"]) == sum(len(each.spans) for each in doc._.keyphrases)


def test_the_same_as_the_library_gives():
    nlp = english()
    nlp.add_pipe("mderank")
    doc = nlp(TEXT)
    expected = FusionRank(tagger="spacy").extract(TEXT)
    assert [each.text for each in doc._.keyphrases] == [each.text for each in expected]
    assert [each.score for each in doc._.keyphrases] == pytest.approx([each.score for each in expected])
    places = [[(span.start_char, span.end_char) for span in each.spans] for each in doc._.keyphrases]
    assert places == [[tuple(span) for span in each.spans] for each in expected]


def test_a_style_is_an_option_of_the_component():
    nlp = english()
    nlp.add_pipe("mderank", config={"top_k": 5, "style": "tags"})
    found = [each.text for each in nlp(TEXT)._.keyphrases]
    assert found == [each.text for each in FusionRank(tagger="spacy", style="tags").extract(TEXT, 5)]
    assert found != [each.text for each in FusionRank(tagger="spacy").extract(TEXT, 5)]


def test_the_tags_of_the_pipeline_are_taken():
    nlp = spacy.blank("en")
    nlp.add_pipe("mderank", config={"method": "firstphrases"})
    words = ["zorb", "glim", "is", "frob"]

    def tagged(tags):
        doc = Doc(nlp.vocab, words=words, tags=tags)
        return [each.text for each in nlp.get_pipe("mderank")(doc)._.keyphrases]

    assert tagged(["NN", "NN", "VBZ", "NN"]) == ["zorb glim", "frob"]
    assert tagged(["VB", "NN", "VBZ", "RB"]) == ["glim"]


def test_universal_tags_of_another_language():
    nlp = spacy.blank("de")
    nlp.add_pipe("mderank", config={"method": "firstphrases"})
    doc = Doc(nlp.vocab, words=["Das", "rote", "Haus", "steht"], pos=["DET", "ADJ", "NOUN", "VERB"])
    assert [each.text for each in nlp.get_pipe("mderank")(doc)._.keyphrases] == ["rote Haus"]


def test_another_language_without_tags_is_read_by_our_tagger():
    nlp = spacy.blank("de")
    nlp.add_pipe("mderank", config={"method": "firstphrases"})
    assert [each.text for each in nlp("Das rote Haus steht.")._.keyphrases] == ["rote Haus"]
    assert nlp("")._.keyphrases == []


def test_paragraphs_end_phrases():
    nlp = spacy.blank("en")
    nlp.add_pipe("mderank", config={"method": "firstphrases"})
    words, tags = ["coral", "reefs", "\n\n", "storm", "damage"], ["NN", "NNS", "_SP", "NN", "NN"]
    doc = Doc(nlp.vocab, words=words, tags=tags, spaces=[True, False, False, True, False])
    found = nlp.get_pipe("mderank")(doc)._.keyphrases
    assert [each.text for each in found] == ["coral reefs", "storm damage"]
    assert [(span.start, span.end) for each in found for span in each.spans] == [(0, 2), (3, 5)]


def test_many_documents_and_their_bytes():
    nlp = english()
    nlp.add_pipe("mderank", config={"top_k": 3, "method": "yake"})
    texts = [TEXT, "", "A red fox ran."]
    docs = list(nlp.pipe(texts, batch_size=2))
    assert [len(doc._.keyphrases) for doc in docs] == [3, 0, 3]
    copy = Doc(nlp.vocab).from_bytes(docs[0].to_bytes())
    assert [(e.text, [s.start for s in e.spans]) for e in copy._.keyphrases] == [
        (e.text, [s.start for s in e.spans]) for e in docs[0]._.keyphrases
    ]


def test_a_pipeline_that_was_saved(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("mderank", config={"top_k": 2, "method": "yake", "exclude": ["coral"], "params": {"ngram": 1}})
    before = [each.text for each in nlp(TEXT)._.keyphrases]
    nlp.to_disk(tmp_path / "pipeline")
    after = spacy.load(tmp_path / "pipeline")
    assert [each.text for each in after(TEXT)._.keyphrases] == before
    assert all(" " not in each for each in before)


def test_options_are_checked():
    nlp = spacy.blank("en")
    with pytest.raises(OptionError, match="unknown method"):
        nlp.add_pipe("mderank", config={"method": "nothing"})
    with pytest.raises(OptionError, match="diversity must be a number from 0 to 1"):
        nlp.add_pipe("mderank", config={"diversity": 2.0})
    nlp.add_pipe("mderank", config={"diversity": 0.5})
    assert nlp.get_pipe("mderank").extractor.diversity is not None


def test_overlap():
    nlp = spacy.blank("en")
    component = nlp.add_pipe("mderank", config={"overlap": "none"})
    assert component.extractor.overlap == "none"
    doc = nlp("The barn owl hunts. A barn owl nest is a nest of sticks. Young barn owls leave the nest.")
    copy = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert any(each.related for each in doc._.keyphrases)
    assert [each.related for each in copy._.keyphrases] == [each.related for each in doc._.keyphrases]
    assert spacy.blank("en").add_pipe("mderank").extractor.overlap == "little"
    assert spacy.blank("en").add_pipe("mderank", config={"method": "yake"}).extractor.overlap == "any"
    with pytest.raises(OptionError, match="overlap must be one of none, little, any, not 'some'"):
        nlp.add_pipe("mderank", name="other", config={"overlap": "some"})


@pytest.mark.slow
def test_spacy_finds_it_without_an_import():
    code = "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('mderank'); print(nlp.pipe_names)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "['mderank']", done.stderr


def test_the_module_is_not_spacy_itself():
    assert mderank.integrations.spacy.Language is spacy.language.Language
    assert ENGLISH_PIPELINES


def test_a_vocabulary_names_concepts_which_documents_keep(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("id,label,synonyms\nt3,storm surge,surge\n")
    nlp = spacy.blank("en")
    nlp.add_pipe("mderank", config={"vocabulary": str(file), "method": "firstphrases"})
    doc = nlp("A surge rises.")
    for each in (doc, Doc(nlp.vocab).from_bytes(doc.to_bytes())):
        (found,) = each._.keyphrases
        assert (found.text, found.concept) == ("surge", ConceptLabel("t3", "storm surge"))


def test_without_spacy_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy.language", None)
    monkeypatch.delitem(sys.modules, "mderank.integrations.spacy")
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[spacy\]'"):
        importlib.import_module("mderank.integrations.spacy")

"""The tagger's two ways to words: our tokenizer, and the pipeline's own."""

import json
import pickle

import pytest
import spacy
from tests.helpers import words

from mderank import OptionError, SpacyTagger, Token
from mderank.tagging.spacy_words import join_hyphenated

TEXT = "The TCP/IP stack doesn't need a graph-based 5G modem, i.e. $5 (http://example.com)."


@pytest.fixture
def spacys(english):
    return SpacyTagger(english.nlp, tokenizer="spacy")


def test_the_default_is_ours_for_english_and_the_pipelines_for_others(english):
    assert english.tokenizer == "mderank"
    assert SpacyTagger(spacy.blank("de")).tokenizer == "spacy"
    assert SpacyTagger(spacy.blank("de"), tokenizer="mderank").tokenizer == "mderank"


def test_an_unknown_tokenizer():
    with pytest.raises(OptionError, match="tokenizer is 'mderank', 'spacy' or None, not 'nltk'"):
        SpacyTagger(tokenizer="nltk")


def test_the_words_of_each(english, spacys):
    ours = "The|TCP/IP|stack|does|n't|need|a|graph-based|5G|modem|,|i.e.|$5|(|http://example.com|)|.".split("|")
    theirs = "The|TCP|/|IP|stack|does|n't|need|a|graph-based|5|G|modem|,|i.e.|$|5|(|http://example.com|)|.".split("|")
    assert words(next(english.tag([TEXT]))) == ours
    assert words(next(spacys.tag([TEXT]))) == theirs


def test_it_is_kept_without_tags_and_in_other_processes(english, spacys):
    for tagger in (english, spacys):
        (document,) = tagger.tag([TEXT])
        assert words(next(tagger.without_tags().tag([TEXT]))) == words(document)
        assert tagger.without_tags().tokenizer == tagger.tokenizer
        assert next(pickle.loads(pickle.dumps(tagger)).tag([TEXT])) == document


@pytest.mark.slow
@pytest.mark.data
def test_spacys_words_are_those_of_its_pipeline(spacys, data_dir):
    lines = (data_dir / "tuning" / "inspec_dev.jsonl").read_text(encoding="utf8").splitlines()[:40]
    abstracts = [" ".join(json.loads(line)["text"].split()) for line in lines]
    for abstract, document in zip(abstracts, spacys.tag(abstracts), strict=True):
        words = [Token(each.text, each.tag_, each.idx, each.idx + len(each)) for each in spacys.nlp(abstract)]
        assert list(document.tokens) == list(join_hyphenated(words))


@pytest.mark.parametrize(
    "phrase",
    ["TCP/IP stack", "I/O performance", "HIV/AIDS patients", "A/B test", "client/server architecture", "5G networks",
     "4K video", "3D model", "F-16 fighter jet", "COVID-19 vaccine", "type-2 diabetes", "H2O molecules", "mp3 files",
     "AT&T phones", "R&D budget", "C++ compiler", "C# code", ".NET framework", "node.js server", "H.264 stream",
     "cost–benefit analysis", "pre‑war houses", "U.S. Senate", "O'Brien algorithm", "file system", "cafe\u0301 owner",
     "soft\u00adware engineering", "ﬁle system", "21st century", "graph-based ranking"],
)  # fmt: skip
def test_phrases_with_unusual_words(phrases, phrase):
    assert phrases(f"We studied the {phrase} in detail.") == [phrase.lower(), "detail"]


@pytest.mark.parametrize("word", ["TCP/IP", "F-16", "5G", "4K", "COVID-19", "H2O", "A/B", "I/O", "3D", "mp3", "C++"])
@pytest.mark.parametrize("frame", ["{}", "We use {} here.", "It is the {} of them.", "{} is good."])
def test_names_with_digits_and_signs_are_nouns(english, frame, word):
    tags = {token.text: token.tag for token in next(english.tag([frame.format(word)])).tokens}
    assert tags[word].startswith(("NN", "JJ"))


@pytest.mark.parametrize(
    ("word", "tag"),
    [("3.14", "CD"), ("10%", "CD"), ("$5", "CD"), ("12/03/2024", "CD"), ("v5.2.1", "CD"), ("300mg", "CD"),
     ("http://example.com", "ADD"), ("a@b.org", "ADD"), ("#reefs", "ADD"), ("snake_case", "ADD"), ("reef.pdf", "ADD"),
     ("x" * 101, "ADD"), ("and/or", "CC"), ("&", "CC")],
)  # fmt: skip
def test_tags_that_depend_on_the_kind(english, word, tag):
    assert next(english.tag([f"Coral {word} reefs"])).tokens[1] == Token(word, tag, 6, 6 + len(word))


def test_marks_are_no_nouns(english):
    marks = "( ) [ ] { } \" ' “ ” , ; : ? ! … ... -- — – - / % # @ * + = < > | ~ ^ € ™ © 😀 👍🏽 🇩🇪 :-)"
    for token in next(english.tag([f"Coral {marks} reefs"])).tokens[1:-1]:
        assert not token.tag.startswith(("NN", "JJ", "VB", "CD", "RB", "FW")), token


def test_universal_tags(english):
    nlp = spacy.blank("en")
    nlp.add_pipe("attribute_ruler").add([[{}]], {"POS": "NUM"})
    tagger = SpacyTagger(nlp, tagset="universal")
    tags = [token.tag for token in next(tagger.tag(["reefs 5G 3D-printed 3.14 http://x.org 😀 2nd ."])).tokens]
    assert tags == ["NUM", "PROPN", "PROPN", "NUM", "X", "SYM", "ADJ", "PUNCT"]


def test_contractions_are_tagged_as_spacy_tags_them(english, spacys):
    text = "They can't go, we won't wait, I'll see; it's Zipf's law and they're sure that I've said so."
    assert next(english.tag([text])) == next(spacys.tag([text]))

"""The bundled tagger: tags of plain sentences, and results that depend on the text alone."""

import pickle
import subprocess
import sys
import threading
import warnings

import pytest

from mderank import EncoderTagger, LanguageWarning, NounPhrases, Tagger
from mderank.tagging.encoder_tagger import _groups
from mderank.tagging.tokenizer import tokenize

TAGGER = EncoderTagger()


def tagged(text):
    return [(token.text, token.tag) for token in next(TAGGER.tag([text])).tokens]


def test_it_is_a_tagger():
    assert isinstance(TAGGER, Tagger)
    assert (TAGGER.tagset, TAGGER.name.split()[:2]) == ("penn", ["minilm-l6", "tagger"])


@pytest.mark.parametrize(
    "sentence",
    [
        "The/DT old/JJ harbour/NN protects/VBZ many/JJ small/JJ boats/NNS ./.",
        "She/PRP quickly/RB wrote/VBD a/DT letter/NN to/IN her/PRP$ brother/NN ./.",
        "They/PRP did/VBD n't/RB use/VB TCP/IP/NNP in/IN London/NNP ./.",
        "We/PRP have/VBP trained/VBN large/JJ neural/JJ networks/NNS on/IN long/JJ texts/NNS ./.",
        "Who/WP will/MD pay/VB for/IN the/DT bridge/NN ?/.",
        "The/DT graph-based/JJ ranking/NN uses/VBZ 12/CD features/NNS ,/, and/CC it/PRP is/VBZ fast/JJ ./.",
    ],
)
def test_sentences(sentence):
    pairs = [tuple(pair.rsplit("/", 1)) for pair in sentence.split()]
    assert tagged(" ".join(word for word, _ in pairs)) == pairs


@pytest.mark.parametrize("write", [str, str.upper, str.lower, str.title], ids=["plain", "capitals", "lower", "title"])
def test_capitals_do_not_hide_the_verb(write):
    words = dict(tagged(write("government approves new climate policy for coastal cities")))
    found = {word.lower(): tag for word, tag in words.items()}
    assert found["approves"].startswith("VB")
    assert (found["new"], found["coastal"]) == ("JJ", "JJ")
    assert {found["government"], found["policy"]} <= {"NN", "NNP"}
    assert found["for"] == "IN"


def test_what_the_spelling_says_is_not_guessed():
    tags = dict(tagged("Mail ann@example.org about 5G, v2.1 and https://example.org/a by 12:30!"))
    assert tags["ann@example.org"] == tags["https://example.org/a"] == "ADD"
    assert (tags["5G"], tags["v2.1"], tags["12:30"], tags["!"], tags[","]) == ("NNP", "CD", "CD", ".", ",")


@pytest.mark.parametrize("text", ["", " \n\t ", "\x00\x01", "\u200b"])
def test_a_text_without_words(text):
    (document,) = TAGGER.tag([text])
    assert [token for token in document.tokens if token.text.isalnum()] == []
    assert len(document.text) == len(text)


@pytest.mark.filterwarnings("ignore::mderank.LanguageWarning")
@pytest.mark.parametrize(
    "text",
    [
        "Coral\u00a0reefs’ fish-eating\r\nsharks\tdon't \x00 wait\ufeff\u200b.\f\u2028Next 🪸🐠 page",
        "\ud800 lone \udfff surrogates",
        "ﬁrst ﬂoor; İstanbul, straße — naïve café",
        "国際連合 العربية עברית ไทย",
        "  \n\n leading and trailing \n\n  ",
        "We forecast storm\nsurges with a fore-\ncasting model of the kind that harbours use in the winter months.",
        "a\u0301" * 300,
    ],
)
def test_words_slice_the_text(text):
    (document,) = TAGGER.tag([text])
    assert len(document.text) == len(text)
    for token in document.tokens:
        if not any(token.start < gap.start < token.end for gap in document.divided):
            assert document.text[token.start : token.end] == token.text
        assert token.tag
    assert list(document.tokens) == sorted(document.tokens, key=lambda token: token.start)


@pytest.mark.filterwarnings("ignore::mderank.LanguageWarning")
def test_words_of_other_scripts_are_nouns():
    assert {tag for word, tag in tagged("Коралловые рифы защищают берег") if word.isalpha()} <= {"NNP", "NN", "NNS"}


TEXTS = [
    "Coral reefs protect the coast.",
    "",
    "Warm water bleaches coral, and bleached reefs lose their fish.",
    " \n ",
    "- new tide gauges\n- storm surge forecasting\n\nThe Bank of England held interest rates.",
    "MINUTES\n\nAnn: we need a new boiler\nBob: the boiler budget is spent",
    "Sliding mode control of nonlinear systems. " * 40,
]


def test_texts_keep_their_order_and_their_results():
    together = list(TAGGER.tag(TEXTS))
    assert together == [next(TAGGER.tag([text])) for text in TEXTS]
    assert list(TAGGER.tag(reversed(TEXTS))) == together[::-1]


def test_threads_share_a_tagger():
    expected = list(TAGGER.tag(TEXTS))
    found = [None] * 4

    def work(number):
        found[number] = list(TAGGER.tag(TEXTS))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(found))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * len(found)


@pytest.mark.slow
@pytest.mark.parametrize("cores", ["1", "2"])
def test_any_number_of_threads(cores):
    code = (
        "from mderank import EncoderTagger\n"
        f"print([[token.tag for token in document.tokens] for document in EncoderTagger().tag({TEXTS!r})])"
    )
    environment = {"OMP_NUM_THREADS": cores, "OPENBLAS_NUM_THREADS": cores, "PYTHONPATH": ":".join(sys.path)}
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment)
    assert shown.stdout.strip() == str([[token.tag for token in document.tokens] for document in TAGGER.tag(TEXTS)])


def test_no_paragraph_knows_of_another():
    first, second = "The storm hit the harbour", "Boats were lost in the night"
    assert tagged(f"{first}\n\n{second}") == tagged(first) + tagged(second)


def test_a_long_text_is_tagged_in_groups_of_paragraphs():
    paragraphs = [tokenize(text) for text in ["one two three"] * 400]
    groups = list(_groups(paragraphs))
    assert [index for group in groups for index in group] == list(range(400))
    assert max(sum(len(paragraphs[index]) for index in group) for group in groups) <= 502
    text = "\n\n".join(["Coral reefs protect the coast."] * 400)
    document = next(TAGGER.tag([text]))
    assert [token.tag for token in document.tokens] == [
        tag for _, tag in tagged("Coral reefs protect the coast.")
    ] * 400
    assert document.tokens[-1].end == len(text)


def test_one_long_paragraph():
    sentence = "Coral reefs protect the coast. "
    document = next(TAGGER.tag([sentence * 3_000]))
    assert len(document.tokens) == 6 * 3_000
    assert {token.tag for token in document.tokens if token.text == "coast"} == {"NN"}


def test_words_without_tags():
    text = "Warm water bleaches coral. Ann's boats wait!"
    (with_tags,), (without,) = TAGGER.tag([text]), TAGGER.without_tags().tag([text])
    assert [token[::2] for token in without.tokens] == [token[::2] for token in with_tags.tokens]
    assert {token.tag for token in without.tokens if token.text not in ".!"} == {""}
    assert without.sentence_ends() == with_tags.sentence_ends() == [26, 44]


def test_it_can_be_pickled():
    assert list(pickle.loads(pickle.dumps(TAGGER)).tag(TEXTS)) == list(TAGGER.tag(TEXTS))


def test_it_says_once_that_a_text_is_not_english():
    german = "Die Bedeutung eines Dokuments ist nicht die Summe der Wörter, und das gilt auch für den Titel."
    with pytest.warns(LanguageWarning, match="plainly not English.*--tagger") as caught:
        list(EncoderTagger().tag([german] * 3))
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        list(EncoderTagger().tag(TEXTS))


def test_its_tags_make_noun_phrases():
    (document,) = TAGGER.tag(["Coral reefs protect the low coast from winter storms."])
    assert [each.key for each in NounPhrases().find(document)] == ["coral reefs", "low coast", "winter storms"]
    named = NounPhrases("<VBZ|VBP><DT>").find(document)
    assert [each.key for each in named] == ["protect the"]

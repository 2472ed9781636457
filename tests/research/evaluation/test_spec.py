"""Specifications of runs: the paper's input, defaults of evaluations, labels and commands."""

from __future__ import annotations

import pytest

from mderank import InputError, OptionError, Options
from mderank.presets import PAPER
from mderank.research.datasets import DATASETS, Dataset, LabelledDocument
from mderank.research.evaluation.spec import RunSpec, find_method

LABELLED = Dataset(
    "nus",
    DATASETS["nus"],
    tuple(LabelledDocument(str(number), "A Title", "Deep nets, [1].", ("deep net",)) for number in range(3)),
    "",
)
JUDGED = Dataset("mine", None, (LabelledDocument("1", "", "Owls.", ("owls",), ("dark",), "note"),), "")


def resolved(dataset=LABELLED, text=None, **options):
    return RunSpec("x", Options(**options), text=text).resolve(dataset)


def test_a_run_keeps_the_whole_ranking_with_the_papers_input():
    options = resolved(method="mderank")
    assert (options.top_k, options.dedupe) == (0, "case")
    assert (options.max_words, options.max_tokens, options.max_phrase_words) == (512, 512, 0)
    assert options.tokenizer == "spacy"


def test_options_that_are_given_come_first():
    options = resolved(method="mderank", max_words=128, max_phrase_words=4, tokenizer="mderank", dedupe="stem")
    assert (options.max_words, options.max_phrase_words) == (128, 4)
    assert (options.tokenizer, options.dedupe) == ("mderank", "stem")


def test_the_full_text_is_not_cut():
    options = resolved(text="full", method="mderank")
    assert (options.max_words, options.max_tokens, options.max_phrase_words) == (None, None, None)
    assert (options.tokenizer, options.dedupe, options.top_k) == (None, "case", 0)


def test_labelled_datasets_are_tagged_by_spacy():
    assert (resolved(method="mderank").tagger, resolved(method="mderank").tokenizer) == (None, "spacy")
    assert (resolved(method="fusion").tagger, resolved(method="fusion").tokenizer) == ("spacy", None)
    assert resolved(text="full", method="textrank").tagger == "spacy"


def test_another_tagger_keeps_its_words():
    for method in ("mderank", "fusion"):
        options = resolved(method=method, tagger="encoder")
        assert (options.tagger, options.tokenizer) == ("encoder", None)


def test_judged_datasets_are_tagged_as_for_users():
    assert (resolved(JUDGED, method="fusion").tagger, resolved(JUDGED, method="fusion").tokenizer) == (None, None)


def test_methods_without_an_encoder_have_no_limit_of_tokens():
    assert resolved(method="textrank").max_tokens is None
    assert resolved(method="oracle").max_tokens is None
    assert resolved(method="oracle").max_words == 512


def test_methods_with_candidates_of_their_own_keep_them():
    fusion = resolved(method="fusion")
    assert (fusion.max_words, fusion.max_phrase_words, fusion.tokenizer) == (512, None, None)
    assert resolved(method="fusion", pattern="<NN>").max_phrase_words == 0
    assert resolved(method="yake").max_phrase_words is None
    assert resolved(method="mderank", ngrams="1-2").max_phrase_words is None


def test_judged_datasets_are_run_as_for_users():
    assert resolved(JUDGED, method="fusion") == Options(method="fusion")
    with pytest.raises(OptionError, match="judged as users read it"):
        resolved(JUDGED, text="paper", method="fusion")


def test_texts():
    texts = RunSpec("nus", limit=2).make_texts(LABELLED)
    assert [(each.id, each.text, each.gold) for each in texts] == [
        ("0", "Deep nets ,  1 .", ("deep net",)),
        ("1", "Deep nets ,  1 .", ("deep net",)),
    ]
    full = RunSpec("nus", documents=("2",), text="full").make_texts(LABELLED)
    assert [(each.id, each.text) for each in full] == [("2", "A Title\n\nDeep nets, [1].")]
    with pytest.raises(InputError, match="has no document 7"):
        RunSpec("nus", documents=("7",)).make_texts(LABELLED)


@pytest.mark.parametrize(
    ("options", "label"),
    [
        ({}, "mderank"),
        ({"masking": "subset", "pooling": "max"}, "mderank-masking=subset-pooling=max"),
        ({"exact": True, "layer": 2}, "mderank-layer=2-exact"),
        ({"ngrams": "1-3", "threads": 2}, "mderank-ngrams=1-3"),
        (PAPER.given(), "mderank-preset=paper"),
        ({**PAPER.given(), "pooling": "mean"}, "mderank-preset=paper-pooling=mean"),
    ],
)
def test_labels_name_what_was_asked_for(options, label):
    assert RunSpec("nus", Options(**{"method": "mderank", **options})).make_label("") == label.replace("None", "")


def test_labels_of_lists_and_documents():
    one, other = (
        RunSpec("nus", Options(method="textrank", phrases=phrases)).make_label() for phrases in (["tide"], ["sea"])
    )
    assert one.startswith("textrank-phrases=")
    assert one != other
    spec = RunSpec("nus", Options(method="textrank"), limit=5, documents=("a/b",))
    assert spec.make_label(with_limit=True) == "textrank-document=a_b-limit=5"


def test_a_command_makes_the_run():
    options = Options(method="textrank", ngrams="1-2", params={"window": 5})
    spec = RunSpec("my set.jsonl", options, limit=3, documents=("7",), text="full")
    assert spec.command() == (
        "mderank evaluate --dataset 'my set.jsonl' --method textrank --set window=5 --ngrams 1-2 --limit 3 "
        "--document 7 --text full"
    )


def test_the_oracle_is_a_method_of_evaluations_only():
    assert find_method("oracle").name == "oracle"
    with pytest.raises(OptionError, match="unknown method 'best'"):
        find_method("best")


FRENCH = Dataset(
    "fr",
    None,
    (
        LabelledDocument("1", "Un titre", "Des réseaux [1].", ("réseau",), language="fr"),
        LabelledDocument("2", "", "Une mer.", ("mer",), language="fr"),
    ),
    "",
)
MIXED = Dataset("mixed", None, (*FRENCH.documents, LabelledDocument("3", "", "A sea.", ("sea",))), "")


def test_other_languages_are_read_whole_in_their_language():
    options = resolved(FRENCH, method="mderank")
    assert (options.language, options.tagger, options.tokenizer, options.max_words) == ("fr", None, None, None)
    assert (options.top_k, options.dedupe) == (0, "case")
    assert RunSpec("x").choose_text(FRENCH) == "full"
    assert [(each.text, each.language) for each in RunSpec("x").make_texts(FRENCH)] == [
        ("Un titre\n\nDes réseaux [1].", "fr"),
        ("Une mer.", "fr"),
    ]


def test_the_papers_input_is_english():
    with pytest.raises(OptionError, match="text 'paper': fr has documents that are not English"):
        resolved(FRENCH, text="paper", method="mderank")


def test_another_tagger_comes_before_the_language():
    options = resolved(FRENCH, method="mderank", tagger="fr_core_news_sm")
    assert (options.language, options.tagger) == (None, "fr_core_news_sm")
    assert resolved(FRENCH, method="mderank", language="auto").language == "auto"


def test_of_several_languages_each_is_detected():
    options = resolved(MIXED, method="mderank")
    assert (options.language, options.tagger) == (None, None)
    assert [each.language for each in RunSpec("x").make_texts(MIXED)] == ["fr", "fr", "en"]


def test_english_options_name_no_language():
    assert resolved(method="mderank").language is None

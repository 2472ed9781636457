"""Seeds pull a ranking towards a topic; without them nothing changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat

import numpy as np
import pytest

from mderank import MMR, Document, FusionRank, MarkedUpText, MDERank, OptionError, Options, build_extractor
from mderank.document import GuidedText
from mderank.errors import InputError
from mderank.methods import YAKE, EmbedRank, FirstPhrases, KeyBERT, TextRank
from mderank.methods.fusionrank import FusionWeights
from mderank.methods.registry import METHODS, METHODS_WITH_SEEDS
from mderank.testing import FakeEncoder, FakeTagger

TEXT = (
    "The deep reef is near the old harbour. Storms have hit the harbour and the lighthouse. "
    "A fast train has a new engine. The engine of the train is near the old station."
)
GUIDED = (FusionRank, EmbedRank, KeyBERT, MDERank)
COUNTED = []


class CountingEncoder(FakeEncoder):
    """Counts the tokens that are computed."""

    def hidden_states(self, inputs, layer):
        COUNTED.append(int(inputs.input_ids.size))
        return super().hidden_states(inputs, layer)


def make(kind, **options):
    return kind(FakeEncoder(), tagger=FakeTagger(), **options)


def as_rows(found):
    return [(each.text, each.score, each.contributions, each.features, each.confidence, each.spans) for each in found]


@pytest.mark.parametrize("kind", GUIDED)
def test_without_seeds_nothing_changes(kind):
    plain = as_rows(make(kind).extract(TEXT, None))
    assert as_rows(make(kind, seeds=[], seed_weight=0.9).extract(TEXT, None)) == plain
    assert as_rows(make(kind, seeds=["train"]).extract(TEXT, None, seeds=[])) == plain
    assert as_rows(make(kind).extract(TEXT, None, seed_weight=0.9)) == plain
    assert not any("seeds" in each[2] or "seeds" in each[3] for each in plain)


@pytest.mark.parametrize("kind", GUIDED)
def test_a_weight_of_0_keeps_every_score(kind):
    plain = {each.text: each.score for each in make(kind).extract(TEXT, None)}
    assert {each.text: each.score for each in make(kind).extract(TEXT, None, seeds=["train"], seed_weight=0)} == plain


@pytest.mark.parametrize("kind", GUIDED)
def test_terms_sum_to_the_score(kind):
    for each in make(kind).extract(TEXT, None, seeds=["new train", "unheard of"], seed_weight=0.4):
        assert sum(each.contributions.values()) == pytest.approx(each.score)
        assert set(each.contributions) >= {"seeds"} <= set(each.features)


@pytest.mark.parametrize("kind", GUIDED)
def test_a_seed_of_the_text_comes_first_with_the_full_weight(kind):
    for seed in ("lighthouse", "Fast Train", "engines"):
        (first, *_) = make(kind).extract(TEXT, seeds=[seed], seed_weight=1)
        assert first.text.lower() in (seed.lower(), seed.lower().removesuffix("s"))
        assert first.features["seeds"] == 1.0


@pytest.mark.parametrize("kind", GUIDED)
def test_seeds_that_share_no_word_with_the_text_are_compared_by_their_meaning(kind):
    """The fake encoder's states depend on the word alone, so it tells how near they are."""
    extractor = make(kind)
    found = extractor.extract(TEXT, None, seeds=["submarine"], seed_weight=1)
    assert len(found) == len(extractor.extract(TEXT, None))
    assert all(-1.0 <= each.features["seeds"] < 1.0 for each in found)
    order = [each.features["seeds"] for each in found]
    assert order == sorted(order, reverse=True) or kind in (FusionRank, MDERank)  # overlap; states at their places


@pytest.mark.parametrize("kind", [EmbedRank, KeyBERT])
def test_the_score_lies_between_both_similarities(kind):
    plain = {each.text: each.score for each in make(kind).extract(TEXT, None)}
    for each in make(kind).extract(TEXT, None, seeds=["engine", "reef"], seed_weight=0.25):
        assert each.score == pytest.approx(0.75 * plain[each.text] + 0.25 * each.features["seeds"])


def test_of_several_seeds_the_nearest_counts():
    one, other, both = (
        {each.text: each.features["seeds"] for each in make(EmbedRank).extract(TEXT, None, seeds=seeds)}
        for seeds in (["train"], ["reef"], ["train", "reef"])
    )
    assert both == {phrase: max(one[phrase], other[phrase]) for phrase in both}


def test_euclidean_distances_are_combined_as_such():
    extractor = make(EmbedRank, similarity="euclidean")
    plain = {each.text: each.score for each in extractor.extract(TEXT, None)}
    found = extractor.extract(TEXT, None, seeds=["lighthouse"], seed_weight=0.5)
    assert {each.text: each.features["seeds"] for each in found}["lighthouse"] == 0.0
    for each in found:
        assert each.score == pytest.approx(0.5 * plain[each.text] + 0.5 * each.features["seeds"])


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("kind", GUIDED)
def test_the_exact_form_takes_seeds_too(kind, exact):
    found = make(kind, exact=exact).extract(TEXT, 3, seeds=["lighthouse"], seed_weight=1)
    assert found[0].text == "lighthouse"


def test_the_confidence_is_that_of_the_score_without_seeds():
    plain = {each.text: each.confidence for each in FusionRank().extract(TEXT, None)}
    guided = {each.text: each.confidence for each in FusionRank().extract(TEXT, None, seeds=["train"])}
    assert guided.keys() & plain.keys()
    assert all(guided[text] == pytest.approx(plain[text]) for text in guided.keys() & plain.keys())
    assert all(confidence is not None for confidence in plain.values())


def test_the_document_is_read_once():
    """Seeds cost their own tokens only."""
    counted = []
    for seeds in ((), ("submarine", "fast boat")):
        COUNTED.clear()
        FusionRank(CountingEncoder(), tagger=FakeTagger()).extract(TEXT, seeds=seeds)
        counted.append(sum(COUNTED))
    pieces = sum(len(FakeEncoder().tokenize(seed)) + 2 for seed in ("submarine", "fast boat"))
    assert counted[1] <= counted[0] + 4 * pieces


def test_a_call_precedes_the_extractor_and_a_text_the_call():
    extractor = make(EmbedRank, seeds=["reef"], seed_weight=1.0)

    def first(text, **guide):
        return extractor.extract(text, 1, **guide)[0].text.lower()

    assert first(TEXT, seeds=[]) != first(TEXT)
    assert first(TEXT, seeds=["lighthouse"]) == "lighthouse"
    assert first(GuidedText(TEXT, ["old station"]), seeds=["lighthouse"]) == "old station"
    assert first(GuidedText(TEXT), seeds=["lighthouse"]) == "lighthouse"
    weighted = extractor.extract(GuidedText(TEXT, ["lighthouse"], 0.5), 1, seed_weight=0.0)
    assert weighted[0].contributions["seeds"] != 0.0


def test_documents_and_marked_up_texts_take_seeds():
    extractor = make(EmbedRank, seed_weight=1.0)
    (document,) = FakeTagger().tag([TEXT])
    assert isinstance(document, Document)
    for text in (document, MarkedUpText(TEXT), MarkedUpText(TEXT, language="en")):
        assert extractor.extract(text, 1, seeds=["lighthouse"])[0].text == "lighthouse"


def lists(extractor, texts, **guide):
    return [found.texts[0] if found else found.error for found in extractor.extract_many(texts, 1, **guide)]


def test_many_texts_have_one_list_or_one_each():
    extractor = make(EmbedRank, seed_weight=1.0)
    own = lists(extractor, [TEXT] * 2)
    assert lists(extractor, [TEXT] * 2, seeds=["lighthouse"]) == ["lighthouse"] * 2
    assert lists(extractor, [TEXT] * 2, seeds=iter(["lighthouse"])) == ["lighthouse"] * 2
    assert lists(extractor, [TEXT] * 2, seeds=[]) == own
    assert lists(extractor, [TEXT] * 3, seeds=[["lighthouse"], None, ["old station"]]) == [
        "lighthouse", own[0], "old station"]  # fmt: skip
    assert lists(extractor, iter([TEXT] * 2), seeds=repeat(["lighthouse"])) == ["lighthouse"] * 2


def test_the_batch_makes_no_difference():
    extractor = make(FusionRank)
    texts, seeds = [TEXT, "", "The reef is near the harbour."], [["train"], ["reef"], None]
    together = [as_rows(found) for found in extractor.extract_many(texts, seeds=seeds)]
    assert together == [as_rows(extractor.extract(text, seeds=own)) for text, own in zip(texts, seeds, strict=True)]


def test_a_text_with_bad_seeds_fails_alone():
    extractor = make(EmbedRank)
    found = list(extractor.extract_many([TEXT] * 3, seeds=[["train"], [" "], None]))
    assert [type(each.error) for each in found] == [type(None), InputError, type(None)]
    assert "blank phrase" in str(found[1].error)
    found = list(extractor.extract_many([TEXT, 5], seeds=[["train"], ["train"]]))
    assert "not int" in str(found[1].error)
    found = list(extractor.extract_many([TEXT, 5], seeds=["train"]))
    assert "not int" in str(found[1].error)


def test_seeds_of_a_call_that_make_no_sense_are_refused_at_once():
    extractor = make(EmbedRank)
    for seeds in ("train", [" "], 5, [["train"]], [["a"], ["b"], ["c"]], np.array([["a"], ["b"], ["c"]])):
        with pytest.raises(OptionError, match="seeds"):
            extractor.extract_many([TEXT] * 2, seeds=seeds)
    with pytest.raises(OptionError, match="seed_weight"):
        extractor.extract_many([TEXT], seeds=["a"], seed_weight=2)
    with pytest.raises(OptionError, match="1 lists, and there are more texts"):
        list(extractor.extract_many(iter([TEXT] * 2), seeds=iter([["train"]])))


@pytest.mark.parametrize("kind", [YAKE, TextRank, FirstPhrases])
def test_other_methods_name_those_that_take_seeds(kind):
    extractor = kind(tagger=FakeTagger())
    for call in (
        lambda: extractor.extract(TEXT, seeds=["train"]),
        lambda: extractor.extract(TEXT, seed_weight=0.5),
        lambda: list(extractor.extract_many([TEXT], seeds=["train"])),
        lambda: list(extractor.extract_many([TEXT], seeds=[["train"]])),
    ):
        with pytest.raises(OptionError, match="use FusionRank, EmbedRank, KeyBERT or MDERank"):
            call()
    assert extractor.extract(TEXT, seeds=[]) == extractor.extract(TEXT)


def test_options_name_the_methods_that_take_seeds():
    assert tuple(sorted(METHODS_WITH_SEEDS)) == tuple(
        sorted(name for name, method in METHODS.items() if "seeds" in method.options)
    )
    with pytest.raises(OptionError, match=r"'yake' does not take seeds: .* use fusion, embedrank, keybert, mderank"):
        build_extractor(Options(method="yake", seeds=["train"]), tagger=FakeTagger())


def test_options_build_a_guided_extractor():
    options = Options(method="embedrank", seeds=("lighthouse",), seed_weight=1.0)
    extractor = build_extractor(options, encoder=FakeEncoder(), tagger=FakeTagger())
    assert extractor.extract(TEXT, 1)[0].text == "lighthouse"
    assert options.command_line() == "--method embedrank --seeds lighthouse --seed-weight 1.0"
    assert Options.from_dict(options.to_dict()) == options


def test_diversity_and_limits_go_on_working():
    extractor = make(FusionRank, diversity=MMR(diversity=0.5), exclude=["lighthouse"], min_score=-100.0)
    found = extractor.extract(TEXT, 3, seeds=["lighthouse"], seed_weight=1)
    assert len(found) == 3
    assert "lighthouse" not in found.texts


def test_a_text_without_words_has_no_keyphrases_with_seeds_either():
    for kind in GUIDED:
        for text in ("", " \n", "???"):
            assert list(make(kind).extract(text, seeds=["reef"])) == []


@pytest.mark.parametrize("kind", GUIDED)
def test_seeds_of_any_letters(kind):
    for seed in ("\ud800", "\x00", "海", "🪸", "[MASK]", "x" * 200):
        assert len(make(kind).extract(TEXT, 3, seeds=[seed])) == 3


def test_weights_of_other_terms_stay(monkeypatch):
    extractor = make(FusionRank, weights=FusionWeights(position=0.5))
    plain = {each.text: each.contributions for each in extractor.extract(TEXT, None)}
    for each in extractor.extract(TEXT, None, seeds=["train"], seed_weight=0.25):
        for name, value in plain.get(each.text, {}).items():
            if name != "overlap":
                assert each.contributions[name] == pytest.approx(0.75 * value)


def test_an_anisotropic_encoder_compares_without_the_common_part():
    encoder = FakeEncoder()
    encoder.spec = replace(encoder.spec, anisotropic=True)
    found = FusionRank(encoder, tagger=FakeTagger()).extract(TEXT, None, seeds=["lighthouse"], seed_weight=1)
    assert found[0].text == "lighthouse"
    assert np.isfinite([each.score for each in found]).all()

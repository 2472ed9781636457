from dataclasses import replace

import numpy as np
import pytest

from mderank import Document, FusionRank, MDERank, NounPhrases, OptionError
from mderank.candidates import PhraseList
from mderank.encoding.base import EncoderInputs
from mderank.methods import EmbedRank
from mderank.methods.fusionrank import (
    CONFIDENCE,
    WEIGHTS_OF_OTHER_LANGUAGES,
    WEIGHTS_OF_UNKNOWN_LANGUAGES,
    FusionWeights,
)
from mderank.testing import FakeEncoder, FakeTagger

TEXT = "The deep reef is near the old harbour. Old harbours and the reef have good maps of a deep reef."


def fusion(encoder=None, **options):
    """With the candidates of other methods and all of them in the list: what is tested is the score."""
    plain = {"candidates": NounPhrases(nested=True), "overlap": "any"}
    return FusionRank(encoder or FakeEncoder({"reef": 3.0}), tagger=FakeTagger(), **{**plain, **options})


def weighted(**weights):
    return fusion(weights=FusionWeights(**weights))


def contributions(**options):
    return {each.text.lower(): each.contributions for each in fusion(**options).extract(TEXT, top_k=None)}


def scores(extractor):
    return {each.text.lower(): each.score for each in extractor.extract(TEXT, top_k=None)}


def test_similarity_is_embedranks_score():
    near = scores(EmbedRank(FakeEncoder({"reef": 3.0}), tagger=FakeTagger()))
    assert {phrase: each["similarity"] for phrase, each in contributions().items()} == pytest.approx(near)


def test_mask_effect_is_mderanks_score_freed_from_the_texts_length():
    change = scores(MDERank(FakeEncoder({"reef": 3.0}), tagger=FakeTagger()))
    pieces = len(FakeEncoder().tokenize(TEXT))
    expected = {phrase: np.log(value * pieces**2) for phrase, value in change.items()}
    assert {
        phrase: each["mask_effect"] for phrase, each in contributions(weights=FusionWeights(mask_effect=1.0)).items()
    } == pytest.approx(expected)


@pytest.mark.parametrize("exact", [False, True])
def test_norm_is_that_of_the_mean_state_at_the_phrases_places(exact):
    encoder = FakeEncoder({"reef": 3.0})
    pieces = encoder.tokenize(TEXT)
    ids = np.array([*encoder.spec.prefix, *pieces.ids, *encoder.spec.suffix])
    states = encoder.hidden_states(EncoderInputs(ids[None]), encoder.spec.layers)[0][len(encoder.spec.prefix) :]
    rows = [row for row, (start, end) in enumerate(zip(pieces.starts, pieces.ends, strict=True))
            if "reef" in TEXT[start:end]]  # fmt: skip
    assert len(rows) == 3
    expected = np.log(np.linalg.norm(states[rows].mean(axis=0)))
    assert contributions(weights=FusionWeights(norm=1.0), exact=exact)["reef"]["norm"] == pytest.approx(
        expected, rel=1e-5
    )


def test_variants_count_together_and_from_the_first_of_them():
    found = contributions(weights=FusionWeights(frequency=1.0, position=1.0))
    assert found["reef"]["frequency"] == pytest.approx(np.log(3) / 2)  # half, as of every single word
    assert found["old harbour"]["frequency"] == pytest.approx(np.log(2))
    assert found["old harbour"]["position"] == pytest.approx(-np.log(1 + 6 / 100))
    assert found["good maps"]["position"] == pytest.approx(-np.log(1 + 15 / 100))
    apart = contributions(weights=FusionWeights(frequency=1.0), dedupe="case")
    assert apart["old harbour"]["frequency"] == apart["old harbours"]["frequency"] == pytest.approx(np.log(2))


def test_the_score_is_the_sum_of_its_contributions():
    for each in fusion().extract(TEXT, top_k=None):
        assert set(each.contributions) == {
            "similarity",
            "mask_effect",
            "norm",
            "frequency",
            "position",
            "length",
            "unithood",
        }
        assert each.score == pytest.approx(sum(each.contributions.values()))


def test_without_the_other_evidence_it_is_embedrank():
    alone = fusion(
        weights=FusionWeights(mask_effect=0.0, norm=0.0, frequency=0.0, position=0.0, length=0.0),
        candidates=NounPhrases(),
    )
    near = EmbedRank(FakeEncoder({"reef": 3.0}), tagger=FakeTagger())
    assert [each.text for each in alone.extract(TEXT)] == [each.text for each in near.extract(TEXT)]


def test_a_phrase_that_recurs_inside_others_is_a_candidate():
    text = "The fast graph theory and the old graph theory are new."
    assert "graph theory" in {each.text for each in fusion().extract(text, top_k=None)}


OTHERS = ("mask_effect", "norm", "frequency", "position", "length")


@pytest.mark.parametrize("name", OTHERS)
def test_each_weight_can_turn_the_order(name):
    """So none of them is without effect."""
    text = "The reef and the old harbour have boats. " + "The long road is small. " * 30 + "The old harbour."
    orders = []
    for weight in (-20.0, 20.0):
        ranker = weighted(**{**dict.fromkeys(OTHERS, 0.0), name: weight})
        orders.append([each.text for each in ranker.extract(text, top_k=None)])
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1])


def test_features_are_what_was_counted_and_measured():
    change = scores(MDERank(FakeEncoder({"reef": 3.0}), tagger=FakeTagger(), dedupe="case"))
    for each in fusion(dedupe="case").extract(TEXT, top_k=None):  # variants apart: each has its own mask
        assert set(each.features) == set(each.contributions)
        assert each.features["similarity"] == each.raw_score
        assert each.features["mask_effect"] == pytest.approx(change[each.text.lower()])
    features = {each.text.lower(): each.features for each in fusion().extract(TEXT, top_k=None)}
    assert (features["old harbour"]["frequency"], features["old harbour"]["position"]) == (2, 6)
    assert isinstance(features["reef"]["frequency"], int)


@pytest.mark.parametrize("similarity", ["cosine", "euclidean"])
def test_what_a_mask_changed_is_a_feature_of_mderank_however_it_compares(similarity):
    plain = MDERank(FakeEncoder(), tagger=FakeTagger()).extract(TEXT, top_k=None)
    other = MDERank(FakeEncoder(), tagger=FakeTagger(), similarity=similarity).extract(TEXT, top_k=None)
    assert {each.text: each.features["mask_effect"] for each in other} == {each.text: each.score for each in plain}
    assert not any(each.contributions for each in other)


def bundled(**options):
    """The bundled encoder by name only: what confidence asks for."""
    encoder = FakeEncoder({"reef": 3.0})
    encoder.spec = replace(encoder.spec, name="minilm-l6")
    return fusion(encoder, **options)


def test_confidence_is_the_fitted_curve():
    (best, *_) = bundled().extract(TEXT)
    (document,) = FakeTagger().tag([TEXT])
    words = len(document.tokens)
    logit = CONFIDENCE.slope * best.score - CONFIDENCE.length * np.log(words / 100) - CONFIDENCE.level
    logit -= CONFIDENCE.single * (" " not in best.text)
    assert best.confidence == pytest.approx(1 / (1 + np.exp(-logit)), rel=1e-6)


def test_confidence_rises_with_the_score_and_falls_with_the_texts_length_and_for_single_words():
    found = [each for each in bundled().extract(TEXT, top_k=None) if " " in each.text]
    assert len(found) > 2
    assert [each.confidence for each in found] == sorted((each.confidence for each in found), reverse=True)
    scores, two, one = np.array([0.5, 1.0, 1.5]), np.array([2, 2, 2]), np.array([1, 1, 1])
    assert (CONFIDENCE.estimate(scores, two, 100) > CONFIDENCE.estimate(scores, two, 5000)).all()
    assert (CONFIDENCE.estimate(scores, two, 100) > CONFIDENCE.estimate(scores, one, 100)).all()
    assert CONFIDENCE.estimate(np.array([-0.5, 1.8]), two[:2], 100) == pytest.approx(
        [0.0, 1.0], abs=0.05
    )  # spans 0 to 1


def test_least_confidence():
    found = bundled().extract(TEXT, top_k=None)
    least = sorted(each.confidence for each in found)[-2]
    assert [each.text for each in bundled(min_confidence=least).extract(TEXT, top_k=None)] == [
        each.text for each in found if each.confidence >= least
    ]


@pytest.mark.parametrize("threshold", [-0.1, 1.5])
def test_a_chance_is_between_0_and_1(threshold):
    with pytest.raises(OptionError, match="min_confidence must be a number from 0 to 1"):
        bundled(min_confidence=threshold)


@pytest.mark.parametrize(
    "options", [{"weights": FusionWeights(mask_effect=0.2)}, {"exact": True}, {"layer": 1}, {"similarity": "euclidean"}]
)
def test_no_confidence_for_scores_that_it_was_not_fitted_to(options):
    assert {each.confidence for each in bundled(**options).extract(TEXT)} == {None}
    with pytest.raises(OptionError, match="min_score"):
        bundled(min_confidence=0.1, **options)
    assert {each.confidence for each in fusion().extract(TEXT)} == {None}


def test_length_is_for_two_or_three_words():
    tagger = FakeTagger()
    (document,) = tagger.tag(["The reef, old harbour, new long road, fast red lazy dog, big old slow deep sea are."])
    found = weighted(length=1.0).extract(document, top_k=None)
    assert {each.text: each.contributions["length"] for each in found} == {
        "reef": -1, "old harbour": 0, "new long road": 0, "fast red lazy dog": -1, "big old slow deep sea": -2,
    }  # fmt: skip


def test_little_is_better_than_junk_in_a_short_text():
    short = "Glacier tourism operators face tighter rules after an ice cave collapse in southern Iceland"
    kept = [each.text for each in FusionRank().extract(short, top_k=None)]
    assert "Glacier tourism operators" in kept
    everything = FusionRank(min_confidence=0).extract(short, top_k=None)
    assert [each.text for each in everything if (each.confidence or 0) >= 0.6] == kept
    assert len(everything) > len(kept)


def test_a_list_of_phrases_is_looked_for_in_a_short_text_whatever_the_confidence():
    found = FusionRank(candidates=PhraseList(["rules"])).extract("Glacier tourism operators face tighter rules.")
    assert [each.text for each in found] == ["rules"]


# --- anisotropic encoders and other languages -------------------------------------------------------------------------


class Crowded(FakeEncoder):
    """States with a part in common, of an encoder that says so."""

    def __init__(self, common):
        super().__init__({"reef": 3.0})
        self.spec = replace(self.spec, anisotropic=True)
        self._common = np.float32(common)

    def hidden_states(self, inputs, layer):
        return super().hidden_states(inputs, layer) + self._common


def test_what_all_states_of_an_anisotropic_encoder_have_in_common_does_not_count():
    weights = FusionWeights(similarity=1.0, norm=1.0)
    none, much = (contributions(encoder=Crowded(common), weights=weights) for common in (0, 20))
    for phrase, terms in none.items():
        for feature in ("similarity", "norm"):
            assert much[phrase][feature] == pytest.approx(terms[feature], rel=1e-3, abs=1e-3)
    assert len({round(terms["similarity"], 3) for terms in much.values()}) > 2


def tagged(words, language):
    return Document.from_tagged([(word, "NOUN") for word in words.split()], tagset="universal", language=language)


@pytest.mark.parametrize(
    ("words", "language", "expected"),
    [
        ("sable récif marée port récif marée", "fr", WEIGHTS_OF_OTHER_LANGUAGES),
        ("sand reef tide port reef tide", "en", FusionWeights()),
        ("риф риф" + " а б в г д е" * 5, "ru", WEIGHTS_OF_UNKNOWN_LANGUAGES),  # as many tokens as letters
        ("риф " + "приливы" * 20 + " риф", "ru", WEIGHTS_OF_UNKNOWN_LANGUAGES),  # hardly any tokens
    ],
)
def test_default_weights_are_those_of_the_language(words, language, expected):
    document = tagged(words, language)
    scores = fusion().score([document])[0][1]
    plain = fusion(weights=FusionWeights(1, 1, 1, 1, 1, 1, 1)).score([document])[0][1]
    for name, values in scores.contributions.items():
        np.testing.assert_allclose(values, getattr(expected, name) * plain.contributions[name])


def test_own_weights_are_for_all_languages():
    weights = FusionWeights(similarity=2.0)
    words = "sable récif marée port récif marée"
    french, english = (fusion(weights=weights).score([tagged(words, each)])[0][1] for each in ("fr", "en"))
    np.testing.assert_allclose(french.contributions["similarity"], english.contributions["similarity"])


def test_no_confidence_where_none_was_fitted():
    extractor = FusionRank(tagger=FakeTagger(), candidates=NounPhrases())
    words = "sable récif marée port récif marée"
    assert extractor.score([tagged(words, "en")])[0][1].confidences is not None
    assert extractor.score([tagged(words, "fr")])[0][1].confidences is None

from __future__ import annotations

import random

import pytest

from mderank import FusionRank, FusionWeights, InputError, OptionError
from mderank.research.datasets import Dataset, LabelledDocument
from mderank.research.evaluation.runs import LabelledText
from mderank.research.tuning import learn_style
from mderank.research.tuning.fit import fit_weights
from mderank.research.tuning.learn import learn_from_documents
from mderank.research.tuning.report import forecast, format_report, plot_curve
from mderank.research.tuning.training_documents import read_training_documents
from mderank.testing import FakeEncoder, FakeTagger

NOUNS = "owl gull heron swift crane finch raven robin stork tern wren lark kite teal rook dove coot ibis egret".split()


def extractor(**options):
    return FusionRank(FakeEncoder(), tagger=FakeTagger(), **options)


def documents(count, is_label, seed=0):
    """Texts of phrases in random order; a rule says which of them are labels."""
    draw = random.Random(seed)
    made = []
    for number in range(count):
        phrases = [f"{draw.choice(NOUNS)}{draw.choice(['', '', str(draw.randrange(100))])}" for _ in range(8)]
        text = " ".join(f"The {phrase} is old." for phrase in phrases)
        labels = tuple(dict.fromkeys(phrase for phrase in phrases if is_label(phrase)))
        made.append(LabelledDocument(str(number), "", text, labels or (phrases[0],)))
    return Dataset("rule", None, tuple(made), "")


def has_digit(phrase):
    return any(map(str.isdigit, phrase))


@pytest.fixture(scope="module")
def by_digit():
    return learn_style(documents(40, has_digit), extractor(), name="digits")


def test_a_style_learns_the_rule_of_the_labels(by_digit):
    assert by_digit.after[0] > by_digit.before[0] + 10
    assert by_digit.helps
    assert by_digit.is_certain
    assert "phrases with digits" in by_digit.style.preferences
    new = documents(20, has_digit, seed=1).documents
    with_style, without = extractor(style=by_digit.style), extractor()
    first = [with_style.extract(each.text, 1)[0].text for each in new]
    assert sum(map(has_digit, first)) == 20
    assert sum(has_digit(without.extract(each.text, 1)[0].text) for each in new) < 15


def test_the_number_of_phrases_is_learned(by_digit):
    new = documents(20, has_digit, seed=1).documents
    found = [extractor(style=by_digit.style).extract(each.text, None) for each in new]
    given = sum(map(len, found)) / 20
    assert 1.5 < given < 4  # of eight phrases; about two and a half are labels
    assert all(found)  # the best is always given
    assert len(extractor(style=by_digit.style, min_score=-100).extract(new[0].text, None)) > len(found[0])


def test_contributions_sum_to_the_score(by_digit):
    for each in extractor(style=by_digit.style).extract("The owl 7 and the gull7 saw the heron.", None):
        assert sum(each.contributions.values()) == pytest.approx(each.score)
        assert "digit" in each.contributions


def test_what_is_measured_is_what_the_extractor_gives():
    """Ranking in training and an extractor with the style give the same lists."""
    data = documents(12, has_digit)
    tasks = [LabelledText(each.id, each.text, each.keyphrases) for each in data.documents]
    training = read_training_documents(extractor(), tasks)
    report = learn_from_documents(training, name="x", curve=False)
    fitted = fit_weights(training.documents, report.choice.penalty)
    styled = extractor(style=report.style, min_score=-100)
    for document in training.documents:
        scores = fitted.score(document)
        found = training.rank(document, scores, report.choice.overlap, 5)
        assert [each.text for each in found] == [each.text for each in styled.extract(document.task.text, 5)]


def test_labels_are_known_again_only_if_they_are_remembered():
    data = documents(30, lambda phrase: phrase in ("owl", "gull", "heron"))
    known = learn_style(data, extractor(), curve=False).style
    assert {"owl", "gull", "heron"} <= set(known.labels)
    assert known.weights["known_label"] > 0
    forgotten = learn_style(data, extractor(), curve=False, remember_labels=False).style
    assert not forgotten.labels
    assert forgotten.weights["known_label"] == 0


@pytest.mark.parametrize("seed", range(5))
def test_labels_without_a_rule_keep_the_default(seed):
    draw = random.Random(seed)
    data = documents(25, lambda phrase: draw.random() < 0.3, seed)
    report = learn_style(data, extractor(), curve=False)
    assert report.choice.is_default
    assert not report.helps
    assert "the default is kept" in "\n".join(format_report(report))
    own = vars(FusionWeights())
    assert {name: weight for name, weight in report.style.weights.items() if weight} == pytest.approx(own)
    texts = [each.text for each in data.documents]
    styled, plain = extractor(style=report.style, min_score=-100), extractor()
    for with_style, without in zip(styled.extract_many(texts), plain.extract_many(texts), strict=True):
        assert [each.text for each in with_style] == [each.text for each in without]


def test_learning_is_the_same_each_time(by_digit):
    again = learn_style(documents(40, has_digit), extractor(), name="digits")
    assert again.style.to_json() == by_digit.style.to_json()
    assert again == by_digit


def test_absent_labels_and_documents_without_labels_are_told():
    made = list(documents(10, has_digit).documents)
    made[0] = LabelledDocument("0", "", made[0].text, ("whale", *made[0].keyphrases))
    made.append(LabelledDocument("none", "", "The owl.", ()))
    report = learn_style(Dataset("rule", None, tuple(made), ""), extractor(), curve=False)
    assert report.absent == (("0", "whale"),)
    assert report.notes == ("the document 'none' has no labels and is left out",)
    assert report.documents == 10


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_documents_are_an_error(count):
    with pytest.raises(InputError, match="label at least four"):
        learn_style(documents(count, has_digit), extractor())


def test_folds_are_checked():
    with pytest.raises(OptionError, match="folds must be at least 2"):
        learn_style(documents(5, has_digit), extractor(), folds=1)


def test_documents_without_candidates_do_no_harm():
    made = [*documents(8, has_digit).documents, LabelledDocument("empty", "", "", ("owl",))]
    assert learn_style(Dataset("rule", None, tuple(made), ""), extractor(), curve=False).documents == 9


def test_the_report_has_the_figures_and_the_lists(by_digit):
    text = "\n".join(format_report(by_digit))
    assert "digits: 40 documents" in text
    assert "The style helps, and by more than chance." in text
    assert "with 10:" in text
    assert "with 25:" in text
    assert "It prefers, compared with the default: " in text
    assert text.count("  before ") == len(by_digit.examples) == 3
    assert forecast(by_digit) >= by_digit.gain[1]
    assert plot_curve(by_digit).count("<polyline") == 3


def test_a_style_for_another_encoder_or_form_is_refused(by_digit):
    with pytest.raises(OptionError, match="was learned with the encoder"):
        FusionRank(style=by_digit.style)
    with pytest.raises(OptionError, match="was learned with the encoder"):
        extractor(style=by_digit.style, exact=True)
    with pytest.raises(OptionError, match="has weights of its own"):
        extractor(style=by_digit.style, weights=FusionWeights(norm=1.0))

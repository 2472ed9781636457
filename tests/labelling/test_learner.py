"""Learning in the background: when it begins, what it says, and that it keeps up with the labels."""

from __future__ import annotations

import math
import threading
from contextlib import closing
from types import SimpleNamespace

import pytest
from tests.labelling.conftest import text_of
from tests.serve.conftest import PATIENCE, until

from mderank.errors import InputError
from mderank.labelling import learner as module
from mderank.labelling.features import FeatureCache
from mderank.labelling.label_file import DocumentLabels
from mderank.labelling.learner import StyleLearner, describe_gain
from mderank.methods.fusionrank import FusionRank
from mderank.research.evaluation.significance import Comparison
from mderank.research.tuning.learner import Choice
from mderank.testing import FakeEncoder, FakeTagger


def labels(count, phrase="coral reef"):
    return [DocumentLabels(f"d{number}", text_of(number), (phrase,), (), True) for number in range(count)]


@pytest.fixture
def cache():
    with closing(FeatureCache(FusionRank(FakeEncoder(), tagger=FakeTagger()))) as cache:
        yield cache


@pytest.fixture
def learner(cache):
    with closing(StyleLearner(cache.training_set, "mine")) as learner:
        yield learner


def settled(learner):
    until(lambda: learner.status != "learning")
    return learner.learned


@pytest.mark.slow
def test_it_begins_with_ten_documents_that_have_a_phrase(learner):
    assert learner.status == "waiting"
    learner.update([*labels(9), DocumentLabels("none", "No phrase is right.", (), (), True)])
    assert (learner.status, learner.count) == ("waiting", 9)
    learner.update(labels(10))
    learned = settled(learner)
    assert (learned.report.documents, learned.version, learned.report.style.name) == (10, 0, "mine")
    assert learned.ids == {f"d{number}" for number in range(10)}


@pytest.mark.slow
def test_it_learns_again_from_new_labels(learner):
    learner.update(labels(10))
    settled(learner)
    learner.update(labels(11, "storm surge"))
    learned = settled(learner)
    assert (learned.version, learned.report.documents) == (1, 11)
    assert "storm surg" in learned.report.style.labels


@pytest.mark.slow
def test_labels_that_are_taken_back_are_not_learned_from(learner):
    learner.update(labels(10))
    settled(learner)
    learner.update(labels(9))
    assert (learner.status, learner.learned) == ("waiting", None)


@pytest.mark.slow
def test_labels_that_wait_are_overtaken(cache):
    gate, read = threading.Event(), []

    def waiting(given):
        read.append(len(given))
        assert gate.wait(PATIENCE)
        return cache.training_set(given)

    with closing(StyleLearner(waiting, "mine")) as learner:
        learner.update(labels(10))
        until(lambda: read)
        for count in (11, 12, 13):
            learner.update(labels(count))
        assert learner.status == "learning"
        gate.set()
        assert settled(learner).report.documents == 13
        assert read == [10, 13]


@pytest.mark.slow
def test_labels_that_are_taken_back_while_it_learns(cache):
    gate, read = threading.Event(), []

    def waiting(given):
        read.append(len(given))
        assert gate.wait(PATIENCE)
        return cache.training_set(given)

    with closing(StyleLearner(waiting, "mine")) as learner:
        learner.update(labels(10))
        until(lambda: read)
        learner.update(labels(3))
        gate.set()
        assert settled(learner) is None
        assert learner.status == "waiting"


@pytest.mark.slow
@pytest.mark.parametrize(("error", "told"), [(InputError("too short"), "too short"), (ZeroDivisionError(), "the log")])
def test_a_failure_is_told_and_the_next_labels_are_learned_from(learner, monkeypatch, error, told):
    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(module, "learn_from_documents", fail)
        learner.update(labels(10))
        settled(learner)
        assert learner.status == "failed"
        assert told in learner.failure
    learner.update(labels(11))
    settled(learner)
    assert (learner.status, learner.failure) == ("learned", None)


@pytest.mark.parametrize(
    ("difference", "low", "high", "told"),
    [
        (0.021, -0.005, 0.048, "about +2.1 of 100 at ten phrases (−0.5 to +4.8): not certain yet."),
        (0.03, 0.011, 0.05, "about +3.0 of 100 at ten phrases (+1.1 to +5.0): it is better, by more than chance."),
        (-0.01, -0.03, 0.02, "about −1.0 of 100 at ten phrases (−3.0 to +2.0): no gain yet."),
        (-0.02, -0.03, -0.01, "about −2.0 of 100 at ten phrases (−3.0 to −1.0): it is worse than the default."),
    ],
)
def test_how_sure_it_is(difference, low, high, told):
    at_ten = Comparison(difference, low, high, 0.5, 0, 0, 0)
    other = Comparison(0.5, 0.4, 0.6, 0.5, 0, 0, 0)
    choice = Choice(50.0, "little")
    report = SimpleNamespace(documents=12, comparisons=(other, at_ten, other), choice=choice)
    assert describe_gain(report) == f"With 12 documents: {told}"


def test_a_choice_of_the_default_is_told():
    report = SimpleNamespace(documents=12, choice=Choice(math.inf, "little"))
    assert describe_gain(report) == "With 12 documents: nothing is certainly better than the default yet."

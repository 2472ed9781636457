"""Features of documents: computed once, and the lists that come of them are those of the extractor."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import pytest
from tests.labelling.conftest import text_of
from tests.serve.conftest import GatedEncoder

from mderank.labelling.features import FeatureCache, rank_default, rank_with_style
from mderank.labelling.label_file import DocumentLabels
from mderank.methods.fusionrank import FusionRank
from mderank.research.tuning import learn_from_documents
from mderank.testing import FakeTagger

LABELS = [
    DocumentLabels(f"d{number}", text_of(number), ("coral reef", "storm surge"), (), True) for number in range(10)
]


@pytest.fixture
def encoder():
    return GatedEncoder()


@pytest.fixture
def cache(encoder):
    with closing(FeatureCache(FusionRank(encoder, tagger=FakeTagger()))) as cache:
        yield cache


def test_a_document_is_encoded_once(cache, encoder):
    for _ in range(3):
        cache.request(text_of(0)).result()
        cache.training_set(LABELS[:1])
    first = sum(encoder.calls)
    cache.training_set(LABELS[:2])
    assert 0 < first < sum(encoder.calls)
    both = sum(encoder.calls)
    cache.training_set([replace(each, keyphrases=("storm",)) for each in LABELS[:2]])
    assert sum(encoder.calls) == both


def test_the_list_without_a_style_is_that_of_the_extractor(cache, encoder):
    found = FusionRank(encoder, tagger=FakeTagger(), min_confidence=None).extract(text_of(0), top_k=6)
    listed = rank_default(cache.request(text_of(0)).result(), 6)
    assert [(each.text, each.spans) for each in listed] == [(each.text, each.spans) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize("top_k", [3, 15])
def test_the_list_with_a_style_is_that_of_the_extractor(cache, encoder, top_k):
    training = cache.training_set(LABELS)
    report = learn_from_documents(training, name="mine", curve=False)
    text = text_of(11)
    listed = rank_with_style(cache.request(text).result(), report.style, top_k, None)
    found = FusionRank(encoder, tagger=FakeTagger(), style=report.style).extract(text, top_k=top_k)
    assert [each.text for each in listed] == [each.text for each in found]
    assert [each.score for each in listed] == pytest.approx([each.score for each in found], abs=1e-4)


def test_labels_of_the_document_itself_do_not_count_as_known(cache):
    report = learn_from_documents(cache.training_set(LABELS[:4]), name="mine", curve=False)
    known = {"storm surg": 1, "coral reef": 3}
    style = replace(report.style, weights={"known_label": 1.0}, labels=known, min_score=None)
    found = cache.request(text_of(0)).result()
    scores = {each.text: each.score for each in rank_with_style(found, style, 15, LABELS[0])}
    seen = {each.text: each.score for each in rank_with_style(found, style, 15, None)}
    assert scores["storm surge"] == 0 < seen["storm surge"]
    assert 0 < scores["coral reef"] < seen["coral reef"]


@pytest.mark.parametrize("text", ["", " \n", "The of and.", "..."])
def test_a_text_without_phrases(cache, text):
    found = cache.request(text).result()
    assert rank_default(found, 5) == []
    assert cache.training_set([DocumentLabels("a", text, (), (), True)]) is None

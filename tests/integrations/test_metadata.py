"""Keyphrases as metadata of documents."""

from __future__ import annotations

import json

import pytest

from mderank import Keyphrase, Keyphrases, ModelError, OptionError, Options, Span
from mderank.errors import InputError
from mderank.integrations import metadata
from mderank.integrations.metadata import MetadataWriter
from mderank.keyphrase import ConceptLabel

QUICK = Options(method="firstphrases", top_k=2)
TEXTS = ["Coral reefs feed fish.", None, "", "The tide gauge records the sea level."]


def test_keyphrases_beside_what_was_there():
    given = [{"page": 1}, {}, {"keyphrases": ["old"], "keyphrases_error": "old"}, {"source": "b"}]
    kept = json.dumps(given)
    written = list(MetadataWriter(QUICK).write(TEXTS, given))
    assert written == [
        {"page": 1, "keyphrases": ["Coral reefs", "fish"]},
        {"keyphrases": []},
        {"keyphrases": []},
        {"source": "b", "keyphrases": ["tide gauge", "sea level"]},
    ]
    assert json.dumps(given) == kept


def test_details_are_plain_data():
    (written,) = MetadataWriter(QUICK, details=True, key="k").write([TEXTS[0]], [{}])
    first = json.loads(json.dumps(written))["k"][0]
    assert first == written["k"][0]
    assert (first["text"], first["spans"], first["forms"]) == ("Coral reefs", [[0, 11]], ["Coral reefs"])
    assert first["score"] > 0


class Made:
    """An extractor of given results."""

    def __init__(self, *results):
        self.results = results

    def extract_many(self, texts, top_k):
        return iter([self.results[number] for number, _ in enumerate(texts)])


def test_an_error_does_not_lose_the_other_documents(monkeypatch):
    reef = Keyphrase("reef", 1.0, 1.0, (Span(0, 4),), ("reef",))
    failed = Keyphrases(error=InputError("it is too long"))
    monkeypatch.setattr(
        metadata, "shared_extractor", lambda options: Made(Keyphrases([reef]), failed, Keyphrases([reef]))
    )
    written = list(MetadataWriter(QUICK, error_key="why").write(["a", None, "b", "c"], [{}, {}, {"page": 2}, {}]))
    assert written == [
        {"keyphrases": ["reef"]},
        {"keyphrases": []},
        {"page": 2, "keyphrases": [], "why": "it is too long"},
        {"keyphrases": ["reef"]},
    ]


def test_the_label_of_a_concept_stands_for_its_labels(monkeypatch):
    concept = ConceptLabel("http://e.example/1", "Coral reefs")
    reef = Keyphrase("reefs", 1.0, 1.0, (Span(0, 5),), ("reefs",), concept=concept)
    monkeypatch.setattr(metadata, "shared_extractor", lambda options: Made(Keyphrases([reef])))
    assert next(MetadataWriter(QUICK).write(["reefs"], [{}])) == {"keyphrases": ["Coral reefs"]}
    (each,) = next(MetadataWriter(QUICK, details=True).write(["reefs"], [{}]))["keyphrases"]
    assert each["concept"] == {"id": "http://e.example/1", "label": "Coral reefs"}


def test_top_k_0_takes_all():
    (written,) = MetadataWriter(Options(method="firstphrases", top_k=0)).write(["A reef, a tide, a storm."], [{}])
    assert written == {"keyphrases": ["reef", "tide", "storm"]}


@pytest.mark.parametrize("keys", [{"key": ""}, {"error_key": None}, {"key": "a", "error_key": "a"}])
def test_keys_that_do_not_do(keys):
    with pytest.raises(OptionError, match="key"):
        MetadataWriter(QUICK, **keys)


def test_a_model_that_cannot_be_loaded_is_said_before_any_document():
    with pytest.raises(ModelError):
        MetadataWriter(Options(model="/no/such/model")).load()

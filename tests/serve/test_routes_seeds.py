"""Seeds of requests: each has its own, and documents with different ones are computed together."""

from __future__ import annotations

import pytest
from tests.serve.conftest import REEFS, running_server

from mderank.methods.fusionrank import FusionRank
from mderank.options import Options
from mderank.serve.extractor_cache import ExtractorCache
from mderank.testing import FakeEncoder, FakeTagger
from mderank.writing import DocumentResult

SEEDS = (["lighthouse"], ["old harbour", "storm"], [])


@pytest.fixture(scope="module")
def server():
    with running_server() as running:
        yield running


def expected(seeds, weight=None):
    found = FusionRank(FakeEncoder(), tagger=FakeTagger()).extract(REEFS, seeds=seeds, seed_weight=weight)
    return [(each["text"], each["score"]) for each in DocumentResult(0, REEFS, found).as_dict()["keyphrases"]]


def pairs(answer):
    return [(each["text"], each["score"]) for each in answer["keyphrases"]]


def test_a_request_has_seeds(server):
    for seeds in SEEDS:
        assert pairs(server.extract(seeds=seeds).json()) == expected(seeds)
    assert pairs(server.extract(seeds=["storm"], seed_weight=0.9).json()) == expected(["storm"], 0.9)
    (first, *_) = server.extract(seeds=["storm"], explain=True).json()["keyphrases"]
    assert "seeds" in first["contributions"]
    assert "seeds" in first["features"]
    assert "seeds" in server.client.get("/v1/methods").json()["labels"]


def test_documents_of_a_batch_have_their_own(server):
    documents = [{"text": REEFS, "seeds": seeds} for seeds in SEEDS] + [{"text": REEFS}]
    body = {"documents": documents, "seeds": ["reef"], "seed_weight": 0.8}
    results = server.client.post("/v1/extract/batch", json=body).json()["results"]
    assert [pairs(each) for each in results] == [expected(seeds, 0.8) for seeds in (*SEEDS, ["reef"])]


@pytest.mark.parametrize(
    "options",
    [
        {"seeds": "reef"},
        {"seeds": [" "]},
        {"seeds": [""]},
        {"seeds": ["reef"] * 101},
        {"seeds": ["x" * 101]},
        {"seeds": ["reef"], "seed_weight": 1.5},
        {"seeds": ["reef"], "seed_weight": "much"},
        {"seeds": ["reef"], "method": "yake"},
        {"seed_weight": 0.5, "method": "yake"},
    ],
)
def test_what_makes_no_sense_is_refused(server, options):
    answer = server.extract(**options)
    assert answer.status_code in (400, 422)
    assert "seed" in str(answer.json()["error"])


def test_the_seeds_of_one_document_are_refused(server):
    for seeds, method in (([" "], "fusion"), (["reef"], "yake")):
        body = {"documents": [{"text": REEFS}, {"text": REEFS, "seeds": seeds}], "method": method}
        answer = server.client.post("/v1/extract/batch", json=body)
        assert answer.status_code in (400, 422)
        assert "seed" in str(answer.json()["error"])


def test_methods_say_whether_they_take_seeds(server):
    methods = {each["name"]: each["options"] for each in server.client.get("/v1/methods").json()["methods"]}
    assert {"seeds", "seed_weight"} <= {*methods["fusion"]}
    assert not {"seeds", "seed_weight"} & {*methods["yake"]}


def test_seeds_make_no_further_extractor(server, monkeypatch):
    built = []
    build = ExtractorCache._build
    monkeypatch.setattr(ExtractorCache, "_build", lambda self, options: built.append(options) or build(self, options))
    for number in range(5):
        assert server.extract(seeds=[f"seed {number}"], seed_weight=number / 10, dedupe="case").status_code == 200
    assert built == [Options(dedupe="case")]

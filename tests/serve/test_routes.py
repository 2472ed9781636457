"""What the API answers: what the library gives, with the command line's options."""

from __future__ import annotations

import json

import pytest
from tests.serve.conftest import REEFS, Running

from mderank import NounPhrases, Terms
from mderank.cli import cli
from mderank.methods.fusionrank import FEATURES, FusionRank, FusionWeights
from mderank.serve.errors import CODES, ApiError
from mderank.serve.routes import json_response
from mderank.serve.schemas import BatchRequest, ExtractRequest, OptionsRequest
from mderank.testing import FakeEncoder, FakeTagger
from mderank.writing import DocumentResult


def library(text: str, top: int | None = 10, explain: bool = False, **options):
    found = FusionRank(FakeEncoder(), tagger=FakeTagger(), **options).extract(text, top)
    return DocumentResult(0, text, found).as_dict(explain=explain)["keyphrases"]


def test_one_text(shared: Running):
    answer = shared.extract().json()
    assert answer["keyphrases"] == library(REEFS)
    assert answer["method"] == "fusion"
    assert (answer["id"], answer["truncated"], answer["missing_phrases"], answer["error"]) == (None, None, [], None)


def test_explained(shared: Running):
    (first, *_) = shared.extract(top_k=2, explain=True).json()["keyphrases"]
    assert first == library(REEFS, 2, explain=True)[0]
    assert first["masked_similarity"] == pytest.approx(1 - first["features"]["mask_effect"])


def test_options_reach_the_method(shared: Running):
    answer = shared.extract(dedupe="none", max_words=7, exclude=["harbour"], params={"position": 0.5}).json()
    expected = library(REEFS, dedupe="none", max_words=7, exclude=["harbour"], weights=FusionWeights(position=0.5))
    assert answer["keyphrases"] == expected
    assert answer["truncated"] == [35, len(REEFS)]


def test_zero_keyphrases_are_all(shared: Running):
    text = " ".join(f"The old reef{number} is near." for number in range(30))
    everything = shared.extract(text, top_k=0).json()["keyphrases"]
    assert everything == library(text, None)
    assert len(everything) > len(shared.extract(text).json()["keyphrases"])
    batch = shared.client.post("/v1/extract/batch", json={"documents": [{"text": text}], "top_k": 0}).json()
    assert batch["results"][0]["keyphrases"] == everything
    assert shared.code(shared.extract(text, top_k=0, max_sum=10), 422) == "invalid_options"


def test_an_unknown_method_is_told_those_that_are_offered(shared: Running):
    offered = [each["name"] for each in shared.client.get("/v1/methods").json()["methods"]]
    for method in ("unknown", "embedrank-vectors", "x" * 200):
        response = shared.extract(method=method)
        assert shared.code(response, 422) == "invalid_options"
        message = response.json()["error"]["message"]
        assert message.partition("it is one of ")[2].split(", ") == offered
        assert len(message) < 500


def test_overlap(shared: Running):
    for overlap in ("none", "little", "any"):
        assert shared.extract(overlap=overlap).json()["keyphrases"] == library(REEFS, overlap=overlap)
    assert shared.extract(overlap=None).json()["keyphrases"] == library(REEFS)
    assert any(each.get("related") for each in shared.extract(overlap="none").json()["keyphrases"])
    assert shared.extract(overlap="some").status_code == 422
    methods = {each["name"]: each for each in shared.client.get("/v1/methods").json()["methods"]}
    assert (methods["fusion"]["overlap"], methods["mderank"]["overlap"]) == ("little", "any")
    assert all("overlap" in each["options"] for each in methods.values())


def test_options_about_terms_keep_the_terms(shared: Running):
    for limit in (2, 8):
        expected = library(REEFS, candidates=Terms(max_phrase_words=limit, stop_words=frozenset({"storm"})))
        assert shared.extract(max_phrase_words=limit, stop_words=["storm"]).json()["keyphrases"] == expected
    expected = library(REEFS, candidates=NounPhrases("<NN>+", 2))
    assert shared.extract(max_phrase_words=2, pattern="<NN>+").json()["keyphrases"] == expected


def test_phrases_of_the_clients_own(shared: Running):
    answer = shared.extract(phrases=["coral reef", "whale"]).json()
    assert [each["text"] for each in answer["keyphrases"]] == ["coral reef"]
    assert answer["missing_phrases"] == ["whale"]


def test_other_candidates(shared: Running):
    tagged = shared.extract(pattern="<NN>", top_k=20).json()["keyphrases"]
    assert all(" " not in each["text"] for each in tagged)
    grams = shared.extract(ngrams="2", stop_words=["storm"], top_k=50).json()["keyphrases"]
    assert grams
    assert all(len(each["text"].split()) == 2 and "storm" not in each["text"] for each in grams)


def test_markdown_is_read_as_prose(shared: Running):
    text = "The **coral** [reef](http://x.y/zebra) is old."
    answer = shared.extract(text, format="markdown", top_k=20).json()
    assert {each["text"] for each in answer["keyphrases"]} == {"coral", "reef"}
    for each in answer["keyphrases"]:
        assert text[slice(*each["spans"][0])] == each["text"]


def test_phrases_are_in_the_prose_that_a_client_sends(shared: Running):
    text = "The old reef \ud800 is near. Ann wrote: the big whale is old."
    prose = text[:23] + ", " + " " * (len(text) - 25)

    def post(path, body):
        sent = json.dumps(body)  # which escapes the lone surrogate
        return shared.client.post(path, content=sent, headers={"content-type": "application/json"}).json()

    answer = post("/v1/extract", {"text": text, "prose": prose, "top_k": 20})
    assert {each["text"] for each in answer["keyphrases"]} == {"reef"}
    batch = {"documents": [{"text": text, "prose": prose}, {"text": text}], "top_k": 20}
    first, second = post("/v1/extract/batch", batch)["results"]
    assert first["keyphrases"] == answer["keyphrases"]
    assert "whale" in {each["text"] for each in second["keyphrases"]}


@pytest.mark.parametrize("prose", ["The new reef", "The old ree", "The old reef ", "The old     \n"])
def test_prose_that_is_not_that_of_the_text_is_refused(shared: Running, prose):
    answer = shared.extract("The old reef", prose=prose)
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == (
        "body: prose must be the text with some of its characters replaced by spaces or commas"
    )
    assert "leave out one of them" in shared.extract("A", prose="A", format="markdown").json()["error"]["message"]


def test_several_texts(shared: Running):
    documents = [{"id": "a", "text": REEFS}, {"text": ""}, {"id": 7, "text": "The lazy dog is old."}]
    results = shared.client.post("/v1/extract/batch", json={"documents": documents, "top_k": 3}).json()["results"]
    assert [each["id"] for each in results] == ["a", 1, 7]
    assert results[0]["keyphrases"] == library(REEFS, 3)
    assert results[1]["keyphrases"] == []
    assert results[2]["keyphrases"] == library("The lazy dog is old.", 3)


def test_the_methods_that_are_offered(shared: Running):
    answer = shared.client.get("/v1/methods").json()
    methods = {each["name"]: each for each in answer["methods"]}
    assert {"fusion", "mderank", "yake", "textrank", "topicrank", "keybert"} <= set(methods)
    assert not {"embedrank-vectors", "embedrank-sent2vec"} & set(methods), "these need files of the server's"
    assert answer["default"] == "fusion"
    assert answer["model"] == "fake"
    assert answer["limits"]["max_text_chars"] == 200_000
    assert methods["fusion"]["diverse"]
    assert not methods["yake"]["diverse"]
    assert "window" in [each["name"] for each in methods["singlerank"]["params"]]


@pytest.mark.slow
def test_every_method_that_is_offered_works(shared: Running):
    for method in shared.client.get("/v1/methods").json()["methods"]:
        answer = shared.extract(method=method["name"]).json()
        assert answer["keyphrases"], method["name"]
        masked = shared.extract(method=method["name"], explain=True).json()["keyphrases"][0]["masked_similarity"]
        assert (masked is not None) == method["masks"], method["name"]


def test_every_option_of_the_command_line_is_there_or_the_operators():
    flags = {parameter.name for parameter in cli.commands["extract"].params}
    # Models and files of the server's, and how much it computes at once; the preset names a model too.
    of_the_operator = {"model", "tagger", "device", "dtype", "threads", "frequencies", "batch_tokens", "preset",
                       "tokenizer", "precision"}  # fmt: skip
    of_files = {"paths", "input_format", "encoding", "text_field", "title_field", "id_field", "language_field",
                "seeds_field", "tokens_field", "carry", "max_document_chars", "vocabulary", "form", "output", "quiet",
                "config"}  # fmt: skip
    assert flags - of_the_operator - of_files == set(OptionsRequest.model_fields)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "unknown"}, "is not offered"),
        ({"method": "embedrank-vectors", "params": {"vectors": "/etc/passwd"}}, "is not offered"),
        ({"method": "yake", "diversity": 0.5}, "does not take diversity"),
        ({"method": "fusion", "masking": "once"}, "does not take masking"),
        ({"diversity": 0.5, "max_sum": 20}, "exclude each other"),
        ({"top_k": 20, "max_sum": 10}, "needs a top_k from 1 to 10, not 20"),
        ({"ngrams": "1-2", "phrases": ["a"]}, "exclude each other"),
        ({"phrases": ["a"], "stop_words": ["b"]}, "exclude each other"),
        ({"pooling": "cls"}, "exact"),
        ({"layer": 99}, "does not exist"),
        ({"params": {"nothing": 1}}, "has no parameter 'nothing'"),
        ({"params": {"position": "nan"}}, "must be a number"),
        ({"params": {"position": "wide"}}, "must be a number"),
        ({"method": "singlerank", "params": {"window": 100_000}}, "100 at most"),
        ({"method": "singlerank", "params": {"tags": "(.*)*x"}}, "has no parameter 'tags'"),
        ({"method": "yake", "params": {"ngram": 50}}, "5 at most"),
        ({"method": "random", "seed": 3, "exact": True}, "does not take exact"),
    ],
)
def test_options_that_cannot_be(shared: Running, options, told):
    response = shared.extract(REEFS, **options)
    assert shared.code(response, 422) == "invalid_options"
    assert told in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("request_", "where"),
    [
        ({}, "body.text"),
        ({"text": 5}, "body.text"),
        ({"text": None}, "body.text"),
        ({"text": ["a"]}, "body.text"),
        ({"text": "a", "top_k": "10"}, "body.top_k"),
        ({"text": "a", "top_k": True}, "body.top_k"),
        ({"text": "a", "top_k": -1}, "body.top_k"),
        ({"text": "a", "top_k": 1001}, "body.top_k"),
        ({"text": "a", "top_k": 1e400}, "body.top_k"),
        ({"text": "a", "diversity": 2}, "body.diversity"),
        ({"text": "a", "min_score": float("nan")}, "body.min_score"),
        ({"text": "a", "exact": "yes"}, "body.exact"),
        ({"text": "a", "model": "bert-base-uncased"}, "body.model"),
        ({"text": "a", "path": "/etc/passwd"}, "body.path"),
        ({"text": "a", "url": "http://169.254.169.254/"}, "body.url"),
        ({"text": "a", "pattern": "(<NN>*)*<XX>"}, "body.pattern"),
        ({"text": "a", "pattern": "<NN>*<NN>*<NN>*<XX>"}, "body.pattern"),
        ({"text": "a", "ngrams": "1-90"}, "body.ngrams"),
        ({"text": "a", "phrases": ["a " * 13]}, "body.phrases"),
        ({"text": "a", "params": {"position": [1]}}, "body.params"),
    ],
)
def test_what_is_wrong_is_named(shared: Running, request_, where):
    response = shared.client.post(
        "/v1/extract", content=json.dumps(request_), headers={"content-type": "application/json"}
    )
    assert shared.code(response, 422) == "invalid_request"
    assert "Value error" not in response.text
    details = response.json()["error"]["details"]
    assert any(each["where"].startswith(where) for each in details), details
    assert where in response.json()["error"]["message"]


def test_scores_that_are_no_numbers_are_not_sent():
    with pytest.raises(ApiError, match="not finite numbers") as caught:
        json_response({"score": float("inf")})
    assert caught.value.status == 422


def test_addresses_that_are_not_there(shared: Running):
    assert shared.code(shared.client.get("/v1/extract/other"), 404) == "not_found"
    assert shared.code(shared.client.get("/../../etc/passwd"), 404) == "not_found"
    assert shared.code(shared.client.get("/page/../app.py"), 404) == "not_found"
    response = shared.client.get("/v1/extract")
    assert shared.code(response, 405) == "method_not_allowed"
    assert response.headers["allow"] == "POST"


def test_health_and_metrics(shared: Running):
    assert shared.client.get("/healthz").json()["status"] == "ok"
    assert shared.client.get("/readyz").json()["status"] == "ready"
    shared.extract()
    lines = shared.client.get("/metrics").text.splitlines()
    counted = {line.partition(" ")[0]: line.rpartition(" ")[2] for line in lines if not line.startswith("#")}
    assert float(counted['mderank_requests_total{method="POST",path="/v1/extract",status="200"}']) >= 1
    assert float(counted["mderank_documents_total"]) >= 1
    assert float(counted["mderank_documents_waiting"]) == 0


def test_the_description_has_examples_that_work(shared: Running):
    described = shared.client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        "/v1/extract", "/v1/extract/batch", "/v1/methods", "/v1/read", "/healthz", "/readyz", "/metrics",
    }  # fmt: skip
    for path, model in (("/v1/extract", ExtractRequest), ("/v1/extract/batch", BatchRequest)):
        examples = described["components"]["schemas"][model.__name__]["examples"]
        assert examples
        for example in examples:
            assert shared.client.post(path, json=example).status_code == 200
        errors = described["paths"][path]["post"]["responses"]
        for status in ("400", "401", "408", "413", "415", "422", "503", "504"):
            assert errors[status]["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorAnswer")


def test_every_code_of_an_error_is_described(shared: Running):
    described = json.dumps(shared.client.get("/openapi.json").json())
    not_of_an_address = {"not_found", "method_not_allowed"}
    for code in set(CODES) - not_of_an_address:
        assert f"`{code}`" in described, code


def test_words_for_people(shared: Running):
    methods = shared.client.get("/v1/methods").json()
    scale = [each["least"] for each in methods["confidence_words"]]
    assert scale == sorted(scale, reverse=True)
    assert scale[-1] == 0
    for method in methods["methods"]:
        for each in shared.extract(method=method["name"], explain=True).json()["keyphrases"]:
            assert set(each["contributions"]) <= set(methods["plain_labels"]), method["name"]
    assert set(FEATURES) <= set(methods["plain_labels"])
    assert methods["speeds"]["fusion"] > 0

"""What texts cost, before they are accepted."""

from __future__ import annotations

import pytest
from tests.serve.conftest import REEFS, Running

from mderank.serve.cost import text_cost


@pytest.mark.parametrize("text", [
    "Coral reefs protect the coast from storms. Warm water bleaches coral, and bleached reefs lose their fish.",
    "The committee decided on Tuesday that the harbour would be dredged before winter, whatever it costs.",
])  # fmt: skip
def test_prose_costs_about_its_length(text):
    assert text_cost(text) == pytest.approx(len(text), rel=0.2)


@pytest.mark.parametrize("mark", ["(", "'", "😀", "-", "\u0301", "( ", "a ", "1/"])
def test_marks_cost_as_much_as_words(mark):
    assert text_cost(mark * 1_000) >= 5_000


def test_long_runs_cost_their_parts():
    assert text_cost("a" * 12_000) == 5 * 1_000
    assert text_cost(" \n\t" * 1_000) == 0


@pytest.mark.parametrize("text", ["(" * 150_000, "😀" * 150_000, "a." * 75_000])
def test_a_text_of_marks_is_refused_at_once(shared: Running, text):
    before = len(shared.encoder.calls)
    response = shared.extract(text)
    assert shared.code(response, 413) == "text_too_long"
    assert "words and marks" in response.json()["error"]["message"]
    assert len(shared.encoder.calls) == before


def test_texts_of_marks_together(serve):
    running = serve(max_queue_chars=200_000)
    documents = [{"text": "(" * 30_000}] * 2
    response = running.client.post("/v1/extract/batch", json={"documents": documents})
    assert running.code(response, 413) == "batch_too_large"


def test_what_the_machine_cannot_compute_in_time_is_refused_at_once(serve):
    running = serve(timeout_seconds=10.0)
    running.service.queues.short._best["fusion"] = 40.0  # characters a second, of both queues
    response = running.extract(REEFS * 2)
    assert running.code(response, 413) == "text_too_long"
    assert "this machine computes 400 within 10 seconds" in response.json()["error"]["message"]
    assert running.client.get("/v1/methods").json()["limits"]["max_text_chars"] == 400
    assert running.extract(REEFS * 2, method="yake").status_code == 200, "its speed was never measured"
    assert running.extract("The coral reef.").status_code == 200
    assert running.extract(REEFS * 2).status_code == 200, "it was faster than thought"


def test_the_limit_that_is_shown_is_the_one_that_is_set_where_the_machine_is_fast(shared: Running):
    assert shared.client.get("/v1/methods").json()["limits"]["max_text_chars"] == 200_000

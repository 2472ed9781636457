"""Styles of the server: those that its operator names, and no others."""

from __future__ import annotations

import threading

import pytest
from tests.serve.conftest import REEFS, running_server, until

from mderank.errors import OptionError
from mderank.methods.fusionrank import FusionRank
from mderank.serve.app import create_app
from mderank.style import Style
from mderank.testing import FakeEncoder, FakeTagger

LONG = Style("long", {"words": 1.0}, preferences=("longer phrases",), encoder="fake", learned_from={"documents": 50})
SHORT = Style("short", {"words": -1.0, "position": 0.1}, encoder="fake")


@pytest.fixture
def server(tmp_path):
    (tmp_path / "short.json").write_text(SHORT.to_json())
    with running_server(styles=[LONG, tmp_path / "short.json"]) as running:
        yield running


def expected(style: Style | None, text: str = REEFS) -> list[str]:
    extractor = FusionRank(FakeEncoder(), tagger=FakeTagger(), style=style)
    return [each.text for each in extractor.extract(text, top_k=5)]


def phrases(answer) -> list[str]:
    return [each["text"] for each in answer["keyphrases"]]


def test_a_request_names_a_style(server):
    assert expected(LONG) != expected(SHORT) != expected(None)
    for style, name in ((LONG, "long"), (SHORT, "short"), (None, None)):
        assert phrases(server.extract(style=name, top_k=5).json()) == expected(style)


def test_documents_of_a_batch_have_its_style(server):
    texts = [REEFS, "The lazy dog is near the old harbour."]
    body = {"documents": [{"text": each} for each in texts], "style": "long", "top_k": 5}
    results = server.client.post("/v1/extract/batch", json=body).json()["results"]
    assert [phrases(each) for each in results] == [expected(LONG, each) for each in texts]


def test_the_styles_are_listed(server):
    answer = server.client.get("/v1/methods").json()
    assert answer["styles"] == [
        {"name": "long", "preferences": ["longer phrases"], "learned_from": {"documents": 50}},
        {"name": "short", "preferences": [], "learned_from": {}},
    ]
    taking = {each["name"] for each in answer["methods"] if "style" in each["options"]}
    assert taking == {"fusion"}


def test_a_server_without_styles_lists_none(shared):
    assert shared.client.get("/v1/methods").json()["styles"] == []
    response = shared.extract(style="terms")
    assert shared.code(response, 422) == "invalid_options"
    assert "offers none" in response.json()["error"]["message"]


@pytest.mark.parametrize("name", ["terms", "short.json", "/etc/passwd", "", "LONG"])
def test_other_styles_are_refused_with_those_that_there_are(server, tmp_path, name):
    """Also files that exist and styles that are part of mderank: the operator named others."""
    for style in (name, str(tmp_path / "short.json")):
        response = server.extract(style=style)
        assert server.code(response, 422) == "invalid_options"
        assert response.json()["error"]["message"] == "the style is not offered: this server offers long, short"


def test_a_method_without_styles_refuses_one(server):
    response = server.extract(style="long", method="yake")
    assert server.code(response, 422) == "invalid_options"
    assert "does not take style" in response.json()["error"]["message"]


def test_clients_with_different_styles_share_no_result(server):
    """They wait together; those with equal options are encoded together, and each gets its own list."""
    server.encoder.gate.clear()
    wanted = [("long", LONG), ("short", SHORT), (None, None)] * 3
    answers: list[list[str] | None] = [None] * len(wanted)

    def ask(index: int, name: str | None) -> None:
        answers[index] = phrases(server.extract(style=name, top_k=5).json())

    threads = [threading.Thread(target=ask, args=(index, name)) for index, (name, _) in enumerate(wanted)]
    for thread in threads:
        thread.start()
    until(lambda: len(server.service.queues) + server.encoder.waiting >= 3)
    server.encoder.gate.set()
    for thread in threads:
        thread.join()
    assert answers == [expected(style) for _, style in wanted]


def test_extractors_of_styles_are_apart(server):
    from mderank.options import Options

    cache = server.service._extractors._caches["short"]
    assert cache.get(Options(style="long")) is cache.get(Options(style="long", top_k=3))
    assert cache.get(Options(style="long")) is not cache.get(Options(style="short"))


def test_what_is_refused_at_the_start(tmp_path):
    def create(*styles):
        create_app(None, encoder=FakeEncoder(), make_tagger=FakeTagger, styles=styles)

    with pytest.raises(OptionError, match="learned with the encoder 'other'"):
        create(Style("a", {"words": 1.0}, encoder="other"))
    with pytest.raises(OptionError, match="two styles have the same name"):
        create(LONG, LONG)
    with pytest.raises(OptionError, match="is unknown"):
        create(str(tmp_path / "absent.json"))

"""`create_app`: which encoder and tagger a server has."""

from __future__ import annotations

import pytest

import mderank.serve
from mderank import ModelError, OptionError, Options
from mderank.serve import ServerConfig, create_app
from mderank.testing import FakeEncoder, FakeTagger


@pytest.mark.slow
def test_the_options_name_encoder_and_tagger():
    app = create_app(Options(), ServerConfig(max_text_chars=50_000))
    service = app.state.service
    service.start()
    assert service.model == "minilm-l6"
    assert service.config.max_text_chars == 50_000
    service.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        (Options(model="./nowhere"), ModelError, "does not exist"),
        (Options(device="cuda"), OptionError, "runs on ONNX Runtime"),
    ],
)
def test_an_encoder_that_cannot_be_loaded(options, error, told):
    service = create_app(options).state.service
    with pytest.raises(error, match=told):
        service.start()
    service.close()


def test_an_encoder_that_is_given_is_used_in_this_process():
    app = create_app(encoder=FakeEncoder(), make_tagger=FakeTagger)
    app.state.service.start()
    assert app.state.service.model == FakeEncoder().spec.name
    app.state.service.close()


def test_what_clients_choose_is_no_option_of_the_server():
    with pytest.raises(OptionError, match="clients of the server choose method, top_k: leave out"):
        create_app(Options(method="yake", top_k=3))


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Lanes'"):
        _ = mderank.serve.Lanes

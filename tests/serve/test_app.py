"""`create_app`: which encoder and tagger a server has."""

from __future__ import annotations

import pytest

import mderank.serve
from mderank import ModelError, OptionError, Options
from mderank.serve import ServerConfig, create_app


def test_the_options_name_encoder_and_tagger():
    app = create_app(Options(), ServerConfig(max_text_chars=50_000))
    assert app.state.service.model == "minilm-l6"
    assert app.state.service.config.max_text_chars == 50_000
    with pytest.raises(ModelError, match="does not exist"):
        create_app(Options(model="./nowhere"))
    with pytest.raises(OptionError, match="runs on ONNX Runtime"):
        create_app(Options(device="cuda"))


def test_what_clients_choose_is_no_option_of_the_server():
    with pytest.raises(OptionError, match="clients of the server choose method, top_k: leave out"):
        create_app(Options(method="yake", top_k=3))


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Lanes'"):
        _ = mderank.serve.Lanes

"""A new option is one field of `Options`, and one argument of the methods that use it: it is then everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import click
import pytest
from click.testing import CliRunner

from mderank import OptionError, build_extractor
from mderank.cli._options import SectionedCommand, extraction_options, make_options
from mderank.factory import takes
from mderank.methods import FirstPhrases, registry
from mderank.methods.base import BaseOptions
from mderank.methods.registry import METHODS, Method
from mderank.options import Options, option
from mderank.testing import FakeTagger


@dataclass(frozen=True, kw_only=True)
class MoreOptions(Options):
    """The list with one line more."""

    skip_first: int | None = option(None, "Leave out the first N phrases.", section="Results", ge=1, http_le=9)


class Skipping(FirstPhrases):
    """A method with one use of it."""

    def __init__(self, *, skip_first: int = 0, **options: Unpack[BaseOptions]) -> None:
        super().__init__(**options)
        self.skip_first = skip_first


@pytest.fixture(autouse=True)
def _method(monkeypatch):
    monkeypatch.setitem(registry.METHODS, "skipping", Method("skipping", f"{__name__}:Skipping", "skips", kind="floor"))


def test_the_extractor_is_built_with_it_and_other_methods_refuse_it():
    built = build_extractor(MoreOptions(method="skipping", skip_first=2, dedupe="case"), tagger=FakeTagger())
    assert isinstance(built, Skipping)
    assert (built.skip_first, built.dedupe) == (2, "case")
    assert build_extractor(MoreOptions(method="skipping"), tagger=FakeTagger()).skip_first == 0
    with pytest.raises(OptionError, match="the method 'firstphrases' does not take skip_first"):
        build_extractor(MoreOptions(method="firstphrases", skip_first=2), tagger=FakeTagger())
    assert takes(METHODS["skipping"], "skip_first", MoreOptions)
    with pytest.raises(OptionError, match="skip_first must be a whole number of at least 1, not 0"):
        MoreOptions(skip_first=0)


def test_the_command_line_has_it():
    seen = []

    @click.command(cls=SectionedCommand)
    @extraction_options(options=MoreOptions)
    def command(**settings):
        seen.append(make_options(settings, options=MoreOptions))

    run = CliRunner().invoke
    assert "--skip-first N" in run(command, ["--help"]).output
    assert run(command, ["--skip-first", "3", "-k", "4"], catch_exceptions=False).exit_code == 0
    assert seen == [MoreOptions(skip_first=3, top_k=4)]
    assert run(command, ["--skip-first", "0"]).exit_code == 2


def test_files_of_options_and_plain_data_have_it():
    assert MoreOptions.from_dict({"skip-first": 2}).to_dict()["skip_first"] == 2


def test_the_server_has_it():
    pydantic = pytest.importorskip("pydantic")
    pytest.importorskip("fastapi")
    from mderank.serve.schemas import http_model

    model = http_model(MoreOptions)
    described = model.model_json_schema()["properties"]["skip_first"]
    assert described["description"] == "Leave out the first N phrases."
    assert model(skip_first=9).skip_first == 9
    for wrong in (0, 10, "3", True):
        with pytest.raises(pydantic.ValidationError):
            model(skip_first=wrong)
    assert "model" not in model.model_fields  # paths, models and devices are the operator's


def test_spacy_has_it():
    import inspect

    from mderank.integrations.spacy import default_config, make_factory

    assert default_config(MoreOptions)["skip_first"] is None
    assert "skip_first" in inspect.signature(make_factory(MoreOptions)).parameters

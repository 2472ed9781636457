"""Mutated files never raise anything but an error of ours (`python tests/fuzz.py` does the same at length)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz import FuzzError, check, fuzz, make_extraction, options_of, shrink
from tests.fuzz_inputs import READERS

from mderank.reading import ReadOptions

# Function-scoped fixtures: each example writes its own file over the last one.
HEALTH = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


def skip_without_extra(name: str) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=300, derandomize=True, database=None, suppress_health_check=HEALTH)
@given(seed=st.integers(0, 2**32))
def test_a_changed_file_gives_documents_or_errors(tmp_path, name, seed):
    skip_without_extra(name)
    random = Random(seed)
    reader = READERS[name]
    check(reader, reader.make_input(random, reader.seeds()), options_of(random), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=100, derandomize=True, database=None, suppress_health_check=HEALTH)
@given(data=st.binary(max_size=300))
def test_any_bytes_give_documents_or_errors(tmp_path, name, data):
    skip_without_extra(name)
    check(READERS[name], data, ReadOptions(max_document_chars=50), tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mderank.errors.LanguageWarning")
@pytest.mark.parametrize("name", READERS)
def test_a_changed_file_is_tagged_and_written_in_every_format(tmp_path, name):
    skip_without_extra(name)
    extract = make_extraction()
    reader = READERS[name]
    seeds = reader.seeds()
    for number in range(25):
        random = Random(number)
        extract(check(reader, reader.make_input(random, seeds), options_of(random), tmp_path))


@pytest.mark.parametrize("name", READERS)
def test_the_seeds_are_read(tmp_path, name):
    skip_without_extra(name)
    for seed in READERS[name].seeds():
        pack = READERS[name].pack
        data = pack(seed) if pack else seed
        options = ReadOptions(encoding="latin-1" if name == "text" and b"\xe4" in seed else "utf-8")
        assert any(
            source.error is None and source.text for source in check(READERS[name], data, options, tmp_path)
        ) or (b"/Encrypt" in seed or b"K\xe4rnten" in seed)


def test_a_failing_input_is_made_as_small_as_can_be():
    assert shrink(b"some words <![C x and others", lambda data: b"<![C" in data) == b"<![C"


def test_a_reader_that_raises_is_found(tmp_path, monkeypatch):
    def broken(*_):
        raise KeyError("x")

    monkeypatch.setattr("mderank.reading.readers.html_text_and_title", broken)
    with pytest.raises(KeyError):
        check(READERS["html"], b"<p>a", ReadOptions(), tmp_path)
    monkeypatch.setattr("mderank.reading.readers.html_text_and_title", lambda page: ("x" * 200, None))
    monkeypatch.setattr("mderank.reading.readers.check_length", lambda text, options: text)
    with pytest.raises(FuzzError, match="a text of 200 characters"):
        check(READERS["html"], b"<p>a", ReadOptions(max_document_chars=100), tmp_path)


@pytest.mark.slow
def test_the_command_runs_in_its_own_process():
    *failures, (peak, raised, _, _) = fuzz("text", 1, 20)
    assert failures == []
    assert raised == ""
    assert peak > 0

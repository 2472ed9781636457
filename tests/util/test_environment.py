from __future__ import annotations

import hashlib
import importlib.metadata
import os
from types import SimpleNamespace

import pytest

import mderank
from mderank.errors import OptionError
from mderank.util import environment
from mderank.util.environment import (
    available_cores,
    available_memory,
    describe_encoder,
    peak_memory,
    split_cores,
    versions,
)

GB = 1_000_000_000


@pytest.mark.parametrize(
    ("given", "shared"),
    [
        ({}, (8, 1)),
        ({"processes": 2}, (2, 4)),
        ({"processes": 3}, (3, 2)),
        ({"threads": 4}, (2, 4)),
        ({"threads": 16}, (1, 16)),
        ({"processes": 16}, (16, 1)),
        ({"processes": 2, "threads": 1}, (2, 1)),
        ({"memory": 2 * GB}, (3, 2)),
        ({"memory": 1000}, (1, 8)),
        ({"memory": 1000, "processes": 8}, (8, 1)),
    ],
)
def test_eight_cores_are_shared(given, shared):
    assert split_cores(**{"cores": 8, "memory": 64 * GB, **given}) == shared


@pytest.mark.parametrize("given", [{"processes": 0}, {"threads": 0}])
def test_none_is_not_enough(given):
    with pytest.raises(OptionError, match="at least 1"):
        split_cores(**given)


def test_a_container_with_a_quota(tmp_path):
    everything = available_cores(tmp_path)
    assert everything >= 1
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert available_cores(tmp_path) == everything
    (tmp_path / "cpu.max").write_text("100000 100000\n")
    assert available_cores(tmp_path) == 1
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    assert available_cores(tmp_path) == 1


def test_bound_to_one_core(monkeypatch, tmp_path):
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system does not bind processes to cores")
    monkeypatch.setattr(environment.os, "sched_getaffinity", lambda process: {3})
    assert available_cores(tmp_path) == 1


def test_memory_is_what_the_system_or_the_container_has(tmp_path):
    assert available_memory(tmp_path, tmp_path / "none") is None
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 9 kB\nMemAvailable:    1000 kB\n")
    assert available_memory(tmp_path, meminfo) == 1_024_000
    (tmp_path / "memory.max").write_text("900000\n")
    (tmp_path / "memory.current").write_text("500000\n")
    assert available_memory(tmp_path, meminfo) == 400_000
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory(tmp_path, meminfo) == 1_024_000


def test_versions_name_what_is_not_installed():
    found = versions(("numpy", "no-such-package"))
    assert list(found) == ["mderank", "python", "numpy", "no-such-package"]
    assert found["mderank"] == mderank.__version__
    assert found["numpy"] == importlib.metadata.version("numpy")
    assert found["no-such-package"] is None


def test_an_encoder_is_known_by_its_weights(tmp_path):
    def described(name, **attributes):
        return describe_encoder(SimpleNamespace(spec=SimpleNamespace(name=str(name)), **attributes))

    for name, weights in (("one", b"a"), ("copy", b"a"), ("other", b"b")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").write_bytes(weights)
    (tmp_path / "copy" / "README.md").write_text("not weights")
    one, copy, other = (described(tmp_path / name) for name in ("one", "copy", "other"))
    assert one == {"name": str(tmp_path / "one"), "sha256": hashlib.sha256(hashlib.sha256(b"a").digest()).hexdigest()}
    assert copy["sha256"] == one["sha256"] != other["sha256"]
    assert described("of the hub") == {"name": "of the hub", "sha256": None}
    assert described("of the hub", folder=tmp_path / "one") == {"name": "of the hub", "sha256": one["sha256"]}
    assert describe_encoder(None) is None


def test_peak_memory_is_in_megabytes():
    peak = peak_memory()
    assert peak is None or 10 < peak < 1_000_000

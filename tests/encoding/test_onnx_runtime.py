"""ONNX Runtime stores and sends nothing about its use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mderank.encoding.onnx_runtime import TELEMETRY_SWITCH

EXTRACT = "import mderank; assert mderank.extract('Coral reefs feed fish. Warm water harms coral reefs.')"


def files_after(command: str, home: Path, **variables: str) -> list[str]:
    """The files that a process leaves in its home folder."""
    kept = {name: value for name, value in os.environ.items() if name != TELEMETRY_SWITCH and "XDG" not in name}
    environment = {**kept, "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    subprocess.run([sys.executable, "-c", command], env=environment, check=True)
    return sorted(each.name for each in home.rglob("*") if each.is_file())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_an_extraction_leaves_no_device_id(tmp_path):
    assert files_after(EXTRACT, tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_the_variable_of_the_user_counts(tmp_path):
    """Without mderank's switch there would be files: so the test above can fail."""
    found = files_after(EXTRACT, tmp_path, **{TELEMETRY_SWITCH: "0"})
    if not found:
        pytest.skip("this ONNX Runtime has no telemetry")
    assert "deviceid" in found

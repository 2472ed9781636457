"""``mderank serve`` with a fake encoder and tagger; the encoder waits for a file: python fake_server.py FILE ARGS"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

import mderank.serve.app
from mderank.cli import cli
from mderank.encoding.base import EncoderInputs
from mderank.testing import FakeEncoder, FakeTagger
from mderank.util.arrays import Floats


class GatedEncoder(FakeEncoder):
    """Waits while there is no file."""

    def __init__(self, gate: Path) -> None:
        super().__init__()
        self._gate = gate

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        while not self._gate.exists():
            time.sleep(0.01)
        return super().hidden_states(inputs, layer)


if __name__ == "__main__":
    mderank.serve.app.create_app = partial(
        mderank.serve.app.create_app, encoder=GatedEncoder(Path(sys.argv[1])), make_tagger=FakeTagger
    )
    cli(["serve", *sys.argv[2:]], prog_name="mderank")

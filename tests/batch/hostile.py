"""An extractor for which some documents are poison. Worker processes import it by name."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

from mderank import MDERank, ModelError
from mderank.testing import FakeEncoder, FakeTagger


class Hostile(MDERank):
    """Does what the text tells it to."""

    def _extract(self, texts, top_k):
        for text in texts:
            if "SEGFAULT" in text:
                ctypes.string_at(0)
            if "KILL" in text:
                os.kill(os.getpid(), signal.SIGKILL)
            if "HANG" in text:
                time.sleep(3600)
            if "MODEL" in text:
                raise ModelError("this model cannot do that")
        return super()._extract(texts, top_k)

    def extract_many(self, texts, top_k=10):
        texts = list(texts)
        if any("BUG" in text for text in texts):
            raise ZeroDivisionError("a bug")
        return super().extract_many(texts, top_k)


def hostile(options):
    return Hostile(FakeEncoder(), tagger=FakeTagger())


def cannot_load(options):
    raise ModelError("the model folder 'nowhere' does not exist")


def dies_at_start(options):
    sys.exit(7)


class CountsLoading:
    """Leaves a file for every process that made it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, options):
        (self.folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
        return hostile(options)

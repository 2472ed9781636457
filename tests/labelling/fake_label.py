"""``mderank label`` with a fake encoder and tagger: python fake_label.py ARGS"""

from __future__ import annotations

import sys
from importlib import import_module

from mderank.cli import cli
from mderank.methods.fusionrank import FusionRank
from mderank.testing import FakeEncoder, FakeTagger

if __name__ == "__main__":
    command = import_module("mderank.cli.label")
    command._build = lambda options: FusionRank(FakeEncoder(), tagger=FakeTagger())
    cli(["label", *sys.argv[1:]], prog_name="mderank")

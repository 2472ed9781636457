"""Settings of the classes for other libraries."""

from __future__ import annotations

import pytest

from mderank import OptionError, Options
from mderank.integrations.settings import merge_options


def test_options_from_several_sources():
    assert merge_options(None, top_k=3) == Options(top_k=3)
    assert merge_options({"max-words": 5}, method="yake") == Options(method="yake", max_words=5)
    assert merge_options(Options(exclude=("reef",)), top_k=2) == Options(exclude=("reef",), top_k=2)
    for options in ({"top-k": 3}, Options(top_k=3)):
        with pytest.raises(OptionError, match="options must not hold top_k: that is an argument of its own"):
            merge_options(options, top_k=4)
    for wrong in (["top_k"], "top_k", 5):
        with pytest.raises(OptionError, match="options must be Options or a mapping"):
            merge_options(wrong)

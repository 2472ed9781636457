import pytest

from mderank import InputError
from mderank.vocabularies.collector import Collector


def test_a_second_preferred_label_of_a_language_is_alternative():
    collector = Collector("file")
    for kind, text, language in (
        ("alternative", "flux", "EN"), ("preferred", "tide", "en"), ("preferred", "tide  water", "en"),
        ("preferred", "Tide", "de"), ("hidden", "tyde", "en"), ("alternative", "tide", "en"), ("preferred", " ", "fr"),
    ):  # fmt: skip
        collector.label("t", kind, text, language)
    (concept,) = collector.finish("variant", False).vocabulary.concepts
    assert concept.preferred == {"en": "tide", "de": "Tide"}
    assert concept.alternative == {"en": ("flux", "tide water")}
    assert concept.hidden == {"en": ("tyde",)}


def test_concepts_that_are_deprecated_or_have_no_label():
    collector = Collector("file")
    collector.deprecate("old")
    collector.deprecate("nowhere")
    collector.label("old", "preferred", "mill")
    collector.add("empty")
    with pytest.raises(InputError, match=r"^file: has no concept with a label \(1 concepts are deprecated\): hint$"):
        collector.finish("variant", False, hint="hint")
    collector.label("t", "preferred", "tide \udc80")
    read = collector.finish("variant", False)
    assert [each.label() for each in read.vocabulary.concepts] == ["tide \ufffd"]
    assert (read.deprecated, read.without_label) == (1, 1)

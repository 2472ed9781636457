import pytest

from mderank import InputError
from mderank.vocabularies.collector import Collector, is_deprecated


def test_a_second_preferred_label_of_a_language_is_alternative():
    collector = Collector("file")
    for kind, text, language in (
        ("alternative", "flux", "EN"), ("preferred", "tide", "en"), ("preferred", "tide  water", "en"),
        ("preferred", "Tide", "de"), ("hidden", "tyde", "en"), ("alternative", "tide", "en"), ("preferred", " ", "fr"),
    ):  # fmt: skip
        collector.label("t", kind, text, language)
    read = collector.finish("variant", False)
    (concept,) = read.vocabulary.concepts
    assert read.second_preferred == 1
    assert concept.preferred == {"en": "tide", "de": "Tide"}
    assert concept.alternative == {"en": ("flux", "tide water")}
    assert concept.hidden == {"en": ("tyde",)}


def test_concepts_that_are_deprecated_or_have_no_label():
    collector = Collector("file")
    collector.deprecate("old")
    collector.deprecate("nowhere")
    collector.label("old", "preferred", "mill")
    collector.add("empty")
    with pytest.raises(InputError, match=r"^file: has no concept with a label \(deprecated: 1 concept\): hint$"):
        collector.finish("variant", False, hint="hint")
    collector.label("t", "preferred", "tide \udc80")
    read = collector.finish("variant", False)
    assert [each.label() for each in read.vocabulary.concepts] == ["tide \ufffd"]
    assert (read.deprecated, read.without_label) == (1, 1)


def test_two_preferred_labels_in_two_spellings_of_a_language_are_both_kept():
    collector = Collector("file")
    collector.label("t", "preferred", "colour", "en_GB")
    collector.label("t", "preferred", "color", "en-GB")
    read = collector.finish("variant", False)
    (concept,) = read.vocabulary.concepts
    assert (dict(concept.preferred), dict(concept.alternative)) == ({"en-gb": "colour"}, {"en-gb": ("color",)})
    assert read.second_preferred == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, False), ("", False), (False, False), ("false", False), ("No", False), (0, False), (True, True),
     ("TRUE ", True), (1, True)],
)  # fmt: skip
def test_what_says_that_a_concept_is_deprecated(value, expected):
    assert is_deprecated(value, "line 2") is expected


def test_what_says_neither():
    with pytest.raises(InputError, match=r"^line 2: deprecated is 'perhaps': write true or false$"):
        is_deprecated("perhaps", "line 2")

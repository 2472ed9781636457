"""Acronyms that a text introduces itself."""

from __future__ import annotations

import pytest

from mderank import FusionRank
from mderank.ranking.acronyms import find_acronyms
from mderank.tagging import SpacyTagger

TAGGER = SpacyTagger()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Magnetic resonance imaging (MRI) is slow.", {"mri": "Magnetic resonance imaging"}),
        ("A support vector machine (SVM) was trained.", {"svm": "support vector machine"}),
        ("The World Health Organization (WHO) met.", {"who": "World Health Organization"}),
        ("It measures quality of service (QoS) well.", {"qos": "quality of service"}),
        ("They met in the house (BBC) yesterday.", {}),
        ("It is (OK) to go.", {}),
        ("", {}),
    ],
)
def test_the_long_form_has_the_letters(text: str, expected: dict[str, str]) -> None:
    (document,) = TAGGER.tag([text])
    assert find_acronyms(document) == expected


def test_an_acronym_and_its_long_form_are_one_entry() -> None:
    text = "Magnetic resonance imaging (MRI) shows the knee. MRI is slow, and MRI is loud."
    first = FusionRank().extract(text)[0]
    assert first.text == "Magnetic resonance imaging"
    assert set(first.forms) == {"Magnetic resonance imaging", "MRI"}
    assert [text[span.start : span.end] for span in first.spans] == ["Magnetic resonance imaging", "MRI", "MRI", "MRI"]

"""Acronyms that a text introduces itself."""

from __future__ import annotations

import pytest

from mderank import Document, FusionRank
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


def acronyms(text: str) -> dict[str, str]:
    """The acronyms of a text whose words and marks are parted by white space."""
    return find_acronyms(Document.from_tagged([(word, "NN") for word in text.split()], text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("world bank ( WB )", {"wb": "world bank"}),  # at the very end
        ("the world bank [ WB ] met", {"wb": "world bank"}),
        ("the world bank ( WB ] met", {"wb": "world bank"}),
        ("the world bank / WB ) met", {}),
        ("the world bank ( WB / met", {}),
        ("( WB ) met", {}),
        ("( WB ) is the world bank", {}),  # what comes after is no long form
        ("bank ( WB ) met", {}),
        ("world bank ( WB ) and wide band ( WB ) too", {"wb": "world bank"}),  # the first long form counts
        ("world bank ( WB ) and wide net ( WN ) too", {"wb": "world bank", "wn": "wide net"}),
        ("the world\n bank ( WB ) met", {"wb": "world bank"}),
    ],
)
def test_where_an_acronym_is_introduced(text: str, expected: dict[str, str]) -> None:
    assert acronyms(text) == expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("world bank ( WB )", True),
        ("world ( W )", False),  # one letter
        ("world bank ( Wb )", False),  # one capital
        ("world bank ( wb )", False),
        ("a b c d e f g h i j ( ABCDEFGHIJ )", True),  # ten characters
        ("a b c d e f g h i j k ( ABCDEFGHIJK )", False),
        ("two dimensional graph ( 2DG )", False),  # its first character begins no word
        ("2 dimensional graph ( 2DG )", True),
        ("world bank ( -WB )", False),
    ],
)
def test_what_an_acronym_looks_like(text: str, found: bool) -> None:
    assert bool(acronyms(text)) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("global positioning system ( GPS )", {"gps": "global positioning system"}),
        ("general practice ( GPS )", {}),  # a capital S is a letter of the long form
        ("general practitioners ( GPs )", {"gps": "general practitioners"}),  # a small one is a plural
        ("general practice ( GPs )", {"gps": "general practice"}),
        ("research and development ( R&D )", {"r&d": "research and development"}),  # letters and digits count
        ("extensible markup language ( XML )", {}),  # the first letter begins a word
        ("an index of x-ray maps ( RM )", {"rm": "x-ray maps"}),  # or a part of one
        ("short - wave ( SW )", {"sw": "short - wave"}),
        ("short – wave ( SW )", {"sw": "short – wave"}),
        ("input / output ( IO )", {"io": "input / output"}),
        ("readers ' guide ( RG )", {"rg": "readers ' guide"}),
        ("savings & loan ( SL )", {"sl": "savings & loan"}),
        ("of salt , and water ( SW )", {}),  # no long form runs across a comma
        ("metadata ( MDT )", {"mdt": "metadata"}),  # one word, more than twice as long
        ("medata ( MDT )", {}),
        ("my text ( MYTX )", {"mytx": "my text"}),  # two words, of any length
    ],
)
def test_which_letters_the_long_form_needs(text: str, expected: dict[str, str]) -> None:
    assert acronyms(text) == expected


@pytest.mark.parametrize(
    ("acronym", "words"),
    [("WB", 4), ("WBX", 6), ("WBXYZ", 10), ("WBXYZQ", 11), ("WBXYZQV", 12)],
)
def test_a_long_form_has_at_most_twice_as_many_words_as_letters_and_five_more(acronym: str, words: int) -> None:
    first, *others = acronym.lower()
    for count, found in ((words, True), (words + 1, False)):
        between = ["and"] * (count - len(acronym))
        assert bool(acronyms(" ".join([first, *between, *others, "(", acronym, ")"]))) == found


def test_a_long_form_begins_in_its_paragraph() -> None:
    document = Document.from_tagged([(word, "NN") for word in "the world bank ( WB )".split()])
    for start, expected in ((1, {"wb": "world bank"}), (2, {})):
        divided = Document(document.text, document.tokens, frozenset({start}))
        assert find_acronyms(divided) == expected


def test_an_acronym_and_its_long_form_are_one_entry() -> None:
    text = "Magnetic resonance imaging (MRI) shows the knee. MRI is slow, and MRI is loud."
    first = FusionRank().extract(text)[0]
    assert first.text == "Magnetic resonance imaging"
    assert set(first.forms) == {"Magnetic resonance imaging", "MRI"}
    assert [text[span.start : span.end] for span in first.spans] == ["Magnetic resonance imaging", "MRI", "MRI", "MRI"]

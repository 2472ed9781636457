import pytest

from mderank import Document, MDERank, OptionError, PhraseList
from mderank.testing import FakeEncoder, FakeTagger


def read(text):
    return next(FakeTagger().tag([text]))


def find(text, *phrases):
    document = read(text)
    return {
        each.key: [text[slice(*place.span)] for place in each.occurrences]
        for each in PhraseList(phrases).find(document)
    }


def test_any_case_and_over_line_breaks():
    text = "Coral Reefs are reefs, and divers love to see the CORAL\nreefs and coral  reefs."
    assert find(text, "coral reefs", "REEFS") == {
        "coral reefs": ["Coral Reefs", "CORAL\nreefs", "coral  reefs"],
        "reefs": ["Reefs", "reefs", "reefs", "reefs"],
    }


def test_whole_words_only():
    assert find("Reefs and reeflike things", "reef", "reeflike") == {"reeflike": ["reeflike"], "reef": []}


def test_stop_words_and_punctuation_may_be_part_of_a_phrase():
    text = "The C++ state of the art, e-mail and AT&T."
    assert find(text, "c++", "state of the art", "e-mail", "at&t") == {
        "c++": ["C++"],
        "state of the art": ["state of the art"],
        "e-mail": ["e-mail"],
        "at&t": ["AT&T"],
    }


def test_those_that_occur_come_first_in_the_order_of_the_text():
    assert list(find("blue reef red", "none", "red", "blue")) == ["blue", "red", "none"]


def test_how_often_it_was_found():
    found = PhraseList(["reef", "fish"]).find(read("reef reef"))
    assert [(each.key, each.match_count) for each in found] == [("reef", 2), ("fish", 0)]


def test_no_phrase_crosses_a_paragraph():
    assert find("a coral\n\nreef", "coral reef") == {"coral reef": []}


def test_a_place_across_a_paragraph_does_not_stand_in_the_way_of_one_that_overlaps_it():
    assert find("big\n\nbig big", "big big") == {"big big": ["big big"]}


def test_places_do_not_overlap_themselves():
    assert find("big big big", "big big") == {"big big": ["big big"]}


def test_a_phrase_given_twice_is_one():
    assert PhraseList(["reef", " reef ", "coral  reef"]).phrases == ("reef", "coral reef")
    assert list(find("reef", "reef", "Reef")) == ["reef"]


def test_the_words_it_touches():
    document = Document.from_tagged([("graph-based", "JJ"), ("ranking", "NN"), ("methods", "NNS")])
    (only,) = PhraseList(["based ranking"]).find(document)
    assert only.occurrences == (((6, 19), range(2)),)


def test_nothing_to_find():
    assert find("", "reef") == {"reef": []}


@pytest.mark.parametrize("phrases", ["reef", [], ["", "  "]])
def test_what_is_no_list(phrases):
    with pytest.raises(OptionError):
        PhraseList(phrases)


def test_the_result_names_what_is_missing():
    extractor = MDERank(FakeEncoder(), tagger=FakeTagger(), candidates=PhraseList(["reef", "Sea Horse", "whale"]))
    keyphrases = extractor.extract("The reef is near the whale.")
    assert sorted(each.text for each in keyphrases) == ["reef", "whale"]
    assert keyphrases.missing_phrases == ("sea horse",)
    everything_missing = extractor.extract("An old harbour.")
    assert (list(everything_missing), everything_missing.missing_phrases) == ([], ("reef", "sea horse", "whale"))

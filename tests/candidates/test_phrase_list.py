import itertools
import pickle
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank import Document, MDERank, OptionError, PhraseList, Span, Token
from mderank.testing import FakeEncoder, FakeTagger


def read(text):
    return next(FakeTagger().tag([text]))


def find(text, *phrases, match="variant"):
    document = read(text)
    return {
        each.key: [text[slice(*place.span)] for place in each.occurrences]
        for each in PhraseList(phrases, match).find(document)
    }


def missing(text, *phrases):
    listed = PhraseList(phrases)
    return listed.missing(listed.find(read(text)))


def test_any_case_and_over_line_breaks():
    text = "Coral Reefs are reefs, and divers love to see the CORAL\nreefs and coral  reefs."
    assert find(text, "coral reefs", "Reefs") == {
        "coral reefs": ["Coral Reefs", "CORAL\nreefs", "coral  reefs"],
        "reefs": ["Reefs", "reefs", "reefs", "reefs"],
    }


def test_inflections_and_spellings():
    text = (
        "Tide gauges cost more than a tide-gauge, says the tide gauge's owner. Analyses differ, tide\u00adgauges not."
    )
    assert find(text, "tide gauge", "Analysis") == {
        "tide gauge": ["Tide gauges", "tide-gauge", "tide gauge"],
        "analysis": ["Analyses"],
    }


def test_a_dash_between_clauses_is_no_hyphen():
    assert find("They watch the tide - gauges are slow. The tide—gauges.", "tide gauge") == {}


def test_a_word_divided_at_the_end_of_a_line():
    text = "They trust wave fore-\ncasts here."
    document = Document(text, read(text).tokens, divided=(Span(20, 22),))
    (found,) = PhraseList(["wave forecast"]).find(document)
    assert [text[slice(*each.span)] for each in found.occurrences] == ["wave fore-\ncasts"]


def test_inflections_of_other_languages():
    text = "Die Gezeiten heben die Schiffe"
    document = Document.from_tagged([(word, "NOUN") for word in text.split()], tagset="universal", language="de")
    assert [each.key for each in PhraseList(["Schiff", "Gezeit", "Meer"]).find(document)] == ["gezeit", "schiff"]


def test_accents_and_vowel_signs_are_part_of_their_word():
    decomposed = unicodedata.normalize("NFD", "Un café près de la mer")
    assert [*map(len, find(decomposed, "café").values())] == [1]
    assert find(decomposed, "caf", "pr") == {}
    assert list(find("यह हिन्दी है", "हिन्दी", "हिन")) == ["हिन्दी"]


def test_short_acronyms_in_capitals_only():
    text = "It told us who pays: the US and the WHO pay for IT. The GPUs and a GPU. AIDS, not hearing aids."
    assert find(text, "IT", "US", "WHO", "GPU", "AIDS", "hearing aids") == {
        "us": ["US"], "who": ["WHO"], "it": ["IT"], "gpu": ["GPUs", "GPU"], "aids": ["AIDS"],
        "hearing aids": ["hearing aids"],
    }  # fmt: skip


def test_a_pronoun_in_a_heading_in_capitals_is_no_acronym():
    def found(*lines, phrases=("US", "WHO")):
        tokens, text = [], ""
        for line in lines:
            for word in line.split():
                form, tag = word.split("/")
                tokens.append(Token(form, tag, len(text), len(text) + len(form)))
                text += form + " "
            text = text[:-1] + "\n"
        document = Document(text, tuple(tokens))
        return [each.first for each in PhraseList(phrases).find(document)]

    assert found("CONTACT/VB US/PRP", "Write/VB us/PRP") == []
    assert found("WHO/WP WE/PRP ARE/VBP", "The/DT WHO/WP warns/VBZ") == [15]
    assert found("US/NNP SENATE/NNP VOTES/VBZ") == [0]
    assert found("WHO/WP", "ABOUT/IN THE/DT OFFICE/NN") == [0]
    assert found("EURO/NNP WHO/WP AFRO/NNP") == [5]
    assert found("Contact/VB US/PRP OFFICE/NNP") == [8]
    assert found("US/PRP POLICY/NN NOW/RB", phrases=["US policy"]) == [0]


def test_capitals_inside_a_phrase_count_where_it_would_read_otherwise():
    text = "A WHO report, and those who report it. An IT Service. An api key."
    assert find(text, "WHO report", "IT service", "API key") == {
        "who report": ["WHO report"], "it service": ["IT Service"], "api key": ["api key"],
    }  # fmt: skip


def test_a_list_in_capitals_says_nothing_of_acronyms():
    assert find("The tide turns it.", "TIDE", "IT", "ESTUARIES") == {"tide": ["tide"]}


def test_an_acronym_and_a_word_that_are_spelled_alike():
    found = PhraseList(["aids", "AIDS"]).find(read("aids and AIDS"))
    assert [(each.listed, len(each.occurrences)) for each in found] == [((0,), 1), ((1,), 1)]


def test_in_any_case_only_and_as_written():
    text = "Tide gauges, tide gauge, Tide Gauge, it."
    assert find(text, "tide gauge", "IT", match="case") == {"tide gauge": ["tide gauge", "Tide Gauge"], "it": ["it"]}
    assert find(text, "tide gauge", "IT", match="exact") == {"tide gauge": ["tide gauge"]}


def test_nothing_in_addresses():
    words = ("See", "https://tide-gauge.org/gauge", "or", "ask", "gauge@tide.org", "for", "a", "tide-gauge")
    document = Document.from_tagged([(word, "NN") for word in words])
    found = PhraseList(["tide gauge", "gauge"]).find(document)
    assert [document.text[slice(*place.span)] for each in found for place in each.occurrences] == [
        "tide-gauge",
        "gauge",
    ]


def test_whole_words_only():
    assert find("Reefs and reeflike things", "ree", "reeflike") == {"reeflike": ["reeflike"]}


def test_stop_words_and_punctuation_may_be_part_of_a_phrase():
    text = "The C++ state of the art, e-mail and AT&T."
    assert find(text, "c++", "state of the art", "e-mail", "at&t") == {
        "c++": ["C++"],
        "state of the art": ["state of the art"],
        "e-mail": ["e-mail"],
        "at&t": ["AT&T"],
    }


def test_those_that_occur_come_first_in_the_order_of_the_text():
    assert list(find("blue reef red", "none", "red", "blue")) == ["blue", "red"]
    assert missing("blue reef red", "none", "red", "blue") == ("none",)


def test_how_often_it_was_found():
    found = PhraseList(["reef", "fish"]).find(read("reef reef"))
    assert [(each.key, each.match_count) for each in found] == [("reef", 2)]


def test_no_phrase_crosses_a_paragraph():
    assert find("a coral\n\nreef", "coral reef") == {}


def test_a_place_across_a_paragraph_does_not_stand_in_the_way_of_one_that_overlaps_it():
    assert find("big\n\nbig big", "big big") == {"big big": ["big big"]}


def test_places_do_not_overlap_themselves():
    assert find("big big big", "big big") == {"big big": ["big big"]}


def test_a_phrase_given_twice_is_one():
    assert PhraseList(["reef", " reef ", "coral  reef"]).phrases == ("reef", "coral reef")
    assert list(find("reef", "reef", "Reef")) == ["reef"]
    assert missing("reef", "Reefs", "reef", "Sea") == ("Sea",)
    assert missing("sea", "Reefs", "reef", "Sea") == ("Reefs", "reef")


def test_the_words_it_touches():
    document = Document.from_tagged([("graph-based", "JJ"), ("ranking", "NN"), ("methods", "NNS")])
    (only,) = PhraseList(["based ranking"]).find(document)
    assert only.occurrences == (((6, 19), range(2)),)


def test_nothing_to_find():
    assert find("", "reef") == {}
    assert missing("", "Reef") == ("Reef",)


def test_of_many_missing_phrases_output_has_the_count():
    listed = PhraseList([f"Reef {number}" for number in range(500)])
    keyphrases = MDERank(FakeEncoder(), tagger=FakeTagger(), candidates=listed).extract("They saw reef 7 there.")
    assert keyphrases.texts == ["reef 7"]
    assert keyphrases.missing_count == 499
    assert "Reef 8" in keyphrases.missing_phrases
    assert list(keyphrases.missing_phrases[:2]) == ["Reef 0", "Reef 1"]
    assert pickle.loads(pickle.dumps(keyphrases.missing_phrases)) == tuple(keyphrases.missing_phrases)
    assert (keyphrases.to_dict()["missing_phrases"], keyphrases.to_dict()["missing_count"]) == ([], 499)


def test_it_can_be_sent_to_another_process():
    listed = PhraseList(["reef"], "case")
    listed.find(read("reef"))
    copy = pickle.loads(pickle.dumps(listed))
    assert copy == listed
    assert copy.find(read("The Reef"))


def test_variants_of_a_listed_phrase_are_one_keyphrase():
    extractor = MDERank(FakeEncoder(), tagger=FakeTagger(), candidates=PhraseList(["GPU"]))
    (only,) = extractor.extract("GPUs heat. A GPU cools. GPUs cost.")
    assert (only.text, only.forms, len(only.spans)) == ("GPUs", ("GPUs", "GPU"), 3)


_WORDS = st.sampled_from(
    ["Tide", "gauges", "US", "us", "the", "C++", "sea-level", "rise", "café", "WHO", "o'clock", "\n\n"]
)


@given(st.lists(_WORDS, max_size=12), st.lists(st.lists(_WORDS, min_size=1, max_size=3), min_size=1, max_size=5))
def test_spans_slice_back_and_every_phrase_is_found_in_its_own_text(words, phrases):
    text = " ".join(words)
    listed = PhraseList(["x", *map(" ".join, phrases)])
    for each in listed.find(read(text)):
        assert each.occurrences
        for before, after in itertools.pairwise(each.occurrences):
            assert before.span.end <= after.span.start
        for (start, end), tokens in each.occurrences:
            assert text[start:end].strip() == text[start:end] != ""
            assert tokens
            assert read(text).tokens[tokens[0]].start <= start < end <= read(text).tokens[tokens[-1]].end
    for phrase in listed.phrases:
        document = read(phrase)
        (own,) = [each for each in listed.find(document) if listed.phrases.index(phrase) in each.listed]
        assert [document.text[slice(*place.span)] for place in own.occurrences] == [phrase]


def test_an_unknown_way_to_match():
    with pytest.raises(OptionError, match="one of variant, case, exact"):
        PhraseList(["reef"], "stem")


@pytest.mark.parametrize("phrases", ["reef", [], ["", "  "], ["reef", 3]])
def test_what_is_no_list(phrases):
    with pytest.raises(OptionError):
        PhraseList(phrases)


def test_the_result_names_what_is_missing():
    extractor = MDERank(FakeEncoder(), tagger=FakeTagger(), candidates=PhraseList(["reef", "Sea Horse", "whale"]))
    keyphrases = extractor.extract("The reef is near the whale.")
    assert sorted(each.text for each in keyphrases) == ["reef", "whale"]
    assert keyphrases.missing_phrases == ("Sea Horse",)
    everything_missing = extractor.extract("An old harbour.")
    assert (list(everything_missing), everything_missing.missing_phrases) == ([], ("reef", "Sea Horse", "whale"))

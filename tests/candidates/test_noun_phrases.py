import pytest

from mderank import Document, NounPhrases, OptionError


def keys(document, **options):
    return [each.key for each in NounPhrases(**options).find(document)]


def test_adjectives_and_nouns_that_end_in_a_noun(tagged):
    document = tagged("the/DT fast/JJ graph/NN algorithms/NNS run/VBP Fast/NNP cars/NNPS old/JJ")
    assert keys(document) == ["fast graph algorithms", "fast cars"]


def test_the_longest_stretch_is_the_phrase(tagged):
    assert keys(tagged("graph/NN theory/NN red/JJ")) == ["graph theory"]


def test_comparatives_and_verbs_are_no_adjectives(tagged):
    assert keys(tagged("faster/JJR cars/NNS")) == ["cars"]
    assert keys(tagged("running/VBG cars/NNS")) == ["cars"]


def test_universal_tags(tagged):
    document = tagged("der/DET schnelle/ADJ Graph/NOUN Berlin/PROPN läuft/VERB", tagset="universal", language="xx")
    assert keys(document) == ["schnelle graph berlin"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("<NN.*>", ["graph", "theory", "sea", "level"]),
        ("<NN.*>+", ["graph theory", "sea level"]),
        ("<JJ>?<NN>{2}", ["graph theory", "sea level"]),
        ("<NN><IN><NN>", ["theory versus sea"]),
        ("<NN> <IN>  <NN>", ["theory versus sea"]),
        ("(<NN>|<JJ>)+", ["graph theory", "sea level", "old"]),
        ("<NN|JJ>", ["graph", "theory", "sea", "level", "old"]),
        ("<VB.*>", []),
        ("<N>", []),
        ("<X>*", []),
    ],
)
def test_patterns(tagged, pattern, expected):
    document = tagged("graph/NN theory/NN versus/IN sea/NN level/NN at/RB old/JJ")
    assert keys(document, pattern=pattern) == expected


@pytest.mark.parametrize(
    "pattern",
    ["", "NN", "<NN", "NN>", "<NN>*JJ", "<NN>**", "(<NN>", "<NN>)", "<(>", "*<NN>", "<NN>{2,1}", "<NN>{99999999999}",
     "<[>", "<NN>$", "(" * 5_000 + "<NN>" + ")" * 5_000],
)  # fmt: skip
def test_bad_patterns(pattern):
    with pytest.raises(OptionError, match="the pattern"):
        NounPhrases(pattern)


def test_the_message_about_a_bad_pattern_shows_how_to_write_one():
    with pytest.raises(OptionError, match=r"the pattern 'NN\+' has .*'<JJ>\*<NN\.\*>'"):
        NounPhrases("NN+")


def test_no_stop_word_inside(tagged):
    assert keys(tagged("other/JJ reefs/NNS")) == ["reefs"]
    assert keys(tagged("reefs/NNS several/JJ fish/NN")) == ["reefs", "fish"]
    assert keys(tagged("Such/JJ fish/NN")) == ["fish"]


def test_more_stop_words(tagged):
    assert keys(tagged("new/JJ reefs/NNS"), stop_words=frozenset({"New"})) == ["reefs"]


def test_stop_words_of_another_language(tagged):
    document = tagged("andere/ADJ Riffe/NOUN other/ADJ", tagset="universal", language="de")
    assert keys(document) == ["riffe"]
    unknown = tagged("andere/ADJ Riffe/NOUN", tagset="universal", language="qq")
    assert keys(unknown) == ["andere riffe"]


def test_longer_phrases_are_passed_over_whole(tagged):
    document = tagged("a1/NN b2/NN c3/NN is/VBZ d4/NN e5/NN")
    assert keys(document, max_phrase_words=2) == ["d4 e5"]
    assert keys(document, max_phrase_words=3) == ["a1 b2 c3", "d4 e5"]
    assert keys(document, max_phrase_words=None) == ["a1 b2 c3", "d4 e5"]


def test_eight_words_by_default(tagged):
    words = [f"w{number}/NN" for number in range(9)]
    assert keys(tagged(" ".join(words))) == []
    assert len(keys(tagged(" ".join(words[:8])))) == 1


@pytest.mark.parametrize("max_phrase_words", [0, -1])
def test_max_phrase_words_out_of_range(max_phrase_words):
    with pytest.raises(OptionError, match="max_phrase_words must be at least 1"):
        NounPhrases(max_phrase_words=max_phrase_words)


def test_lone_letters_and_numbers_are_no_phrases(tagged):
    assert keys(tagged("x/NN is/VBZ n./NN and/CC 12/NN and/CC é/NN and/CC 数/NN")) == ["é", "数"]
    assert keys(tagged("x/NN axis/NN and/CC 12/NN monkeys/NNS")) == ["x axis", "12 monkeys"]


def test_punctuation_ends_a_phrase_whatever_its_tag(tagged):
    assert keys(tagged("coral/NN */NN reefs/NN")) == ["coral", "reefs"]


def test_what_cannot_be_read_ends_a_phrase(tagged):
    assert keys(tagged("coral/NN \ufffd/NN re\ufffdefs/NN fish/NN")) == ["coral", "fish"]


def test_a_phrase_does_not_cross_a_paragraph(tagged):
    assert keys(tagged("coral/NN ¶ reefs/NNS")) == ["coral", "reefs"]


def test_the_possessive_ends_a_phrase_unless_the_pattern_has_it(tagged):
    document = tagged("Zipf/NNP 's/POS law/NN")
    assert keys(document) == ["zipf", "law"]
    assert keys(document, pattern="<NN.*>+<POS>?<NN.*>") == ["zipf 's law"]


def test_a_pattern_that_names_a_tag_of_function_words_takes_stop_words_of_that_tag(tagged):
    document = tagged("quality/NN of/IN service/NN and/CC the/DT cost/NN of/IN a/DT call/NN")
    assert keys(document, pattern="<NN.*|JJ>*<NN.*><IN><NN.*>+") == ["quality of service"]
    assert keys(document, pattern="<NN><IN><DT>?<NN>") == ["quality of service", "cost of a call"]
    assert keys(document, pattern="<NN><[CI][CN]><NN>") == ["quality of service"]


def test_a_pattern_in_universal_tags_takes_stop_words_too(tagged):
    document = tagged("Anspruch/NOUN auf/ADP Arbeit/NOUN", tagset="universal", language="de")
    assert keys(document, pattern="<NOUN><ADP><NOUN>") == ["anspruch auf arbeit"]


def test_other_stop_words_hold_for_patterns_too(tagged):
    document = tagged("other/JJ reefs/NNS of/IN several/JJ corals/NNS")
    for pattern in ("<JJ>*<NN.*>", "<.*>+", "<[^V].*>+", "<NNS>+<CC>?"):
        assert keys(document, pattern=pattern) == ["reefs", "corals"]
    assert keys(document, pattern="<NNS><IN>?<JJ>*<NNS>") == []


def test_stop_words_of_the_user_hold_for_every_pattern(tagged):
    document = tagged("reefs/NNS of/IN coral/NN")
    assert keys(document, pattern="<NNS><IN><NN>") == ["reefs of coral"]
    assert keys(document, pattern="<NNS><IN><NN>", stop_words=frozenset({"Of"})) == []


@pytest.mark.slow
def test_many_adjectives_do_not_hang(tagged):
    assert keys(tagged("fast/JJ " * 100_000)) == []


@pytest.mark.slow
def test_many_nouns(tagged):
    assert keys(tagged("data/NN " * 100_000)) == []
    found = NounPhrases("<NN>").find(tagged("data/NN " * 100_000))
    assert [(each.key, each.match_count, len(each.occurrences)) for each in found] == [("data", 100_000, 100_000)]


def test_a_string_of_more_than_a_hundred_characters_is_no_word():
    words = [("a" * 100, "NN"), ("is", "VBZ"), ("b" * 101, "NN"), ("storm", "NN")]
    assert [each.key for each in NounPhrases().find(Document.from_tagged(words))] == ["a" * 100, "storm"]


def test_nested_phrases_are_those_of_two_different_ones(tagged):
    document = tagged(
        "masked/JJ language/NN model/NN ,/, language/NN model/NN training/NN ,/, big/JJ language/NN model/NN"
    )
    assert keys(document) == ["masked language model", "language model training", "big language model"]
    nested = NounPhrases(nested=True).find(document)
    (part,) = [each for each in nested if each.key == "language model"]
    assert len(part.occurrences) == 3
    assert len(nested) == 4


def test_a_phrase_twice_the_same_makes_no_nested_one(tagged):
    document = tagged("deep/JJ sea/NN level/NN rises/VBZ deep/JJ sea/NN level/NN")
    assert keys(document, nested=True) == ["deep sea level"]


def test_nested_phrases_match_the_pattern_and_have_two_words(tagged):
    document = tagged("old/JJ red/JJ sea/NN level/NN ,/, new/JJ old/JJ red/JJ bus/NN")
    assert keys(document, nested=True) == ["old red sea level", "new old red bus"]


def test_a_nested_phrase_that_also_stands_alone_is_one_candidate(tagged):
    document = tagged("graph/NN theory/NN ,/, old/JJ graph/NN theory/NN ,/, new/JJ graph/NN theory/NN")
    assert keys(document, nested=True) == ["graph theory", "old graph theory", "new graph theory"]

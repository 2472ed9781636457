"""Where a candidate stands: the same for noun phrases and n-grams."""

from mderank import Document, NGrams, NounPhrases
from mderank.candidates import base


def test_case_variants_are_one_candidate(tagged, places):
    document = tagged("Deep/JJ Learning/NN and/CC deep/JJ learning/NN and/CC DEEP/JJ LEARNING/NN")
    (only,) = NounPhrases().find(document)
    assert (only.key, only.match_count) == ("deep learning", 3)
    assert places(document, [only]) == {"deep learning": ["Deep Learning", "deep learning", "DEEP LEARNING"]}


def test_places_inside_longer_phrases_count(tagged, places):
    document = tagged("support/NN vector/NN machine/NN and/CC support/NN vector/NN and/CC vector/NN")
    found = NounPhrases().find(document)
    assert [(each.key, each.match_count, len(each.occurrences)) for each in found] == [
        ("support vector machine", 1, 1),
        ("support vector", 1, 2),
        ("vector", 1, 3),
    ]
    assert [place.words for place in found[1].occurrences] == [range(2), range(4, 6)]
    assert [place.span for place in found[2].occurrences] == [(8, 14), (35, 41), (46, 52)]


def test_places_count_whatever_their_tags(tagged):
    (only,) = NounPhrases().find(tagged("dive/NN and/CC they/PRP dive/VBP"))
    assert (only.match_count, len(only.occurrences)) == (1, 2)


def test_places_do_not_overlap_themselves(tagged):
    document = tagged("very/RB data/NN data/NN is/VBZ data/NN data/NN data/NN data/NN data/NN")
    two = next(each for each in NounPhrases(max_phrase_words=5).find(document) if each.key == "data data")
    assert (two.match_count, [place.words for place in two.occurrences]) == (1, [range(1, 3), range(4, 6), range(6, 8)])


def test_places_do_not_cross_a_paragraph(tagged):
    document = tagged("coral/NN reef/NN is/VBZ coral/NN ¶ reef/NN")
    (pair, *_) = NounPhrases().find(document)
    assert (pair.key, [place.words for place in pair.occurrences]) == ("coral reef", [range(2)])


def test_by_first_place_and_there_the_longest_first(tagged):
    document = tagged("graph/NN theory/NN is/VBZ graph/NN and/CC tree/NN")
    assert [each.key for each in NounPhrases().find(document)] == ["graph theory", "graph", "tree"]
    assert NounPhrases().find(document)[1].first == 0


def test_the_same_words_found_by_ngrams(tagged):
    document = tagged("data/NN data/NN data/NN")
    found = {each.key: (each.match_count, len(each.occurrences)) for each in NGrams(1, 3).find(document)}
    assert found == {"data": (3, 3), "data data": (2, 1), "data data data": (1, 1)}


def test_letters_whose_lower_case_is_longer(tagged, places):
    document = tagged("İstanbul/NNP and/CC ẞ/NNP and/CC straße/NN and/CC STRASSE/NN")
    assert places(document, NounPhrases().find(document)) == {
        "i̇stanbul": ["İstanbul"],
        "ß": ["ẞ"],
        "straße": ["straße"],
        "strasse": ["STRASSE"],
    }


def test_an_empty_document(tagged):
    assert NounPhrases().find(tagged("")) == []
    assert NGrams().find(tagged("")) == []


def test_phrases_of_all_lengths_are_found_in_one_reading(monkeypatch):
    """A word is looked up for the phrases that it may continue, and not for every length of a phrase."""
    looked_up = 0

    class Counted(dict):
        def get(self, word, default=None):
            nonlocal looked_up
            looked_up += 1
            return super().get(word, default)

    class Node(base._Node):
        def __init__(self):
            super().__init__()
            self.branches = Counted()

    monkeypatch.setattr(base, "_Node", Node)
    words = 500
    document = Document.from_tagged([(f"w{number}", "NN") for number in range(words)])
    keys = [tuple(f"w{number + place}" for place in range(length)) for number, length in enumerate(range(1, 60))]
    found = base.find_occurrences(document, keys)
    places = [[place.words for place in found[key]] for key in keys]
    assert places == [[range(number, number + len(key))] for number, key in enumerate(keys)]
    assert looked_up <= 2 * words + sum(map(len, keys))

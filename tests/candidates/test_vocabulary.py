import pickle
from dataclasses import replace

import pytest

from mderank import Concept, Document, FusionRank, MDERank, OptionError, Vocabulary
from mderank.keyphrase import ConceptLabel
from mderank.testing import FakeEncoder, FakeTagger

GAUGE = Concept("t1", {"en": "tide gauge", "de": "Pegel"}, {"en": ["mareograph", "TG"]}, {"en": ["tide gage"]})
SURGE = Concept("t2", {"en": "storm surge"}, {"en": ["surge"]})
TIDE = Concept("t3", {"en": "tide", "en-gb": "tidal movement"})


def read(text, language="en"):
    return replace(next(FakeTagger().tag([text])), language=language)


def find(text, *concepts, language="en", **options):
    found = Vocabulary(concepts, **options).find(read(text, language))
    return {each.concept.id: [text[slice(*place.span)] for place in each.occurrences] for each in found}


# --- concepts ---------------------------------------------------------------------------------------------------------


def test_labels_of_a_concept():
    assert [*GAUGE.labels()] == [
        ("preferred", "en", "tide gauge"), ("preferred", "de", "Pegel"),
        ("alternative", "en", "mareograph"), ("alternative", "en", "TG"), ("hidden", "en", "tide gage"),
    ]  # fmt: skip
    assert Concept("x", " tide  gauge ", ["", "tide", "tide"]).alternative == {"": ("tide",)}
    assert Concept("x", {"EN_gb": "tide"}).preferred == {"en-gb": "tide"}


@pytest.mark.parametrize(
    ("language", "otherwise", "label"),
    [
        ("de", "en", "Pegel"),
        ("en", "", "tide gauge"),
        ("fr", "de", "Pegel"),
        ("fr", "", "tide gauge"),
        ("", "it", "tide gauge"),
    ],
)
def test_the_preferred_label_in_a_language_or_another(language, otherwise, label):
    assert GAUGE.label(language, otherwise) == label


def test_a_language_with_a_region_has_the_inflections_of_the_language():
    vocabulary = Vocabulary([Concept("x", {"en-GB": "policy"})])
    assert [bool(vocabulary.concept_of("policies", each)) for each in ("en", "en-GB", "EN_us")] == [True] * 3


def test_labels_of_regions_and_of_no_language():
    assert TIDE.label("en-gb") == "tidal movement"
    assert Concept("x", {"pt-br": "maré"}).label("pt") == "maré"
    assert Concept("x", {"de": "Tide", "en_US": "tide"}).label("en-GB") == "tide"
    assert Concept("x", {"de": "Tide", "en-GB": "tide"}).label("en-GB") == "tide"
    assert Concept("x", {"de": "Tide", "": "tide"}).label("fr", "de") == "tide"
    assert Concept("x", {}, hidden=["tide"]).label() == "tide"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", "tide"), "a concept's id is a text that is not empty"),
        ((3, "tide"), "a concept's id is a text"),
        (("x", " "), "the concept 'x' has no label: give it a preferred label"),
        (("x", "tide", "flux"), r"the alternative labels of 'x' are several texts, not one: alternative=\['flux'\]"),
        (("x", "tide", [3]), "a label of the concept 'x' is 3: a label is a text"),
        (("x", "tide", {"en": "flux"}), r"the labels of 'x' in 'en' are several texts, not one: \['flux'\]"),
        (("x", None), "the preferred label of 'x' is a text, or a text per language, not None"),
        (("x", ["tide"]), r"not \['tide'\]"),
        (("x", {3: "tide"}), "a label of the concept 'x' has the language 3: a language is a code"),
    ],
)
def test_concepts_that_cannot_be(arguments, message):
    with pytest.raises(OptionError, match=message):
        Concept(*arguments)


# --- finding ----------------------------------------------------------------------------------------------------------


def test_all_labels_are_one_candidate():
    text = "Mareographs cost more than a tide-gauge. A TG and a tide gage are alike; tg is nothing."
    assert find(text, GAUGE) == {"t1": ["Mareographs", "tide-gauge", "TG", "tide gage"]}


def test_a_candidate_names_its_concept_in_the_language_of_the_document():
    (found,) = Vocabulary([TIDE, GAUGE]).find(read("Ein Pegel steht hier", "de"))
    assert (found.concept, found.key, found.listed) == (ConceptLabel("t1", "Pegel"), "pegel", (1,))


def test_labels_of_other_languages_are_not_found():
    dies = Concept("d", {"en": "die", "la": "Mus musculus", "": "C++"})
    assert find("die Maus Mus musculus in C++", dies, Concept("e", {"de": "Maus"}), language="de") == {
        "d": ["Mus musculus", "C++"],
        "e": ["Maus"],
    }


def test_a_language_that_the_vocabulary_lacks():
    vocabulary = Vocabulary([GAUGE, SURGE, TIDE])
    document = read("Le tide gauge et le Pegel", "fr")
    assert [each.concept.label for each in vocabulary.find(document)] == ["tide gauge"]
    (note,) = vocabulary.notes(document)
    assert note.startswith("the vocabulary has no labels in 'fr': those in 'en' were looked for")
    assert vocabulary.notes(read("tide")) == ()
    assert Vocabulary([Concept("x", "tide")]).notes(document) == ()
    extractor = MDERank(FakeEncoder(), tagger=FakeTagger(), candidates=vocabulary)
    assert extractor.extract(document).language.warnings == (note,)


def test_a_text_of_an_unknown_language_has_labels_of_all():
    assert find("A tide gauge, ein Pegel", GAUGE, language="") == {"t1": ["tide gauge", "Pegel"]}


def test_the_most_specific_concept():
    text = "A storm surge is no tide gauge, and a tide no surge."
    assert find(text, GAUGE, SURGE, TIDE) == {"t2": ["storm surge", "surge"], "t1": ["tide gauge"], "t3": ["tide"]}
    assert find(text, GAUGE, SURGE, TIDE, nested=True)["t3"] == ["tide", "tide"]


def test_labels_that_overlap_each_other_are_both_found():
    concepts = Concept("a", "surface water"), Concept("b", "water quality"), Concept("c", "water")
    assert find("surface water quality", *concepts) == {"a": ["surface water"], "b": ["water quality"]}


def test_occurrences_of_a_concept_do_not_overlap():
    assert find("storm surge barrier", Concept("a", "storm surge", ["surge barrier", "surge"]), nested=True) == {
        "a": ["storm surge"]
    }


def test_a_label_of_several_concepts():
    bank, shore = Concept("bank", "bank"), Concept("shore", "shore", ["bank"])
    assert find("The bank", shore, bank) == {"bank": ["bank"]}
    hidden, alternative = Concept("h", "x", hidden=["bank"]), Concept("a", "y", ["bank"])
    assert find("The bank", hidden, alternative, Concept("b", "z", ["Banks"])) == {"a": ["bank"]}
    (label,) = Vocabulary([hidden, alternative, shore]).ambiguous()
    assert (label.label, label.is_found) == ("bank", True)
    assert [(concept.id, kind) for concept, kind in label.concepts] == [
        ("a", "alternative"), ("shore", "alternative"), ("h", "hidden"),
    ]  # fmt: skip


def test_labels_with_a_qualifier():
    planet, metal = Concept("p", "Mercury (planet)"), Concept("m", "mercury (metal)")
    text = "Mercury is near, Mercury (planet) too"
    assert find(text, planet) == {"p": ["Mercury", "Mercury (planet)"]}
    assert find(text, planet, metal) == {"p": ["Mercury (planet)"]}
    (label,) = Vocabulary([planet, metal]).ambiguous()
    assert (label.label, label.is_found, [each.id for each, _ in label.concepts]) == ("Mercury", False, ["p", "m"])
    assert Vocabulary([planet, metal]).concept_of("mercury") is None
    assert find(text, planet, Concept("n", "mercury")) == {"n": ["Mercury"], "p": ["Mercury (planet)"]}
    assert Vocabulary([planet, Concept("n", "mercury")]).ambiguous() == []


def test_ways_to_match():
    text = "Tide gauges, tide gauge, Tide Gauge"
    assert find(text, GAUGE, match="case") == {"t1": ["tide gauge", "Tide Gauge"]}
    assert find(text, GAUGE, match="exact") == {"t1": ["tide gauge"]}


def test_missing_concepts_are_named_by_their_main_labels_and_counted_where_they_are_many():
    vocabulary = Vocabulary([GAUGE, SURGE, *(Concept(f"r{number}", f"reef {number}") for number in range(3))])
    found = vocabulary.find(read("A surge at reef 1"))
    assert vocabulary.missing(found) == ("tide gauge", "reef 0", "reef 2")
    large = Vocabulary([Concept(f"r{number}", f"reef {number}") for number in range(500)])
    extractor = MDERank(FakeEncoder(), tagger=FakeTagger(), candidates=large)
    keyphrases = extractor.extract("At reef 7 and reef 8")
    assert (keyphrases.missing_count, keyphrases.to_dict()["missing_phrases"]) == (498, [])


def test_the_concept_of_a_phrase():
    vocabulary = Vocabulary([GAUGE, SURGE])
    assert vocabulary.concept_of("Mareographs") is GAUGE
    assert vocabulary.concept_of("Pegel") is None
    assert vocabulary.concept_of("Pegel", "de") is GAUGE
    assert vocabulary.concept_of("mareographs of old") is None
    assert Vocabulary([Concept("x", "tide")]).concept_of("tides").id == "x"


def test_languages_of_the_labels():
    vocabulary = Vocabulary([GAUGE, TIDE, Concept("x", "C++")])
    assert (vocabulary.languages, vocabulary.main_language) == (("en", "de", ""), "en")
    assert Vocabulary([Concept("x", {"la": "Mus"})]).main_language == ""


def test_labels_of_a_concept_are_one_keyphrase_in_every_way_to_merge():
    text = "A mareograph is a tide gauge. Tide gauges float."
    for dedupe in ("none", "case", "variant", "stem"):
        extractor = MDERank(FakeEncoder(), tagger=FakeTagger(), candidates=Vocabulary([GAUGE]), dedupe=dedupe)
        (keyphrase,) = extractor.extract(text)
        assert keyphrase.concept == ConceptLabel("t1", "tide gauge")
        assert [text[slice(*span)] for span in keyphrase.spans] == ["mareograph", "tide gauge", "Tide gauges"]


def test_the_default_method_with_a_vocabulary():
    found = FusionRank(candidates=Vocabulary([GAUGE, SURGE])).extract("The surges rise at the mareographs.")
    assert {each.text: each.concept.label for each in found} == {"surges": "storm surge", "mareographs": "tide gauge"}


def test_it_is_pickled_without_its_indexes():
    vocabulary = Vocabulary([GAUGE, SURGE], "case", nested=True)
    vocabulary.find(read("tide gauge"))
    copy = pickle.loads(pickle.dumps(vocabulary))
    assert (copy, hash(copy), copy.nested) == (vocabulary, hash(vocabulary), True)
    assert len(pickle.dumps(vocabulary)) < 1_000
    assert [each.concept for each in copy.find(read("tide gauge"))] == [ConceptLabel("t1", "tide gauge")]
    assert repr(copy) == "<Vocabulary of 2 concepts>"
    assert len(copy) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([[]], "the vocabulary is empty: give at least one concept"),
        ([TIDE], "a vocabulary has several concepts, not one"),
        ([["tide"]], "a vocabulary has concepts, not 'tide'"),
        ([[TIDE, TIDE]], "the vocabulary has 2 concepts with the id 't3': join their labels in one"),
        ([[TIDE], "stem"], "match='stem' is unknown"),
    ],
)
def test_vocabularies_that_cannot_be(arguments, message):
    with pytest.raises(OptionError, match=message):
        Vocabulary(*arguments)


def test_a_word_of_a_document_without_words():
    assert Vocabulary([TIDE]).find(Document("", ())) == []

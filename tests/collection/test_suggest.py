"""Phrases of a collection that a vocabulary lacks."""

from __future__ import annotations

import json

import pytest

from mderank import Concept, Keyphrase, Keyphrases, LanguageInfo, OptionError, Span, Vocabulary
from mderank.collection import open_output, suggest_concepts
from mderank.keyphrase import ConceptLabel

VOCABULARY = Vocabulary([
    Concept("t1", "storm surge"), Concept("t2", "surge"), Concept("t3", "tide gauge network"), Concept("t4", "data"),
    Concept("t5", {"de": "Flut"}),
])  # fmt: skip


def found(*phrases, language="en", confidence=0.9):
    keyphrases = [Keyphrase(text, 1.0, 1.0, (Span(0, len(text)),), (text,), confidence=confidence) for text in phrases]
    return Keyphrases(keyphrases, language=LanguageInfo(language))


def suggest(*results, **options):
    return suggest_concepts(results, VOCABULARY, **{"min_documents": 1, **options})


def texts(suggestions):
    return [each.text for each in suggestions]


def test_forms_of_labels_are_left_out_and_variants_count_together():
    suggestions = suggest(
        found("salt marsh", "Storm surges", "harbour"), found("storm-surge", "Salt marshes"), found("salt marsh")
    )
    assert texts(suggestions) == ["salt marsh", "harbour"]
    marsh = suggestions[0]
    assert marsh.variants == (("salt marsh", 2), ("Salt marshes", 1))
    assert (marsh.documents, marsh.occurrences, marsh.confidence) == (3, 3, pytest.approx(0.9))
    assert marsh.weight == pytest.approx((1 + 0.63093 + 1) * 0.9, abs=1e-4)
    assert [each.id for each in marsh.examples] == [0, 2, 1]


def test_an_acronym_is_spelled_out_where_a_document_does():
    def document(text, *forms, key):
        spans = tuple(Span(start, start + 1) for start in range(len(forms)))
        return Keyphrases([Keyphrase(text, 1.0, 1.0, spans, forms, key=key, confidence=0.9)])

    suggestions = suggest(
        document("WHGs", "WHGs", "wave height gauge", key="wave height gauge"),
        document("WHGs", "WHGs", key="wave height gauge"),
        document("GPU", "GPU", key="gpu"),
    )
    assert [(each.text, [form for form, _ in each.variants]) for each in suggestions] == [
        ("wave height gauge", ["WHGs", "wave height gauge"]), ("GPU", ["GPU"]),
    ]  # fmt: skip


def test_the_nearest_concept_and_what_the_phrase_is_to_it():
    phrases = (
        "coastal storm surge",
        "tide gauge",
        "gauge data sets",
        "dwarf network",
        "harbour",
        "surge protection",
        "network",
    )
    near = {each.text: (each.nearest and each.nearest.id, each.relation) for each in suggest(found(*phrases))}
    assert near == {
        "coastal storm surge": ("t1", "narrower"),  # and not of "surge"
        "tide gauge": ("t3", "related"),
        "gauge data sets": ("t4", "related"),
        "dwarf network": (None, None),
        "harbour": (None, None),
        "surge protection": ("t2", "related"),
        "network": ("t3", "broader"),
    }
    assert suggest(found("tide gauge readings"))[0].relation == "related"
    (dike,) = suggest(found("Flut von 1962", language="de"))
    assert (dike.nearest.id, dike.relation) == ("t5", "narrower")


def test_phrases_that_readers_would_hardly_accept():
    results = (
        found("approach", confidence=0.3),
        found("salt marsh", confidence=0.7),
        found("salt marsh", confidence=0.9),
    )
    assert texts(suggest(*results)) == ["salt marsh"]
    assert texts(suggest(*results, min_confidence=0.0)) == ["salt marsh", "approach"]
    assert suggest(found("approach", confidence=None))[0].confidence is None


def test_the_best_phrases_of_enough_documents():
    results = found("marsh", "eel"), found("marsh", "cod"), found("marsh", "eel")
    assert texts(suggest(*results, top_k=1)) == ["marsh"]
    assert texts(suggest(*results, min_documents=2)) == ["marsh", "eel"]
    assert suggest(*results, examples=1)[0].examples[0].id == 0


def test_labels_of_the_documents_languages_count():
    assert texts(suggest(found("Fluten", "Watt", language="de"), found("marsh"))) == ["marsh", "Watt"]
    assert texts(suggest(found("Surges"), language="en")) == []


def test_keyphrases_of_a_vocabulary_are_refused():
    keyphrase = Keyphrase("reef", 1.0, 1.0, (Span(0, 4),), ("reef",), concept=ConceptLabel("r", "reef"))
    with pytest.raises(OptionError, match="the keyphrases: its keyphrases are concepts of a vocabulary: extract them"):
        suggest(Keyphrases([keyphrase]))


def test_the_output_of_a_batch(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"id": "a", "error": None, **found("coastal storm surge").to_dict()}) + "\n")
    (suggestion,) = suggest_concepts(open_output(file), VOCABULARY, min_documents=1)
    assert suggestion.as_dict() == {
        "text": "coastal storm surge",
        "variants": [{"text": "coastal storm surge", "documents": 1}],
        "documents": 1,
        "weight": 0.9,
        "confidence": 0.9,
        "occurrences": 1,
        "examples": [{"id": "a", "rank": 1, "spans": [[0, 19]]}],
        "relation": "narrower",
        "nearest": {"id": "t1", "label": "storm surge"},
    }

import pytest

from mderank import Document, NounPhrases, Span
from mderank.ranking.dedupe import forms, merge
from mderank.text import stem_phrase


@pytest.fixture
def document():
    # 0         1         2         3         4         5
    # 0123456789012345678901234567890123456789012345678901234567
    # Neural networks , neural networks , Neural network , graph
    tags = {"Neural": "JJ", "neural": "JJ", ",": ","}
    words = "Neural networks , neural networks , Neural network , graph".split()
    return Document.from_tagged([(word, tags.get(word, "NN")) for word in words])


def entries(document, by, order=None):
    candidates = NounPhrases().find(document)
    assert [each.key for each in candidates] == ["neural networks", "neural network", "graph"]
    return merge(document, candidates, order or range(len(candidates)), by)


def test_none_has_an_entry_for_every_form(document):
    assert entries(document, "none") == [(0, ((0, 15),)), (0, ((18, 33),)), (1, ((36, 50),)), (2, ((53, 58),))]


def test_case_merges_forms_that_differ_in_case(document):
    assert entries(document, "case") == [(0, ((0, 15), (18, 33))), (1, ((36, 50),)), (2, ((53, 58),))]


def test_stem_merges_singular_and_plural_under_the_better(document):
    assert entries(document, "stem") == [(0, ((0, 15), (18, 33), (36, 50))), (2, ((53, 58),))]
    assert entries(document, "stem", [2, 1, 0]) == [(2, ((53, 58),)), (1, ((0, 15), (18, 33), (36, 50)))]


def test_the_commonest_form_is_shown_first_and_of_equal_ones_the_first():
    document = Document("reef Reefs REEF Reefs x", ())
    spans = [Span(0, 4), Span(5, 10), Span(11, 15), Span(16, 21)]
    assert forms(document, spans) == ("Reefs", "reef", "REEF")


def test_forms_have_single_spaces():
    assert forms(Document("support\n  vector", ()), [Span(0, 16)]) == ("support vector",)


def test_languages():
    assert stem_phrase("Running Dogs") == "run dog"
    assert stem_phrase("Häuser Kinder", "de") == stem_phrase("häuser kind", "de")
    assert stem_phrase("Running Dogs", "zh") == "running dogs"

import pytest

from mderank import Document, NounPhrases, Span
from mderank.ranking.dedupe import form_key, forms, merge
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


def shown(*texts):
    """The forms of an entry whose occurrences are ``texts``, in that order."""
    starts = [sum(len(text) + 1 for text in texts[:number]) for number in range(len(texts))]
    spans = [Span(start, start + len(text)) for start, text in zip(starts, texts, strict=True)]
    return forms(Document(" ".join(texts), ()), spans)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("WHO", "World Health Organization"),
        ("AI", "artificial intelligence"),
        ("DNA", "deoxyribonucleic"),  # one word
        ("UNESCO-IOC", "oceanographic commission"),  # the longest that counts as an acronym
        ("ABCD", "abcdefghi"),  # just more than twice as long
    ],
)
def test_an_acronym_comes_after_the_form_that_is_written_out(short, long):
    assert shown(short, short, long) == (long, short)


@pytest.mark.parametrize(
    ("common", "rare"),
    [
        ("REEF", "reef"),  # a word in capitals
        ("ABCD", "abcdefgh"),  # not more than twice as long
        ("UNESCO-IOCS", "intergovernmental commission"),  # too long for an acronym
        ("Covid", "coronavirus disease"),  # one capital only
        ("AI Act", "Artificial Intelligence Act"),  # two words
        ("reef", "reefs of coral in warm water"),
        ("MRI", "MRIs"),
    ],
)
def test_other_forms_keep_the_order_of_their_frequency(common, rare):
    assert shown(common, common, rare) == (common, rare)


def tagged(text, language="en"):
    return Document.from_tagged([(word, "NN") for word in text.split()], language=language)


def test_words_with_one_stem_are_one_entry_by_stem_only():
    document = tagged("the universe and the universities")
    by_stem, by_variant = form_key(document, "stem"), form_key(document, "variant")
    assert by_stem("universe") == by_stem("Universities")
    assert by_variant("universe") != by_variant("universities")


def test_an_acronym_is_one_entry_with_its_long_form_in_singular_and_plural():
    key = form_key(tagged("Support vector machines ( SVMs ) are fast ."), "variant")
    assert len({key(form) for form in ("SVM", "SVMs", "support vector machine", "Support Vector Machines")}) == 1
    assert key("RVM") != key("SVM")


def test_english_endings_count_in_english_only():
    # By the rules of English "Kies", which is gravel, would be the plural of "ky".
    document = tagged("Der Donau Grob Kies ( DGK ) und Kurz Nachrichten Dienste ( KNDs )", "de")
    key = form_key(document, "variant")
    assert key("Kies") == form_key(document, "stem")("Kies") == "kies"
    assert key("DGK") == key("Donau Grob Kies")
    assert key("KNDs") == key("Kurz Nachrichten Dienste")


def test_forms_have_single_spaces():
    assert forms(Document("support\n  vector", ()), [Span(0, 16)]) == ("support vector",)


def test_languages():
    assert stem_phrase("Running Dogs") == "run dog"
    assert stem_phrase("Häuser Kinder", "de") == stem_phrase("häuser kind", "de")
    assert stem_phrase("Running Dogs", "zh") == "running dogs"

"""Many texts at once: how they are read, and what becomes of those that fail."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mderank import Document, InputError, MarkedUpText, MDERank, ModelError, OptionError
from mderank.methods import base, chunks
from mderank.methods.baselines import FirstPhrases
from mderank.methods.failures import input_error, isolate_failures
from mderank.testing import FakeEncoder, FakeTagger


class Recording(FakeTagger):
    """Notes the texts that it is given together, and fails at some."""

    def __init__(self, failure: Exception | None = None):
        super().__init__()
        self.batches = []
        self.failure = failure

    def tag(self, texts):
        texts = list(texts)
        self.batches.append(texts)
        if self.failure is not None and any("poison" in text for text in texts):
            raise self.failure
        return super().tag(texts)


def extractor(failure: Exception | None = None) -> MDERank:
    return MDERank(FakeEncoder(), tagger=Recording(failure))


def batches(texts) -> list[list[str]]:
    """The texts that are tagged together."""
    made = extractor()
    assert len(list(made.extract_many(texts))) == len(texts)
    return made.tagger.batches


def test_so_many_texts_are_read_together(monkeypatch):
    assert [len(batch) for batch in batches(["reef"] * 130)] == [64, 64, 2]
    monkeypatch.setattr(chunks, "CHUNK_TEXTS", 2)
    assert batches(["a", "b", "c", "d"]) == [["a", "b"], ["c", "d"]]
    assert batches([]) == []


def test_long_texts_are_read_in_smaller_groups(monkeypatch):
    monkeypatch.setattr(base, "CHUNK_CHARACTERS", 10)
    assert batches(["reef", "harbour", "sea", "harbours", "bay", "reef"]) == [
        ["reef", "harbour"],
        ["sea", "harbours"],
        ["bay", "reef"],
    ]
    assert batches(["lighthouse", "reef", "harbour"]) == [["lighthouse"], ["reef", "harbour"]]  # of just 10
    assert batches(["harbour", "an", "reef"] * 2) == [["harbour", "an", "reef"]] * 2  # the first two have 9


def test_a_paper_is_read_alone():
    paper = "reef " * 2_000
    assert batches(["reef", paper, "bay", "sea"]) == [["reef"], [paper], ["bay", "sea"]]


def test_exact_masking_reads_few_texts_together():
    exact = MDERank(FakeEncoder(), tagger=Recording(), exact=True)
    assert len(list(exact.extract_many(["reef " * 400] * 5))) == 5
    assert [len(batch) for batch in exact.tagger.batches] == [2, 2, 1]


def test_documents_and_things_that_are_no_text_count_too(monkeypatch):
    monkeypatch.setattr(base, "CHUNK_CHARACTERS", 10)
    document = Document.from_tagged([("lighthouse", "NN")])
    made = extractor()
    first, second, third = made.extract_many([document, None, "reef"])
    assert [each.text for each in first] == ["lighthouse"]
    assert isinstance(second.error, InputError)
    assert [each.text for each in third] == ["reef"]


def test_texts_are_read_as_their_results_are_asked_for(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_TEXTS", 3)
    texts = iter(["reef"] * 10)
    results = extractor().extract_many(texts)
    assert len(list(texts)) == 10, "nothing is read before the first result is asked for"
    texts = iter(["reef"] * 10)
    next(extractor().extract_many(texts))
    assert len(list(texts)) == 7
    assert list(results) == []


def test_how_many_phrases_are_asked_for_holds_for_every_text():
    texts = ["The reef is near the old harbour and the bay.", None, "The reef is near the old harbour."]
    assert [len(each) for each in extractor().extract_many(texts, 1)] == [1, 0, 1]
    assert [len(each) for each in extractor().extract_many(texts[::2], 1)] == [1, 1]
    assert [len(each) for each in extractor().extract_many(texts[::2], None)] == [3, 2]


def test_ten_phrases_are_given_unless_another_number_is_asked_for():
    text = ", ".join(f"reef{number}" for number in range(12))
    assert [len(each) for each in (*extractor().extract_many([text]), extractor().extract(text))] == [10, 10]


def test_one_text_is_not_taken_for_many():
    with pytest.raises(OptionError, match=r"use extract\(text\), or extract_many\(\[text\]\)"):
        extractor().extract_many("The reef.")


@pytest.mark.parametrize("top_k", [-1, "5", 5.0, float("nan"), True, [3]])
def test_what_is_no_number_of_phrases_is_refused_at_once(top_k):
    with pytest.raises(OptionError, match="top_k must be a whole number of at least 0, or None for all, not"):
        extractor().extract_many(["The reef."], top_k)
    with pytest.raises(OptionError, match="top_k must be a whole number"):
        extractor().extract("The reef.", top_k)


def test_a_number_of_numpy_is_a_number_of_phrases():
    assert len(extractor().extract("A reef, a boat, a harbour.", np.int64(2))) == 2


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (InputError("a page of nothing"), "a page of nothing"),
        (ZeroDivisionError("in the tagger"), "extraction failed: ZeroDivisionError: in the tagger"),
    ],
)
def test_a_text_that_fails_fails_alone(failure, message):
    good, bad, also_good = extractor(failure).extract_many(["The reef.", "The poison.", "The bay."])
    assert [each.text for each in (*good, *also_good)] == ["reef", "bay"]
    assert isinstance(bad.error, InputError)
    assert str(bad.error) == message
    assert list(bad) == []


def test_what_would_fail_for_every_text_is_raised():
    with pytest.raises(ModelError, match="no such model"):
        list(extractor(ModelError("no such model")).extract_many(["The reef.", "The poison."]))


MARKDOWN = "The *old reef* is near.\nThe boat **harbour** and the `reef`boat are small."
PROSE = "The  old reef  is near.\nThe boat   harbour   and the  reef boat are small."


def test_markup_is_blanked_and_breaks_phrases():
    (plain, marked) = FirstPhrases(tagger=FakeTagger()).extract_many([PROSE, MarkedUpText(MARKDOWN, PROSE)], None)
    assert [each.text for each in plain] == ["old reef", "boat harbour", "reef boat"]
    assert [each.text for each in marked] == ["old reef", "reef", "boat", "harbour"]
    for each in marked:
        assert {MARKDOWN[span.start : span.end] for span in each.spans} == {each.text}


def test_texts_with_markup_are_tagged_with_the_batch():
    tagger = Recording()
    list(FirstPhrases(tagger=tagger).extract_many(["The reef.", MarkedUpText(MARKDOWN, PROSE), "The boat."]))
    assert tagger.batches == [["The reef.", PROSE, "The boat."]]


def test_the_rest_of_a_text_with_markup_is_truncated():
    found = FirstPhrases(tagger=FakeTagger(), max_words=3).extract(MarkedUpText(MARKDOWN, PROSE), None)
    assert [each.text for each in found] == ["old reef"]
    assert MARKDOWN[: found.truncated.start] == "The *old reef"


def test_a_batch_that_fails_is_computed_one_by_one():
    calls = []

    def double(items):
        calls.append(list(items))
        if 2 in items:
            raise ValueError("two")
        return [2 * item for item in items]

    assert list(isolate_failures(double, [1, 3])) == [2, 6]
    first, second, third = isolate_failures(double, [1, 2, 3])
    assert (first, str(second), third) == (2, "two", 6)
    assert calls == [[1, 3], [1, 2, 3], [1], [2], [3]]


def test_errors_that_are_no_texts_fault_are_raised():
    assert str(input_error(ValueError("odd"))) == "extraction failed: ValueError: odd"
    known = InputError("no text")
    assert input_error(known) is known
    with pytest.raises(ModelError):
        input_error(ModelError("no model"))


@pytest.mark.parametrize("dedupe", ["variant", "case", "none"])
def test_forms_of_a_phrase_have_one_key_whatever_is_merged(dedupe):
    text = "Magnetic resonance imaging (MRI) is slow. An MRI of Coral-Reefs."
    found = FirstPhrases(tagger=FakeTagger(), dedupe=dedupe).extract(text, top_k=None)
    keys = {each.text: each.key for each in found}
    assert keys.pop("MRI", "magnetic resonance imaging") == keys.pop("Magnetic resonance imaging")
    assert keys == {"Coral-Reefs": "coral reef"}


def test_the_key_follows_the_language_of_the_document():
    def key(word):
        document = Document.from_tagged([(word, "NOUN")], tagset="universal", language="de")
        return FirstPhrases(tagger=FakeTagger()).extract(document)[0].key

    assert key("Häuser") == key("Häusern") == "haus"


@pytest.mark.parametrize("texts", [["A reef.", "A boat."], ("A reef.",), iter(["A reef."]), {"A reef."}])
def test_several_texts_where_one_is_expected(texts):
    with pytest.raises(InputError, match=r"extract takes one text, and was given a .*: use extract_many"):
        extractor().extract(texts)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (5, "not int$"),
        (b"reef", "not bytes: decode it"),
        (bytearray(b"reef"), "not bytearray: decode it"),
        ({}, "not dict"),
        (float("nan"), "not float: it is NaN, a missing value"),
        (Path("reef.txt"), "not .*Path: mderank.extract takes a file"),
    ],
)
def test_what_is_no_text(text, problem):
    with pytest.raises(InputError, match=f"a text must be a str, a MarkedUpText or a Document, {problem}"):
        extractor().extract(text)


@pytest.mark.parametrize("texts", [5, None, {"a": "A reef."}, b"reef"])
def test_what_is_not_several_texts(texts):
    with pytest.raises(OptionError, match="extract_many takes texts, such as a list of str, and not a"):
        extractor().extract_many(texts)


def test_a_whole_table_is_not_several_texts():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"text": ["A reef.", "A boat."]})
    for table in (frame, frame[["text"]], frame.to_numpy()):
        with pytest.raises(OptionError, match=r"takes one column of texts, such as frame\['text'\], not a"):
            extractor().extract_many(table)
    for column in (frame["text"], frame["text"].to_numpy()):
        assert [each.texts for each in extractor().extract_many(column)] == [["reef"], ["boat"]]

"""Counting a set, checked by hand on a small one."""

from __future__ import annotations

import pytest

from mderank.candidates import NGrams
from mderank.document import Document
from mderank.research.datasets import DATASETS, Dataset, DatasetInfo, LabelledDocument, candidate_recall, statistics
from mderank.research.datasets.statistics import coverage


def dataset(*documents: LabelledDocument, info: DatasetInfo | None = None) -> Dataset:
    return Dataset("small", info, documents, "")


REEFS = LabelledDocument(
    "1", "Reef Fishes", "Coral-reefs protect [the] coast, and fish.", ("coral reef", "fishing coasts")
)
TIDES = LabelledDocument("2", "", "The moon makes tides.", ("tides",))


def test_table_2():
    counted = statistics(dataset(REEFS, TIDES, info=DATASETS["inspec"]))
    assert counted.documents == 2
    assert counted.keyphrases == 3
    assert counted.phrases == 1.5
    assert counted.phrase_words == pytest.approx((2 + 1) / 2)  # of documents
    assert counted.phrase_words_overall == pytest.approx((2 + 2 + 1) / 3)  # of phrases
    assert counted.document_words == (8 + 4) / 2  # with the title


def test_document_words_are_those_that_the_paper_reads():
    counted = statistics(dataset(REEFS, info=DATASETS["nus"]))
    assert counted.document_words == 7  # no title, and "coast ," is two


@pytest.mark.parametrize(
    ("phrase", "present"),
    [
        ("coral reef", True),  # over the hyphen, by stems
        ("CORAL REEFS", True),
        ("reef", True),
        ("ree", False),
        ("protects the coasts", True),
        ("coast and fish", True),  # punctuation does not count
        ("fish and coast", False),
        ("reef fish", True),  # in the title
        ("fishes coral", True),  # title and text are one
        ("—", False),
        ("", False),
    ],
)
def test_present_phrases(phrase, present):
    document = LabelledDocument("1", REEFS.title, REEFS.text, (phrase,))
    assert statistics(dataset(document, info=DATASETS["inspec"])).present == float(present)


def test_the_title_counts_only_where_the_paper_reads_it():
    document = LabelledDocument("1", "Reef Fishes", "Coral.", ("reef fish",))
    assert statistics(dataset(document, info=DATASETS["nus"])).present == 0
    assert statistics(dataset(document)).present == 1


def test_presence_in_the_first_512_words():
    text = "word " * 510 + "coral reef tide"
    counted = statistics(dataset(LabelledDocument("1", "", text, ("coral reef", "reef tide"))))
    assert (counted.present, counted.present_in_first_words) == (1, 0.5)


def test_coverage_is_a_mean_over_documents_with_gold_phrases():
    text = "tide " + "word " * 9 + "coral reef"
    many = LabelledDocument("1", "", text, ("tides", "coral reefs"))
    counted = dataset(many, TIDES, LabelledDocument("3", "", "nothing", ()))
    # Half of the first document's in its first word, all of them in twelve; the second's is its fourth word.
    assert coverage(counted, [1, 4, 11, 12]) == [0.25, 0.75, 0.75, 1.0]
    assert coverage(dataset(LabelledDocument("3", "", "nothing", ())), [5]) == [0]


def test_nothing_to_count():
    counted = statistics(dataset(LabelledDocument("1", "", "", ())))
    assert (counted.phrases, counted.phrase_words, counted.present, counted.document_words) == (0, 0, 0, 0)


def test_every_document_ticks():
    ticks: list[int] = []
    statistics(dataset(REEFS, TIDES), tick=lambda: ticks.append(1))
    assert len(ticks) == 2


class WordTagger:
    """Every word between spaces, as a noun."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def tag(self, texts):
        for text in texts:
            self.seen.append(text)
            yield Document.from_tagged([(word, "NN") for word in text.split()], text)


def test_the_candidate_recall_is_what_candidates_reach_by_stem():
    document = LabelledDocument("1", "", "Coral reefs grow.", ("coral reef", "reefs grow", "growing reefs", "coral"))
    assert candidate_recall(dataset(document), WordTagger(), NGrams(2, 2)) == 0.25  # "grow." has its point
    assert candidate_recall(dataset(document), WordTagger(), NGrams(1, 2)) == 0.5


def test_the_candidate_recall_is_of_the_first_512_words_that_the_paper_reads():
    tagger = WordTagger()
    document = LabelledDocument("1", "", "Word. " * 300 + "reef", ("reef",))
    assert candidate_recall(dataset(document, info=DATASETS["nus"]), tagger, NGrams(1, 1)) == 0
    assert len(tagger.seen[0].split()) == 512
    assert tagger.seen[0].endswith("Word .")
    assert candidate_recall(dataset(document, info=DATASETS["duc2001"]), tagger, NGrams(1, 1)) == 1


def test_the_candidate_recall_of_noun_phrases():
    document = LabelledDocument("1", "", "Coral reefs protect the coast.", ("coral reefs", "coast", "protect"))
    assert candidate_recall(dataset(document)) == pytest.approx(2 / 3)


GENOU = LabelledDocument(
    "1", "Le genou", "Les ligaments de l'articulation.", ("ligament", "articulations", "os"), language="fr"
)


def test_phrases_are_present_by_the_stems_of_their_language():
    assert statistics(dataset(GENOU)).present == pytest.approx(2 / 3)
    japanese = LabelledDocument(
        "1", "", "これは機械学習の本です。", ("機械学習", "機械 学習", "深層学習"), language="ja"
    )
    assert statistics(dataset(japanese)).present == pytest.approx(2 / 3)


def test_other_languages_are_read_whole():
    assert statistics(dataset(GENOU)).document_words == 6
    assert statistics(dataset(GENOU, info=DATASETS["nus"])).document_words == 6  # with the title


def test_the_candidate_recall_of_another_language():
    assert candidate_recall(dataset(GENOU, REEFS), candidates=NGrams(1, 1)) == pytest.approx(2 / 5)

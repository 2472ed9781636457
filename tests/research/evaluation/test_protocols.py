from __future__ import annotations

import random

import pytest
import snowballstemmer

from mderank import OptionError
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import (
    JUDGED,
    PROTOCOLS,
    Prediction,
    diversity,
    duplicate_ratio,
    get_protocol,
    recall_by_length,
)

GOLD = ["Neural Networks", "neural network", "deep learning", "graph"]
PREDICTED = [
    Prediction("neural networks", found=3),
    Prediction("Neural network", found=1),
    Prediction("trees", found=2),
    Prediction("graphs", found=1),
]


def test_the_papers_protocol_to_the_letter():
    # Both variants of the network are right, four gold phrases are to be found, the tagger found seven.
    judgement = PROTOCOLS["mderank"].judge(PREDICTED, GOLD)
    assert judgement == Judgement((True, True, False, True), offered=7, gold=4)
    assert judgement.phrases == ("neural networks", "neural network", "trees", "graphs")


def test_the_clean_protocols_count_a_stem_once():
    expected = Judgement((True, False, True), offered=3, gold=3)
    assert PROTOCOLS["micro-stem"].judge(PREDICTED, GOLD) == expected
    assert PROTOCOLS["macro-stem"].judge(PREDICTED, GOLD) == expected


def test_present_only():
    judge = PROTOCOLS["macro-stem-present"].judge
    assert judge(PREDICTED, GOLD, "A graph of (neural networks).") == Judgement((True, False, True), 3, gold=2)
    assert judge(PREDICTED, GOLD, "Nothing of the kind.") is None


def test_the_papers_protocol_compares_stems_in_any_case():
    # "universal" and "universe" share a stem.
    assert PROTOCOLS["mderank"].judge([Prediction("universe")], ["universal"]).hits == (True,)
    assert PROTOCOLS["mderank"].judge([Prediction("Tree")], ["tree"]).hits == (True,)
    assert PROTOCOLS["mderank"].judge([Prediction("tree")], ["forest"]).hits == (False,)


def test_an_unknown_protocol_lists_the_valid_ones():
    with pytest.raises(OptionError, match="mderank, micro-stem, macro-stem, macro-stem-present"):
        get_protocol("macro")


WORDS = ["network", "networks", "graph", "Graph", "deep", "learning", "learned", "tree", "trees", "search"]


def phrase(rng):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 3)))


def naive_paper_f1(documents, k):
    """The paper's scoring, written again from its description, in one loop over documents."""
    stem = snowballstemmer.stemmer("porter").stemWord
    correct = predicted = gold_count = 0
    for ranked, gold in documents:
        with_repeats = []
        for text, times in ranked:
            with_repeats += [text] * times
        unique = []
        for text, _ in ranked:
            if text.lower() not in unique:
                unique.append(text.lower())
        gold_raw = [label.lower() for label in gold]
        gold_stems = [" ".join(stem(word) for word in label.split()) for label in gold_raw]
        for text in unique[:k]:
            if text in gold_raw or " ".join(stem(word) for word in text.split()) in gold_stems:
                correct += 1
        predicted += k if len(with_repeats) > k else len(with_repeats)
        gold_count += len(gold)
    p, r = correct / predicted if predicted else 0, correct / gold_count if gold_count else 0
    return 2 * p * r / (p + r) if p + r else 0


def naive_stem_f1(documents, k, macro):
    """F1 over sets of stems, document by document or in sum."""
    stem = snowballstemmer.stemmer("porter").stemWord

    def stems(phrases):
        unique = []
        for text in phrases:
            key = tuple(stem(word) for word in text.lower().split())
            if key not in unique:
                unique.append(key)
        return unique

    rows = []
    for ranked, gold in documents:
        top, wanted = stems(text for text, _ in ranked)[:k], stems(gold)
        rows.append((len(set(top) & set(wanted)), len(top), len(wanted)))

    def f1(hits, predicted, wanted):
        p, r = hits / predicted if predicted else 0, hits / wanted if wanted else 0
        return 2 * p * r / (p + r) if p + r else 0

    if macro:
        return sum(f1(*row) for row in rows) / len(rows)
    return f1(*(sum(column) for column in zip(*rows, strict=True)))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("k", [1, 5, 10])
def test_a_separate_scorer_agrees_on_random_data(seed, k):
    rng = random.Random(seed)
    documents = [
        (
            [(phrase(rng), rng.randint(1, 3)) for _ in range(rng.randint(0, 12))],
            [phrase(rng) for _ in range(rng.randint(1, 8))],
        )
        for _ in range(6)
    ]

    def ours(protocol):
        judgements = [
            PROTOCOLS[protocol].judge([Prediction(*each) for each in ranked], gold) for ranked, gold in documents
        ]
        return Measure("F1", k).over(judgements, PROTOCOLS[protocol].average)

    assert ours("mderank") == pytest.approx(naive_paper_f1(documents, k))
    assert ours("micro-stem") == pytest.approx(naive_stem_f1(documents, k, macro=False))
    assert ours("macro-stem") == pytest.approx(naive_stem_f1(documents, k, macro=True))


def test_recall_by_phrase_length():
    rankings = [
        ([Prediction("graphs"), Prediction("deep learning")], ["graph", "tree", "deep learning", "a b c", "a b c d"]),
        ([Prediction("a b c d e")], ["a b c d e"]),
    ]
    assert recall_by_length(rankings) == {"1": (0.5, 2), "2": (1.0, 1), "3": (0.0, 1), ">3": (0.5, 2)}
    assert recall_by_length(rankings, k=1)["2"] == (0.0, 1)
    assert recall_by_length(rankings[1:])["1"] == (0.0, 0)  # there are none


def test_diversity_and_duplicates():
    assert diversity(["support vector machine", "support vector", "Machine"]) == pytest.approx(100 * 3 / 6)
    assert diversity([]) == 0
    assert duplicate_ratio(["networks", "network", "tree", "trees"]) == 0.5
    assert duplicate_ratio([]) == 0


def test_figures_of_the_paper_are_of_the_first_fifteen_phrases():
    phrases = [*"abcdefghijklmno", "a"]
    assert (diversity(phrases), duplicate_ratio(phrases)) == (100, 0)
    assert (diversity(phrases, 16), duplicate_ratio(phrases, 16)) == (100 * 15 / 16, 1 / 16)
    rankings = [([Prediction(letter) for letter in "abcdefghijklmnop"], ["o", "p"])]
    assert recall_by_length(rankings)["1"] == (0.5, 2)


def test_redundancy_is_after_the_protocol_s_de_duplication():
    predictions = [Prediction(text) for text in ("Tides", "tide", "tide gauge", "moon")]
    redundancy = Measure.parse("redundancy@3")
    # By lower case, "tides", "tide" and "tide gauge" are the first three; by stem, "moon" is the third.
    assert redundancy.of(PROTOCOLS["mderank"].judge(predictions, ["moon"])) == 3
    assert redundancy.of(PROTOCOLS["macro-stem"].judge(predictions, ["moon"])) == 2


def test_judged_lists_are_taken_as_they_are():
    predictions = [Prediction(text) for text in ("the Boilers", "boiler", "Thanks", "plumber")]
    judgement = JUDGED.judge(predictions, ["boiler", "hall key"], junk=["thanks"])
    assert judgement == Judgement((True, True, False, False), 4, 2, (False, False, True, False))
    assert judgement.phrases == ("the Boilers", "boiler", "Thanks", "plumber")
    assert JUDGED.judge(predictions[2:], [], junk=["thanks"]) == Judgement((False, False), 2, 0, (True, False))


def test_stems_are_those_of_the_language():
    predictions = [Prediction("réseaux neuronaux"), Prediction("Réseau neuronal", 2), Prediction("l'apprentissage")]
    gold = ["réseau neuronal", "apprentissages"]
    for name in ("micro-stem", "macro-stem"):
        judgement = PROTOCOLS[name].judge(predictions, gold, language="fr")
        assert (judgement.hits, judgement.offered, judgement.gold) == ((True, True), 2, 2)
    assert PROTOCOLS["mderank"].judge(predictions, gold, language="fr").hits == (True, True, True)
    assert PROTOCOLS["mderank"].judge(predictions, gold).hits == (False, True, False)  # English
    assert duplicate_ratio(["réseaux neuronaux", "réseau neuronal"], language="fr") == 0.5
    rankings = [(predictions, gold)]
    assert recall_by_length(rankings, languages=["fr"])["1"] == (1.0, 1)
    assert recall_by_length(rankings)["1"] == (0.0, 1)


def test_keyphrases_that_are_present_in_another_language():
    protocol = PROTOCOLS["macro-stem-present"]
    text = "L'apprentissage des réseaux neuronaux."
    judgement = protocol.judge([Prediction("apprentissage")], ["apprentissages", "image"], text, language="fr")
    assert (judgement.hits, judgement.gold) == ((True,), 1)
    judgement = protocol.judge(
        [Prediction("機械学習")], ["機械 学習", "深層"], "これは機械学習の本です。", language="ja"
    )
    assert (judgement.hits, judgement.gold) == ((True,), 1)


def test_redundancy_in_another_language():
    redundancy = Measure.parse("redundancy@10")
    french = [Prediction("réseaux neuronaux"), Prediction("réseau"), Prediction("image")]
    assert redundancy.of(PROTOCOLS["micro-stem"].judge(french, ["image"], language="fr")) == 2
    japanese = [Prediction("機械学習"), Prediction("学習"), Prediction("本")]
    assert redundancy.of(JUDGED.judge(japanese, [], language="ja")) == 2

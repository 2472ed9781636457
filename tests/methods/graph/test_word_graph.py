"""The graph of words and PageRank on it, against slow and plain computations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mderank import Document, OptionError, PhraseList
from mderank.methods import PositionRank, SingleRank, TextRank
from mderank.methods.graph.pagerank import undirected_pagerank
from mderank.methods.graph.word_graph import WordRank
from mderank.testing import FakeTagger
from mderank.text import stem_phrase

TEXT = (
    "Coral reefs grow near the old harbour of the island. The old reef is a home of red fish, and the fishing boats "
    "of the harbour are near the coral reef. A storm, a long storm, has moved the boats."
)
METHODS = (TextRank, SingleRank, PositionRank)


def dense(nodes, edges, bias, damping):
    """The stationary distribution of the walk, from its full transition matrix."""
    matrix = np.zeros((nodes, nodes))
    for one, other, weight in edges:
        matrix[one, other] += weight
        matrix[other, one] += weight
    start = np.asarray(bias) / np.sum(bias)
    for row in matrix:
        row[:] = row / row.sum() if row.any() else start
    # x = xT and sum(x) = 1
    walk = damping * matrix + (1 - damping) * start
    system = np.vstack([walk.T - np.eye(nodes), np.ones(nodes)])
    return np.linalg.lstsq(system, np.append(np.zeros(nodes), 1), rcond=None)[0]


def ranked_words(document, window, damping=0.85, weighted=True, position=False):
    """The score of every stem, with a loop for every pair of tokens."""
    words = {at: stem_phrase(token.text) for at, token in enumerate(document.tokens) if token.tag in ("NN", "JJ")}
    names = sorted(set(words.values()))
    pairs = {}
    for here, one in words.items():
        for there, other in words.items():
            if 0 < there - here < window and one != other:
                pair = (min(one, other), max(one, other))
                pairs[pair] = pairs.get(pair, 0) + 1 if weighted else 1
    bias = [sum(1 / (1 + at) for at, word in words.items() if word == name) if position else 1 for name in names]
    edges = [(names.index(one), names.index(other), count) for (one, other), count in pairs.items()]
    return dict(zip(names, dense(len(names), edges, bias, damping), strict=True))


graphs = st.integers(1, 8).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes),
        st.dictionaries(
            st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)).filter(lambda pair: pair[0] < pair[1]),
            st.integers(1, 5),
        ),
        st.lists(st.floats(0.01, 10), min_size=nodes, max_size=nodes),
        st.sampled_from([0.0, 0.5, 0.85, 0.99]),
    )
)


def by_iteration(edges, bias, damping):
    pairs = np.asarray(list(edges), dtype=np.int64).reshape(-1, 2)
    weights = np.asarray(list(edges.values()), dtype=np.float64)
    return undirected_pagerank(pairs[:, 0], pairs[:, 1], weights, np.asarray(bias), damping)


@settings(max_examples=60, deadline=None)
@given(graphs)
def test_pagerank_is_the_walks_stationary_distribution(graph):
    nodes, edges, bias, damping = graph
    found = by_iteration(edges, bias, damping)
    expected = dense(nodes, [(*pair, weight) for pair, weight in edges.items()], bias, damping)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    assert found.sum() == pytest.approx(1)


@settings(max_examples=30, deadline=None)
@given(graphs, st.randoms())
def test_pagerank_does_not_depend_on_the_numbers_of_nodes_nor_on_scale(graph, random):
    nodes, edges, bias, damping = graph
    new = list(range(nodes))
    random.shuffle(new)
    moved = {(new[one], new[other]): 3 * weight for (one, other), weight in edges.items()}
    moved_bias = np.empty(nodes)
    moved_bias[new] = 7 * np.asarray(bias)
    np.testing.assert_allclose(
        by_iteration(moved, moved_bias, damping)[new], by_iteration(edges, bias, damping), rtol=1e-6, atol=1e-9
    )


def test_pagerank_of_no_nodes():
    assert len(by_iteration({}, [], 0.85)) == 0


@pytest.mark.parametrize(
    ("method", "naive"),
    [
        (TextRank, {"window": 2, "weighted": False}),
        (SingleRank, {"window": 10}),
        (PositionRank, {"window": 10, "position": True}),
    ],
)
@pytest.mark.parametrize("options", [{}, {"window": 4}, {"damping": 0.4}])
def test_phrases_have_the_sum_of_their_words(method, naive, options):
    (document,) = FakeTagger().tag([TEXT])
    values = ranked_words(document, **naive | options)
    found = method(**options).extract(document, top_k=None)
    expected = {each.text: sum(values[stem_phrase(word)] for word in each.text.split()) for each in found}
    assert len(found) > 8
    assert {each.text: each.score for each in found} == pytest.approx(expected, rel=1e-6)
    assert all(one.score >= other.score for one, other in pairwise(found))


@pytest.mark.parametrize("method", METHODS)
def test_the_mean_is_the_sum_by_length(method):
    sums = {each.text: each.score for each in method(tagger=FakeTagger()).extract(TEXT, top_k=None)}
    means = method(tagger=FakeTagger(), phrase_score="mean").extract(TEXT, top_k=None)
    assert {each.text: each.score * len(each.text.split()) for each in means} == pytest.approx(sums)


@pytest.mark.parametrize("method", METHODS)
def test_case_does_not_matter(method):
    plain = method(tagger=FakeTagger()).extract(TEXT, top_k=None)
    upper = method(tagger=FakeTagger()).extract(TEXT.upper(), top_k=None)
    assert [(each.text.lower(), each.score) for each in upper] == [(each.text.lower(), each.score) for each in plain]


@pytest.mark.parametrize("method", [TextRank, SingleRank])
def test_only_positionrank_knows_which_end_is_the_beginning(method):
    pairs = [("old", "JJ"), ("reef", "NN"), (",", ","), ("boat", "NN"), ("fish", "NN"), ("of", "IN"), ("reef", "NN")]

    def words(tagged, kind):
        found = kind(candidates=PhraseList(["reef", "boat", "fish", "old"])).extract(Document.from_tagged(tagged))
        return {each.text: round(each.score, 8) for each in found}

    assert words(pairs, method) == words(pairs[::-1], method)
    assert words(pairs, PositionRank) != words(pairs[::-1], PositionRank)


@pytest.mark.parametrize("method", METHODS)
def test_universal_tags(method):
    (penn,) = FakeTagger().tag([TEXT])
    tags = {"NN": "NOUN", "JJ": "ADJ", "DT": "DET", "IN": "ADP", "VBZ": "VERB", ".": "PUNCT", ":": "PUNCT"}
    pairs = [(token.text, tags[token.tag]) for token in penn.tokens]
    universal = Document.from_tagged(pairs, TEXT, tagset="universal")
    found = method().extract(universal, top_k=None)
    assert len(found) > 8
    assert found == method().extract(penn, top_k=None)


def test_proper_nouns_and_plurals_are_words():
    penn = Document.from_tagged([("Reef", "NNP"), ("fishes", "NNS"), ("swim", "VBP"), ("better", "JJR")])
    assert WordRank().graph(penn).nodes == 2
    assert WordRank(tags="NN.*|JJ.*").graph(penn).nodes == 3
    universal = Document.from_tagged([("Reef", "PROPN"), ("swims", "VERB")], tagset="universal")
    assert WordRank().graph(universal).nodes == 1


def test_words_are_one_by_stem_or_by_case():
    document = Document.from_tagged([("Reef", "NN"), ("reefs", "NNS"), ("REEF", "NN"), ("boat", "NN")])
    assert WordRank().graph(document).token_nodes.tolist() == [0, 0, 0, 1]
    assert WordRank(form="lower").graph(document).token_nodes.tolist() == [0, 1, 0, 2]


def test_a_word_is_never_linked_with_itself():
    document = Document.from_tagged([("reef", "NN"), ("reefs", "NNS"), ("reef", "NN")])
    assert len(WordRank().graph(document).counts) == 0


def test_what_the_window_counts():
    pairs = [("reef", "NN"), ("of", "IN"), ("the", "DT"), ("bay", "NN"), (".", "."), ("boat", "NN")]

    def edges(**options):
        graph = WordRank(**options).graph(Document.from_tagged(pairs))
        return set(zip(graph.sources.tolist(), graph.targets.tolist(), strict=True))

    assert edges(window=2) == set()
    assert edges(window=3) == {(1, 2)}  # bay . boat: over the end of a sentence
    assert edges(window=4) == {(0, 1), (1, 2)}
    assert edges(window=6) == {(0, 1), (0, 2), (1, 2)}
    assert edges(window=2, distance="words") == {(0, 1), (1, 2)}


def test_a_phrase_of_other_words_has_no_score():
    document = Document.from_tagged([("reef", "NN"), ("sinks", "VBZ"), ("slowly", "RB"), ("boat", "NN")])
    found = SingleRank(candidates=PhraseList(["sinks slowly", "reef sinks"])).extract(document)
    assert {each.text: each.score for each in found} == {"reef sinks": pytest.approx(0.5), "sinks slowly": 0.0}
    nothing = SingleRank(tags="FW", candidates=PhraseList(["reef"])).extract(document)
    assert [each.score for each in nothing] == [0.0]


def test_words_of_the_graph_count_where_they_have_another_tag():
    document = Document.from_tagged([("test", "NN"), (",", ","), ("we", "PRP"), ("test", "VBP"), ("boats", "NNS")])
    found = SingleRank(candidates=PhraseList(["test boats"])).extract(document)
    assert [each.score for each in found] == [pytest.approx(1.0)]
    assert len(WordRank(window=2).graph(document).counts) == 0  # but there they are linked with nothing
    assert len(WordRank(window=5).graph(document).counts) == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 1}, "window must be a whole number of at least 2, not 1"),
        ({"damping": 1.0}, "damping must be a number from 0 to 0.99, not 1.0"),
        ({"damping": -0.1}, "damping must be a number from 0 to 0.99"),
        ({"damping": float("nan")}, "damping must be a number from 0 to 0.99"),
        ({"words": "lemma"}, "words must be one of stem, lower, not 'lemma'"),
        ({"distance": "letters"}, "distance must be one of tokens, words, not 'letters'"),
        ({"phrase_score": "max"}, "phrase_score must be one of sum, mean, not 'max'"),
        ({"tags": "NN("}, r"tags='NN\(' is no regular expression over tags"),
    ],
)
def test_options_that_make_no_sense(method, options, message):
    with pytest.raises(OptionError, match=message):
        method(**options)


@pytest.mark.slow
def test_a_document_of_many_thousand_words():
    text = " ".join(f"The reef{number % 500}x is near the old harbour{number % 900}y." for number in range(1_200))
    (document,) = FakeTagger().tag([text])
    assert len(document.tokens) > 9_000
    for method in METHODS:
        assert len(method().extract(document, top_k=None)) > 1_000

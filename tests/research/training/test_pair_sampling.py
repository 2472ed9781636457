import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mderank.document import Span
from mderank.research.training.pair_sampling import (
    IGNORED,
    Sampler,
    compare_ranks,
    select_phrases,
    split_held_out,
    step_documents,
)
from mderank.research.training.pseudo_labels import LabelledPhrase, PseudoLabelledDocument
from mderank.research.training.settings import SamplingSettings
from mderank.testing import FakeEncoder

from .conftest import document

NONE = np.iinfo(np.int64).max
RANKS = np.array([NONE, 1, 0, NONE, 2])


def pairs(sampling, ranks=RANKS):
    return {(int(i), int(j)) for i, j in np.argwhere(compare_ranks(sampling, ranks))}


def test_absolute_sampling_sets_labels_above_other_candidates():
    assert pairs(SamplingSettings("absolute")) == {(i, j) for i in (1, 2, 4) for j in (0, 3)}
    # With two labels the third place of the ranking is a candidate like any other.
    assert pairs(SamplingSettings("absolute", labels=2)) == {(i, j) for i in (1, 2) for j in (0, 3, 4)}


def test_relative_sampling_sets_the_higher_ranked_label_above():
    assert pairs(SamplingSettings("relative")) == {(2, 1), (2, 4), (1, 4)}
    assert pairs(SamplingSettings("relative", labels=2)) == {(2, 1)}


def test_graded_sampling_is_both():
    assert pairs(SamplingSettings("graded")) == pairs(SamplingSettings("absolute")) | pairs(
        SamplingSettings("relative")
    )


def test_unlabelled_sampling_compares_nothing_and_draws_from_all_candidates():
    assert pairs(SamplingSettings("unlabelled")) == set()
    rows = [np.array([each]) for each in range(5)]
    drawn = [
        select_phrases(SamplingSettings("unlabelled", negatives=2), RANKS, rows, np.random.default_rng(seed))
        for seed in range(30)
    ]
    assert {len(each) for each in drawn} == {2}
    assert {int(index) for each in drawn for index in each} == set(range(5))


def test_two_forms_of_one_label_are_not_compared():
    assert pairs(SamplingSettings("relative"), np.array([0, 0, 1])) == {(0, 2), (1, 2)}


def test_the_papers_numbers_of_labels():
    assert SamplingSettings("absolute").label_count == 10
    assert SamplingSettings("relative").label_count == 20


def test_which_phrases_take_part():
    rows = [np.array(each) for each in ([0], [1, 2], [3], [2, 4], [5])]
    rng = np.random.default_rng(0)
    assert select_phrases(SamplingSettings("absolute"), RANKS, rows, rng).tolist() == [1, 2, 4, 0, 3]
    assert select_phrases(SamplingSettings("relative"), RANKS, rows, rng).tolist() == [1, 2, 4]
    assert select_phrases(SamplingSettings("absolute", disjoint=True), RANKS, rows, rng).tolist() == [1, 2, 4, 0]
    assert len(select_phrases(SamplingSettings("absolute", negatives=1), RANKS, rows, rng)) == 4
    # As many as there are: nothing is drawn, and their order stays.
    for _ in range(10):
        assert select_phrases(SamplingSettings("absolute", negatives=2), RANKS, rows, rng).tolist() == [1, 2, 4, 0, 3]


def test_no_candidate_is_drawn_twice():
    ranks = np.array([0, *[NONE] * 6])
    rows = [np.array([each]) for each in range(7)]
    for seed in range(30):
        drawn = select_phrases(SamplingSettings("absolute", negatives=4), ranks, rows, np.random.default_rng(seed))
        assert len(set(drawn.tolist())) == 5


def test_an_epoch_has_every_document_once_and_the_next_another_order():
    documents = np.arange(3, 13)
    steps = [[each for _, each in step_documents(1, step, 5, documents)] for step in range(4)]
    assert sorted(steps[0] + steps[1]) == sorted(steps[2] + steps[3]) == list(range(3, 13))
    assert steps[0] + steps[1] != steps[2] + steps[3]
    assert [epoch for epoch, _ in step_documents(1, 2, 5, documents)] == [1] * 5
    assert step_documents(1, 3, 5, documents) == step_documents(1, 3, 5, documents)
    assert step_documents(2, 3, 5, documents) != step_documents(1, 3, 5, documents)


def test_draws_are_those_of_earlier_versions():
    """Or a run that was stopped would resume with other documents."""
    assert split_held_out(5, 20, 6)[1].tolist() == [1, 3, 7, 9, 16, 18]
    assert [each for _, each in step_documents(1, 0, 5, np.arange(3, 13))] == [10, 5, 7, 9, 4]


def test_held_out_documents_are_not_learned_from():
    train, test = split_held_out(5, 20, 6)
    assert len(test) == 6
    assert sorted([*train, *test]) == list(range(20))
    assert_array_equal(split_held_out(5, 20, 6)[1], test)


@pytest.fixture
def sampler(recipe):
    def make(vocabulary=5000, **changes):
        encoder = FakeEncoder(max_length=64)
        made = Sampler(recipe(**changes), encoder.spec, vocabulary)
        return lambda labelled, seed=(1, 2): made.sample(labelled, encoder.tokenize(labelled.text), seed)

    return make


def test_a_sample_hides_all_places_of_a_phrase(sampler):
    labelled = document(1)
    sample = sampler()(labelled)
    text = [None, *labelled.text.split(), None]
    pieces = [None]  # words of more than six letters are two pieces
    for word in text[1:-1]:
        pieces += [word] * (2 if len(word) > 6 else 1)
    hidden = [{pieces[row] for row in rows} for rows in sample.rows]
    assert all(len(words) == 1 for words in hidden)
    assert [len(rows) for rows in sample.rows] == [pieces.count(*words) for words in hidden]
    assert sample.pairs > 0


def test_a_sample_depends_on_its_seed_only(sampler):
    settings = {"objective": {"kind": "triplet", "mlm_weight": 0.1}}
    one, again, other = (sampler(**settings)(document(1), seed) for seed in ((1, 0), (1, 0), (1, 1)))
    assert_array_equal(one.mlm_ids, again.mlm_ids)
    assert [each.tolist() for each in one.rows] == [each.tolist() for each in again.rows]
    assert one.mlm_ids.tolist() != other.mlm_ids.tolist()


def test_a_triplet_has_one_pair(sampler):
    drawn = {tuple(map(tuple, sampler(objective={"kind": "triplet"})(document(1), (1, n)).rows)) for n in range(30)}
    assert all(len(rows) == 2 for rows in drawn)
    sample = sampler(objective={"kind": "triplet"})(document(1))
    assert sample.better.tolist() == [[False, True], [False, False]]
    assert len(drawn) > 5


def test_what_does_not_fit_is_left_out_labels_last(sampler):
    whole = sampler()(document(1))
    short = sampler(training={"max_packed_tokens": 64, "max_tokens": 40})(document(1))
    assert short.length <= 64 < whole.length
    assert short.pairs < whole.pairs
    labels = int(whole.better.any(axis=1).sum())
    assert int(short.better.any(axis=1).sum()) == labels


def test_phrases_beyond_the_limit_are_not_compared(sampler):
    sample = sampler(training={"max_tokens": 8})(document(1))
    assert len(sample.ids) == 8
    assert all(rows.max() < 7 for rows in sample.rows)


def test_the_tokens_to_guess(sampler):
    make = sampler(objective={"mlm_weight": 0.1})
    samples = [make(document(seed, words=40), (seed,)) for seed in range(200)]
    targets = np.concatenate([sample.mlm_targets for sample in samples])
    hidden = np.concatenate([sample.mlm_ids for sample in samples])
    ids = np.concatenate([sample.ids for sample in samples])
    guessed = targets != IGNORED
    assert_array_equal(targets[guessed], ids[guessed])
    assert_array_equal(hidden[~guessed], ids[~guessed])
    special = np.isin(ids, [FakeEncoder.CLS, FakeEncoder.SEP])
    assert not guessed[special].any()
    assert guessed.sum() / (~special).sum() == pytest.approx(0.15, abs=0.015)
    assert (hidden[guessed] == FakeEncoder.MASK).mean() == pytest.approx(0.8, abs=0.04)
    assert (hidden[guessed] == ids[guessed]).mean() == pytest.approx(0.1, abs=0.03)


def test_a_language_model_has_something_to_predict_in_the_shortest_text(sampler):
    """Of three tokens, in most draws none is chosen by chance: then one of them is."""
    make = sampler(objective={"mlm_weight": 0.1})
    samples = [make(document(3, words=3), (seed,)) for seed in range(200)]
    size = len(samples[0].ids)
    predicted = [np.flatnonzero(sample.mlm_targets != IGNORED).tolist() for sample in samples]
    assert min(map(len, predicted)) == 1
    assert {index for each in predicted for index in each} == set(range(1, size - 1))
    assert sum(len(each) == 1 for each in predicted) > 150


def test_tokens_of_one_document_are_hidden_each_by_its_own_draw(sampler):
    make = sampler(objective={"mlm_weight": 0.1})
    kinds = set()
    for seed in range(50):
        sample = make(document(seed, words=40), (seed,))
        predicted = sample.mlm_targets != IGNORED
        kinds.add(frozenset((sample.mlm_ids[predicted] == FakeEncoder.MASK).tolist()))
    assert frozenset({True, False}) in kinds


def test_a_hidden_token_may_become_any_token_of_the_vocabulary(sampler):
    make = sampler(vocabulary=4, objective={"mlm_weight": 0.1})
    samples = [make(document(seed, words=40), (seed,)) for seed in range(150)]
    changed = [
        token
        for sample in samples
        for token in sample.mlm_ids[sample.mlm_ids != sample.ids].tolist()
        if token != FakeEncoder.MASK
    ]
    assert set(changed) == {0, 2, 3}  # 1 is the mask itself


def test_a_phrase_that_is_the_whole_text_is_not_hidden(sampler):
    text = "salt"
    whole = LabelledPhrase((Span(0, 4),), 0)
    labelled = PseudoLabelledDocument("1", text, (whole, LabelledPhrase((Span(0, 4),), None)))
    assert sampler()(labelled).rows == ()
    longer = PseudoLabelledDocument("1", "salt coast", (whole, LabelledPhrase((Span(5, 10),), None)))
    assert [rows.tolist() for rows in sampler()(longer).rows] == [[1], [2]]


def test_nothing_is_hidden_where_nothing_can_be_compared(sampler):
    phrases = tuple(LabelledPhrase((Span(start, start + 4),), None) for start in (0, 5))
    labelled = PseudoLabelledDocument("1", "salt reef coast", phrases)
    for kind in ("one-pass", "triplet"):
        sample = sampler(objective={"kind": kind})(labelled)
        assert (sample.rows, sample.better.shape, sample.pairs) == ((), (0, 0), 0)


def test_distillation_hides_candidates_without_comparing_them(sampler):
    sample = sampler(objective={"kind": "distill"}, sampling={"kind": "unlabelled", "negatives": 3})(document(1))
    assert (len(sample.rows), sample.pairs, sample.better.shape) == (3, 0, (3, 3))


def test_candidates_that_share_words_with_a_label_are_left_out_if_asked_for(sampler):
    text = "coral reefs and salt"
    phrases = (
        LabelledPhrase((Span(0, 11),), 0),
        LabelledPhrase((Span(6, 11),), None),
        LabelledPhrase((Span(16, 20),), None),
    )
    labelled = PseudoLabelledDocument("1", text, phrases)
    assert len(sampler()(labelled).rows) == 3
    assert [rows.tolist() for rows in sampler(sampling={"disjoint": True})(labelled).rows] == [[1, 2], [4]]


def test_the_last_phrase_that_fits_exactly_is_kept(sampler):
    labelled = document(1)
    whole = sampler()(labelled)
    sizes = [len(rows) for rows in whole.rows]
    assert whole.length > 64
    room = len(whole.ids) + sum(sizes) - 1
    less = sampler(training={"max_packed_tokens": max(64, room)})(labelled)
    exact = sampler(training={"max_packed_tokens": max(64, room + 1)})(labelled)
    assert len(exact.rows) == len(whole.rows) == len(less.rows) + 1
    assert less.better.tolist() == whole.better[:-1, :-1].tolist()

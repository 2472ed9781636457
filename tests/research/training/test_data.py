"""Batches of a step: which documents, in which order, for which process."""

import pytest
import torch
from torch.utils.data import get_worker_info

from mderank import InputError, load_encoder
from mderank.research.training.data import StepBatches
from mderank.research.training.pair_sampling import Sampler, step_documents
from mderank.research.training.pseudo_labels import LabelledCorpus

from .conftest import document

COUNT = 30  # documents, of which 8 are held out


@pytest.fixture
def batches(recipe, tiny_model, tmp_path):
    """A function that makes the batches of a run on documents of different lengths."""
    encoder = load_encoder(tiny_model("bert"))
    file = tmp_path / "labels.jsonl"
    documents = [document(seed, words=10 + seed) for seed in range(COUNT)]
    file.write_text("".join(each.as_line() for each in documents))

    def make(process=None, processes=None, kind=StepBatches, **settings):
        shares = {} if process is None else {"process": process, "processes": processes}
        return kind(recipe(**settings), LabelledCorpus(file), encoder.spec, encoder.tokenizer, **shares)

    make.encoder, make.corpus = encoder, LabelledCorpus(file)

    return make


def texts(batches):
    """The token ids of each document, one after the other."""
    return [
        tuple(ids[:length].tolist()) for batch in batches for ids, length in zip(batch.ids, batch.lengths, strict=True)
    ]


def same(one, other):
    def tensors(batch):
        return batch.ids, batch.packed_ids, batch.mlm_ids, *batch.better

    return all(torch.equal(*pair) for pair in zip(tensors(one), tensors(other), strict=True))


def test_processes_divide_the_documents_of_a_step_among_themselves(batches):
    settings = {"training": {"batch": 6, "device_batch": 2}}
    whole = batches(**settings)
    shares = [batches(process, 3, **settings) for process in range(3)]
    for step in range(len(whole)):
        parts = [texts(share[step]) for share in shares]
        assert [len(part) for part in parts] == [2, 2, 2]
        assert sorted(each for part in parts for each in part) == sorted(texts(whole[step]))
        assert len({each for part in parts for each in part}) == 6


def test_processes_have_documents_of_every_length(batches):
    """Or those with the short ones would wait for the others."""
    lengths = [
        [length for batch in batches(process, 2, training={"batch": 8})[0] for length in batch.lengths]
        for process in range(2)
    ]
    merged = [length for pair in zip(*lengths, strict=True) for length in pair]
    assert merged == sorted(merged)


@pytest.mark.parametrize(("size", "sizes"), [(1, [1] * 7), (3, [3, 3, 1]), (7, [7]), (20, [7])])
def test_a_device_computes_so_many_documents_at_once(batches, size, sizes):
    step = batches(training={"batch": 7, "device_batch": size})[0]
    assert [len(batch.lengths) for batch in step] == sizes


def test_packed_sequences_are_sorted_by_their_whole_length(batches):
    step = batches(training={"batch": 12, "device_batch": 1}, sampling={"negatives": 1})[0]
    sizes = [batch.packed_ids.shape[1] for batch in step]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    lengths = [batch.lengths[0] for batch in step]
    assert lengths != sorted(lengths)  # a long document may have few phrases


def test_triplets_are_sorted_by_the_documents_length_and_not_packed(batches):
    step = batches(training={"batch": 12, "device_batch": 1}, objective={"kind": "triplet"})[0]
    assert all(batch.packed_ids is None for batch in step)
    lengths = [batch.lengths[0] for batch in step]
    assert lengths == sorted(lengths)
    assert lengths[0] < lengths[-1]


def test_the_number_of_steps(batches):
    settings = {"batch": 5, "steps": "none", "epochs": 3}
    made = batches(training=settings)
    assert (len(made.documents), len(made.held_out)) == (22, 8)
    assert (made.steps_per_epoch, len(made)) == (4, 12)
    assert len(batches(training={**settings, "steps": 7})) == 7


def test_a_run_resumes_at_any_step_with_the_same_batches(batches):
    made = batches(training={"batch": 4, "device_batch": 2})
    resumed = list(made.from_step(4))
    assert len(resumed) == len(made) - 4
    for step, found in enumerate(resumed, start=4):
        assert all(same(*each) for each in zip(found, made[step], strict=True))
    assert len(list(made.from_step(0))) == len(made)


def test_loading_processes_change_nothing(batches):
    here, there = (batches(training={"batch": 4, "steps": 2, "loaders": loaders}) for loaders in (0, 1))
    for one, other in zip(here.from_step(0), there.from_step(0), strict=True):
        assert all(same(*each) for each in zip(one, other, strict=True))


class WhoLoads(StepBatches):
    """Tells for each step whether a loading process prepares it."""

    def __getitem__(self, step):
        return [get_worker_info() is not None]


@pytest.mark.parametrize("loaders", [0, 1])
def test_batches_are_prepared_by_so_many_processes(batches, loaders):
    steps = batches(kind=WhoLoads, training={"batch": 4, "steps": 2, "loaders": loaders}).from_step(0)
    assert list(steps) == [[bool(loaders)]] * 2


def test_draws_depend_on_the_seed_the_epoch_and_the_document(batches, recipe):
    settings = {"training": {"batch": 11, "device_batch": 1, "seed": 9}, "validation": {"every": 3},
                "sampling": {"negatives": 1}, "objective": {"mlm_weight": 0.1}}  # fmt: skip
    made = batches(**settings)
    sampler = Sampler(recipe(**settings), batches.encoder.spec, len(batches.encoder.tokenizer.get_vocab()))

    def sample(number, key):
        labelled = batches.corpus[number]
        return sampler.sample(labelled, batches.encoder.tokenize(labelled.text), key)

    expected = [sample(number, (9, 2, epoch, number)) for epoch, number in step_documents(9, 3, 11, made.documents)]
    found = {texts([batch])[0]: batch for batch in made[3]}
    for each in expected:
        batch = found.pop(tuple(each.ids.tolist()))
        assert [rows.tolist() for rows in batch.rows[0]] == [rows.tolist() for rows in each.rows]
        assert batch.mlm_ids[0].tolist() == each.mlm_ids.tolist()
    assert not found
    for number, each in zip(made.held_out.tolist(), made.held_out_samples("mean"), strict=True):
        assert each.mlm_ids.tolist() == sample(number, (9, 3, number)).mlm_ids.tolist()


def test_each_epoch_draws_anew_from_a_document(batches):
    """With one negative per document, the epochs must not all have the same."""
    made = batches(training={"batch": 22, "epochs": 6, "steps": "none", "device_batch": 1}, sampling={"negatives": 1})
    drawn = {}
    for step in range(6):
        for batch in made[step]:
            drawn.setdefault(texts([batch])[0], set()).add(tuple(tuple(rows.tolist()) for rows in batch.rows[0]))
    assert len(drawn) == 22
    assert sum(len(variants) > 1 for variants in drawn.values()) > 15


def test_another_seed_has_another_order_and_other_draws(batches):
    one, other = (batches(training={"batch": 22, "seed": seed, "device_batch": 1})[0] for seed in (1, 2))
    assert set(texts(one)) != set(texts(other))  # other documents are held out


def test_held_out_documents_are_never_trained_on(batches):
    made = batches(training={"batch": 22}, validation={"every": 3})
    samples = made.held_out_samples("mean")
    held_out = {tuple(sample.ids.tolist()) for sample in samples}
    assert len(held_out) == 8
    assert not held_out & set(texts(made[0]))
    again = made.held_out_samples("mean")
    assert [each.ids.tolist() for each in again] == [each.ids.tolist() for each in samples]


def test_held_out_pairs_are_drawn_by_the_seed_and_the_document(batches):
    settings = {"sampling": {"negatives": 1}, "validation": {"every": 3}}

    def drawn(**training):
        made = batches(training={"batch": 4, **training}, **settings)
        samples = made.held_out_samples("mean")
        return {tuple(each.ids.tolist()): [rows.tolist() for rows in each.rows] for each in samples}

    assert drawn(steps=1) == drawn(steps=2)
    assert drawn(seed=1) != drawn(seed=2)


@pytest.mark.parametrize(("pooling", "all_pairs"), [("mean", True), ("max", True), ("cls", False)])
def test_runs_on_triplets_measure_all_pairs_where_one_pass_can(batches, pooling, all_pairs):
    objective = {"kind": "triplet", "mlm_weight": 0.1}
    samples = batches(objective=objective, validation={"every": 3}).held_out_samples(pooling)
    assert all((sample.pairs > 1) == all_pairs for sample in samples)
    # The language model's loss is not measured.
    assert all((sample.mlm_ids.tolist() == sample.ids.tolist()) == all_pairs for sample in samples)


def test_without_validation_nothing_is_sampled(batches):
    assert batches(validation={"every": 0}).held_out_samples("mean") == []


def test_a_batch_must_fit_the_corpus_and_the_processes(batches):
    with pytest.raises(InputError, match="30 documents, of which 8 are held out: too few for a batch of 23"):
        batches(training={"batch": 23})
    assert batches(training={"batch": 22}).steps_per_epoch == 1
    with pytest.raises(InputError, match=r"cannot be shared equally by 3 processes: choose another training\.batch$"):
        batches(0, 3, training={"batch": 4})

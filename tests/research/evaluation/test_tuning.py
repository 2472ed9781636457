from __future__ import annotations

from dataclasses import asdict

import pytest

from mderank import MMR, FusionRank, InputError, ModelError, OptionError
from mderank.methods.fusionrank import FusionWeights
from mderank.research.evaluation.runs import Task
from mderank.research.evaluation.tuning import gather, tune
from mderank.testing import FakeEncoder, FakeTagger

NAMES = ("mask_effect", "norm", "frequency", "position", "length", "unithood")
NOTHING = dict.fromkeys(NAMES, 0.0)

# The first phrase stands once, another four times. A weight for frequency finds that one, one for position the first.
FIRST = "The {0} is old. " + "A road is long and a road is small. " * 2 + "The end."
OFTEN = "The wall is old. " + "A {0} is long and a {0} is small. " * 2 + "The end."
BIRDS = ("owl", "heron", "gull", "swift", "crane", "finch", "raven", "robin", "stork", "tern")


def fusion(encoder=None, **options):
    weights = FusionWeights(**{**NOTHING, **{name: options.pop(name) for name in NAMES if name in options}})
    return FusionRank(encoder or FakeEncoder(), tagger=FakeTagger(), weights=weights, **options)


def first(count=10):
    return [Task(bird, FIRST.format(bird), (bird,)) for bird in BIRDS[:count]]


@pytest.mark.parametrize("options", [{}, {"dedupe": "case"}, {"dedupe": "none"}, {"diversity": MMR(diversity=0.5)},
                                     {"dedupe": "stem"}, {"overlap": "any"}, {"overlap": "none"},
                                     {"min_score": 0.4}, {"max_words": 12}])  # fmt: skip
@pytest.mark.parametrize("top_k", [1, 3, None])
def test_evidence_is_weighed_as_the_ranker_does(options, top_k):
    text = "The old reef and the reefs of a deep sea. A Deep Sea is near the harbour. The harbours are old harbours. "
    tasks = [Task("a", text, ("reef",)), Task("b", text * 3 + "The long road.", ("road",)), Task("c", "", ("none",))]
    gathered = gather(fusion(**options), tasks)
    for weights in ({"mask_effect": 0.1, "position": 1.0}, {"norm": 2.0}, {"frequency": 0.3, "position": 0.2}, {}):
        ranker = fusion(**options, **weights)
        for task, document in zip(tasks, gathered.documents, strict=True):
            expected = ranker.extract(task.text, top_k)
            found = gathered.rank(document, asdict(ranker.weights), top_k)
            assert [(each.text, each.spans, each.match_count) for each in found] == [
                (each.text, each.spans, each.match_count) for each in expected
            ]
            assert [each.score for each in found] == pytest.approx([each.score for each in expected])


def test_the_encoder_is_asked_once():
    class Counting(FakeEncoder):
        calls = 0

        def hidden_states(self, inputs, layer):
            self.calls += 1
            return super().hidden_states(inputs, layer)

    encoder = Counting()
    gathered = gather(fusion(encoder, frequency=0.2, position=0.1), first())
    calls = encoder.calls
    tune(gathered)
    assert encoder.calls == calls > 0


def test_it_finds_what_documents_have_in_common_and_says_what_it_is_worth():
    tuning = tune(gather(fusion(frequency=2.0, position=20.0), first()), at=1, folds=5)
    assert (tuning.documents, len(tuning.of_folds)) == (10, 5)
    assert tuning.before == 0
    assert 80 <= tuning.held_out <= tuning.seen == 100
    assert tuning.helps
    assert tuning.weights == tuning.chosen
    assert tuning.chosen["frequency"] < 2 or tuning.chosen["position"] > 20
    assert tuning.comparison.difference == pytest.approx((tuning.held_out - tuning.before) / 100)
    assert tuning.comparison.low > 0
    assert tuning.chosen["similarity"] == 1


def test_documents_do_not_judge_weights_that_they_had_a_say_in():
    """The one wants what the other does not: weights that were chosen on it are wrong for the other."""
    tasks = [Task("a", FIRST.format("owl"), ("owl",)), Task("b", OFTEN.format("gull"), ("gull",))]
    tuning = tune(gather(fusion(frequency=2.0, position=2.0), tasks), at=1, folds=2)
    assert tuning.before == 50
    assert tuning.held_out == 0
    assert tuning.comparison.difference == -0.5
    assert not tuning.helps
    assert tuning.weights == tuning.start == {"similarity": 1, **NOTHING, "frequency": 2.0, "position": 2.0}


def test_what_is_right_already_is_left_as_it_is():
    tuning = tune(gather(fusion(frequency=0.4, position=30.0), first()), at=1)
    assert tuning.before == tuning.held_out == 100
    assert not tuning.helps
    assert tuning.chosen == tuning.weights == tuning.start


def test_a_weight_of_0_stays_0():
    tuning = tune(gather(fusion(frequency=0.4), first()), at=1)
    assert {tuning.chosen[name] for name in ("mask_effect", "norm", "position")} == {0}


def test_the_same_seed_gives_the_same():
    gathered = gather(fusion(mask_effect=0.1, frequency=0.4, position=0.5), first())
    assert tune(gathered, at=1, seed=3) == tune(gathered, at=1, seed=3)


def test_what_was_done_is_told():
    read, chosen = [], []
    gathered = gather(fusion(frequency=0.4, position=0.5), first(4), read.append)
    tune(gathered, folds=9, advance=chosen.append)
    assert sum(read) == 4
    assert len(chosen) == 4 + 1  # no more folds than documents


def test_documents_without_labels_or_that_fail_are_left_out_with_a_note():
    class Fragile(FakeTagger):
        def tag(self, texts):
            for text in texts:
                if "BAD" in text:
                    raise RuntimeError("no such text")
                yield from super().tag([text])

    tasks = [*first(3), Task("unlabelled", "The owl.", ()), Task("bad", "A BAD text.", ("text",))]
    gathered = gather(FusionRank(FakeEncoder(), tagger=Fragile()), tasks)
    assert [each.task.id for each in gathered.documents] == ["owl", "heron", "gull"]
    assert gathered.notes == (
        "the document 'unlabelled' has no keyphrases, and is left out",
        "the document 'bad' could not be read, and is left out: extraction failed: RuntimeError: no such text",
    )
    assert tune(gathered).documents == 3


def test_an_error_that_is_no_documents_fault_is_raised():
    class Broken(FakeTagger):
        def tag(self, texts):
            raise ModelError("no pipeline")

    with pytest.raises(ModelError, match="no pipeline"):
        gather(FusionRank(FakeEncoder(), tagger=Broken()), first(2))


def test_a_protocol_may_leave_documents_out():
    tasks = [*first(3), Task("absent", "The owl is here.", ("whale",))]
    gathered = gather(fusion(frequency=0.4, position=0.5), tasks)
    assert tune(gathered, at=1, protocol="macro-stem-present").documents == 3
    assert tune(gathered, at=1, protocol="macro-stem").documents == 4


def test_what_cannot_be_tuned():
    ranker = fusion(position=0.5)
    with pytest.raises(InputError, match="none of the documents has keyphrases"):
        tune(gather(ranker, [Task("a", "The owl.", ()), Task("b", "The gull.", ())]))
    with pytest.raises(InputError, match="that are in its text"):
        tune(gather(ranker, [Task("a", "The owl.", ("whale",))]), protocol="macro-stem-present")
    with pytest.raises(InputError, match="two at least"):
        tune(gather(ranker, first(1)))
    with pytest.raises(OptionError, match="folds must be at least 2"):
        tune(gather(ranker, first(2)), folds=1)
    with pytest.raises(OptionError, match="at must be at least 1"):
        tune(gather(ranker, first(2)), at=0)
    with pytest.raises(OptionError, match="unknown protocol"):
        tune(gather(ranker, first(2)), protocol="best")

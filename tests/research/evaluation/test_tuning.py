from __future__ import annotations

import pytest

from mderank import MMR, FusionRank, InputError, ModelError, OptionError
from mderank.methods.fusionrank import FusionWeights
from mderank.research.datasets import Dataset, LabelledDocument, full_text
from mderank.research.evaluation.runs import LabelledText
from mderank.research.evaluation.tuning import choose_weights, score_documents, tune
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
    return [LabelledText(bird, FIRST.format(bird), (bird,)) for bird in BIRDS[:count]]


@pytest.mark.parametrize("options", [{}, {"dedupe": "case"}, {"dedupe": "none"}, {"diversity": MMR(diversity=0.5)},
                                     {"dedupe": "stem"}, {"overlap": "any"}, {"overlap": "none"},
                                     {"min_score": 0.4}, {"max_words": 12}])  # fmt: skip
@pytest.mark.parametrize("top_k", [1, 3, None])
def test_evidence_is_weighed_as_the_ranker_does(options, top_k):
    text = "The old reef and the reefs of a deep sea. A Deep Sea is near the harbour. The harbours are old harbours. "
    tasks = [
        LabelledText("a", text, ("reef",)),
        LabelledText("b", text * 3 + "The long road.", ("road",)),
        LabelledText("c", "", ("none",)),
    ]
    scored = score_documents(fusion(**options), tasks)
    for weights in ({"mask_effect": 0.1, "position": 1.0}, {"norm": 2.0}, {"frequency": 0.3, "position": 0.2}, {}):
        ranker = fusion(**options, **weights)
        for task, document in zip(tasks, scored.documents, strict=True):
            expected = ranker.extract(task.text, top_k)
            found = scored.rank(document, ranker.weights, top_k)
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
    scored = score_documents(fusion(encoder, frequency=0.2, position=0.1), first())
    calls = encoder.calls
    choose_weights(scored)
    assert encoder.calls == calls > 0


def test_it_finds_what_documents_have_in_common_and_says_what_it_is_worth():
    tuning = choose_weights(score_documents(fusion(frequency=2.0, position=20.0), first()), k=1, folds=5)
    assert (tuning.documents, len(tuning.fold_weights)) == (10, 5)
    assert tuning.before == 0
    assert 80 <= tuning.held_out <= tuning.seen == 100
    assert tuning.helps
    assert tuning.weights == tuning.chosen
    assert tuning.chosen.frequency < 2 or tuning.chosen.position > 20
    assert tuning.comparison.difference == pytest.approx((tuning.held_out - tuning.before) / 100)
    assert tuning.comparison.low > 0
    assert tuning.chosen.similarity == 1


def test_documents_do_not_judge_weights_that_they_had_a_say_in():
    """The one wants what the other does not: weights that were chosen on it are wrong for the other."""
    tasks = [LabelledText("a", FIRST.format("owl"), ("owl",)), LabelledText("b", OFTEN.format("gull"), ("gull",))]
    tuning = choose_weights(score_documents(fusion(frequency=2.0, position=2.0), tasks), k=1, folds=2)
    assert tuning.before == 50
    assert tuning.held_out == 0
    assert tuning.comparison.difference == -0.5
    assert not tuning.helps
    assert tuning.weights == tuning.start == FusionWeights(**{**NOTHING, "frequency": 2.0, "position": 2.0})


def test_what_is_right_already_is_left_as_it_is():
    tuning = choose_weights(score_documents(fusion(frequency=0.4, position=30.0), first()), k=1)
    assert tuning.before == tuning.held_out == 100
    assert not tuning.helps
    assert tuning.chosen == tuning.weights == tuning.start


def test_a_weight_of_0_stays_0():
    tuning = choose_weights(score_documents(fusion(frequency=0.4), first()), k=1)
    assert {getattr(tuning.chosen, name) for name in ("mask_effect", "norm", "position")} == {0}


def test_the_same_seed_gives_the_same():
    scored = score_documents(fusion(mask_effect=0.1, frequency=0.4, position=0.5), first())
    assert choose_weights(scored, k=1, seed=3) == choose_weights(scored, k=1, seed=3)


def test_what_was_done_is_told():
    told = []
    scored = score_documents(fusion(frequency=0.4, position=0.5), first(4), lambda *each: told.append(each))
    choose_weights(scored, folds=9, progress=lambda *each: told.append(each))
    # No more folds than documents.
    assert told == [("reading", 4, 4), *(("choosing weights", done, 5) for done in range(1, 6))]


def test_documents_without_labels_or_that_fail_are_left_out_with_a_note():
    class Fragile(FakeTagger):
        def tag(self, texts):
            for text in texts:
                if "BAD" in text:
                    raise RuntimeError("no such text")
                yield from super().tag([text])

    tasks = [*first(3), LabelledText("unlabelled", "The owl.", ()), LabelledText("bad", "A BAD text.", ("text",))]
    scored = score_documents(FusionRank(FakeEncoder(), tagger=Fragile()), tasks)
    assert [each.task.id for each in scored.documents] == ["owl", "heron", "gull"]
    assert scored.notes == (
        "the document 'unlabelled' has no keyphrases and is left out",
        "the document 'bad' is left out: extraction failed: RuntimeError: no such text",
    )
    assert choose_weights(scored).documents == 3


def test_an_error_that_is_no_documents_fault_is_raised():
    class Broken(FakeTagger):
        def tag(self, texts):
            raise ModelError("no pipeline")

    with pytest.raises(ModelError, match="no pipeline"):
        score_documents(FusionRank(FakeEncoder(), tagger=Broken()), first(2))


def test_a_protocol_may_leave_documents_out():
    tasks = [*first(3), LabelledText("absent", "The owl is here.", ("whale",))]
    scored = score_documents(fusion(frequency=0.4, position=0.5), tasks)
    assert choose_weights(scored, k=1, protocol="macro-stem-present").documents == 3
    assert choose_weights(scored, k=1, protocol="macro-stem").documents == 4


def labelled(documents):
    return Dataset("mine", None, tuple(documents), "")


def test_a_dataset_is_tuned_in_one_call(capsys):
    documents = [LabelledDocument(bird, f"The {bird}", FIRST.format(bird), (bird,)) for bird in BIRDS]
    told = []
    extractor = fusion(frequency=2.0, position=20.0)
    result = tune(labelled(documents), extractor, k=1, folds=2, seed=1, progress=lambda *each: told.append(each))
    tasks = [LabelledText(each.id, full_text(each), each.keyphrases) for each in documents]
    assert result == choose_weights(score_documents(extractor, tasks), k=1, folds=2, seed=1)
    assert {stage for stage, _, _ in told} == {"reading", "choosing weights"}
    assert capsys.readouterr() == ("", "")


def test_options_are_checked_before_anything_is_read():
    def fail(*_):
        raise AssertionError("a document was read")

    dataset = labelled([LabelledDocument("a", "", "The owl.", ("owl",))] * 2)
    for options in ({"folds": 1}, {"k": 0}, {"protocol": "best"}):
        with pytest.raises(OptionError):
            tune(dataset, fusion(), progress=fail, **options)
    judged = labelled([LabelledDocument("a", "", "The owl.", ("owl",), junk=())])
    with pytest.raises(OptionError, match="mine has judged phrases, and F1 needs gold keyphrases"):
        tune(judged, fusion(), progress=fail)


def test_what_cannot_be_tuned():
    ranker = fusion(position=0.5)
    with pytest.raises(InputError, match="none of the documents has keyphrases"):
        choose_weights(score_documents(ranker, [LabelledText("a", "The owl.", ()), LabelledText("b", "The gull.", ())]))
    with pytest.raises(InputError, match="that are in its text"):
        choose_weights(
            score_documents(ranker, [LabelledText("a", "The owl.", ("whale",))]), protocol="macro-stem-present"
        )
    with pytest.raises(InputError, match="two at least"):
        choose_weights(score_documents(ranker, first(1)))
    with pytest.raises(OptionError, match="folds must be at least 2"):
        choose_weights(score_documents(ranker, first(2)), folds=1)
    with pytest.raises(OptionError, match="k must be at least 1"):
        choose_weights(score_documents(ranker, first(2)), k=0)
    with pytest.raises(OptionError, match="unknown protocol"):
        choose_weights(score_documents(ranker, first(2)), protocol="best")

from __future__ import annotations

import json

import pytest

from mderank import InputError, MDERank, OptionError
from mderank.options import Options
from mderank.research.evaluation.evaluate import Resources, evaluate, execute, prepare
from mderank.research.evaluation.measures import Measure
from mderank.research.evaluation.protocols import PROTOCOLS
from mderank.research.evaluation.runs import LabelledText, RunStore, load_run
from mderank.research.evaluation.spec import RunSpec
from mderank.testing import FakeEncoder, FakeTagger

SETTINGS = {"options": {"method": "mderank"}, "dataset": "animals"}
TASKS = [
    LabelledText("1", "The reef is near the old harbour. The reef is big.", ("reef", "harbours")),
    LabelledText("2", "", ("nothing",)),
    LabelledText("3", "A lazy dog is by the river.", ()),
    *(LabelledText(str(number), f"The fox of the hill is {number} years old.", ("fox",)) for number in range(4, 40)),
]


@pytest.fixture
def extractor():
    return MDERank(FakeEncoder({"reef": 3.0, "fox": 2.0}), tagger=FakeTagger(), dedupe="case")


def lines(folder, *, timings=False):
    records = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
    return records if timings else [{**record, "seconds": 0} for record in records]


def test_a_line_for_every_document(extractor, tmp_path):
    run = execute(extractor, TASKS, tmp_path, SETTINGS)
    first = lines(tmp_path, timings=True)[0]
    assert first["id"] == "1"
    assert [text for text, _, _ in first["predictions"]] == ["reef", "old harbour"]
    assert [found for _, _, found in first["predictions"]] == [2, 1]
    assert first["gold"] == ["reef", "harbours"]
    assert first["hits"] == [1]
    assert first["seconds"] > 0
    assert first["error"] is None
    assert [outcome.id for outcome in run.outcomes] == [task.id for task in TASKS]
    assert run.summary["documents"] == len(TASKS)
    assert run.summary["failed"] == 0


def test_values_leave_out_documents_without_gold_and_count_empty_ones(extractor, tmp_path):
    run = execute(extractor, TASKS[:3], tmp_path, SETTINGS)
    # Document 1: one of two, two predicted; document 2: none of one; document 3 has no gold.
    assert run.value(Measure.parse("R@5"), PROTOCOLS["micro-stem"]) == pytest.approx(100 / 3)
    assert run.value(Measure.parse("P@5"), PROTOCOLS["micro-stem"]) == pytest.approx(50)
    # The tagger found "reef" twice: three predictions in the paper's count.
    assert run.value(Measure.parse("P@5"), PROTOCOLS["mderank"]) == pytest.approx(100 / 3)


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_run_that_was_stopped_goes_on_and_ends_the_same(extractor, tmp_path, after):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    execute(extractor, TASKS, whole, SETTINGS)
    calls = []

    def stop(count):
        calls.append(count)
        if len(calls) == after + 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        execute(extractor, TASKS, broken, SETTINGS, stop)
    assert len(lines(broken)) == min(len(TASKS), [1, 3, 7][after])
    with (broken / "documents.jsonl").open("a") as stream:
        stream.write('{"id": "half a li')
    execute(extractor, TASKS, broken, SETTINGS)
    assert lines(broken) == lines(whole)


@pytest.mark.parametrize(("seconds", "counts"), [(0.1, [0, 1, 2, 4, 8, 16, 9]), (8, [0, 1, 2, 1, 2, 1, 2, 1])])
def test_documents_are_written_together_unless_they_take_long(extractor, tmp_path, seconds, counts):
    """``clock`` runs on by ``seconds`` for every document, so that what is timed is known."""
    time = 0.0

    def clock():
        return time

    class Slow:
        def extract_many(self, texts, **options):
            nonlocal time
            time += seconds * len(texts)
            return extractor.extract_many(texts, **options)

    tasks = [LabelledText(str(number), "The reef.", ("reef",)) for number in range(sum(counts))]
    told = []
    run = execute(Slow(), tasks, tmp_path, SETTINGS, told.append, clock)
    assert told == counts
    assert {outcome.seconds for outcome in run.outcomes} == {seconds}


def test_a_finished_run_is_not_run_again(extractor, tmp_path):
    execute(extractor, TASKS, tmp_path, SETTINGS)
    before = (tmp_path / "documents.jsonl").read_bytes()
    told = []
    execute(None, TASKS, tmp_path, SETTINGS, told.append)
    assert (tmp_path / "documents.jsonl").read_bytes() == before
    assert told == [len(TASKS)]


def test_other_settings_are_refused(extractor, tmp_path):
    execute(extractor, TASKS[:1], tmp_path, SETTINGS)
    with pytest.raises(InputError, match="dataset: 'animals', now 'plants'"):
        execute(extractor, TASKS[:1], tmp_path, {**SETTINGS, "dataset": "plants"})


def test_other_documents_are_refused(extractor, tmp_path):
    execute(extractor, TASKS[:2], tmp_path, SETTINGS)
    with pytest.raises(InputError, match="other documents"):
        execute(extractor, TASKS[1:], tmp_path, SETTINGS)


def test_one_bad_document_does_not_end_the_run(tmp_path):
    class Choosy(FakeTagger):
        def tag(self, texts):
            for text in texts:
                if "dog" in text:
                    raise RuntimeError("no dogs")
                yield from super().tag([text])

    run = execute(MDERank(FakeEncoder(), tagger=Choosy()), TASKS, tmp_path, SETTINGS)
    assert [outcome.id for outcome in run.outcomes if outcome.error] == ["3"]
    assert "no dogs" in run.outcomes[2].error
    assert run.summary["failed"] == 1


def test_two_at_once_are_refused(extractor, tmp_path):
    """Both would do the same documents, and write them twice."""
    pytest.importorskip("fcntl")

    class Watched:
        def extract_many(self, texts, top_k=10):
            with pytest.raises(InputError, match="another process"):
                execute(extractor, TASKS, tmp_path, SETTINGS)
            return extractor.extract_many(texts, top_k)

    execute(Watched(), TASKS, tmp_path, SETTINGS)
    assert [line["id"] for line in lines(tmp_path)] == [task.id for task in TASKS]


@pytest.fixture
def animals(tmp_path):
    file = tmp_path / "animals.jsonl"
    documents = [
        {"id": str(number), "title": "", "text": f"The barn owl sees {number} owls.", "keyphrases": ["owls"]}
        for number in range(3)
    ]
    file.write_text("".join(json.dumps(each) + "\n" for each in documents))
    return str(file)


def test_a_notebook_can_evaluate_a_method(animals, tmp_path, capsys):
    store = RunStore(tmp_path / "runs")
    done = []
    spec = RunSpec(animals, Options(method="firstphrases"), limit=2)
    run = evaluate(spec, store, progress=lambda *step: done.append(step))
    assert (run.name, run.method, run.dataset, run.judged) == ("firstphrases", "firstphrases", "animals", False)
    assert [outcome.id for outcome in run.outcomes] == ["0", "1"]
    stage = "animals firstphrases"
    assert done == [(stage, 0, 2), (stage, 1, 2), (stage, 2, 2)]
    assert run.value(Measure.parse("R@M"), PROTOCOLS["mderank"]) == 100
    assert (
        run.settings["options"]
        == Options(
            method="firstphrases", top_k=0, dedupe="case", max_words=512, max_phrase_words=0, tokenizer="spacy"
        ).to_dict()
    )
    assert load_run(run.folder) == run
    assert store.find(run.settings, 2).folder == run.folder
    assert capsys.readouterr() == ("", "")


def test_runs_share_what_they_load(animals, tmp_path):
    resources, store = Resources(cache_tags=True), RunStore(tmp_path)
    one, other = (
        prepare(RunSpec(animals, Options(method=method)), store, resources=resources)
        for method in ("embedrank", "mderank")
    )
    assert one.dataset is other.dataset
    assert one.extractor.encoder is other.extractor.encoder
    assert one.extractor.tagger is other.extractor.tagger
    one.execute()
    assert one.extractor.tagger.get("The barn owl sees 0 owls.") is not None
    assert one.extractor.tagger.saved == 0
    other.execute()
    assert one.extractor.tagger.saved > 0
    # Other texts: what was cached is dropped.
    prepare(
        RunSpec(animals, Options(method="mderank"), text="full"), store, label="full", resources=resources
    ).execute()
    assert one.extractor.tagger.get("The barn owl sees 0 owls.") is None


def test_options_that_the_method_does_not_take_are_refused_before_anything_is_written(animals, tmp_path):
    for method in ("oracle", "random"):
        with pytest.raises(OptionError, match=f"the method '{method}' does not take exact"):
            evaluate(RunSpec(animals, Options(method=method, exact=True)), RunStore(tmp_path / "runs"))
    assert not (tmp_path / "runs").exists()

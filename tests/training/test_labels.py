import json

import pytest

from mderank import InputError, OptionError
from mderank.document import Span
from mderank.testing import FakeTagger
from mderank.training.corpus import Text
from mderank.training.labels import Labelled, LabelledCorpus, Labeller, Phrase, label_corpus
from mderank.training.recipe import Labels

TEXT = "The red reef is near the old harbour. Reefs of the harbour have storms."


@pytest.fixture
def corpus(tmp_path, recipe):
    """A recipe with a corpus of three documents, labelled by the order of their phrases."""
    file = tmp_path / "texts.jsonl"
    lines = [json.dumps({"id": name, "text": f"{TEXT} {name} is a fast boat."}) for name in ("Ann", "Bob", "Cid")]
    file.write_text("\n".join(lines))

    def make(**labels):
        settings = {"kind": "texts", "files": [str(file)], "min_words": 3, "max_words": 100}
        return recipe(corpus=settings, labels={"method": "firstphrases", "keep": 20, **labels})

    make.file = file
    return make


def test_the_labels_are_the_methods_ranking_and_all_candidates_are_there():
    labeller = Labeller(Labels(method="firstphrases", keep=2), FakeTagger())
    (labelled,) = labeller.label([Text("1", TEXT)])
    assert isinstance(labelled, Labelled)
    found = {TEXT[phrase.spans[0].start : phrase.spans[0].end]: phrase.rank for phrase in labelled.phrases}
    assert found == {"red reef": 0, "old harbour": 1, "Reefs": None, "harbour": None, "storms": None}
    (harbour,) = (each for each in labelled.phrases if TEXT[slice(*each.spans[0])] == "harbour")
    assert harbour.spans == (Span(29, 36), Span(51, 58))  # also where it is part of a longer phrase


def test_phrases_of_the_methods_own_are_kept_if_they_are_no_candidates():
    class Method:
        def extract_many(self, texts, top_k):
            from mderank import Keyphrase, Keyphrases

            for _ in texts:
                yield Keyphrases([Keyphrase("near the old", 1.0, 1.0, (Span(16, 28),), ("near the old",))])

    labeller = Labeller(Labels(method="firstphrases"), FakeTagger())
    labeller._method = Method()
    (labelled,) = labeller.label([Text("1", TEXT)])
    assert [phrase for phrase in labelled.phrases if phrase.rank == 0] == [Phrase((Span(16, 28),), 0)]


def test_a_line_written_and_read_again_is_the_same():
    labelled = Labelled("x", "a ünit", (Phrase((Span(2, 6),), None), Phrase((Span(0, 1), Span(2, 3)), 4)))
    assert Labelled.parse(labelled.line().encode(), "here") == labelled


def test_labels_are_made_once(corpus, tmp_path):
    lines = []
    file = label_corpus(corpus(), tmp_path / "cache", tagger=FakeTagger(), report=lines.append)
    before = file.read_bytes()
    assert [each.id for each in map(LabelledCorpus(file).__getitem__, range(3))] == ["Ann#1", "Bob#1", "Cid#1"]
    assert any("labelled 3 documents" in line for line in lines)
    assert label_corpus(corpus(), tmp_path / "cache", tagger=None) == file  # nothing is tagged
    assert label_corpus(corpus(keep=21), tmp_path / "cache", tagger=FakeTagger()) != file
    assert file.read_bytes() == before


def test_labelling_goes_on_where_it_stopped(corpus, tmp_path, monkeypatch):
    whole = label_corpus(corpus(), tmp_path / "whole", tagger=FakeTagger()).read_bytes()
    monkeypatch.setattr("mderank.training.labels._CHUNK", 1)

    class Dies(FakeTagger):
        def tag(self, texts):
            for document in super().tag(texts):
                if "Cid" in document.text:
                    raise KeyboardInterrupt
                yield document

    with pytest.raises(KeyboardInterrupt):
        label_corpus(corpus(), tmp_path / "cache", tagger=Dies())
    (draft,) = (tmp_path / "cache").glob(".*.part")
    assert not list((tmp_path / "cache").glob("*.jsonl"))
    draft.write_bytes(draft.read_bytes() + b'{"id": "half a li')
    tagged = []

    class Counts(FakeTagger):
        def tag(self, texts):
            for document in super().tag(texts):
                tagged.append(document.text)
                yield document

    assert label_corpus(corpus(), tmp_path / "cache", tagger=Counts()).read_bytes() == whole
    assert len(tagged) == 1


def test_several_processes_give_the_same(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("mderank.training.labels._CHUNK", 2)
    one = label_corpus(corpus(), tmp_path / "one")
    two = label_corpus(corpus(workers=2), tmp_path / "two")
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()


def test_an_unreadable_document_is_named_and_passed_over(corpus, tmp_path):
    corpus.file.write_text(corpus.file.read_text() + "\nnot json\n")
    lines = []
    file = label_corpus(corpus(), tmp_path / "cache", tagger=FakeTagger(), report=lines.append)
    assert len(LabelledCorpus(file)) == 3
    assert any(line.startswith("passed over:") and "texts.jsonl:4" in line for line in lines)


def test_nothing_to_label(corpus, tmp_path):
    corpus.file.write_text('{"text": "short"}\n')
    with pytest.raises(InputError, match="no document that could be labelled"):
        label_corpus(corpus(), tmp_path / "cache", tagger=FakeTagger())
    with pytest.raises(OptionError, match="unknown method 'yaks'"):
        label_corpus(corpus(method="yaks"), tmp_path / "cache", tagger=FakeTagger())


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / "labels.jsonl").write_text('{"id": "1", "text": "a", "phrases": []}\n{"id": \n')
    with pytest.raises(InputError, match=r"labels.jsonl:2 is no labelled document"):
        LabelledCorpus(tmp_path / "labels.jsonl")[1]

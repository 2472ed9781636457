import json

import pytest

from mderank import InputError, Keyphrase, Keyphrases, NounPhrases, OptionError
from mderank.document import Span
from mderank.research.training.corpus import CorpusDocument, read_documents
from mderank.research.training.pair_sampling import Sampler
from mderank.research.training.pseudo_labels import (
    LabelledCorpus,
    LabelledPhrase,
    Labeller,
    PseudoLabelledDocument,
    label_corpus,
)
from mderank.research.training.recipe import Recipe
from mderank.research.training.settings import CorpusSettings, LabelSettings
from mderank.tagging import SpacyTagger
from mderank.testing import FakeEncoder, FakeTagger

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
    labeller = Labeller(LabelSettings(method="firstphrases", keep=2), FakeTagger())
    (labelled,) = labeller.label([CorpusDocument("1", TEXT)])
    assert isinstance(labelled, PseudoLabelledDocument)
    found = {TEXT[phrase.spans[0].start : phrase.spans[0].end]: phrase.rank for phrase in labelled.phrases}
    assert found == {"red reef": 0, "old harbour": 1, "Reefs": None, "harbour": None, "storms": None}
    (harbour,) = (each for each in labelled.phrases if TEXT[slice(*each.spans[0])] == "harbour")
    assert harbour.spans == (Span(29, 36), Span(51, 58))  # also where it is part of a longer phrase


class Method:
    """A method whose first phrase is not a candidate."""

    def extract_many(self, texts, top_k):
        for _ in texts:
            spans = {"near the old": Span(16, 28), "Harbour": Span(29, 36), "storms": Span(64, 70), "reef": Span(8, 12)}
            yield Keyphrases([Keyphrase(text, 1.0, 1.0, (span,), (text,)) for text, span in spans.items()])


def test_only_candidates_become_labels():
    labeller = Labeller(LabelSettings(method="firstphrases"), FakeTagger())
    labeller._method = Method()
    (labelled,) = labeller.label([CorpusDocument("1", TEXT)])
    found = {TEXT[slice(*phrase.spans[0])]: phrase.rank for phrase in labelled.phrases}
    # "near the old" is no noun phrase: the next phrase has its rank. "reef" has the stem of the candidate "Reefs".
    assert found == {"red reef": None, "old harbour": None, "harbour": 0, "storms": 1, "Reefs": 2}


def test_so_many_labels_are_kept_as_are_asked_for():
    labeller = Labeller(LabelSettings(method="firstphrases", keep=1), FakeTagger())
    labeller._method = Method()
    (labelled,) = labeller.label([CorpusDocument("1", TEXT)])
    assert [TEXT[slice(*each.spans[0])] for each in labelled.phrases if each.rank is not None] == ["harbour"]


@pytest.mark.parametrize(("limit", "there"), [(8, False), (None, True)])
def test_long_candidates_are_left_out_unless_there_is_no_limit(limit, there):
    text = "The " + " ".join(["red"] * 9) + " reef is near the harbour."
    (labelled,) = Labeller(LabelSettings(method="firstphrases", max_phrase_words=limit), FakeTagger()).label(
        [CorpusDocument("1", text)]
    )
    assert any(text[slice(*each.spans[0])].endswith("red reef") for each in labelled.phrases) == there


@pytest.mark.data
@pytest.mark.parametrize("method", ["yake", "textrank"])
@pytest.mark.parametrize("kind", ["absolute", "relative"])
def test_keyphrases_and_non_keyphrases_of_wikitext_are_candidates(method, kind, data_dir):
    """The paper's keyphrases are C', its non-keyphrases C without C': all are noun phrases, C."""
    corpus = CorpusSettings(files=(str(data_dir / "wikitext2" / "valid.raw.gz"),), max_words=120, limit=25)
    tagger, encoder = SpacyTagger(), FakeEncoder()
    recipe = Recipe.parse({"sampling": {"kind": kind}, "objective": {"kind": "one-pass"}})
    sampler = Sampler(recipe, encoder.spec, 100)
    labeller = Labeller(LabelSettings(method=method), tagger)
    positive = negative = 0
    for text in read_documents(corpus):
        (labelled,) = labeller.label([text])
        (document,) = tagger.tag([labelled.text])
        candidates = {tuple(each.span for each in found.occurrences) for found in NounPhrases().find(document)}
        assert {phrase.spans for phrase in labelled.phrases} == candidates
        labels = [phrase for phrase in labelled.phrases if phrase.rank is not None]
        assert len({phrase.rank for phrase in labels}) == max((phrase.rank + 1 for phrase in labels), default=0)
        better = sampler.sample(labelled, encoder.tokenize(labelled.text), [1]).better
        positive, negative = positive + better.any(axis=1).sum(), negative + better.any(axis=0).sum()
    assert positive > 50
    assert negative > 50


def test_a_line_written_and_read_again_is_the_same():
    labelled = PseudoLabelledDocument(
        "x", "a ünit", (LabelledPhrase((Span(2, 6),), None), LabelledPhrase((Span(0, 1), Span(2, 3)), 4))
    )
    assert PseudoLabelledDocument.parse(labelled.as_line().encode(), "here") == labelled


def test_labels_are_made_once(corpus, tmp_path):
    lines = []
    file = label_corpus(corpus(), tmp_path / "cache", tagger=FakeTagger(), progress=lines.append)
    before = file.read_bytes()
    assert [each.id for each in map(LabelledCorpus(file).__getitem__, range(3))] == ["Ann#1", "Bob#1", "Cid#1"]
    assert any("labelled 3 documents" in line for line in lines)
    assert label_corpus(corpus(), tmp_path / "cache", tagger=None) == file  # nothing is tagged
    assert label_corpus(corpus(keep=21), tmp_path / "cache", tagger=FakeTagger()) != file
    assert file.read_bytes() == before


def test_labelling_goes_on_where_it_stopped(corpus, tmp_path, monkeypatch):
    whole = label_corpus(corpus(), tmp_path / "whole", tagger=FakeTagger()).read_bytes()
    monkeypatch.setattr("mderank.research.training.pseudo_labels._CHUNK", 1)

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


@pytest.mark.slow
def test_several_processes_give_the_same(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr("mderank.research.training.pseudo_labels._CHUNK", 2)
    one = label_corpus(corpus(), tmp_path / "one")
    two = label_corpus(corpus(workers=2), tmp_path / "two")
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()


def test_an_unreadable_document_is_named_and_passed_over(corpus, tmp_path):
    corpus.file.write_text(corpus.file.read_text() + "\nnot json\n")
    lines = []
    file = label_corpus(corpus(), tmp_path / "cache", tagger=FakeTagger(), progress=lines.append)
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
    with pytest.raises(InputError, match=r"labels.jsonl:2 is not a labelled document"):
        LabelledCorpus(tmp_path / "labels.jsonl")[1]

import gzip
import sys
import types

import pytest

from mderank import InputError, MissingExtraError, OptionError
from mderank.research.training.corpus import (
    corpus_fingerprint,
    cut_documents,
    describe_corpus,
    detokenise,
    read_documents,
    split_articles,
)
from mderank.research.training.settings import CorpusSettings

WIKITEXT = """
 = Coral reef =

 A coral reef is a well @-@ known " underwater ecosystem " , built by 1 @,@ 000 polyps .
 It grows ( slowly ) .

 = = Growth = =

 Reefs grow .

 = = = Rates = = =

 Some of them do n't .

 = Salt =

 Salt is a mineral ; the sea 's salt is old .
"""


def test_articles_are_cut_at_titles_and_sections():
    assert list(split_articles(WIKITEXT.splitlines(keepends=True))) == [
        (
            "Coral reef/0",
            [
                'A coral reef is a well-known "underwater ecosystem", built by 1,000 polyps.',
                "It grows (slowly).",
            ],
        ),
        ("Coral reef/1", ["Reefs grow.", "Some of them don't."]),
        ("Salt/0", ["Salt is a mineral; the sea's salt is old."]),
    ]


@pytest.mark.parametrize(
    ("spaced", "running"),
    [
        ("a 3 @.@ 5 km – long road", "a 3.5 km – long road"),
        ("from 1939 – 1945 .", "from 1939–1945."),
        ('he said : " go ! "', 'he said: "go!"'),
        ("players ' turns , [ 3 ]", "players' turns, [3]"),
        ("£ 20 , 30 % .", "£20, 30%."),
        ("x = y", "x = y"),
    ],
)
def test_running_text(spaced, running):
    assert detokenise(spaced) == running


def test_documents_are_whole_paragraphs_while_they_fit():
    assert list(cut_documents(["a b c", "d e", "f g h", "i"], 3, 5)) == ["a b c\n\nd e", "f g h\n\ni"]
    assert list(cut_documents(["a b", "c d e f"], 3, 5)) == ["c d e f"]  # what is too short is left out
    assert list(cut_documents([], 1, 5)) == []


def test_a_long_paragraph_is_cut_at_sentences_and_a_long_sentence_anywhere():
    assert list(cut_documents(["One two three. Four five. Six seven eight."], 1, 5)) == [
        "One two three. Four five.",
        "Six seven eight.",
    ]
    assert list(cut_documents(["a b c d e f g"], 1, 3)) == ["a b c", "d e f", "g"]


def test_files_of_any_kind_and_compressed(tmp_path):
    with gzip.open(tmp_path / "wiki.raw.gz", "wt", encoding="utf-8") as stream:
        stream.write(WIKITEXT)
    corpus = CorpusSettings(files=(str(tmp_path / "wiki.raw.gz"),), min_words=3, max_words=50)
    assert [each.id for each in read_documents(corpus)] == ["Coral reef/0#1", "Coral reef/1#1", "Salt/0#1"]
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "a.txt").write_text("One two three.\n\nFour five six.")
    (folder / "b.jsonl").write_text('{"id": "x", "text": "Seven eight nine."}\n')
    corpus = CorpusSettings(kind="texts", files=(str(folder),), min_words=2, max_words=4, limit=3)
    assert [(each.id.rsplit("/", 1)[-1], each.text) for each in read_documents(corpus)] == [
        ("a.txt#1", "One two three."),
        ("a.txt#2", "Four five six."),
        ("x#1", "Seven eight nine."),
    ]


def test_it_is_read_no_further_than_asked():
    lines = iter([" = T =\n", "a b c\n", " = U =\n", "d e f\n", " = V =\n"])
    assert next(split_articles(lines))[0] == "T/0"
    assert list(lines) == ["d e f\n", " = V =\n"]


def test_what_cannot_be_read_is_named(tmp_path):
    (tmp_path / "good.jsonl").write_text('{"text": "one two three"}\nnot json\n{"text": "four five six"}\n')
    corpus = CorpusSettings(kind="texts", files=(str(tmp_path / "good.jsonl"),), min_words=2)
    with pytest.raises(InputError, match=r"good.jsonl:2: this line is not JSON"):
        list(read_documents(corpus))
    told = []
    assert len(list(read_documents(corpus, on_error=told.append))) == 2
    assert "good.jsonl:2" in str(told[0])
    (tmp_path / "broken.raw.gz").write_bytes(b"\x1f\x8b no")
    with pytest.raises(InputError, match="is not a whole gzip file"):
        list(read_documents(CorpusSettings(files=(str(tmp_path / "broken.raw.gz"),))))


def test_no_corpus(tmp_path, monkeypatch):
    with pytest.raises(OptionError, match=r"name files or folders .*set corpus.files or corpus.hub"):
        list(read_documents(CorpusSettings()))
    monkeypatch.delenv("MDERANK_DATA_DIR", raising=False)
    with pytest.raises(InputError, match=r"nothing.raw does not exist, .*--set corpus.files"):
        list(read_documents(CorpusSettings(files=("nothing.raw",))))
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError, match=r"mderank\[train\]"):
        list(read_documents(CorpusSettings(hub="some/set")))


def test_ids_are_unique(tmp_path):
    file = tmp_path / "wiki.raw"
    file.write_text(f"{WIKITEXT} = Salt =\n\n Salt is also a town .\n\n = Salt/0 (2) =\n\n Salt once more .\n")
    ids = [each.id for each in read_documents(CorpusSettings(files=(str(file),), min_words=2))]
    assert ids[2:] == ["Salt/0#1", "Salt/0 (2)#1", "Salt/0 (2)/0#1"]
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text('{"id": "1", "text": "one two three"}\n')
    corpus = CorpusSettings(kind="texts", files=(str(tmp_path / "*.jsonl"),), min_words=2)
    assert [each.id for each in read_documents(corpus)] == ["1#1", "1 (2)#1"]


def test_files_come_before_the_hub(tmp_path, monkeypatch):
    fetched = []

    def load_dataset(*arguments, **options):
        fetched.append(arguments)
        return [{"text": " = Reef =\n"}, {"text": " a reef of the hub\n"}]

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    corpus = CorpusSettings(files=("here.raw",), hub="some/set", config="small", min_words=2)
    assert [each.text for each in read_documents(corpus, tmp_path)] == ["a reef of the hub"]
    assert fetched == [("some/set", "small")]
    assert describe_corpus(corpus, tmp_path) == "some/set small"
    before = corpus_fingerprint(corpus, tmp_path)
    (tmp_path / "here.raw").write_text(" a reef of a file\n")
    assert [each.text for each in read_documents(corpus, tmp_path)] == ["a reef of a file"]
    assert corpus_fingerprint(corpus, tmp_path) != before
    assert describe_corpus(corpus, tmp_path) == "here.raw"
    assert len(fetched) == 1


def test_a_corpus_that_cannot_be_fetched(monkeypatch):
    def load_dataset(*arguments, **options):
        raise RuntimeError("no route to the hub")

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    with pytest.raises(InputError, match=r"'some/set' cannot be fetched .*x.raw.*: no route to the hub.*RECIPE FILE"):
        list(read_documents(CorpusSettings(files=("x.raw",), hub="some/set")))


def test_files_are_found_in_the_data_folder_and_beside_the_recipe(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.raw").write_text(" one two three four\n")
    corpus = CorpusSettings(files=("a.raw",), min_words=2)
    assert len(list(read_documents(corpus, tmp_path / "data"))) == 1
    monkeypatch.setenv("MDERANK_DATA_DIR", str(tmp_path / "data"))
    assert len(list(read_documents(corpus))) == 1


def test_another_text_is_another_corpus(tmp_path):
    file = tmp_path / "a.raw"
    file.write_text("one two")
    corpus = CorpusSettings(files=(str(file),))
    before = corpus_fingerprint(corpus)
    assert corpus_fingerprint(corpus) == before
    file.write_text("one three")
    assert corpus_fingerprint(corpus) != before

from __future__ import annotations

import gzip
import json

import pytest

from mderank import InputError
from mderank.research.tuning.labelled_files import LabelFields, load_labelled


def labels(dataset):
    return {each.id: each.keyphrases for each in dataset.documents}


def test_json_lines_need_text_and_keyphrases_only(tmp_path):
    file = tmp_path / "mine.jsonl"
    file.write_text(
        '{"text": "An owl.", "keyphrases": ["owl", " owl ", ""]}\n\n{"id": 7, "text": "A gull.", "keyphrases": []}\n'
    )
    found = load_labelled(file)
    assert found.name == "mine"
    assert labels(found) == {f"{file}:1": ("owl",), "7": ()}


def test_gzip_and_a_limit(tmp_path):
    file = tmp_path / "mine.jsonl.gz"
    lines = [json.dumps({"text": f"An owl {number}.", "keyphrases": ["owl"]}) for number in range(5)]
    file.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert len(load_labelled(file, limit=2).documents) == 2


@pytest.mark.parametrize(
    ("cell", "separator", "expected"),
    [
        ("barn owl; snow, deep", None, ("barn owl", "snow, deep")),
        ("barn owl | snow", None, ("barn owl", "snow")),
        ("barn owl, snow", None, ("barn owl", "snow")),
        ("barn owl / snow", "/", ("barn owl", "snow")),
        ("barn owl", None, ("barn owl",)),
        ("barn owl\nsnow", None, ("barn owl", "snow")),
    ],
)
def test_a_table_has_labels_in_a_column(tmp_path, cell, separator, expected):
    file = tmp_path / "mine.csv"
    file.write_text(f'name,body,tags\na,"A barn owl, in snow.","{cell}"\n')
    fields = LabelFields(text="body", labels="tags", id="name", separator=separator)
    assert labels(load_labelled(file, fields=fields)) == {"a": expected}


def test_parquet_has_labels_in_a_column(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = {"id": ["a", "b"], "text": ["A barn owl.", "A gull."], "keyphrases": [["barn owl", "owl"], []]}
    parquet.write_table(pyarrow.table(table), tmp_path / "mine.parquet")
    assert labels(load_labelled(tmp_path / "mine.parquet")) == {"a": ("barn owl", "owl"), "b": ()}
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="not a whole Parquet file"):
        load_labelled(tmp_path / "damaged.parquet")


def test_a_folder_has_labels_beside_its_texts(tmp_path):
    (tmp_path / "a.txt").write_text("A barn owl.")
    (tmp_path / "a.key").write_text("barn owl\n\n owl \n")
    (tmp_path / "b.md").write_text("# Reefs\n\nA **coral reef**.")
    (tmp_path / "b.key").write_text("coral reef")
    (tmp_path / "c.txt").write_text("Not labelled.")
    found = load_labelled(tmp_path)
    assert labels(found) == {"a.txt": ("barn owl", "owl"), "b.md": ("coral reef",)}
    assert "*" not in found.documents[1].text
    assert found.notes == ("c.txt has no labels (c.key) and is left out",)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", '{"text": "An owl."}', "'keyphrases' is missing.*--label-field"),
        ("a.jsonl", '{"keyphrases": ["owl"]}', "'text' is missing.*--text-field"),
        ("a.jsonl", '{"text": 1, "keyphrases": ["owl"]}', "'text' is not a string"),
        ("a.jsonl", '{"text": "An owl.", "keyphrases": [1]}', "neither a list of strings nor one string"),
        ("a.jsonl", "owl", "a.jsonl:1: this line is not JSON"),
        ("a.jsonl", '{"id": 1, "text": "a", "keyphrases": ["a"]}\n' * 2, "the id '1' occurs twice"),
        ("a.jsonl", '{"text": "An owl.", "keyphrases": []}', "there is no labelled document"),
        ("a.csv", "text,tags\nowl,owl\n", "'keyphrases' is missing"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(tmp_path, name, content, says):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=says):
        load_labelled(tmp_path / name)


def test_a_folder_without_labels_says_what_to_do(tmp_path):
    (tmp_path / "a.txt").write_text("A barn owl.")
    with pytest.raises(InputError, match=r"put the labels of report\.txt into report\.key"):
        load_labelled(tmp_path)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_labelled(tmp_path / "none.jsonl")

"""JSON files: arrays, objects and sequences of them are records, found without parsing the file as a whole."""

from __future__ import annotations

import gzip
import json
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mderank.reading import ReadOptions, find_records, read_file

RECORDS = [
    {"id": "a", "text": 'A "quoted" owl, } ] in { [ brackets \\'},
    {"id": 7, "text": "Grüße 😀", "more": {"deep": [[], {}, "]"]}},
    {"text": ""},
]
SMALL = ReadOptions(max_document_chars=100)


def read(tmp_path, content: str | bytes, name: str = "a.json", options: ReadOptions | None = None):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [
        (source.id, str(source.error).removeprefix(f"{file}") if source.error else source.text)
        for source in read_file(file, options or ReadOptions())
    ]


TEXTS = [record["text"] for record in RECORDS]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_an_array_has_a_document_per_record(tmp_path, indent, ascii_only):
    found = read(tmp_path, json.dumps(RECORDS, indent=indent, ensure_ascii=ascii_only))
    assert [text for _, text in found] == TEXTS
    assert [identity for identity, _ in found] == ["a", 7, f"{tmp_path / 'a.json'}:3"]


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(map(json.dumps, RECORDS)),  # JSON lines in a file that is called .json
        "".join(json.dumps(record, indent=1) for record in RECORDS),
        json.dumps(RECORDS[:1]) + "\n" + json.dumps(RECORDS[1:]),  # pages of an API
        "\ufeff" + json.dumps(RECORDS),
        json.dumps(RECORDS).replace("}, {", "},\n,{")[:-1] + ",]",
    ],
)
def test_records_one_after_the_other(tmp_path, content):
    assert [text for _, text in read(tmp_path, content)] == TEXTS


def test_an_object_is_one_record(tmp_path):
    assert read(tmp_path, json.dumps(RECORDS[0], indent=2)) == [("a", TEXTS[0])]


@pytest.mark.parametrize("content", ["", " \n", "[]", "[ ]\n", "[][]"])
def test_files_without_records(tmp_path, content):
    assert read(tmp_path, content) == []


@pytest.mark.parametrize(
    ("content", "errors"),
    [
        ('[{"text": "a"}, {"text" 1}, {"text": "b"}]',
         ["a", ":2: this record is not JSON: Expecting ':' delimiter at line 1 of the record, near '{\"text\" 1}'",
          "b"]),
        ('[{"text": "a"}, 5, "x", [1], null]',
         ["a", ":2: this record is not a JSON object but a number", ":3: this record is not a JSON object but a string",
          ":4: this record is not a JSON object but an array", ":5: this record is not a JSON object but null"]),
        ('[{"text": "a"}, {"text": "b"}', ["a", "b", ": the array has no end"]),
        ('[{"text": "a"}, {"text": "b}, {"text": "c"}]', ["a", ":2: this record has no end"]),
        ('[{"text": "a"}] x', ["a", ": byte 16 does not begin another array"]),
        ('{"text": "a"} 5', ["a", ": byte 14 does not begin a JSON object"]),
        ("Owls eat mice.", [": this is neither a JSON array nor a JSON object; if the file has one record per line"]),
        ('[{"body": "a"}]', [":1: the field 'text' is missing (fields: body); name another: --text-field"]),
        ("[" * 100_000, [":1: this record has no end"]),
        ("[" + "[" * 100_000 + "]" * 100_000 + ', {"text": "a"}]', [":1: this record is nested too deeply", "a"]),
        ("[}, {}]", [":1: this record is not JSON", ":2: the field 'text' is missing"]),
    ],
)  # fmt: skip
def test_errors_name_the_record(tmp_path, content, errors):
    found = [text for _, text in read(tmp_path, content)]
    assert len(found) == len(errors)
    assert all(text.startswith(error) for text, error in zip(found, errors, strict=True))


def test_a_record_that_is_too_long_is_skipped(tmp_path):
    records = [{"text": "a"}, {"text": "b" * 1000, "more": ['"}']}, {"text": "c"}]
    first, long, last = read(tmp_path, json.dumps(records), options=SMALL)
    assert (first[1], last[1]) == ("a", "c")
    assert long[1].startswith(
        ":2: this record has more than 400 bytes, that is 4 per character of --max-document-chars"
    )


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
@pytest.mark.parametrize("indent", [None, 1])
def test_reading_can_begin_at_any_record(tmp_path, name, indent):
    records = [*RECORDS, {"text": "x" * 1000}, 5, *RECORDS]
    file = tmp_path / name
    for content in (json.dumps(records, indent=indent), json.dumps(RECORDS) + json.dumps(RECORDS, indent=indent)):
        file.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
        whole = list(find_records(file, SMALL))
        assert len(whole) in (8, 6)
        for number, record in enumerate(whole):
            assert list(find_records(file, SMALL, record.position)) == whole[number:]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='a"\\{}[],: \né'),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='k"\\]}', max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(VALUES, max_size=6), st.sampled_from([None, 0, 2]), st.booleans(), st.integers(1, 40))
def test_any_array_is_divided_into_its_elements(tmp_path, monkeypatch_module, values, indent, ascii_only, piece):
    monkeypatch_module.setattr("mderank.reading.json.PIECE", piece)
    file = tmp_path / "a.json"
    file.write_text(json.dumps(values, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    records = list(find_records(file, ReadOptions()))
    assert [json.loads(record.data) for record in records] == values
    for number, record in enumerate(records):
        assert list(find_records(file, ReadOptions(), record.position)) == records[number:]


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


def test_a_long_array_takes_little_memory(tmp_path):
    file = tmp_path / "a.json"
    row = json.dumps({"text": "owl " * 1000})
    with file.open("w") as out:
        out.write("[" + ",".join([row] * 5000) + "]")
    tracemalloc.start()
    try:
        count = sum(record.failure is None for record in find_records(file, ReadOptions()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 5000
    assert peak < 5_000_000 < file.stat().st_size


@pytest.mark.parametrize("encoding", ["utf-16", "shift_jis", "gb18030", "iso2022_jp", "utf-7"])
def test_encodings_in_which_a_bracket_can_be_part_of_a_character(tmp_path, encoding):
    data = json.dumps(RECORDS).encode(encoding)
    ((_, error),) = read(tmp_path, data, options=ReadOptions(encoding=encoding))
    assert "is not read: save the file as UTF-8" in error


def test_other_encodings_are_read(tmp_path):
    data = json.dumps([{"text": "Grüße"}], ensure_ascii=False).encode("latin-1")
    assert [text for _, text in read(tmp_path, data, options=ReadOptions(encoding="latin-1"))] == ["Grüße"]

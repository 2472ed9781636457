"""One bad line carries its error, with its number; the lines after it are read."""

from __future__ import annotations

import json

import pytest

from mderank.errors import OptionError
from mderank.reading import ReadOptions, read_file

GOOD = '{"id": "good", "text": "The owl."}'


def read(tmp_path, *lines: str | bytes, **settings):
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines) + b"\n")
    return file, list(read_file(file, ReadOptions(**settings)))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "a", "n": ' + "9" * 5000 + "}", "a number with too many digits: write it as a string"),
        ('{"id": ' + "9" * 5000 + ', "text": "a"}', "a number with too many digits"),
        ('{"text": ' + "[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"text": NaN}', "the field 'text' is a number, not a string"),
        ('{"text": null}', "the field 'text' is null, not a string"),
        ('{"text": "a\x01"}', "this line is not JSON"),
        (b'{"text": "\xff"}', "is not utf-8"),
        (b'{"text": "\xed\xa0\x80"}', "is not utf-8"),
        (b"\0\0\0", "not a text file"),
        ("NaN", "not a JSON object but a number"),
    ],
)
def test_a_bad_line_is_one_error_with_its_number(tmp_path, line, reason):
    file, (first, bad, last) = read(tmp_path, GOOD, line, GOOD)
    assert first.text == last.text == "The owl."
    assert str(bad.error).startswith(f"{file}:2: ")
    assert reason in str(bad.error)


def test_a_lone_surrogate_is_kept_in_the_text(tmp_path):
    _, (source,) = read(tmp_path, r'{"id": "\ud800", "text": "a \udfff b"}')
    assert (source.id, source.text) == ("\ud800", "a \udfff b")


@pytest.mark.parametrize("identity", ["NaN", "1e999", "null", "true", "[1]", "{}"])
def test_an_id_that_is_neither_text_nor_whole_number_is_the_place(tmp_path, identity):
    file, (source,) = read(tmp_path, f'{{"id": {identity}, "text": "a"}}')
    assert source.id == f"{file}:1"


def test_json_lines_in_utf_16(tmp_path):
    for data in (GOOD.encode("utf-16"), GOOD.encode("utf-16-be")):
        encoding = "utf-8" if data.startswith(b"\xff\xfe") else "utf-16-be"
        file, (source,) = read(tmp_path, data, encoding=encoding)
        assert str(source.error).startswith(f"{file}: CSV and JSON lines in ")
        assert "save the file as UTF-8" in str(source.error)


@pytest.mark.parametrize("token", ["1", "[]", "[[]]", '["a"]', '["a", 1]', '[{"a": 1}, "b"]', "[null, null]"])
def test_tagged_words_are_pairs_of_texts(tmp_path, token):
    file, (source,) = read(tmp_path, f'{{"tokens": [["a", "NN"], {token}]}}', tokens_field="tokens")
    assert str(source.error) == f"{file}:1: the field 'tokens' must be a list of [word, tag] pairs"


def test_a_tagged_word_that_does_not_occur_is_named_in_short(tmp_path):
    line = json.dumps({"text": "owl", "tokens": [["x" * 10_000, "NN"]]})
    _, (source,) = read(tmp_path, line, tokens_field="tokens")
    assert "does not occur in the text" in str(source.error)
    assert len(str(source.error)) < 300


def test_seeds_of_a_record(tmp_path):
    lines = [
        '{"text": "The owl.", "about": ["night birds", " night  birds "]}',
        '{"text": "The owl.", "about": "night birds, owls,"}',
        '{"text": "The owl.", "about": []}',
        '{"text": "The owl.", "about": ""}',
        '{"text": "The owl.", "about": null}',
        GOOD,
    ]
    _, found = read(tmp_path, *lines, seeds_field="about")
    assert [each.seeds for each in found] == [("night birds",), ("night birds", "owls"), (), None, None, None]
    _, found = read(tmp_path, *lines)
    assert [each.seeds for each in found] == [None] * 6


@pytest.mark.parametrize("seeds", ["5", '[""]', "[5]", '{"a": 1}', json.dumps([str(each) for each in range(10_000)])])
def test_seeds_that_make_no_sense_are_an_error_of_the_record(tmp_path, seeds):
    _, (bad, good) = read(tmp_path, f'{{"text": "The owl.", "about": {seeds}}}', GOOD, seeds_field="about")
    assert "the field 'about'" in str(bad.error)
    assert good.error is None


# --- titles, several texts, fields in fields --------------------------------------------------------------------------


def test_a_title_precedes_the_text_as_a_paragraph(tmp_path):
    lines = [
        '{"id": "a", "title": "On owls", "text": "The owl."}',
        '{"id": "b", "title": null, "text": "The owl."}',
        '{"id": "c", "text": "The owl."}',
        '{"id": "d", "title": " ", "text": "The owl."}',
    ]
    _, found = read(tmp_path, *lines, title_field="title")
    assert [each.text for each in found] == ["On owls\n\nThe owl.", *["The owl."] * 3]
    assert [each.title for each in found] == ["On owls", None, None, None]
    assert all(each.extracted for each in found)  # offsets are those of a text that the input does not have
    _, found = read(tmp_path, *lines)
    assert [(each.text, each.title, each.extracted) for each in found] == [("The owl.", None, False)] * 4


def test_several_texts_are_put_together_in_their_order(tmp_path):
    lines = [
        '{"abstract": "An owl.", "body": "A mouse.", "title": "T"}',
        '{"abstract": null, "body": "A mouse."}',
        '{"abstract": "", "title": "T"}',
        '{"title": "T"}',
        '{"abstract": ["An owl."], "body": "A mouse."}',
    ]
    file, found = read(tmp_path, *lines, text_field=["body", "abstract"], title_field="title")
    assert [each.text for each in found] == ["T\n\nA mouse.\n\nAn owl.", "A mouse.", "T", "", ""]
    assert [str(each.error) for each in found[3:]] == [
        f"{file}:4: the fields body, abstract are all missing (fields: title); name another: --text-field",
        f"{file}:5: the field 'abstract' is an array, not a string; name another: --text-field",
    ]


def test_the_whole_text_keeps_to_the_limit(tmp_path):
    line = '{"id": "x", "title": "123456", "text": "abcdef"}'
    _, (source,) = read(tmp_path, line, title_field="title", max_document_chars=14)
    assert len(source.text) == 14
    _, (source,) = read(tmp_path, line, title_field="title", max_document_chars=13)
    assert "this document has 14 characters" in str(source.error)
    assert source.id == "x"


def test_fields_in_fields(tmp_path):
    record = {
        "document": {"body": {"text": "The owl."}, "lang": "en", "title": "T"},
        "keys": [{"doi": "10.1/x"}],
        "about": {"seeds": ["night birds"]},
    }
    _, (source,) = read(
        tmp_path,
        json.dumps(record),
        text_field="document.body.text",
        id_field="keys.0.doi",
        language_field="document.lang",
        seeds_field="about.seeds",
        title_field="document.title",
    )
    assert (source.id, source.text, source.title) == ("10.1/x", "T\n\nThe owl.", "T")
    assert (source.language, source.seeds) == ("en", ("night birds",))


def test_a_key_with_a_dot_comes_first(tmp_path):
    _, (source,) = read(tmp_path, '{"a.b": "dotted", "a": {"b": "nested"}}', text_field="a.b")
    assert source.text == "dotted"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("doc.bdy", "the field 'doc.bdy' is missing (fields of doc: body, items, n); name another: --text-field"),
        ("dok.body", "the field 'dok.body' is missing (fields: doc); name another: --text-field"),
        ("doc.items.2", "the field 'doc.items.2' is missing (doc.items is a list of 2); name another: --text-field"),
        ("doc.n.x", "the field 'doc.n.x' is missing (doc.n is not an object); name another: --text-field"),
        (
            "doc.body",
            "the field 'doc.body' is an object, not a string (fields of doc: body, items, n); name another: "
            "--text-field",
        ),
    ],
)
def test_an_error_lists_the_fields_near_it(tmp_path, name, reason):
    file, (source,) = read(tmp_path, '{"doc": {"body": {}, "items": [1, 2], "n": 5}}', text_field=name)
    assert str(source.error) == f"{file}:1: {reason}"


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        ('{"id": "p1"}', "p1"),
        ('{"id": 7, "text": 5}', 7),
        ('{"id": "p1", "text": "The owl is long."}', "p1"),
        ('{"id": "p1", "text": "owl", "about": 5}', "p1"),
        ('{"id": null}', None),
        ("{oops", None),
    ],
)
def test_a_failed_record_keeps_its_id_and_names_its_place(tmp_path, line, identity):
    file, (source,) = read(tmp_path, line, seeds_field="about", max_document_chars=15)
    assert source.id == (f"{file}:1" if identity is None else identity)
    assert str(source.error).startswith(f"{file}:1: ")


def test_tokens_are_the_whole_document(tmp_path):
    for settings in ({"title_field": "title"}, {"text_field": ("a", "b")}):
        with pytest.raises(OptionError, match="tokens_field gives the whole document"):
            ReadOptions(tokens_field="tokens", **settings)


@pytest.mark.parametrize("name", ["", " ", (), ("text", "")])
def test_a_text_without_a_name(name):
    with pytest.raises(OptionError, match="the field of the text must have a name"):
        ReadOptions(text_field=name)


def test_equal_fields_are_equal_options():
    assert ReadOptions(text_field=["a"]) == ReadOptions(text_field="a")
    assert ReadOptions(text_field=["a", "b", "a"]) == ReadOptions(text_field=("a", "b"))
    assert ReadOptions(text_field=("a", "t"), title_field="t").text_fields == ("t", "a")


@pytest.mark.parametrize(
    ("title", "text", "read_as"),
    [
        ("Storm surges", "Storm surges\n\nThe sea rises.", "Storm surges\n\nThe sea rises."),
        ("Storm  Surges ", "\n storm\nsurges. The sea rises.", "\n storm\nsurges. The sea rises."),
        ("Surges (1953)", "Surges (1953)", "Surges (1953)"),
        ("Storm surges", "Storm surges are high.", "Storm surges\n\nStorm surges are high."),
        ("Storm", "Storms: a survey", "Storm\n\nStorms: a survey"),
        ("s" * 2_000, "s" * 2_000, "s" * 2_000 + "\n\n" + "s" * 2_000),
        (" ", "The sea.", "The sea."),
        ("Storm", " ", "Storm"),
    ],
)
def test_a_title_that_the_text_begins_with_is_read_once(tmp_path, title, text, read_as):
    _, (source,) = read(tmp_path, json.dumps({"title": title, "text": text}), title_field="title")
    assert source.text == read_as

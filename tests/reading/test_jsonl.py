"""One bad line carries its error, with its number; the lines after it are read."""

from __future__ import annotations

import json

import pytest

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
        ('{"text": NaN}', "the field 'text' is not a string"),
        ('{"text": 1e999}', "the field 'text' is not a string"),
        ('{"text": "a\x01"}', "this line is not JSON"),
        (b'{"text": "\xff"}', "is not utf-8"),
        (b'{"text": "\xed\xa0\x80"}', "is not utf-8"),
        (b"\0\0\0", "not a text file"),
        ("NaN", "not a JSON object but float"),
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

"""Files of vocabularies: their formats, and what is wrong with them."""

import gzip

import pytest

from mderank import InputError, OptionError, load_vocabulary
from mderank.vocabularies import load, read_vocabulary


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        file = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        file.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return file

    return write


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("v.txt", "tide gauge\n"),
        ("v.TXT.gz", "tide gauge\n"),
        ("v.csv", "\ufefflabel\ntide gauge\n"),
        ("v.tsv", "label\ttype\ntide gauge\tx\n"),
        ("v.json", '["tide gauge"]'),
        ("v.jsonl", '{"label": "tide gauge"}\n\n'),
    ],
)
def test_the_suffix_names_the_format(write, name, text):
    vocabulary = load_vocabulary(write(name, text), match="case", nested=True)
    (concept,) = vocabulary.concepts
    assert (concept.id, concept.label()) == ("tide gauge", "tide gauge")
    assert (vocabulary.match, vocabulary.nested) == ("case", True)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "v.csv",
            b"label\ncaf\xe9\n",
            "v.csv: line 2: byte 9 is not utf-8: save the file as UTF-8 .in Excel, as 'CSV UTF-8'.$",
        ),
        ("v.txt", "# tide\n", "v.txt: has no concept with a label: give at least one"),
        (
            "v.json",
            '[{"label": "tide", "deprecated": true}]',
            r"has no concept with a label \(deprecated: 1 concept\)",
        ),
        ("v.json", b"\xef\xbb\xbf \r\n", "v.json: is empty: name the file of a vocabulary$"),
        ("v.rdf", "", "v.rdf: is empty"),
        (
            "v.ttl",
            b"\xef\xbb\xbf\n<!DOCTYPE HTML><title>Sign in</title>",
            r"v.ttl: is a web page \(HTML\), not a vocabulary: download the file that the page links to$",
        ),
        ("v.txt.gz", "<html lang=en>", "is a web page"),
        ("v.csv.gz", None, "v.csv.gz: cannot be read: "),
    ],
)
def test_files_that_are_refused(write, name, text, message):
    file = write(name, text or "")
    if text is None:
        file.write_bytes(gzip.compress(b"label\n" * 100)[:20])
    with pytest.raises(InputError, match=message):
        load_vocabulary(file)


def test_files_that_are_not_there_or_not_files(tmp_path):
    with pytest.raises(InputError, match="there is no such file: name the file of a vocabulary"):
        load_vocabulary(tmp_path / "none.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="is not a regular file"):
        load_vocabulary(tmp_path / "folder.csv")
    with pytest.raises(OptionError, match=r"the suffix '.docx' names no format of vocabularies: it is one of .rdf, "):
        load_vocabulary(tmp_path / "v.docx")
    with pytest.raises(OptionError, match=r"the suffix '.xlsx' names no format .*: save the sheet as 'CSV UTF-8'$"):
        load_vocabulary(tmp_path / "v.xlsx")
    with pytest.raises(OptionError, match="match='stem' is unknown"):
        load_vocabulary(tmp_path / "v.csv", match="stem")


def test_a_file_is_limited_unpacked(write, monkeypatch):
    monkeypatch.setattr(load, "MAX_BYTES", 1_000)
    with pytest.raises(InputError, match="has more than 1,000 bytes: leave out languages that you do not need"):
        load_vocabulary(write("v.txt.gz", "tide\n" * 1_000))


def test_what_is_left_out_is_counted(write):
    file = write("v.json", '[{"label": "tide"}, {"id": "x", "label": ""}, {"label": "mill", "deprecated": true}]')
    read = read_vocabulary(file)
    assert (len(read.vocabulary), read.without_label, read.deprecated, read.comments) == (1, 1, 1, 0)
    assert read_vocabulary(write("v.txt", "tide\n#x\n")).comments == 1

"""What is read and written: folders, zips that are not to be trusted, the order, the file at the end."""

from __future__ import annotations

import gzip
import hashlib
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.errors import InputError, OptionError
from mderank.research.datasets import import_files, load_dataset
from mderank.research.datasets.import_files import natural_sort_key
from mderank.research.datasets.importers import import_dataset

FILES = {"docsutf8/1.txt": "Reefs.", "keys/1.key": "reefs\n"}


@given(st.sets(st.text(st.sampled_from("a-.012²٣ "), max_size=5)), st.randoms())
def test_the_order_is_the_names_own(names, random):
    listed = sorted(names)
    random.shuffle(listed)
    assert sorted(listed, key=natural_sort_key) == sorted(names, key=natural_sort_key)


def test_what_is_written_can_be_loaded(folder, tmp_path):
    done = import_dataset(folder(FILES), "docs-keys", tmp_path / "own.jsonl")
    dataset = load_dataset(tmp_path / "own.jsonl")
    assert (done.documents, done.keyphrases, done.without_text, done.without_keyphrases) == (1, 1, 0, 0)
    assert done.sha256 == dataset.sha256
    assert dataset.documents[0].keyphrases == ("reefs",)


def test_a_compressed_file_is_the_same_every_time(folder, tmp_path):
    plain = import_dataset(folder(FILES), "docs-keys", tmp_path / "a.jsonl")
    packed = import_dataset(folder(FILES), "docs-keys", tmp_path / "b.jsonl.gz")
    import_dataset(folder(FILES), "docs-keys", tmp_path / "c.jsonl.gz")
    assert plain == packed
    assert gzip.decompress((tmp_path / "b.jsonl.gz").read_bytes()) == (tmp_path / "a.jsonl").read_bytes()
    assert (tmp_path / "b.jsonl.gz").read_bytes() == (tmp_path / "c.jsonl.gz").read_bytes()
    assert plain.sha256 == hashlib.sha256((tmp_path / "a.jsonl").read_bytes()).hexdigest()


def test_letters_are_written_as_they_are(folder, tmp_path):
    import_dataset(
        folder({"docsutf8/1.txt": "Küste – “Riff”", "keys/1.key": "Küste"}), "docs-keys", tmp_path / "a.jsonl"
    )
    line = '{"id": "1", "title": "", "text": "Küste – “Riff”", "keyphrases": ["Küste"]}\n'
    assert (tmp_path / "a.jsonl").read_text(encoding="utf-8") == line


def test_ids_choose(folder, imported):
    source = folder({**FILES, "docsutf8/2.txt": "Tides.", "docsutf8/3.txt": "Fish."})
    assert [document["id"] for document in imported(source, "docs-keys", ids={"3", "1"})] == ["1", "3"]
    with pytest.raises(InputError, match="there is no document in it that was asked for"):
        imported(source, "docs-keys", ids={"7"})


def test_two_documents_of_one_name(folder, imported):
    source = folder({**FILES, "other/docsutf8/1.txt": "Tides."})
    with pytest.raises(InputError, match="two documents are called '1'"):
        imported(source, "docs-keys")


def test_missing_labels_and_texts_are_counted(folder, tmp_path):
    source = folder({**FILES, "docsutf8/2.txt": " \n", "keys/2.key": "x", "docsutf8/3.txt": "Fish."})
    done = import_dataset(source, "docs-keys", tmp_path / "a.jsonl")
    assert (done.documents, done.without_text, done.without_keyphrases) == (3, 1, 1)


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil.txt", "docsutf8/../../evil.txt", "docsutf8\\..\\evil.txt"])
def test_names_that_lead_out_of_an_archive_are_refused(archive, imported, name):
    with pytest.raises(InputError, match="leads out of it"):
        imported(archive({**FILES, name: "x"}), "docs-keys")


def test_the_leavings_of_other_systems_are_passed_over(archive, imported):
    source = archive({**FILES, "__MACOSX/docsutf8/._1.txt": "x", "docsutf8/.hidden.txt": "x", "docsutf8/": ""})
    assert [document["id"] for document in imported(source, "docs-keys")] == ["1"]


def test_large_files_are_refused(archive, folder, imported, monkeypatch):
    monkeypatch.setattr(import_files, "MAX_BYTES", 1_000_000)
    large = {**FILES, "docsutf8/2.txt": "x" * 1_000_001}
    for source in (archive(large), folder(large)):
        with pytest.raises(InputError, match=r"2\.txt has more than 1 MB"):
            imported(source, "docs-keys")


def test_archives_that_unpack_to_too_much_are_refused(archive, imported, monkeypatch):
    monkeypatch.setattr(import_files, "MAX_BYTES_TOGETHER", 10)
    with pytest.raises(InputError, match="GB in it: no dataset is that large"):
        imported(archive(FILES), "docs-keys")


@pytest.mark.parametrize("source", ["archive", "folder"])
def test_too_many_files_are_refused(request, imported, monkeypatch, source):
    monkeypatch.setattr(import_files, "MAX_FILES", 1)
    with pytest.raises(InputError, match="has more than 1 files"):
        imported(request.getfixturevalue(source)(FILES), "docs-keys")


def test_a_zip_that_is_cut_off(archive, imported):
    source = archive(FILES)
    source.write_bytes(source.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"source\.zip is not a whole zip file"):
        imported(source, "docs-keys")


def test_a_zip_with_a_broken_file(archive, imported):
    source = archive({**FILES, "docsutf8/2.txt": "reefs and tides " * 100})
    with zipfile.ZipFile(source) as packed:
        start = packed.getinfo("docsutf8/2.txt").header_offset + 60
    data = bytearray(source.read_bytes())
    data[start : start + 4] = b"\xff\xff\xff\xff"
    source.write_bytes(bytes(data))
    with pytest.raises(InputError, match=r"docsutf8/2\.txt in it is broken"):
        imported(source, "docs-keys")


def test_a_zip_with_a_password(archive, imported):
    source = archive(FILES)
    data = source.read_bytes().replace(b"PK\x03\x04\x14\x00\x00", b"PK\x03\x04\x14\x00\x01")
    source.write_bytes(data.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"))
    with pytest.raises(InputError, match=r"cannot be read \(.*password"):
        imported(source, "docs-keys")


def test_nothing_there(tmp_path, imported):
    with pytest.raises(InputError, match="nope: there is no such file or folder"):
        imported(tmp_path / "nope", "inspec")


def test_bad_options(folder, imported):
    with pytest.raises(OptionError, match=r"the kind 'duc' is unknown: it is one of inspec, duc2001, nus, "):
        imported(folder(FILES), "duc")
    with pytest.raises(OptionError, match="belong to the kind 'ake', not to 'docs-keys'"):
        imported(folder(FILES), "docs-keys", references="test.author")


def test_a_failed_import_leaves_the_old_file(folder, tmp_path):
    target = tmp_path / "own.jsonl"
    target.write_text("old", encoding="utf-8")
    with pytest.raises(InputError):
        import_dataset(folder({"test.json": json.dumps({"title": 5})}), "kpg", target)
    assert target.read_text(encoding="utf-8") == "old"


def test_a_target_that_cannot_be_written(folder, tmp_path):
    with pytest.raises(InputError, match=r"out\.jsonl: cannot be written: No such file or directory"):
        import_dataset(folder(FILES), "docs-keys", tmp_path / "nope" / "out.jsonl")


def test_names_with_numbers_of_any_length_are_sorted():
    names = ["a" + "9" * 5000, "a10", "a9", "a009", "a" + "1" * 5000, "a"]
    ordered = sorted(names, key=natural_sort_key)
    assert [name[:4] for name in ordered] == ["a", "a009", "a9", "a10", "a111", "a999"]

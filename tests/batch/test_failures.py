"""Reasons of failures are counted in bounded memory, whatever documents say."""

from __future__ import annotations

from mderank.batch.failures import MOST_KINDS, FailureCounts, FailureKind


def counted(*rows):
    counts = FailureCounts()
    for identity, error in rows:
        counts.add_row({"id": identity, "error": error})
    return counts


def test_the_same_trouble_is_one_reason():
    counts = counted(
        ("p1", "in.jsonl:3: the field 'text' is missing (fields: a, b); name another: --text-field"),
        ("p2", None),
        ("p3", "in.jsonl:5: the field 'text' is missing (fields: c); name another: --text-field"),
        ("in.jsonl:6", "in.jsonl:6: this line is not JSON: Expecting value at column 12"),
        ("a: b", "a: b: extraction failed: ZeroDivisionError: a bug"),
        (7, "7: this document has 12,000 characters, more than --max-document-chars 10"),
        (8, "8: this document has 9 characters, more than --max-document-chars 10"),
        (9, "9: this document has 11 characters, more than --max-document-chars 10"),
    )
    assert counts.total == 7
    assert counts.most_common() == (
        FailureKind("this document has 12,000 characters, more than --max-document-chars 10", 3, "7"),
        FailureKind("the field 'text' is missing (fields: a, b); name another: --text-field", 2, "p1"),
        FailureKind("this line is not JSON: Expecting value at column 12", 1, "in.jsonl:6"),
        FailureKind("extraction failed: ZeroDivisionError: a bug", 1, "a: b"),
    )


def test_shards_add_up():
    counts = FailureCounts()
    counts.add(5, [FailureKind("too dark", 3, "a"), FailureKind("has 5 words", 1, "b")])
    counts.add(2, [FailureKind("has 6 words", 2, "c")])
    assert counts.total == 7
    assert counts.most_common() == (FailureKind("too dark", 3, "a"), FailureKind("has 5 words", 3, "b"))


def test_many_and_long_reasons_are_bounded():
    counts = counted(
        *((f"{'i' * 5000}", f"{chr(ord('a') + number % 26) * (number + 1)} fails") for number in range(500))
    )
    assert counts.total == 500
    kinds = counts.most_common()
    assert len(kinds) == MOST_KINDS
    assert max(len(kind.reason) for kind in kinds) <= 300
    assert max(len(kind.example) for kind in kinds) <= 80


def test_a_frequent_reason_may_come_late():
    rare = [(str(number), f"{chr(ord('a') + number) * 3} fails") for number in range(MOST_KINDS)]
    kinds = counted(*rare, *[("z", "is too dark")] * 3).most_common()
    assert kinds[0] == FailureKind("is too dark", 3, "z")
    assert len(kinds) == MOST_KINDS


def test_what_is_near_a_mistake_is_no_other_reason():
    near = "a.json:{0}: this record is not JSON: Expecting value at line {0} of the record, near '{1}'"
    (kind,) = counted(("a.json:1", near.format(1, "[1,")), ("a.json:2", near.format(2, '"text"'))).most_common()
    assert kind.documents == 2


def test_a_long_path_keeps_its_end():
    counts = FailureCounts()
    name = "folder/" * 40 + "in.jsonl:7"
    counts.add_row({"id": name, "error": f"{name}: is too dark"})
    (kind,) = counts.most_common()
    assert (len(kind.example), kind.example[0], kind.example[-10:]) == (80, "…", "in.jsonl:7")

"""Texts are divided by their number and their length, and are read as they are asked for."""

from itertools import chain, repeat

from mderank.methods.chunks import CHUNK_CHARACTERS, CHUNK_TEXTS, LONG_TEXT, divide


def lengths(sizes, *limit):
    return list(divide(sizes, lambda size: size, *limit))


def test_short_texts_are_counted():
    assert [len(chunk) for chunk in lengths([60] * 130)] == [64, 64, 2]
    assert lengths([]) == []


def test_texts_are_measured():
    assert lengths([3_000] * 5, 6_000) == [[3_000] * 2, [3_000] * 2, [3_000]]
    assert lengths([6_000, 1], 6_000) == [[6_000], [1]]
    assert lengths([5_999, 1, 1], 6_000) == [[5_999, 1], [1]]


def test_an_abstract_is_no_reason_for_smaller_chunks():
    assert CHUNK_CHARACTERS == CHUNK_TEXTS * 1_000


def test_a_long_text_is_alone_and_nothing_waits_for_it():
    long = LONG_TEXT
    assert lengths([long, long]) == [[long], [long]]
    assert lengths([10, long, 10, 10]) == [[10], [long], [10, 10]]
    assert lengths([long - 1, 10]) == [[long - 1, 10]]


def test_the_first_paper_is_given_before_the_second_is_read():
    read = []

    def papers():
        for number in range(3):
            read.append(number)
            yield "reef " * 10_000

    chunks = divide(papers(), len)
    assert read == []
    next(chunks)
    assert read == [0]


def test_texts_without_end():
    chunks = divide(chain(repeat("reef")), len)
    assert [len(next(chunks)) for _ in range(3)] == [64] * 3

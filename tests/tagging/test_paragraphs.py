from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mderank.tagging.paragraphs import paragraphs, run_cuts


def split(text, **options):
    return [text[span.start : span.end] for span in paragraphs(text, **options)]


WRAPPED = (
    "Coral reefs protect the coast from storms, and warm\n"
    "water bleaches the coral. Where fishing stops, reefs\n"
    "recover within ten years."
)


def test_lines_of_a_wrapped_paragraph_belong_together():
    assert split(WRAPPED) == [WRAPPED]


def test_lines_that_are_long_each_are_paragraphs():
    line = "Coral reefs protect the coast from storms. " * 5
    assert split(f"{line}\n{line}\n{line}") == [line, line, line]


def test_short_lines_are_paragraphs():
    assert split("coral reefs\nwarm water\nmarine reserves") == ["coral reefs", "warm water", "marine reserves"]


def test_a_line_that_ends_early_ends_a_paragraph():
    heading = "Introduction"
    assert split(f"{heading}\n{WRAPPED}") == [heading, WRAPPED]
    assert split(f"{WRAPPED}\n{WRAPPED}") == [WRAPPED, WRAPPED]


def test_blank_lines():
    for gap in ("\n\n", "\n \t\n", "\r\n\r\n", "\n\n\n\n"):
        assert [part.strip() for part in split(f"coral{gap}reef")] == ["coral", "reef"]


def test_form_feeds_and_paragraph_separators():
    assert split("coral\freef\u2029fish") == ["coral", "reef", "fish"]
    assert split(f"{WRAPPED}\f{WRAPPED}") == [WRAPPED, WRAPPED]


def test_nothing():
    assert split("") == []
    assert "".join(split("\n\n \n")).strip() == ""


def test_long_paragraphs_are_cut_after_a_sentence():
    text = "Coral reefs. " * 10
    assert split(text, longest=60) == ["Coral reefs. " * 4, "Coral reefs. " * 4, "Coral reefs. " * 2]


def test_else_after_a_word_else_anywhere():
    assert split("reef " * 5, longest=12) == ["reef reef ", "reef reef ", "reef "]
    assert split("x" * 25, longest=10) == ["x" * 10, "x" * 10, "x" * 5]


@given(st.text(st.sampled_from("ab. \n\r\t\f\u2029\u2028"), max_size=200), st.integers(5, 50))
def test_paragraphs_are_in_order_and_leave_out_white_space_only(text, longest):
    spans = list(paragraphs(text, longest))
    position = 0
    for span in spans:
        assert text[position : span.start].strip() == ""
        assert span.start < span.end <= span.start + longest
        position = span.end
    assert text[position:].strip() == ""


@given(
    st.lists(st.sampled_from(["a" * 30, "(", "-" * 90, "é", "\u0301", " ", "7.5", "😀" * 40]), max_size=60).map("".join)
)
def test_long_runs_are_cut_after_a_mark_into_parts_longer_than_any_word(text):
    cuts = list(run_cuts(text))
    assert all(not (text[cut - 1].isalnum() or text[cut - 1].isspace()) for cut in cuts)
    edges = [0, *cuts, len(text)]
    for before, after in pairwise(edges):
        for run in text[before:after].split():
            cut_beside = len(text[before:after].split()) == 1 and (before in cuts or after in cuts)
            assert not cut_beside or len(run) > 100


def test_a_run_that_may_be_a_word_is_not_cut():
    assert list(run_cuts("(" * 201)) == []
    assert list(run_cuts("word " * 1_000)) == []
    assert list(run_cuts("a" * 10_000)) == []

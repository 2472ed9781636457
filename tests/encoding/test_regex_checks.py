import pytest

from mderank.encoding.regex_checks import find_fault

PUBLISHED = {
    "GPT-2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "Llama 3": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+",
    "GPT-4o": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{M}]*[\p{Ll}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}",
    "CLIP": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "BLOOM": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "ALBERT": " {2,}",
    "digits by three": r"\d{1,3}(?=(?:\d{3})*\b)",
    "classes in classes": r"[\p{Lu}&&[^\p{Han}]]*[\p{Ll}]+",
}


@pytest.mark.parametrize("pattern", PUBLISHED.values(), ids=PUBLISHED)
def test_published_tokenizers_are_accepted(pattern):
    assert find_fault(pattern) is None


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*$", "(a|ab)*c", "(?:a?){30}a", "((a*)b)+", "a{1,3}+", "a{2}{3}", "(?=(a+)+)b", "(?i:(a|b))*"],
)
def test_a_repeated_group_with_a_choice(pattern):
    assert find_fault(pattern) == "repeats a group that can be matched in several ways"


@pytest.mark.parametrize("pattern", ["(ab)+", r"(?:\d{3})*", "(a)(b)", "(a+|b?)?"])
def test_groups_that_can_be_matched_in_one_way(pattern):
    assert find_fault(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("a?" * 30 + "a" * 30, "has more than 10 optional or repeated parts one after the other"),
        ("(a?a?a?a?a?a?)(a?a?a?a?a?a?)", "has more than 10 optional or repeated parts one after the other"),
        ("a*a*a*a*b", "has more than 3 repetitions of any length one after the other"),
        ("(a*a*)(a{0,50}a+)b", "has more than 3 repetitions of any length one after the other"),
        ("a" * 10_001, "has more than 10,000 characters"),
        ("(" * 60 + ")" * 60, "has groups nested more than 50 deep"),
    ],
)
def test_too_much_of_it(pattern, fault):
    assert find_fault(pattern) == fault


@pytest.mark.parametrize("pattern", ["a?" * 10, "a*a*a*", "a" * 10_000, "(" * 49 + ")" * 49])
def test_as_much_as_is_accepted(pattern):
    assert find_fault(pattern) is None


def test_branches_are_counted_each_by_itself():
    assert find_fault("|".join(["a*b*c*"] * 50)) is None


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1",  # refers to a group
        r"(?<x>a\g<x>b)",  # calls itself
        "(?~ab)",
        "(?x)(a+) +",  # white space between group and plus
        "(?#comment)a",
        "(*FAIL)",
        r"\C-[(a+)+]",  # control and a bracket, where a class seems to begin
        r"[\C-](a+)+]",
        "[](a+)+]",  # a bracket that means itself, where a class seems to end
        r"\x{(a+)+}",
        r"\p{(a+)+}",
    ],
)
def test_what_hides_a_repeated_group(pattern):
    assert find_fault(pattern) is not None


@pytest.mark.parametrize("pattern", ["(", "a)", "[a", "[a[b]", "(?"])
def test_brackets_that_do_not_match(pattern):
    assert find_fault(pattern) is not None


@pytest.mark.parametrize("pattern", [r"\(a+\)+", r"[(a+)]+", r"\[a+\]+", r"\\(a)"])
def test_escaped_brackets_are_characters(pattern):
    assert find_fault(pattern) is None

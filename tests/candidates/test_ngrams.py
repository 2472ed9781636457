import pytest

from mderank import NGrams, OptionError


def keys(document, *arguments, **options):
    return sorted(each.key for each in NGrams(*arguments, **options).find(document))


def test_all_lengths_between(tagged):
    document = tagged("big/JJ data/NNS centre/NN")
    assert keys(document, 1, 1) == ["big", "centre", "data"]
    assert keys(document, 2, 3) == ["big data", "big data centre", "data centre"]
    assert keys(document) == ["big", "big data", "big data centre", "centre", "data", "data centre"]


def test_no_stop_word_punctuation_or_paragraph_inside(tagged):
    assert keys(tagged("red/JJ of/IN blue/JJ"), 2, 3) == []
    assert keys(tagged("red/JJ ,/, blue/JJ"), 2, 3) == []
    assert keys(tagged("red/JJ ¶ blue/JJ"), 2, 3) == []


def test_more_stop_words(tagged):
    assert keys(tagged("red/JJ wine/NN"), 1, 2, stop_words=frozenset({"RED"})) == ["wine"]


def test_numbers_and_lone_letters(tagged):
    assert keys(tagged("42/CD x/NN"), 1, 2) == ["42 x"]


@pytest.mark.parametrize(("shortest", "longest"), [(0, 1), (3, 2), (-1, -1)])
def test_out_of_range(shortest, longest):
    with pytest.raises(OptionError, match="1 <= shortest <= longest"):
        NGrams(shortest, longest)

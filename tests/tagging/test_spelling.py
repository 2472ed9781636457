from mderank.tagging.spelling import FEATURES, spelling_features


def features(*words):
    kinds = ["mark" if not any(letter.isalnum() for letter in word) else "word" for word in words]
    rows = spelling_features(words, kinds)
    return [{name for name, value in zip(FEATURES, row, strict=True) if value} for row in rows]


def test_a_sentence():
    first, second, *_, last = features("Coral", "reefs", "of", "NASA", "and", "iPhone-15", ".")
    assert first == {
        "word", "capital letter first", "begins a sentence", "capital letter first, begins a sentence"
    }  # fmt: skip
    assert second == {"word"}
    assert last == {"mark"}


def test_kinds_of_words():
    found = dict(zip(("a", "NASA", "iPhone-15", "Ph.D.", "O'Brien"),
                     features("see", "a", "NASA", "iPhone-15", "Ph.D.", "O'Brien")[1:], strict=True))  # fmt: skip
    assert found["a"] == {"word", "one character"}
    assert found["NASA"] == {"word", "capital letter first", "capital letters only"}
    assert found["iPhone-15"] == {"word", "capital letter inside", "digit", "hyphen or slash"}
    assert found["Ph.D."] == {"word", "capital letter first", "capital letter inside", "full stop last"}
    assert found["O'Brien"] == {"word", "capital letter first", "capital letter inside", "apostrophe"}


def test_where_a_sentence_begins():
    found = features('"', "Stop", "!", "He", "said", ":", "go")
    assert ["begins a sentence" in each for each in found] == [True, True, False, True, False, False, True]


def test_headlines_are_read_in_lower_case():
    plain = features("exxon", "submits", "strategy", "for", "texas")
    assert features("EXXON", "SUBMITS", "STRATEGY", "FOR", "TEXAS") == plain
    assert features("Exxon", "Submits", "Strategy", "for", "Texas") == plain
    assert features("Exxon", "submits", "strategy", "for", "Texas") != plain


def test_no_words():
    assert spelling_features([], []).shape == (0, len(FEATURES))

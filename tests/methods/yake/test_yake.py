"""YAKE on two sentences, worked out by hand, and against the authors' own program."""

from __future__ import annotations

import json
from itertools import islice
from math import isfinite, log

import pytest
from click.testing import CliRunner

from mderank import Document, NounPhrases, OptionError, PhraseList
from mderank.cli import cli
from mderank.methods.yake.features import read_words, score_terms, term_features
from mderank.methods.yake.yake import YAKE, KeywordNGrams
from mderank.testing import FakeTagger

TAGGER = FakeTagger()
# Terms: coral 3 times, reef 3, of 2, and, the, a, nasa, grow 1 each; of them coral, reef, nasa and grow no stop words.
TEXT = "Coral reefs and the coral of NASA. A reef of Coral reefs grows."

# Written out from the paper's equations. Frequencies are 3, 3, 1, 1: mean 2, standard deviation 1.
EARLY, BETWEEN, LATE = log(log(3 + 0)), log(log(3 + 0.5)), log(log(3 + 1))
CORAL = (8 / 3) * BETWEEN / (1 / (1 + log(3)) + (3 / 3 + 2 / 2) / (8 / 3))
REEF = (8 / 3) * BETWEEN / (0 + (3 / 3 + 2 / 2) / (8 / 3))
NASA = (4 / 3) * EARLY / (1 + (1 / 3 + 1 / 2) / (4 / 3))
GROW = (4 / 3) * LATE / (0 + (1 / 3 + 1 / 2) / (4 / 3))


def read(text=TEXT, **options):
    return read_words(next(TAGGER.tag([text])), **options)


def raw(text=TEXT, **options):
    """YAKE's own scores, of all candidates."""
    extractor = YAKE(**{"tagger": TAGGER, "dedupe": "case", "string_similarity": "none", **options})
    return {each.text.lower(): each.raw_score for each in extractor.extract(text, top_k=None)}


def feature(name, window=1, text=TEXT):
    words = read(text)
    return dict(zip(words.terms, term_features(words, window)[name].tolist(), strict=True))


def test_terms_and_sentences():
    words = read()
    assert words.terms == ("coral", "reef", "and", "the", "of", "nasa", "a", "grow")
    assert [term for term, stop in zip(words.terms, words.stop, strict=True) if stop] == ["and", "the", "of", "a"]
    assert words.count().tolist() == [3, 3, 1, 1, 2, 1, 1, 1]
    assert words.sentence.tolist() == [0] * 7 + [-1] + [1] * 6 + [-1]
    assert len(set(words.block.tolist()[:7])) == 1
    assert words.block[8] > words.block[6]


def test_casing_counts_acronyms_and_capitals_inside_a_sentence():
    # Coral begins a sentence once and stands inside one with a capital letter once; A is an acronym for all we know.
    assert feature("casing") == pytest.approx(
        {"coral": 1 / (1 + log(3)), "reef": 0, "and": 0, "the": 0, "of": 0, "nasa": 1, "a": 1, "grow": 0}
    )
    text = "In NATO and Nato and in Nato, NATO."
    assert feature("casing", text=text)["nato"] == pytest.approx(2 / (1 + log(4)))


def test_position_is_the_median_of_the_sentences_not_of_the_occurrences():
    expected = {"and": EARLY, "the": EARLY, "nasa": EARLY, "coral": BETWEEN, "reef": BETWEEN, "of": BETWEEN}
    assert feature("position") == pytest.approx({**expected, "a": LATE, "grow": LATE})


def test_frequency_is_normalised_by_words_that_are_no_stop_words():
    counts = {"coral": 3, "reef": 3, "of": 2, "and": 1, "the": 1, "nasa": 1, "a": 1, "grow": 1}
    assert feature("frequency") == pytest.approx({term: count / 3 for term, count in counts.items()})


def test_relatedness_counts_different_neighbours():
    # coral has the, of | reef, of, reef beside it; reef has coral, a, coral | and, of, grow.
    expected = {"coral": 1 + (2 / 2 + 2 / 3) * 3 / 3, "reef": 1 + (2 / 3 + 3 / 3) * 3 / 3, "of": 1 + (1 + 1) * 2 / 3}
    expected |= {"and": 1 + (1 + 1) / 3, "the": 1 + (1 + 1) / 3, "nasa": 1 + 1 / 3, "a": 1 + 1 / 3, "grow": 1 + 1 / 3}
    assert feature("relatedness") == pytest.approx(expected)


def test_relatedness_in_a_wider_window():
    # coral: and, the, reef, of | reef, and, of, nasa, reef, grow; nasa: coral, of.
    wide = feature("relatedness", window=2)
    assert wide["coral"] == pytest.approx(1 + (4 / 4 + 5 / 6) * 3 / 3)
    assert wide["nasa"] == pytest.approx(1 + (2 / 2 + 0) * 1 / 3)


def test_numbers_and_punctuation_have_no_neighbours():
    related = feature("relatedness", text="reef 1998 coral, boat co2 reef (coral) boat")
    assert related == pytest.approx(dict.fromkeys(("reef", "1998", "coral", "boat", "co2"), 1))


def test_sentences():
    halves = dict.fromkeys(("and", "the", "nasa", "a", "grow"), 1 / 2)
    assert feature("sentences") == pytest.approx({"coral": 1, "reef": 1, "of": 1, **halves})


def test_the_features_make_a_terms_score():
    words = read()
    scores = dict(zip(words.terms, score_terms(words).scores.tolist(), strict=True))
    assert {term: scores[term] for term in ("coral", "reef", "nasa", "grow")} == pytest.approx(
        {"coral": CORAL, "reef": REEF, "nasa": NASA, "grow": GROW}
    )


def test_every_candidate_and_its_score():
    # "of" stands after 1 of 3 corals and before 1 of 1 NASA; after 1 of 3 reefs and before 1 of 3 corals.
    one, two = 1 / 3 * 1 / 1, 1 / 3 * 1 / 3
    assert raw() == pytest.approx(
        {
            "coral": CORAL / (3 * (1 + CORAL)),
            "reefs": REEF / (2 * (1 + REEF)),
            "reef": REEF / (1 * (1 + REEF)),
            "nasa": NASA / (1 + NASA),
            "grows": GROW / (1 + GROW),
            "coral reefs": CORAL * REEF / (2 * (1 + CORAL + REEF)),
            "reefs grows": REEF * GROW / (1 + REEF + GROW),
            "coral reefs grows": CORAL * REEF * GROW / (1 + CORAL + REEF + GROW),
            "coral of nasa": CORAL * NASA * (1 + (1 - one)) / (1 + CORAL + NASA - (1 - one)),
            "reef of coral": REEF * CORAL * (1 + (1 - two)) / (1 + REEF + CORAL - (1 - two)),
        }
    )


def test_exact_phrases_best_first():
    found = YAKE(tagger=TAGGER).extract(TEXT, top_k=4)
    assert [each.text for each in found] == ["coral of NASA", "NASA", "Coral reefs", "Coral reefs grows"]
    assert [each.raw_score for each in found] == pytest.approx([0.0700, 0.0717, 0.0857, 0.0915], abs=1e-4)
    assert [each.score for each in found] == pytest.approx([1 / each.raw_score for each in found])
    assert [TEXT[start:end] for start, end in found[2].spans] == ["Coral reefs", "Coral reefs"]


def test_candidates_may_have_stop_words_inside_only():
    text = "The theory of games , word2vec theory of 42 games : a game 's rule at an IT-based state-of-the-art site"
    document = Document.from_tagged([(word, "X") for word in text.split()])
    keys = [each.key for each in KeywordNGrams().find(document)]
    assert keys == ["theory of games", "theory", "games", "game", "rule", "it-based", "site"]


def test_a_shorter_and_a_longer_ngram():
    assert set(raw(ngram=1)) == {"coral", "reefs", "reef", "nasa", "grows"}
    assert "reefs and the coral" in raw(ngram=4)


def test_stop_words_of_ones_own():
    assert "grows" in raw()
    assert "grows" not in raw(stop_words=["Grow"])  # a term that is a stop word is one in all its forms
    assert "coral reefs" not in raw(stop_words={"reefs"})


def test_several_stop_words_inside_never_make_a_score_negative():
    text = "A king of the north of the sea. The sea, the north, of a king."
    scores = raw(text, ngram=7)
    assert "king of the north of the sea" in scores
    assert all(score > 0 for score in scores.values())
    assert scores["king of the north of the sea"] > scores["king"]


def test_one_feature_alone():
    # With all others neutral, S(t) = 1 / TFNorm: 1 for coral, 3 for NASA.
    scores = raw(features="frequency")
    assert scores["coral"] == pytest.approx(1 / (3 * (1 + 1)))
    assert scores["nasa"] == pytest.approx(3 / (1 + 3))
    early = raw(features="frequency, position")
    assert early["nasa"] == pytest.approx(3 * EARLY / (1 + 3 * EARLY))


def test_other_candidates_are_scored_the_same_way():
    phrases = PhraseList(["coral of nasa", "reefs", "of", "of nasa", "."], match="case")
    listed = raw(candidates=phrases)
    for phrase in ("coral of nasa", "reefs"):
        assert listed[phrase] == pytest.approx(raw()[phrase])
    # At an end "of" is a word like any other; a mark is no word, and last.
    of = (7 / 3) * BETWEEN / ((2 / 3 + 2 / 2) / (7 / 3))
    assert listed["of"] == pytest.approx(of / (2 * (1 + of)))
    assert listed["of nasa"] == pytest.approx(of * NASA / (1 + of + NASA))
    found = YAKE(tagger=TAGGER, candidates=phrases).extract(TEXT, top_k=None)
    assert found[-1].text == "."
    nouns = raw(candidates=NounPhrases())
    assert nouns["coral reefs grows"] == pytest.approx(raw()["coral reefs grows"])


def test_a_phrase_of_hundreds_of_words_has_a_finite_score():
    for text in ("coral " * 900, "".join(f"{letter}{other}x " for letter in "abcdefghijklmnop" * 4 for other in "bcd")):
        (found,) = YAKE(tagger=TAGGER, candidates=PhraseList([text])).extract(text)
        assert isfinite(found.score)
        assert isfinite(found.raw_score)


def test_what_is_spelled_like_a_better_one_is_dropped():
    text = "Colour map. A colour map, the color map and colour maps."

    def found(**options):
        texts = [each.text.lower() for each in YAKE(tagger=TAGGER, **options).extract(text, top_k=None)]
        return [each for each in texts if len(each.split()) == 2]

    assert found(string_similarity="none") == ["colour map", "color map"]  # colour maps has the same stems
    assert found() == ["colour map"]  # 2 · 9 / 19 = 0.947
    assert found(string_similarity="levenshtein") == ["colour map", "color map"]  # 1 − 1 / 10 is not above 0.9
    assert found(string_similarity="levenshtein", threshold=0.89) == ["colour map"]
    assert found(string_similarity="jaro") == ["colour map"]
    assert found(threshold=1.0) == ["colour map", "color map"]
    assert found(dedupe="case", string_similarity="none") == ["colour map", "colour maps", "color map"]
    assert found(dedupe="case") == ["colour map"]


def test_a_language_without_stop_words():
    words = [("der", "X"), ("Hafen", "X"), ("von", "X"), ("Rom", "X"), ("in", "X"), ("Rom", "X")]
    document = Document.from_tagged(words, language="qq")
    keys = [each.key for each in KeywordNGrams().find(document)]
    assert "der hafen von" in keys
    assert "rom in rom" in keys
    assert "in" not in keys  # two letters
    assert "Rom" in [each.text for each in YAKE(tagger=TAGGER).extract(document, top_k=None)]


def test_words_of_two_characters_where_words_are_short():
    document = Document.from_tagged([("珊瑚", "NOUN"), ("海岸", "NOUN"), ("。", "PUNCT")], language="qq")
    assert [each.key for each in KeywordNGrams(1).find(document)] == ["珊瑚", "海岸"]


def test_letters_with_combining_marks_are_letters():
    document = Document.from_tagged([("हिन्दी", "NOUN")], language="qq")
    assert [each.key for each in KeywordNGrams().find(document)] == ["हिन्दी"]


@pytest.mark.parametrize("text", ["", " \n", "...", "of the and", "1998 2,000.5 42", "x"])
def test_texts_without_keywords(text):
    assert YAKE(tagger=TAGGER).extract(text) == []


def test_one_word():
    (found,) = YAKE(tagger=TAGGER).extract("reef")
    # Relatedness 1, frequency 1 / (1 + 0), in all sentences: S = ln ln 3 / 2.
    assert found.raw_score == pytest.approx((EARLY / 2) / (1 + EARLY / 2))
    assert found.score == 1 / found.raw_score


def test_only_stop_words_and_a_phrase_of_them_asked_for():
    (found,) = YAKE(tagger=TAGGER, candidates=PhraseList(["the end of"])).extract("the end of", top_k=None)
    assert found.raw_score > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ngram": 0}, "ngram must be a whole number of at least 1"),
        ({"window": 0}, "window must be a whole number of at least 1"),
        ({"features": "casing,colour"}, "features='colour' is unknown: it is one of casing, position"),
        ({"features": "casing,position"}, "add frequency or sentences"),
        ({"features": ""}, "add frequency or sentences"),
        ({"string_similarity": "cosine"}, "string_similarity must be one of none, sequence"),
        ({"threshold": 1.5}, "threshold must be a number from 0 to 1"),
        ({"stop_words": "the"}, "several phrases, not one string"),
        ({"ngram": 2, "candidates": NounPhrases()}, "not both"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        YAKE(**options)


def test_a_longest_of_zero_words_is_refused():
    with pytest.raises(OptionError, match="longest must be at least 1"):
        KeywordNGrams(0)


def test_without_tags_unless_the_candidates_need_them():
    assert YAKE().extract("Coral reefs grow. Reefs of coral grow.") == YAKE(candidates=KeywordNGrams()).extract(
        "Coral reefs grow. Reefs of coral grow."
    )
    nouns = YAKE(candidates=NounPhrases()).extract("The old harbour is near the reef.")
    assert {each.text for each in nouns} == {"old harbour", "reef"}


def test_stop_words_on_the_command_line(tmp_path):
    (tmp_path / "text.txt").write_text("Coral reefs grow slowly. Coral grows.")
    (tmp_path / "stop.txt").write_text("# mine\ncoral\n")
    command = ["extract", str(tmp_path / "text.txt"), "--method", "yake", "--format", "jsonl", "--set", "ngram=2"]

    def found(*further):
        result = CliRunner().invoke(cli, [*command, *further])
        assert result.exit_code == 0, result.output
        return {each["text"].lower() for each in json.loads(result.stdout)["keyphrases"]}

    assert {"coral reefs", "coral grows", "coral"} <= found()
    without = found("--stop-words", str(tmp_path / "stop.txt"))
    assert "reefs grow" in without  # still YAKE's own candidates
    assert not any("coral" in each for each in without)


@pytest.mark.slow
@pytest.mark.data
def test_the_top_ten_is_that_of_the_authors_program(data_dir, monkeypatch):
    yake = pytest.importorskip("yake")
    with (data_dir / "inspec.jsonl").open(encoding="utf-8") as file:
        records = [json.loads(line) for line in islice(file, 100)]
    texts = [f"{record['title']} {record['text']}" for record in records]
    reference = yake.KeywordExtractor(top=10)
    theirs = [{phrase.lower() for phrase, _ in reference.extract_keywords(text)} for text in texts]

    def overlap(**options):
        ours = YAKE(**options).extract_many(texts, top_k=10)
        shares = [
            len({each.text.lower() for each in found} & expected) / len(expected)
            for found, expected in zip(ours, theirs, strict=True)
        ]
        return sum(shares) / len(shares)

    assert overlap() >= 0.90  # 0.907
    # Of 93 phrases that differ, 3 do by merged stems, 7 by near-duplicates (that program's measure finds
    # next to none), 45 by the list of stop words; 38 are left, most of them beside a possessive 's, which it leaves
    # out ("Java's secure sandbox" is "java secure sandbox"), or for a word like "McKesson", no capital to it.
    monkeypatch.setattr("mderank.methods.yake.features.stop_words_of", lambda _: frozenset(reference.stopword_set))
    monkeypatch.setattr("mderank.methods.yake.features.light_words_of", lambda _: frozenset())
    assert overlap(dedupe="case", string_similarity="none") >= 0.96  # 0.962

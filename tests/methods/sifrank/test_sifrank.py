"""SIFRank by hand: weights, means, cosines, positions."""

from __future__ import annotations

import gzip
import sys
from math import exp

import numpy as np
import pytest
from click.testing import CliRunner
from tests.helpers import scores

from mderank import Document, InputError, MissingExtraError, NGrams, OptionError, PhraseList
from mderank.cli import cli
from mderank.document import Span
from mderank.methods import SIFRank, SIFRankPlus, WordFrequencies
from mderank.methods import frequencies as word_frequencies
from mderank.methods.registry import METHODS
from mderank.methods.sifrank.sifrank import _positions, _segments
from mderank.methods.sifrank.word_encoder import WordSpec
from mderank.testing import FakeEncoder, FakeTagger

TAGGER = FakeTagger({"glows": "VBZ", "glowing": "VBG"})
TEXT = "The old harbour is near the reef. A reef, a boat and the old reef glows."

# How frequent words are, for these tests.
FREQUENCIES = {"old": 3e-4, "harbour": 1e-4, "reef": 0.0, "boat": 9e-4, "near": 5e-2}
# What each word is. The second occurrence of a word adds to the third axis, the third twice as much.
VECTORS = {"old": (1, 0, 0), "harbour": (0, 1, 0), "reef": (1, 1, 0), "boat": (0, -1, 1)}


class Fixed:
    """A word encoder whose states can be worked out: a vector for the word, and how often it came before."""

    spec = WordSpec("fixed", layers=2, dimension=3, layer=2)

    def __init__(self):
        self.calls = []

    def word_states(self, text, words, segments, breaks, layer):
        self.calls.append((segments, layer))
        seen = {}
        for segment in segments:
            states = []
            for start, end in words[segment.start : segment.stop]:
                word = text[start:end].lower()
                states.append(np.add(VECTORS.get(word, (0, 0, 0)), (0, 0, seen.get(word, 0))))
                seen[word] = seen.get(word, 0) + 1
            yield np.arange(segment.start, segment.stop), np.asarray(states, dtype=float).reshape(-1, 3)


@pytest.fixture(autouse=True)
def frequencies(monkeypatch):
    monkeypatch.setattr(
        "mderank.methods.sifrank.sifrank.general_frequency", lambda word, language: FREQUENCIES.get(word, 1e-2)
    )


def make(kind=SIFRank, model=None, **options):
    return kind(model or Fixed(), **{"tagger": TAGGER, "a": 3e-4, **options})


def cosine(one, other):
    return np.dot(one, other) / np.linalg.norm(one) / np.linalg.norm(other)


# a / (a + f) with a = 3e-4
OLD, HARBOUR, REEF, BOAT = 0.5, 0.75, 1.0, 0.25


def test_weighted_means_and_their_cosine():
    # Aligned: "old" came twice, third axis (0 + 1) / 2; "reef" three times, (0 + 1 + 2) / 3.
    old, harbour, reef, boat = (1, 0, 0.5), (0, 1, 0), (1, 1, 1), (0, -1, 1)
    about = sum(
        weight * np.asarray(vector)
        for weight, vector in ((2 * OLD, old), (HARBOUR, harbour), (3 * REEF, reef), (BOAT, boat))
    )
    phrases = {
        "old harbour": OLD * np.asarray(old) + HARBOUR * np.asarray(harbour),
        "reef": reef,
        "boat": boat,
        "old reef": OLD * np.asarray(old) + REEF * np.asarray(reef),
    }
    found = make().extract(TEXT)
    assert scores(found) == pytest.approx({phrase: cosine(about, vector) for phrase, vector in phrases.items()})
    assert [each.text for each in found] == ["reef", "old reef", "old harbour", "boat"]
    assert all(each.score == each.raw_score for each in found)


def test_without_alignment_every_occurrence_has_its_own_vector():
    old, reefs = [(1, 0, 0), (1, 0, 1)], [(1, 1, 0), (1, 1, 1), (1, 1, 2)]
    about = OLD * np.sum(old, axis=0) + HARBOUR * np.asarray((0, 1, 0)) + np.sum(reefs, axis=0)
    about = about + BOAT * np.asarray((0, -1, 1))
    found = scores(make(alignment=False).extract(TEXT))
    assert found["reef"] == pytest.approx(np.mean([cosine(about, reef) for reef in reefs]))
    assert found["old reef"] == pytest.approx(cosine(about, OLD * np.asarray(old[1]) + np.asarray(reefs[2])))


def test_alignment_takes_case_variants_together():
    aligned = scores(make(candidates=PhraseList(["reef"])).extract("The reef and the Reef."))
    assert aligned["reef"] == pytest.approx(1)
    apart = scores(make(candidates=PhraseList(["reef"]), alignment=False).extract("The reef and the Reef."))
    assert apart["reef"] == pytest.approx(np.mean([cosine((2, 2, 1), (1, 1, 0)), cosine((2, 2, 1), (1, 1, 1))]))


def test_the_document_is_its_nouns_adjectives_and_gerunds(monkeypatch):
    monkeypatch.setitem(VECTORS, "glows", (0, 0, 9))
    monkeypatch.setitem(VECTORS, "the", (0, 0, 9))
    assert scores(make().extract("The reef glows."))["reef"] == pytest.approx(1)
    monkeypatch.setitem(VECTORS, "glowing", (0, 0, 9))
    glowing = 3e-4 / (3e-4 + 1e-2)
    assert scores(make().extract("The reef is glowing."))["reef"] == pytest.approx(
        cosine((1, 1, 9 * glowing), (1, 1, 0))
    )


def test_universal_tags_and_no_tags_that_are_known():
    words = [("old", "ADJ"), ("reef", "NOUN"), ("boat", "VERB"), ("the", "DET")]
    found = make().extract(Document.from_tagged(words, tagset="universal"))
    assert scores(found) == {"old reef": pytest.approx(1)}
    untagged = Document.from_tagged([("old", "?"), ("boat", "?"), ("the", "?")])
    found = make(candidates=NGrams(1, 1)).extract(untagged)
    about = OLD * np.asarray((1, 0, 0)) + BOAT * np.asarray((0, -1, 1))
    assert scores(found) == pytest.approx({"old": cosine(about, (1, 0, 0)), "boat": cosine(about, (0, -1, 1))})


def test_marks_in_a_phrase_weigh_nothing(monkeypatch):
    monkeypatch.setitem(VECTORS, "/", (0, 0, 9))
    found = make(candidates=PhraseList(["reef / reef"])).extract("A reef / reef.")
    assert scores(found)["reef / reef"] == pytest.approx(1)


def test_words_that_the_encoder_cannot_read_count_as_nothing():
    class Blind(Fixed):
        def word_states(self, text, words, segments, breaks, layer):
            yield np.zeros(0, dtype=np.int64), np.zeros((0, 3))

    assert set(scores(make(model=Blind()).extract(TEXT)).values()) == {0.0}


def test_general_and_domain_frequencies_are_mixed():
    domain = WordFrequencies({"old": 97, "reef": 3})  # reef: 0.03, old: 0.97, boat: 0
    reef, boat = (1, 1, 0), (0, -1, 1)

    def expected(mix):
        weight = mix * REEF + (1 - mix) * 3e-4 / (3e-4 + 0.03), mix * BOAT + (1 - mix) * 1.0
        about = weight[0] * np.asarray(reef) + weight[1] * np.asarray(boat)
        return pytest.approx({"reef": cosine(about, reef), "boat": cosine(about, boat)})

    text = "The reef, a boat."
    assert scores(make(domain=domain).extract(text)) == expected(0.6)
    for mix in (0.0, 0.3, 1.0):
        assert scores(make(domain=domain, mix=mix).extract(text)) == expected(mix)
    assert scores(make().extract(text)) == expected(1.0)


def test_positions_count_phrases():
    (document,) = TAGGER.tag([TEXT])
    candidates = make().candidates.find(document)
    # old harbour 1, reef 2 (and 3), boat 4, old reef 5
    assert dict(zip([each.key for each in candidates], _positions(candidates), strict=True)) == {
        "old harbour": 1,
        "reef": 2,
        "boat": 4,
        "old reef": 5,
    }
    # A phrase inside another is none of its own.
    (document,) = TAGGER.tag(["The coral reef bay, a boat and the reef bay."])
    candidates = NGrams(1, 3).find(document)
    assert dict(zip([each.key for each in candidates], _positions(candidates), strict=True)) == {
        "coral reef bay": 1,
        "coral reef": 1,
        "coral": 1,
        "reef bay": 1,
        "reef": 1,
        "bay": 1,
        "boat": 2,
    }


@pytest.mark.parametrize("bias", [3.4, 0.0])
def test_sifrank_plus_prefers_what_comes_early(bias):
    plain = scores(make().extract(TEXT))
    positions = {"old harbour": 1, "reef": 2, "boat": 4, "old reef": 5}
    early = {phrase: exp(1 / (position + bias)) for phrase, position in positions.items()}
    found = make(SIFRankPlus, bias=bias).extract(TEXT)
    assert scores(found) == pytest.approx(
        {phrase: early[phrase] / sum(early.values()) * (1 + plain[phrase]) / 2 for phrase in positions}
    )
    assert {each.text: each.raw_score for each in found} == pytest.approx(plain)


def test_sifrank_plus_by_hand():
    # Positions 1 and 2, both phrases as near as can be: the paper's 3.4 leaves e^(1/4.4) and e^(1/5.4).
    found = make(SIFRankPlus, alignment=True).extract("A reef, a REEF bay.")
    assert [each.text for each in found] == ["reef", "REEF bay"]
    first, second = exp(1 / 4.4), exp(1 / 5.4)
    assert [each.score for each in found] == pytest.approx([first / (first + second), second / (first + second)])


def test_segments_end_with_a_sentence():
    words = [Span(at, at + 1) for at in range(10)]
    assert _segments(words, [2, 5, 9], 3) == [range(5), range(5, 9), range(9, 10)]
    assert _segments(words, [2, 5, 9], 1) == [range(2), range(2, 5), range(5, 9), range(9, 10)]
    assert _segments(words, [2, 5, 9], 100) == [range(10)]
    assert _segments(words, [2, 5, 9], None) == [range(10)]
    assert _segments(words, [10], 4) == [range(10)]


def test_segments_and_layers_reach_the_encoder():
    model = Fixed()
    make(model=model, segment=3).extract(TEXT)
    make(model=model, segment=None, layer=-3).extract(TEXT)
    make(model=model, average_layers=True).extract(TEXT)
    assert [layer for _, layer in model.calls] == [2, 0, None]
    assert [segments for segments, _ in model.calls] == [[range(8), range(8, 19)], [range(19)], [range(19)]]


def test_nothing_to_rank_asks_no_encoder():
    model = Fixed()
    assert make(model=model).extract("") == []
    assert make(SIFRankPlus, model=model).extract("The and of.") == []
    assert model.calls == []


@pytest.mark.parametrize("kind", [SIFRank, SIFRankPlus])
def test_any_encoder_will_do(kind):
    encoder = FakeEncoder(max_length=16)
    long = " ".join(f"The old harbour{letter} is near the reef{letter}." for letter in "abcdefghijklmn")
    found = make(kind, model=encoder).extract(long, top_k=None)
    assert len(found) == 28
    other = make(kind, model=FakeEncoder(max_length=16, one_pass=False)).extract(long, top_k=None)
    assert scores(found) == pytest.approx(scores(other), rel=1e-5)


def test_phrases_of_the_fake_encoder():
    encoder = FakeEncoder(max_length=64)
    found = make(model=encoder, layer=0, alignment=False).extract("The reef and a boat.")
    ids = {word: encoder.tokenize(word).ids[0] for word in ("reef", "boat")}
    reef = encoder._vectors[ids["reef"]] + encoder._positions[2]  # after [CLS] and "The"
    boat = encoder._vectors[ids["boat"]] + encoder._positions[5]
    about = REEF * reef + BOAT * boat
    assert scores(found) == pytest.approx({"reef": cosine(about, reef), "boat": cosine(about, boat)}, rel=1e-4)


def test_on_the_embedded_model_with_real_frequencies(monkeypatch):
    monkeypatch.setattr("mderank.methods.sifrank.sifrank.general_frequency", word_frequencies.general_frequency)
    text = "Storm surges flood the coast. A storm surge is a rise of the sea in a storm."
    assert SIFRank().extract(text)[0].text.lower() in ("storm surge", "storm surges")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": 0}, "a must be a number above 0"),
        ({"segment": 0}, "segment must be a whole number of at least 1"),
        ({"mix": 0.5}, "mix weighs a corpus of the domain"),
        ({"mix": 1.5, "domain": WordFrequencies({})}, "mix must be a number from 0 to 1 or none, not 1.5"),
        ({"layer": 3}, "layer 3 does not exist: 'fixed' has 0 to 2"),
        ({"layer": 1, "average_layers": True}, "layer and average_layers exclude each other"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(OptionError, match=message):
        make(**options)


def test_a_bias_that_cannot_be():
    with pytest.raises(OptionError, match="bias must be a number above -1"):
        make(SIFRankPlus, bias=-1.0)


def test_the_extra_is_named_at_once_and_only_where_it_is_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[sifrank\]'"):
        make()
    assert make(domain=WordFrequencies({"reef": 1}), mix=0.0).extract("The reef.")[0].text == "reef"


def test_languages_whose_words_are_not_known(monkeypatch):
    monkeypatch.setattr("mderank.methods.sifrank.sifrank.general_frequency", word_frequencies.general_frequency)
    document = Document.from_tagged([("Riff", "NN")], language="xx")
    with pytest.raises(InputError, match="words in the language 'xx' are not known"):
        make().extract(document)
    good, bad = make().extract_many([Document.from_tagged([("reef", "NN")]), document])
    assert good[0].text == "reef"
    assert isinstance(bad.error, InputError)


def test_word_frequencies():
    frequencies = WordFrequencies.of(["A reef, the Reef.", "The old-fashioned reef!"], tagger=TAGGER)
    assert frequencies.counts == {"a": 1, "reef": 3, "the": 2, "old-fashioned": 1}
    assert frequencies.words == 7
    assert frequencies.frequency("REEF") == 3 / 7
    assert frequencies.frequency("whale") == 0
    assert WordFrequencies({}).frequency("reef") == 0
    assert word_frequencies.general_frequency("the", "en") > 0.01
    assert word_frequencies.general_frequency("qqzxqq", "en") == 0


@pytest.mark.parametrize("name", ["words.json", "words.json.gz"])
def test_word_frequencies_are_kept_in_a_file(tmp_path, name):
    frequencies = WordFrequencies({"a": 1, "été": 2})
    frequencies.save(tmp_path / name)
    assert WordFrequencies.load(tmp_path / name) == frequencies


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1]",
        b"{}",
        b'{"words": {"a": "x"}}',
        b'{"words": {"a": -1}}',
        pytest.param(gzip.compress(b'{"words": {}}')[:-4], id="a gzip file that ends early"),
    ],
)
def test_files_that_are_no_word_frequencies(tmp_path, content):
    for name in ("words.json", "words.json.gz"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="does not hold word frequencies"):
            WordFrequencies.load(tmp_path / name)


def test_the_options_that_it_builds_on_can_be_set_by_name():
    method = METHODS["sifrank-plus"]
    assert method.parse("a=0.001") == ("a", 0.001)
    assert method.parse("bias=2") == ("bias", 2.0)
    assert method.parse("segment=none") == ("segment", None)
    assert "domain" not in method.parameters()


def command_line(tmp_path, *arguments):
    file = tmp_path / "text.txt"
    file.write_text("Storm surges flood the coast. A storm surge is a rise of the sea.", encoding="utf-8")
    return CliRunner().invoke(cli, ["extract", str(file), "-f", "jsonl", *map(str, arguments)])


def test_the_corpus_of_the_command_line(tmp_path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "one.txt").write_text("The storm, a storm and the storm.", encoding="utf-8")
    options = ("--method", "sifrank", "--set", "mix=0")
    counted = command_line(tmp_path, *options, "--frequencies", corpus)
    assert counted.exit_code == 0, counted.output
    WordFrequencies({"storm": 3, "the": 2, "a": 1, "and": 1}).save(tmp_path / "words.json")
    assert command_line(tmp_path, *options, "--frequencies", tmp_path / "words.json").stdout == counted.stdout
    WordFrequencies({"coast": 1}).save(tmp_path / "others.json")
    assert command_line(tmp_path, *options, "--frequencies", tmp_path / "others.json").stdout != counted.stdout


def test_options_of_the_command_line_that_it_does_not_take(tmp_path):
    for option in (("--pooling", "max"), ("--exact",), ("--max-tokens", 9), ("--similarity", "euclidean")):
        result = command_line(tmp_path, "--method", "sifrank", *option)
        assert result.exit_code == 2
        assert f"the method 'sifrank' does not take {option[0][2:].replace('-', '_')}" in result.stderr

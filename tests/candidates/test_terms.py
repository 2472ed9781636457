"""Terms and names as a reader sees them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mderank import Document, FusionRank, Terms
from mderank.errors import OptionError
from mderank.tagging import SpacyTagger

TAGGER = SpacyTagger()


def found(text: str, **options: object) -> dict[str, float]:
    (document,) = TAGGER.tag([text])
    return {each.key: each.unithood for each in Terms(prune=False, **options).find(document)}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("The TCP/IP stack is slow.", "tcp/ip stack"),
        ("We ran an A/B test.", "a/b test"),
        ("They improved I/O performance.", "i/o performance"),
        ("HIV/AIDS patients were treated.", "hiv/aids patients"),
        ("Operators build 5G networks.", "5g networks"),
        ("The camera records 4K video.", "4k video"),
        ("The F-16 fighter jet landed.", "f-16 fighter jet"),
        ("A Johnson & Johnson vaccine was approved.", "johnson & johnson vaccine"),
        ("The iPhone 15 Pro is light.", "iphone 15 pro"),
        ("He has type 2 diabetes mellitus.", "type 2 diabetes mellitus"),
        ("We use sliding mode control.", "sliding mode control"),
        ("It does named entity recognition.", "named entity recognition"),
        ("Programs in shared memory are fast.", "shared memory"),
        ("A study of linked lists.", "linked lists"),
        ("The learning rate was small.", "learning rate"),
        ("We report in vivo Raman spectroscopy.", "in vivo raman spectroscopy"),
        ("The Bank of England met.", "bank of england"),
        ("The European Court of Human Rights ruled.", "european court of human rights"),
        ("Internet of Things devices are cheap.", "internet of things devices"),
        ("Drugs for Alzheimer's disease failed.", "alzheimer 's disease"),
        ("Storm surges hit the coast.", "storm surges"),
        ("Coral reefs.", "coral reefs"),
        ("STORM SURGES HIT THE COAST", "storm surges"),
        ("We teach operating systems and distributed computing.", "distributed computing"),
        ("He cites the Landlord and Tenant Act 1954.", "landlord and tenant act 1954"),
        ("A disused tin mine gave way.", "disused tin mine"),
        ("SLIDING MODE CONTROL\n\nA short course.", "sliding mode control"),
    ],
)
def test_names_and_terms_are_whole(text: str, term: str) -> None:
    assert term in found(text)


@pytest.mark.parametrize(
    ("text", "not_a_term"),
    [
        ("Take 300 mg aspirin daily.", "mg aspirin"),
        ("Exxon Submits Strategy", "exxon submits strategy"),
        ("Felon Retains Gun Rights", "felon retains gun rights"),
        ("mderank implements the paper.", "mderank implements"),
        ("The surgery Monday was short.", "surgery monday"),
        ("Solving equations by using data is hard.", "using data"),
        ("It works in a different way.", "different way"),
        ("See Table 3 for the rates.", "table 3"),
        ("RE Unit 4B, rent review", "re unit"),
        ("FW: asbestos found", "fw"),
        ("Ticket INC0093317 has been updated.", "ticket inc0093317"),
        ("Theft on x3 farms.", "x3 farms"),
        ("Cats and Dogs Play", "cats and dogs"),
        ("Blocks C, D & E are closed.", "d & e"),
        ("A new approach was tried.", "new approach"),
    ],
)
def test_what_is_not_a_term(text: str, not_a_term: str) -> None:
    assert not_a_term not in found(text)


def test_of_outside_names_needs_to_be_repeated() -> None:
    once = "Quality of service matters to a network."
    assert "quality of service" not in found(once)
    assert "quality of service" in found(f"{once} Each link has a quality of service.")


def test_a_part_that_never_stands_alone_is_less_of_a_unit_than_the_whole() -> None:
    terms = found("The GNU General Public License is long. The GNU General Public License is free.")
    assert terms["gnu general public license"] == 0
    assert terms["general public"] < -0.2
    assert all(value < 0 for key, value in terms.items() if key != "gnu general public license")


def test_a_part_of_several_phrases_is_a_unit() -> None:
    """C-value: what stands in different longer phrases, and alone, is a unit of its own."""
    terms = found("Masked language models and large language models are language models. Model cards describe them.")
    assert terms["language models"] > terms["masked language"]


def test_late_and_rare_parts_are_left_out_and_the_best_stay() -> None:
    text = (
        "A storm surge hit the harbours. " + "The quick brown survey vessel measured a long tidal channel profile. " * 3
    )
    text += " ".join(f"A grey {word}stone wall bordered the old {word}field path." for word in map(str, "abcdefghij"))
    (document,) = TAGGER.tag([text * 3])
    every, kept = Terms(prune=False).find(document), Terms().find(document)
    assert len(kept) < len(every)
    assert {each.key for each in kept} <= {each.key for each in every}
    assert "storm surge" in {each.key for each in kept}


def test_stop_words_and_length_are_options() -> None:
    assert "grey stone wall" in found("A grey stone wall.")
    assert "grey stone wall" not in found("A grey stone wall.", stop_words=frozenset({"Stone"}))
    assert "grey stone wall" not in found("A grey stone wall.", max_phrase_words=2)
    with pytest.raises(OptionError, match="max_phrase_words"):
        Terms(max_phrase_words=0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from("the Bank of England & 2 sliding mode control , . Monday in vivo 's x".split()), max_size=40
    )
)
def test_terms_slice_back_to_the_text(words: list[str]) -> None:
    tags = {
        "the": "DT",
        "of": "IN",
        "&": "CC",
        "2": "CD",
        "sliding": "VBG",
        ",": ",",
        ".": ".",
        "in": "IN",
        "'s": "POS",
    }
    document = Document.from_tagged([(word, tags.get(word, "NNP" if word[0].isupper() else "NN")) for word in words])
    for candidate in Terms(prune=False).find(document):
        for occurrence in candidate.occurrences:
            tokens = document.tokens[occurrence.words.start : occurrence.words.stop]
            assert " ".join(token.text.lower() for token in tokens) == candidate.key
            assert (occurrence.span.start, occurrence.span.end) == (tokens[0].start, tokens[-1].end)


def test_nothing_to_say_gives_nothing() -> None:
    assert FusionRank().extract("Thanks, see you tomorrow at the office!") == []


def test_in_a_text_of_few_words_not_every_part_of_every_part_is_a_candidate():
    """Each of them would be hidden everywhere, at the cost of the whole text."""
    document = Document.from_tagged([(word, "NN") for word in ("storm", "surge") * 1_000])
    every, kept = Terms(prune=False).find(document), Terms().find(document)
    hidden = [sum(len(place.words) for each in some for place in each.occurrences) for some in (every, kept)]
    assert hidden[0] > 10 * len(document.tokens)
    assert hidden[1] <= 5 * len(document.tokens)
    assert "storm surge" in {each.key for each in kept}

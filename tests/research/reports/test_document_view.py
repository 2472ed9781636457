from __future__ import annotations

from mderank.research.evaluation.protocols import Prediction
from mderank.research.evaluation.runs import DocumentOutcome
from mderank.research.reports.document_view import GoldPhrase, occurrences, view


def outcome(predictions, gold):
    return DocumentOutcome("d1", tuple(map(Prediction, predictions)), (0.0,) * len(predictions), tuple(gold), 0.1, None)


def test_ranks_are_those_of_stems():
    gold = ["Deep nets", "deep net", "tide", "sea"]
    shown = view(
        {
            "One": outcome(["stone", "stones", "tides", "deep net"], gold),
            "Two": outcome([f"word{n}" for n in range(20)] + ["sea"], gold),
        }
    )
    assert [(phrase.text, dict(phrase.ranks), phrase.found_by) for phrase in shown.gold] == [
        ("Deep nets", {"One": 3}, ("One",)),
        ("tide", {"One": 2}, ("One",)),
        ("sea", {"Two": 21}, ()),
    ]
    assert shown.predictions["One"] == (("stone", False), ("tides", True), ("deep net", True))
    assert len(shown.predictions["Two"]) == 10
    assert (shown.found("One"), shown.found("Two")) == (2, 0)


def test_gold_phrases_in_a_text():
    text = "“Deep nets” read; a deep\nnet learns (nets). Deep network."
    phrases = [GoldPhrase("net", "net", {}), GoldPhrase("deep net", "deep net", {}), GoldPhrase("", "", {})]
    found = [(text[start:end], phrase.text) for start, end, phrase in occurrences(text, phrases)]
    assert found == [("Deep nets", "deep net"), ("deep\nnet", "deep net"), ("nets", "net")]


def test_nothing_to_find():
    assert occurrences("", [GoldPhrase("net", "net", {})]) == []
    assert occurrences("... --", []) == []


def test_stems_are_those_of_the_language():
    french = DocumentOutcome("d1", (Prediction("bateau"),), (1.0,), ("bateaux",), 0.1, None, language="fr")
    shown = view({"One": french})
    assert (shown.found("One"), shown.language) == (1, "fr")
    text = "Un bateau."
    assert [text[start:end] for start, end, _ in occurrences(text, shown.gold, "fr")] == ["bateau"]

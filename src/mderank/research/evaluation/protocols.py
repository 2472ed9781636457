"""Named ways of scoring. Published keyphrase figures differ in averaging, stemming and de-duplication without saying
so; here each way has a name, and every report says which it used.

``mderank``             the paper's code to the letter
``micro-stem``          the same, cleanly: both sides de-duplicated by stem, precision over what was predicted
``macro-stem``          like ``micro-stem``, but the mean of the documents' values: what most toolkits report
``macro-stem-present``  like ``macro-stem``, counting only gold phrases that are in the text; documents without any
                        are left out
``judged``              for judged datasets only (`JUDGED`): the list that a user gets, compared with the phrases that a
                        reader would accept and with those that none would
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mderank.errors import OptionError
from mderank.research.datasets.judged_phrases import JudgedPhrases
from mderank.research.evaluation.measures import Average, Judgement
from mderank.text import stem_phrase


@dataclass(frozen=True)
class Prediction:
    """A predicted phrase, and how often the tagger came upon it."""

    text: str
    found: int = 1


@dataclass(frozen=True)
class Protocol:
    """How predictions are matched and documents averaged.

    ``quirks``: the paper's code. A prediction is right if its stem *or* its lower-cased form is a gold one; gold
    phrases are counted raw, stem duplicates and all; predictions are de-duplicated by lower case only; and the
    precision's denominator is taken from the list before that, in which a phrase stands once for every time that the
    tagger found it. ``judged``: predictions are taken as they are, matched with acceptable phrases and with junk.
    """

    name: str
    average: Average
    quirks: bool = False
    present_only: bool = False
    judged: bool = False

    def judge(
        self, predictions: Sequence[Prediction], gold: Sequence[str], text: str = "", junk: Sequence[str] = ()
    ) -> Judgement | None:
        """What is right; None if the protocol leaves the document out. ``junk`` is for judged datasets."""
        if self.quirks:
            return _paper(predictions, gold)
        if self.judged:
            return _judged(predictions, gold, junk)
        wanted = dict.fromkeys(map(stem_phrase, gold))
        if self.present_only:
            present = StemmedText(text)
            wanted = {phrase: None for phrase in wanted if phrase in present}
            if not wanted:
                return None
        given: dict[str, str] = {}
        for prediction in predictions:
            given.setdefault(stem_phrase(prediction.text), prediction.text)
        hits = tuple(stems in wanted for stems in given)
        return Judgement(hits, len(given), len(wanted), phrases=tuple(given.values()))


def _paper(predictions: Sequence[Prediction], gold: Sequence[str]) -> Judgement:
    raw = {phrase.lower() for phrase in gold}
    stems = set(map(stem_phrase, gold))
    given = list(dict.fromkeys(prediction.text.lower() for prediction in predictions))
    hits = tuple(phrase in raw or stem_phrase(phrase) in stems for phrase in given)
    return Judgement(hits, sum(prediction.found for prediction in predictions), len(gold), phrases=tuple(given))


def _judged(predictions: Sequence[Prediction], acceptable: Sequence[str], junk: Sequence[str]) -> Judgement:
    phrases = tuple(prediction.text for prediction in predictions)
    good, bad = JudgedPhrases(acceptable), JudgedPhrases(junk)
    return Judgement(
        tuple(phrase in good for phrase in phrases),
        len(phrases),
        len(acceptable),
        tuple(phrase in bad for phrase in phrases),
        phrases,
    )


class StemmedText:
    """A text in which stemmed phrases can be looked up."""

    def __init__(self, text: str) -> None:
        words = (word.strip(".,;:!?()[]{}\"'“”‘’") for word in text.lower().split())
        self._text = f" {' '.join(stem_phrase(word) for word in words if word)} "

    def __contains__(self, phrase: object) -> bool:
        return f" {phrase} " in self._text


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol("mderank", "micro", quirks=True),
        Protocol("micro-stem", "micro"),
        Protocol("macro-stem", "macro"),
        Protocol("macro-stem-present", "macro", present_only=True),
    )
}
REPORTED = ("mderank", "macro-stem")  # what every report prints at least
JUDGED = Protocol("judged", "micro", judged=True)  # chosen by the kind of dataset, not by its name


def get_protocol(name: str) -> Protocol:
    """The protocol of that name."""
    try:
        return PROTOCOLS[name]
    except KeyError:
        raise OptionError(f"unknown protocol '{name}': it is one of {', '.join(PROTOCOLS)}") from None


def recall_by_length(
    rankings: Iterable[tuple[Sequence[Prediction], Sequence[str]]], k: int = 15
) -> dict[str, tuple[float, int]]:
    """The share of gold phrases of 1, 2, 3 and more words that are among the first ``k``, and how many there are.

    Stems are compared, each distinct gold stem of a document counts once.
    """
    found = dict.fromkeys(LENGTHS, 0)
    wanted = dict.fromkeys(LENGTHS, 0)
    for predictions, gold in rankings:
        given = list(dict.fromkeys(stem_phrase(prediction.text) for prediction in predictions))[:k]
        for phrase in dict.fromkeys(map(stem_phrase, gold)):
            words = len(phrase.split())
            length = LENGTHS[min(max(words, 1), 4) - 1]
            wanted[length] += 1
            found[length] += phrase in given
    return {length: (found[length] / wanted[length] if wanted[length] else 0.0, wanted[length]) for length in LENGTHS}


LENGTHS = ("1", "2", "3", ">3")


def diversity(phrases: Sequence[str], k: int = 15) -> float:
    """Distinct words of the first ``k`` phrases, in per cent of all their words.

    Our reading of the paper's appendix A, whose t_u and t_n are not defined there.
    """
    words = [word for phrase in phrases[:k] for word in phrase.lower().split()]
    return 100 * len(set(words)) / len(words) if words else 0.0


def duplicate_ratio(phrases: Sequence[str], k: int = 15) -> float:
    """The share of the first ``k`` phrases that have the stem of an earlier one."""
    stems = [stem_phrase(phrase) for phrase in phrases[:k]]
    return 1 - len(set(stems)) / len(stems) if stems else 0.0

"""Protocols: named ways to match predictions with gold keyphrases and to average documents.

Published figures differ in averaging, stemming and de-duplication, often without saying so. Here each way has a name,
and every report names its protocol.

``mderank``             the paper's program to the letter
``micro-stem``          the same without its peculiarities: both sides are de-duplicated by stem, and precision is over
                        the predictions
``macro-stem``          as ``micro-stem``, but the mean of the documents' values, as in most toolkits
``macro-stem-present``  as ``macro-stem``, with only the gold keyphrases that are in the text; documents without any are
                        left out
``judged``              for judged datasets only (`JUDGED`): the list that a user gets, matched with the phrases that a
                        reader would accept and with those that none would

Stems are those of the document's language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

from mderank.errors import OptionError
from mderank.research.datasets.judged_phrases import JudgedPhrases
from mderank.research.evaluation.measures import Average, Judgement
from mderank.text import SEGMENTED, comparable, stem_phrase


def match_key(phrase: str, language: str = "en") -> str:
    """Return what phrases are compared by: their stems, without spaces in languages whose words need none.

    >>> match_key("Réseaux neuronaux", "fr"), match_key("機械 学習", "ja")
    ('réseau neuronal', '機械学習')

    Args:
        phrase: The phrase.
        language: Code of its language.

    Returns:
        The stems.

    """
    return comparable(stem_phrase(phrase, language), language)


@dataclass(frozen=True)
class Prediction:
    """A predicted phrase.

    Attributes:
        text: The phrase.
        found: How often the tagger found it.

    """

    text: str
    found: int = 1


@dataclass(frozen=True)
class Protocol:
    """A way to match predictions with gold keyphrases and to average documents.

    Attributes:
        name: Its name.
        average: ``micro``, over all keyphrases, or ``macro``, over documents.
        paper_matching: Whether to match as the paper's program does. Gold keyphrases are counted with duplicates, and
            predictions are de-duplicated by lower case only. The denominator of precision counts a prediction once for
            each time that the tagger found it.
        present_only: Whether only gold keyphrases count that are in the text.
        judged: Whether predictions are matched as they are with acceptable phrases and with junk.

    """

    name: str
    average: Average
    paper_matching: bool = False
    present_only: bool = False
    judged: bool = False

    def judge(
        self,
        predictions: Sequence[Prediction],
        gold: Sequence[str],
        text: str = "",
        junk: Sequence[str] = (),
        language: str = "en",
    ) -> Judgement | None:
        """Match the predictions for a document.

        Args:
            predictions: The predictions, best first.
            gold: The gold keyphrases; on a judged dataset, the acceptable phrases.
            text: The text, for ``present_only``.
            junk: On a judged dataset, the phrases that no reader would accept.
            language: Code of the document's language.

        Returns:
            The judgement; None if the protocol leaves the document out.

        """
        if self.paper_matching:
            return _match_as_paper(predictions, gold, language)
        if self.judged:
            return _match_judged(predictions, gold, junk, language)
        wanted = dict.fromkeys(match_key(phrase, language) for phrase in gold)
        if self.present_only:
            present = StemmedText(text, language)
            wanted = {phrase: None for phrase in wanted if phrase in present}
            if not wanted:
                return None
        given: dict[str, str] = {}
        for prediction in predictions:
            given.setdefault(match_key(prediction.text, language), prediction.text)
        hits = tuple(stems in wanted for stems in given)
        return Judgement(hits, len(given), len(wanted), phrases=tuple(given.values()), language=language)


def _match_as_paper(predictions: Sequence[Prediction], gold: Sequence[str], language: str) -> Judgement:
    # The paper's program also compares lower-cased forms. Equal forms have equal stems, so that stems are enough.
    stems = {match_key(phrase, language) for phrase in gold}
    given = list(dict.fromkeys(prediction.text.lower() for prediction in predictions))
    hits = tuple(match_key(phrase, language) in stems for phrase in given)
    offered = sum(prediction.found for prediction in predictions)
    return Judgement(hits, offered, len(gold), phrases=tuple(given), language=language)


def _match_judged(
    predictions: Sequence[Prediction], acceptable: Sequence[str], junk: Sequence[str], language: str
) -> Judgement:
    phrases = tuple(prediction.text for prediction in predictions)
    good, bad = JudgedPhrases(acceptable), JudgedPhrases(junk)
    return Judgement(
        tuple(phrase in good for phrase in phrases),
        len(phrases),
        len(acceptable),
        tuple(phrase in bad for phrase in phrases),
        phrases,
        language,
    )


class StemmedText:
    """A text in which stemmed phrases can be looked up.

    Args:
        text: The text.
        language: Code of its language.

    """

    def __init__(self, text: str, language: str = "en") -> None:
        self._spaced = language not in SEGMENTED
        words = (word.strip(".,;:!?()[]{}\"'“”‘’") for word in text.lower().split())
        stems = f" {' '.join(stem_phrase(word, language) for word in words if word)} "
        self._text = comparable(stems, language)

    def __contains__(self, phrase: object) -> bool:
        return (f" {phrase} " if self._spaced else str(phrase)) in self._text


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol("mderank", "micro", paper_matching=True),
        Protocol("micro-stem", "micro"),
        Protocol("macro-stem", "macro"),
        Protocol("macro-stem-present", "macro", present_only=True),
    )
}
REPORTED = ("mderank", "macro-stem")  # in every report
JUDGED = Protocol("judged", "micro", judged=True)  # chosen by the kind of dataset, not by its name


def get_protocol(name: str) -> Protocol:
    """Return a protocol by its name.

    Args:
        name: The name.

    Returns:
        The protocol.

    Raises:
        OptionError: If there is no such protocol.

    """
    try:
        return PROTOCOLS[name]
    except KeyError:
        raise OptionError(f"unknown protocol '{name}': it is one of {', '.join(PROTOCOLS)}") from None


def recall_by_length(
    rankings: Iterable[tuple[Sequence[Prediction], Sequence[str]]],
    k: int = 15,
    languages: Iterable[str] = repeat("en"),
) -> dict[str, tuple[float, int]]:
    """Measure recall by the number of words of the gold keyphrase. Stems are compared, each once per document.

    Args:
        rankings: The predictions and the gold keyphrases of each document.
        k: Number of predictions that count.
        languages: Code of the language of each document. Default: English.

    Returns:
        For 1, 2, 3 and more words: the share of gold keyphrases that were found, and the number of gold keyphrases.

    """
    found = dict.fromkeys(LENGTHS, 0)
    wanted = dict.fromkeys(LENGTHS, 0)
    for (predictions, gold), language in zip(rankings, languages, strict=False):
        given = list(dict.fromkeys(match_key(prediction.text, language) for prediction in predictions))[:k]
        for phrase in dict.fromkeys(match_key(each, language) for each in gold):
            words = len(phrase.split())
            length = LENGTHS[min(max(words, 1), 4) - 1]
            wanted[length] += 1
            found[length] += phrase in given
    return {length: (found[length] / wanted[length] if wanted[length] else 0.0, wanted[length]) for length in LENGTHS}


LENGTHS = ("1", "2", "3", ">3")


def diversity(phrases: Sequence[str], k: int = 15) -> float:
    """Measure the distinct words of the first ``k`` phrases, in per cent of all their words.

    The paper's appendix A does not define its t_u and t_n; this is our reading.

    Args:
        phrases: The phrases, best first.
        k: Number of phrases that count.

    Returns:
        The percentage.

    """
    words = [word for phrase in phrases[:k] for word in phrase.lower().split()]
    return 100 * len(set(words)) / len(words) if words else 0.0


def duplicate_ratio(phrases: Sequence[str], k: int = 15, language: str = "en") -> float:
    """Measure the share of the first ``k`` phrases that have the stem of an earlier one.

    Args:
        phrases: The phrases, best first.
        k: Number of phrases that count.
        language: Code of their language.

    Returns:
        The share, from 0 to 1.

    """
    stems = [match_key(phrase, language) for phrase in phrases[:k]]
    return 1 - len(set(stems)) / len(stems) if stems else 0.0

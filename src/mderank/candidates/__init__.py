"""Document to candidates: noun phrases by tag pattern, n-grams, or the user's own list or vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mderank.util.lazy import lazy_names

# Every start of the command line needs some of them. Vocabularies take time to import.
__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "mderank.candidates.base": ("CandidateSource",),
        "mderank.candidates.vocabulary": ("Concept", "Vocabulary"),
        "mderank.candidates.ngrams": ("NGrams",),
        "mderank.candidates.noun_phrases": ("NounPhrases",),
        "mderank.candidates.phrase_list": ("PhraseList",),
        "mderank.candidates.terms": ("Terms",),
    },
)

if TYPE_CHECKING:
    from mderank.candidates.base import CandidateSource as CandidateSource
    from mderank.candidates.ngrams import NGrams as NGrams
    from mderank.candidates.noun_phrases import NounPhrases as NounPhrases
    from mderank.candidates.phrase_list import PhraseList as PhraseList
    from mderank.candidates.terms import Terms as Terms
    from mderank.candidates.vocabulary import Concept as Concept
    from mderank.candidates.vocabulary import Vocabulary as Vocabulary

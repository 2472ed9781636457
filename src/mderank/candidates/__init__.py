"""Document to candidates: noun phrases by tag pattern, n-grams, or the user's own list."""

from mderank.candidates.base import CandidateSource
from mderank.candidates.ngrams import NGrams
from mderank.candidates.noun_phrases import NounPhrases
from mderank.candidates.phrase_list import PhraseList
from mderank.candidates.terms import Terms

__all__ = ["CandidateSource", "NGrams", "NounPhrases", "PhraseList", "Terms"]

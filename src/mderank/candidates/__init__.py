"""Document to candidates: noun phrases by tag pattern, n-grams, or the user's own list or vocabulary."""

from mderank.candidates.base import CandidateSource
from mderank.candidates.ngrams import NGrams
from mderank.candidates.noun_phrases import NounPhrases
from mderank.candidates.phrase_list import PhraseList
from mderank.candidates.terms import Terms
from mderank.candidates.vocabulary import Concept, Vocabulary

__all__ = ["CandidateSource", "Concept", "NGrams", "NounPhrases", "PhraseList", "Terms", "Vocabulary"]

"""KeyBERT: n-grams that are near the document.

Grootendorst (2020), "KeyBERT: minimal keyword extraction with BERT" (software, doi:10.5281/zenodo.4461265).
"""

from __future__ import annotations

from typing import ClassVar

from mderank.candidates import CandidateSource, NGrams
from mderank.document import Document
from mderank.keyphrase import Candidate
from mderank.methods.embedrank import EmbedRank
from mderank.ranking import Scaling


class KeyBERT(EmbedRank):
    """Ranks the n-grams of a text by how near their embedding is to the text's.

    1. Find the candidates: all n-grams of one and two words without stop words, or what ``candidates`` asks for. A
       phrase is one that stands in the text: none runs across a stop word, punctuation or a paragraph's end.
    2. Embed the document, and each candidate by itself, in lower case: all in one encoder pass.
    3. Score cos(E(d), E(c)).
    4. With ``diversity=MMR()``, take next what is near the document and far from what was taken, cosines as they
       are; with ``diversity=MaxSum(20)``, of the 20 best take those together that
       are least alike.
    """

    default_candidates: ClassVar[CandidateSource] = NGrams(1, 2)
    default_mmr_scaling: ClassVar[Scaling] = "none"

    def _embedded_text(self, document: Document, candidate: Candidate) -> str:
        return super()._embedded_text(document, candidate).lower()

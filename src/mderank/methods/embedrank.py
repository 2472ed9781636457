"""EmbedRank: phrases that are near the document.

Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using sentence embeddings", CoNLL. With BERT in
place of Sent2Vec and without MMR it is the phrase-document method that the MDERank paper compares itself with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mderank.document import Document
from mderank.keyphrase import Candidate
from mderank.methods.encoder_base import EncoderExtractor
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.ranking import Scaling, phrase_similarity


class EmbedRank(EncoderExtractor):
    """Ranks the phrases of a text by how near their embedding is to the text's.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Embed the document, and each candidate by itself, as it first stands in the text: all at once.
    3. Score cos(E(d), E(c)).
    4. With ``diversity=MMR()``, take next what is near the document and far from what was taken, both as the
       paper scales them: EmbedRank++.
    """

    default_mmr_scaling: ClassVar[Scaling] = "standard"

    def _exact_only(self) -> bool:
        """Nothing is approximated here: encoders that cannot pack take one call more."""
        return not self.encoder.spec.one_pass

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        phrases = [[self._embedded_text(item.document, each) for each in item.candidates] for item in inputs]
        scores = []
        for each in self._embed(inputs, phrases=phrases):
            similarities, values = phrase_similarity(each.document, each.phrases, self.similarity)
            scores.append(CandidateScores(values, similarities, each.phrases))
        return scores

    def _embedded_text(self, document: Document, candidate: Candidate) -> str:
        """Return the text of a candidate that is embedded: its first occurrence."""
        return document.surface_form(candidate.occurrences[0].span)

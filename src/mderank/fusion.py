"""FusionRank: what one encoder pass and the text itself say of a phrase, added up.

MDERank asks how much the document changes without a phrase (Zhang et al. (2022), Findings of ACL), EmbedRank how near
the phrase is to the document (Bennani-Smires et al. (2018), CoNLL). One pass answers both, and tells besides how much
weight the encoder gives the phrase's own words. Where a phrase stands and how often is evidence as well, as in
PromptRank (Kong et al. (2023), ACL) and YAKE (Campos et al. (2020), Information Sciences).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Unpack

import numpy as np

from mderank.candidates import CandidateSource, NounPhrases
from mderank.document import surface
from mderank.encoder_ranker import EncoderOptions, EncoderRanker
from mderank.encoding import EMBEDDED, Embeddings, Encoder, Request, embed
from mderank.ranker import Floats, Numbers, Reading, Scores
from mderank.ranking import closeness, compare
from mderank.ranking.dedupe import stemmed

# Words after which a place begins to count as late; an abstract or a first paragraph is about as long.
_LEAD = 100
_TINY = 1e-30  # whose logarithm exists


class FusionRank(EncoderRanker):
    """Ranks the phrases of a text by five kinds of evidence, each in its own measure, added up.

    >>> extractor = FusionRank()
    >>> keyphrases = extractor.extract("Masked language models fill gaps in a text. Language models learn from gaps.")
    >>> keyphrases[0].text, keyphrases[0].spans
    ('language models', (Span(start=7, end=22), Span(start=44, end=59)))

    1. Tag the text and find the candidates: noun phrases, and parts of them that stand in two different ones
       (`NounPhrases(nested=True)`).
    2. In one encoder pass embed the document E(d), each candidate by itself E(c), and the document without each
       candidate E(d_c).
    3. Closeness: cos(E(d), E(c)).
    4. Change: ln(n² · (1 − cos(E(d), E(d_c)))) for a text of n word pieces. What a mask changes falls with the
       square of the length, so that this can be compared between texts.
    5. Emphasis: ln |h_c|, the length of the candidate's mean state in the document. An encoder that averages its
       states makes those long that are to count for much.
    6. Frequency: ln f, with f the number of its places; "network" and "networks" count together.
    7. Position: − ln(1 + p / 100), with p the number of words before its first place.
    8. Score the sum of closeness and ``change``, ``emphasis``, ``frequency`` and ``position`` times the others.
    """

    own_candidates: ClassVar[CandidateSource] = NounPhrases(nested=True)

    def __init__(
        self,
        model: str | Path | Encoder = EMBEDDED,
        *,
        change: float = 0.05,
        emphasis: float = 0.3,
        frequency: float = 0.03,
        position: float = 0.15,
        **options: Unpack[EncoderOptions],
    ) -> None:
        super().__init__(model, **options)
        self.weights = {
            "closeness": 1.0,
            "change": change,
            "emphasis": emphasis,
            "frequency": frequency,
            "position": position,
        }

    def _score(self, readings: Sequence[Reading]) -> list[Scores]:
        embeddings = embed(
            self.encoder,
            [self._request(reading) for reading in readings],
            pooling=self.pooling,
            layer=self.layer,
            exact=self.exact,
        )
        return [self._fused(reading, each) for reading, each in zip(readings, embeddings, strict=True)]

    def _request(self, reading: Reading) -> Request:
        assert reading.pieces is not None
        text, candidates = reading.document.text, reading.candidates
        return Request(
            reading.pieces,
            reading.document.sentence_ends(),
            [tuple(each.span for each in candidate.occurrences) for candidate in candidates],
            [self.encoder.pieces(surface(text, candidate.occurrences[0].span)) for candidate in candidates],
        )

    def _fused(self, reading: Reading, embeddings: Embeddings) -> Scores:
        near, _ = closeness(embeddings.document, embeddings.phrases, self.similarity)
        _, changes = compare(embeddings.document, embeddings.changes, "cosine")
        lengths = np.linalg.norm(embeddings.contexts, axis=1)
        facts = {"closeness": near, "change": changes, "emphasis": lengths, **self._places(reading)}
        parts = self._evidence(reading, facts)
        weighted = {name: weight * parts[name] for name, weight in self.weights.items()}
        return Scores(np.sum(list(weighted.values()), axis=0), near, embeddings.phrases, parts=weighted, facts=facts)

    def _evidence(self, reading: Reading, facts: dict[str, Numbers]) -> dict[str, Floats]:
        """Each fact in its own measure."""
        assert reading.pieces is not None
        return {
            "closeness": facts["closeness"].astype(np.float64),
            "change": np.log(np.maximum(facts["change"], _TINY)) + 2 * np.log(max(1, len(reading.pieces))),
            "emphasis": np.log(np.maximum(facts["emphasis"], _TINY)),
            "frequency": np.log(facts["frequency"]),
            "position": -np.log1p(facts["position"] / _LEAD),
        }

    def _places(self, reading: Reading) -> dict[str, Numbers]:
        """How often and how early, of each candidate and its variants."""
        document = reading.document
        keys = [
            stemmed(surface(document.text, each.occurrences[0].span), document.language) for each in reading.candidates
        ]
        counts: dict[str, int] = {}
        firsts: dict[str, int] = {}
        for name, each in zip(keys, reading.candidates, strict=True):
            counts[name] = counts.get(name, 0) + len(each.occurrences)
            firsts[name] = min(firsts.get(name, each.occurrences[0].words.start), each.occurrences[0].words.start)
        return {
            "frequency": np.asarray([counts[name] for name in keys], dtype=np.int64),
            "position": np.asarray([firsts[name] for name in keys], dtype=np.int64),
        }

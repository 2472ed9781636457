"""EmbedRank: phrases that are near the document.

Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using sentence embeddings", CoNLL. With BERT in
place of Sent2Vec and without MMR it is the phrase-document method that the MDERank paper compares itself with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from mderank.document import Document
from mderank.encoding import Embeddings
from mderank.keyphrase import Candidate
from mderank.methods.guided import GuidedExtractor, guide_scores, split_seeds
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.ranking import Scaling, phrase_similarity
from mderank.util.arrays import Floats


class EmbedRank(GuidedExtractor):
    """Ranks the phrases of a text by how near their embedding is to the text's.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Embed the document, and each candidate by itself, as it first stands in the text: all at once.
    3. Score cos(E(d), E(c)).
    4. With ``diversity=MMR()``, take next what is near the document and far from what was taken, both as the
       paper scales them: EmbedRank++.
    5. With ``seeds``, embed them too, and score (1 − w) · cos(E(d), E(c)) + w · cos(E(s), E(c)), with s the nearest
       seed and w their weight.

    Args:
        model: Name or folder of a model, or an `Encoder`; see `load_encoder`.
        pooling: How hidden states become an embedding: "mean", "max" or "cls"; None for what suits the encoder.
        layer: Number of the layer; negative numbers count from the last. None for the last.
        similarity: How embeddings are compared: "cosine" or "euclidean".
        exact: Encode the document and the phrases in separate sequences. Scores are the same but for rounding.
        batch_tokens: Number of tokens that are computed at once with ``exact``; None for what suits the device.
        seeds: Phrases that pull the ranking towards a topic, in texts that come without seeds of their own.
        seed_weight: How much seeds count, from 0 (not at all) to 1 (nothing else counts); None for 0.5.
        max_tokens: Number of tokens of a text to read, special tokens included; None for all.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        ModelError: If the model cannot be loaded.
        OptionError: If an option has the wrong type, is out of range or does not suit the others.
    """

    default_mmr_scaling: ClassVar[Scaling] = "standard"

    def _exact_only(self) -> bool:
        """Nothing is approximated here: encoders that cannot pack take one call more."""
        return not self.encoder.spec.one_pass

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        phrases = [
            [self._embedded_text(item.document, each) for each in item.candidates]
            + [self._embedded_seed(seed) for seed in self._seeds_of(item)]
            for item in inputs
        ]
        return [
            self._compare(item, *split_seeds(item, each))
            for item, each in zip(inputs, self._embed(inputs, phrases=phrases), strict=True)
        ]

    def _compare(self, item: ScoringInput, embeddings: Embeddings, seeds: Floats) -> CandidateScores:
        similarities, values = phrase_similarity(embeddings.document, embeddings.phrases, self.similarity)
        scored = CandidateScores(values, similarities, embeddings.phrases)
        if not len(seeds):
            return scored
        near = self._near_seeds(item, embeddings.phrases, seeds, self.similarity)
        terms = {"similarity": values}
        return guide_scores(replace(scored, contributions=terms, features=terms), near, self._weight_of(item))

    def _embedded_text(self, document: Document, candidate: Candidate) -> str:
        """Return the text of a candidate that is embedded: its first occurrence."""
        return document.surface_form(candidate.occurrences[0].span)

    def _embedded_seed(self, seed: str) -> str:
        """Return the text of a seed that is embedded."""
        return seed

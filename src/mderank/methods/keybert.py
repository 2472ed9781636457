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
    4. With ``diversity=MMR()``, take next what is near the document and far from what was taken, cosines as they are.
       With ``diversity=MaxSum(20)``, take those of the 20 best together that are least alike.
    5. With ``seeds``, score (1 − w) · cos(E(d), E(c)) + w · cos(E(s), E(c)), with s the nearest seed and w their
       weight.

    Args:
        model: Name or folder of a model, or an `Encoder`; see `load_encoder`. Also a model of finished embeddings: a
            function from texts to vectors, a `TextEmbedder`, or a ``SentenceTransformer``.
        pooling: How hidden states become an embedding: "mean", "max" or "cls"; None for what suits the encoder.
        layer: Number of the layer; negative numbers count from the last. None for the last.
        similarity: How embeddings are compared: "cosine" or "euclidean".
        exact: Encode the document and the phrases in separate sequences. Scores are the same but for rounding.
        batch_tokens: Number of tokens that are computed at once with ``exact``; None for what suits the device.
        seeds: Phrases that pull the ranking towards a topic, in texts that come without seeds of their own.
        seed_weight: How much seeds count, from 0 (not at all) to 1 (nothing else counts); None for 0.5.
        max_tokens: Number of tokens of a text to read, special tokens included; None for all.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for n-grams of one and two words.
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

    default_candidates: ClassVar[CandidateSource] = NGrams(1, 2)
    default_mmr_scaling: ClassVar[Scaling] = "none"

    def _embedded_text(self, document: Document, candidate: Candidate) -> str:
        return super()._embedded_text(document, candidate).lower()

    def _embedded_seed(self, seed: str) -> str:
        return seed.lower()

"""EmbedRank: phrases that are near the document.

Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using sentence embeddings", CoNLL. With BERT in
place of Sent2Vec and without MMR it is the phrase-document method that the MDERank paper compares itself with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from mderank.document import AnyText, Document
from mderank.encoding import Embeddings
from mderank.errors import OptionError
from mderank.keyphrase import Candidate, Keyphrases
from mderank.methods.base import check_text, text_length
from mderank.methods.chunks import divide
from mderank.methods.document_embeddings import Vector, each_with_embedding, with_embedding
from mderank.methods.guided import GuidedExtractor, guide_scores, split_seeds
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.methods.seeded_texts import Seeds
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
    takes_embeddings: ClassVar[bool] = True

    def extract(
        self,
        text: AnyText,
        top_k: int | None = 10,
        *,
        seeds: Sequence[str] | None = None,
        seed_weight: float | None = None,
        embedding: Vector | None = None,
    ) -> Keyphrases:
        """Extract the keyphrases of one text.

        Args:
            text: A text, a `MarkedUpText`, or a tagged `Document`.
            top_k: Number of keyphrases; None returns all.
            seeds: Phrases that pull the ranking towards a topic; None for the extractor's own.
            seed_weight: How much they count, from 0 to 1; None for the extractor's own.
            embedding: Embedding ``(d,)`` of the text by the same model, if it was computed before. The text is then
                not embedded.

        Returns:
            The keyphrases, the best first.

        Raises:
            InputError: If the text is not a text.
            OptionError: If ``top_k`` is not a number of at least 0, or the seeds or the embedding cannot be used.
        """
        return super().extract(with_embedding(text, embedding), top_k, seeds=seeds, seed_weight=seed_weight)

    def extract_many(
        self,
        texts: Iterable[AnyText],
        top_k: int | None = 10,
        *,
        seeds: Seeds | None = None,
        seed_weight: float | None = None,
        embeddings: Iterable[Vector | None] | None = None,
    ) -> Iterator[Keyphrases]:
        """Extract the keyphrases of many texts, in batches.

        Args:
            texts: Texts, which are read as results are asked for.
            top_k: Number of keyphrases per text; None returns all.
            seeds: Phrases that pull the ranking towards a topic: one list for all texts, or a list (or None) for
                each; None for the extractor's own.
            seed_weight: How much they count, from 0 to 1; None for the extractor's own.
            embeddings: Embeddings ``(n, d)`` of the texts by the same model, if they were computed before. In an
                iterable None stands for a text that the model is to embed.

        Returns:
            An iterator over the keyphrases of each text, in order. A text that fails has its error in
            ``Keyphrases.error``.

        Raises:
            OptionError: If ``top_k`` is not a number of at least 0, ``texts`` is one text, the seeds cannot be used, or
                there are not as many embeddings as texts.
        """
        if embeddings is None or isinstance(texts, AnyText):
            return super().extract_many(texts, top_k, seeds=seeds, seed_weight=seed_weight)
        given: Iterable[Any] = each_with_embedding(texts, embeddings)  # errors among them, in their places
        return super().extract_many(given, top_k, seeds=seeds, seed_weight=seed_weight)

    def embed_documents(self, texts: Iterable[AnyText]) -> Floats:
        """Embed texts, to keep their embeddings and to give them to later calls.

        >>> import numpy as np
        >>> extractor = EmbedRank()
        >>> vectors = extractor.embed_documents(["Coral reefs feed fish.", "A storm surge lifts the sea."])
        >>> vectors.shape
        (2, 384)
        >>> extractor.extract("Coral reefs feed fish.", embedding=vectors[0])[0].text
        'Coral reefs'

        Args:
            texts: The texts.

        Returns:
            Embeddings ``(n, d)`` in float64; zeros for a text without words.

        Raises:
            InputError: If a text is not a text.
            OptionError: If ``texts`` is one text.
        """
        if isinstance(texts, AnyText):
            raise OptionError("embed_documents takes several texts, not one: put it into a list")
        chunks = divide(map(check_text, texts), text_length, self._chunk_characters())
        rows = [row for chunk in chunks for row in self._embed_documents(self._find_candidates(chunk))]
        made = np.zeros((len(rows), max(map(len, rows), default=0)))
        for place, row in zip(made, rows, strict=True):
            place[: len(row)] = row  # of texts without words only, some models tell no dimension
        return made

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

"""EmbedRank with vectors that need no encoder: phrases that are near the document's nouns and adjectives.

Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using sentence embeddings", CoNLL. The paper's
vectors are Sent2Vec's and Doc2Vec's; means of static word vectors are the plainest there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Unpack

import numpy as np

from mderank.document import Document, Tagset
from mderank.errors import ModelError, OptionError
from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.methods.static import Sent2Vec, TextEmbedder, WordVectors
from mderank.parameters import Param, check_arguments
from mderank.ranking import Scaling, phrase_similarity
from mderank.util.arrays import Floats

CONTENT: dict[Tagset, re.Pattern[str]] = {
    "penn": re.compile("NN.*|JJ.*"),
    "universal": re.compile("NOUN|PROPN|ADJ"),
    "words": re.compile("WORD|LOWER"),
}


class TextEmbedRank(BaseExtractor):
    """Ranks the phrases of a text by how near their vector is to the vector of the text's nouns and adjectives.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Embed the document, of which only nouns and adjectives are kept, and each candidate as it first stands in it.
    3. Score cos(E(d), E(c)); a candidate that the embedder knows nothing of comes last.
    4. With ``diversity=MMR()``, take next what is near the document and far from what was taken, both as the
       paper scales them: EmbedRank++.

    Args:
        embedder: Any object with ``embed(texts)``; see `TextEmbedder`.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        OptionError: If an option has the wrong type or is out of range.
    """

    has_vectors: ClassVar[bool] = True
    default_mmr_scaling: ClassVar[Scaling] = "standard"

    @check_arguments
    def __init__(self, embedder: TextEmbedder, **options: Unpack[BaseOptions]) -> None:
        super().__init__(**options)
        self.embedder = embedder

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for item in inputs:
            vectors = self._embed([_content(item.document), *_phrases(item)])
            similarities, values = phrase_similarity(vectors[0], vectors[1:], "cosine")
            known = [bool(vector.any()) for vector in vectors[1:]]
            scores.append(CandidateScores(values, similarities, vectors[1:], known))
        return scores

    def _embed(self, texts: list[str]) -> Floats:
        vectors = np.asarray(self.embedder.embed(texts), dtype=np.float64)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(
                f"{type(self.embedder).__name__}.embed gave {vectors.shape} for {len(texts)} texts: "
                "it must give an array with a row for each"
            )
        return vectors


class VectorEmbedRank(TextEmbedRank):
    """EmbedRank with static word vectors: a text is the mean of its words' vectors.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Take the mean vector of the document's nouns and adjectives, and of each candidate's words. A word is looked up
       as it stands, and else in lower case; words without a vector do not count.
    3. Score the cosine of the two; a candidate without any vector comes last.
    4. With ``diversity=MMR()``, take next what is near the document and far from what was taken: EmbedRank++.

    Args:
        vectors: `WordVectors`, or a file of them: GloVe's text format, or word2vec's text or binary format, also
            gzipped.
        max_vectors: Number of vectors of the file to read, from its beginning; None for all.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        InputError: If the file cannot be read or does not hold word vectors.
        OptionError: If ``vectors`` is missing, or if an option has the wrong type, is out of range or does not suit the
            others.
    """

    @check_arguments
    def __init__(
        self,
        vectors: Annotated[Path | WordVectors | None, Param(help="File of word vectors, or the vectors.")] = None,
        max_vectors: Annotated[int | None, Param(ge=1, help="Read only the first vectors of the file.")] = None,
        **options: Unpack[BaseOptions],
    ) -> None:
        if vectors is None:
            raise OptionError(
                "embedrank-vectors needs a file of word vectors: vectors=FILE (--set vectors=FILE), GloVe's from "
                "https://nlp.stanford.edu/projects/glove or any in word2vec's text or binary form"
            )
        if isinstance(vectors, WordVectors) and max_vectors is not None:
            raise OptionError("max_vectors is for a file: give fewer vectors, or leave it out")
        super().__init__(
            vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors, max_vectors), **options
        )


class Sent2VecEmbedRank(TextEmbedRank):
    """EmbedRank as its paper has it, with Sent2Vec.

    1. Tag the text and find the candidates (`BaseExtractor`).
    2. Embed the document's nouns and adjectives, and each candidate, in lower case.
    3. Score the cosine of the two; a candidate that the model knows nothing of comes last.
    4. With ``diversity=MMR()``, take next what is near the document and far from what was taken: EmbedRank++.

    Args:
        sent2vec: Model file of Sent2Vec, which needs its authors' Python binding, or a `TextEmbedder`.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``; None selects by score alone.
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        ModelError: If the model cannot be loaded or the binding is missing.
        OptionError: If ``sent2vec`` is missing, or if an option has the wrong type or is out of range.
    """

    @check_arguments
    def __init__(
        self,
        sent2vec: Annotated[Path | TextEmbedder | None, Param(help="Model file of Sent2Vec.")] = None,
        **options: Unpack[BaseOptions],
    ) -> None:
        if sent2vec is None:
            raise OptionError(
                "embedrank-sent2vec needs a model: sent2vec=FILE (--set sent2vec=FILE), for example one of those at "
                "https://github.com/epfml/sent2vec"
            )
        super().__init__(Sent2Vec(sent2vec) if isinstance(sent2vec, str | Path) else sent2vec, **options)


def _content(document: Document) -> str:
    """The nouns and adjectives of a document, in its order."""
    tags = CONTENT[document.tagset]
    return " ".join(token.text for token in document.tokens if tags.fullmatch(token.tag))


def _phrases(item: ScoringInput) -> list[str]:
    """The words of each candidate where it first stands."""
    tokens = item.document.tokens
    places = (each.occurrences[0].words for each in item.candidates)
    return [" ".join(token.text for token in tokens[words.start : words.stop]) for words in places]

"""Words and texts to vectors without an encoder: static word vectors, Sent2Vec, the user's own embedder."""

from mderank.vectors.base import TextEmbedder
from mderank.vectors.sent2vec import Sent2Vec
from mderank.vectors.words import WordVectors

__all__ = ["Sent2Vec", "TextEmbedder", "WordVectors"]

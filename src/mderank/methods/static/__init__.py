"""EmbedRank on static vectors: of words, of Sent2Vec, or of the user's own embedder."""

from mderank.encoding.text_embedder import TextEmbedder
from mderank.methods.static.sent2vec import Sent2Vec
from mderank.methods.static.word_vectors import WordVectors

__all__ = ["Sent2Vec", "TextEmbedder", "WordVectors"]

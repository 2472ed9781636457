"""EmbedRank on static vectors: of words, or of Sent2Vec."""

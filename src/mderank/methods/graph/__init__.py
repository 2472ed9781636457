"""Methods that rank by PageRank: on a graph of words, or of topics."""

"""SIFRank and SIFRank+."""

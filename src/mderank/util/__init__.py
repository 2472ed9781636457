"""Helpers without knowledge of keyphrases, each written once."""

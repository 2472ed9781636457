"""YAKE and the features of words that it is made from."""

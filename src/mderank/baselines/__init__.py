"""Other methods, one file each: the floor that an honest table needs, and what MDERank is compared with."""

from mderank.baselines.attentionrank import AttentionRank
from mderank.baselines.embedrank import EmbedRank
from mderank.baselines.first_phrases import FirstPhrases
from mderank.baselines.keybert import KeyBERT
from mderank.baselines.multipartiterank import MultipartiteRank
from mderank.baselines.positionrank import PositionRank
from mderank.baselines.random import Random
from mderank.baselines.sifrank import SIFRank, SIFRankPlus
from mderank.baselines.singlerank import SingleRank
from mderank.baselines.text_embedrank import Sent2VecEmbedRank, TextEmbedRank, VectorEmbedRank
from mderank.baselines.textrank import TextRank
from mderank.baselines.tfidf import DocumentFrequencies, TfIdf
from mderank.baselines.topicrank import TopicRank
from mderank.baselines.word_frequencies import WordFrequencies
from mderank.baselines.yake import YAKE, KeywordNGrams

__all__ = [
    "YAKE",
    "AttentionRank",
    "DocumentFrequencies",
    "EmbedRank",
    "FirstPhrases",
    "KeyBERT",
    "KeywordNGrams",
    "MultipartiteRank",
    "PositionRank",
    "Random",
    "SIFRank",
    "SIFRankPlus",
    "Sent2VecEmbedRank",
    "SingleRank",
    "TextEmbedRank",
    "TextRank",
    "TfIdf",
    "TopicRank",
    "VectorEmbedRank",
    "WordFrequencies",
]

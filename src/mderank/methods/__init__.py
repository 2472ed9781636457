"""Every method that a user can choose, one file each.

``registry`` has them by the names of ``--method``. ``base`` is what they share: tagging, candidates, ranking. A method
only scores candidates. Importing this package loads none of them; using a name loads its module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mderank.util.lazy import lazy_names

_MODULES = {
    "mderank.methods.attentionrank": ("AttentionRank",),
    "mderank.methods.embedrank": ("EmbedRank",),
    "mderank.methods.baselines": ("FirstPhrases", "Random"),
    "mderank.methods.fusionrank": ("FusionRank", "FusionWeights"),
    "mderank.methods.graph.multipartiterank": ("MultipartiteRank",),
    "mderank.methods.graph.positionrank": ("PositionRank",),
    "mderank.methods.graph.singlerank": ("SingleRank",),
    "mderank.methods.graph.textrank": ("TextRank",),
    "mderank.methods.graph.topicrank": ("TopicRank",),
    "mderank.methods.keybert": ("KeyBERT",),
    "mderank.methods.mderank": ("MDERank",),
    "mderank.methods.sifrank.sifrank": ("SIFRank", "SIFRankPlus"),
    "mderank.methods.static.static_embedrank": ("Sent2VecEmbedRank", "TextEmbedRank", "VectorEmbedRank"),
    "mderank.methods.tfidf": ("TfIdf",),
    "mderank.methods.frequencies": ("DocumentFrequencies", "WordFrequencies"),
    "mderank.methods.yake.yake": ("YAKE", "KeywordNGrams"),
}
__all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)

if TYPE_CHECKING:
    from mderank.methods.attentionrank import AttentionRank as AttentionRank
    from mderank.methods.baselines import FirstPhrases as FirstPhrases
    from mderank.methods.baselines import Random as Random
    from mderank.methods.embedrank import EmbedRank as EmbedRank
    from mderank.methods.frequencies import DocumentFrequencies as DocumentFrequencies
    from mderank.methods.frequencies import WordFrequencies as WordFrequencies
    from mderank.methods.fusionrank import FusionRank as FusionRank
    from mderank.methods.fusionrank import FusionWeights as FusionWeights
    from mderank.methods.graph.multipartiterank import MultipartiteRank as MultipartiteRank
    from mderank.methods.graph.positionrank import PositionRank as PositionRank
    from mderank.methods.graph.singlerank import SingleRank as SingleRank
    from mderank.methods.graph.textrank import TextRank as TextRank
    from mderank.methods.graph.topicrank import TopicRank as TopicRank
    from mderank.methods.keybert import KeyBERT as KeyBERT
    from mderank.methods.mderank import MDERank as MDERank
    from mderank.methods.sifrank.sifrank import SIFRank as SIFRank
    from mderank.methods.sifrank.sifrank import SIFRankPlus as SIFRankPlus
    from mderank.methods.static.static_embedrank import Sent2VecEmbedRank as Sent2VecEmbedRank
    from mderank.methods.static.static_embedrank import TextEmbedRank as TextEmbedRank
    from mderank.methods.static.static_embedrank import VectorEmbedRank as VectorEmbedRank
    from mderank.methods.tfidf import TfIdf as TfIdf
    from mderank.methods.yake.yake import YAKE as YAKE
    from mderank.methods.yake.yake import KeywordNGrams as KeywordNGrams

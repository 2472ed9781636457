"""Keyphrase extraction: phrases of a document with their scores and occurrences, in one encoder pass.

>>> import mderank
>>> mderank.extract("Coral reefs feed fish. Warm water harms coral reefs.", top_k=1).texts
['Coral reefs']

    extract                    keyphrases of a text or a file, in one call
    FusionRank                 the default method: FusionRank().extract(text), .extract_many(texts)
    Keyphrases, Keyphrase      the result: a list of phrases with text, score, spans, forms and confidence
    aextract, AsyncExtractor   calls that do not block an event loop
    read                       documents from files, folders and patterns, in all formats
    PhraseList, NGrams, Terms  where candidates come from: FusionRank(candidates=PhraseList(["storm surge"]))
    MMR, MaxSum                fewer similar phrases: FusionRank(diversity=MMR(diversity=0.4))
    Options, build_extractor   any method, described by plain values
    MDERank                    the method of the paper; mderank.methods has all others

mderank.batch extracts folders of documents, mderank.serve is the HTTP server, mderank.integrations has spaCy,
scikit-learn, Haystack, LangChain, MCP, Ray and Spark, and mderank.research evaluates and trains.

Importing mderank loads neither spaCy nor ONNX Runtime nor torch; making a `FusionRank` loads what it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mderank._version import __version__ as __version__
from mderank.util.lazy import lazy_names

_MODULES = {
    "mderank.shortcuts": ("extract", "read"),
    "mderank.methods.fusionrank": ("FusionRank", "FusionWeights"),
    "mderank.keyphrase": ("Keyphrases", "Keyphrase", "Candidate", "ConceptLabel", "Occurrence", "LanguageInfo"),
    "mderank.options": ("Options",),
    "mderank.factory": ("build_extractor",),
    "mderank.asynchronous": ("AsyncExtractor", "aextract"),
    "mderank.methods.mderank": ("MDERank",),
    "mderank.methods.base": ("Extractor",),
    "mderank.languages": ("detect_language",),
    "mderank.document": ("Document", "MarkedUpText", "Span", "Token"),
    "mderank.tagging": ("EncoderTagger", "LanguageTagger", "SegmenterTagger", "SpacyTagger", "Tagger", "WordTagger"),
    "mderank.candidates": ("CandidateSource", "Concept", "NGrams", "NounPhrases", "PhraseList", "Terms", "Vocabulary"),
    "mderank.vocabularies": ("load_vocabulary",),
    "mderank.masking": ("MaskAll", "MaskHighest", "Masking", "MaskOnce", "MaskSubset"),
    "mderank.encoding": ("Encoder", "EncoderSpec", "FunctionEmbedder", "TextEmbedder", "load_encoder"),
    "mderank.ranking": ("MMR", "Diversity", "MaxSum"),
    "mderank.style": ("Style", "load_style"),
    "mderank.errors": (
        "ExactFallbackWarning",
        "InputError",
        "LanguageWarning",
        "MDERankError",
        "MDERankWarning",
        "MissingExtraError",
        "ModelError",
        "OptionError",
        "TrainingError",
        "WeightsConvertedWarning",
    ),
}
__all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES, eager=["__version__"])

if TYPE_CHECKING:
    from mderank.asynchronous import AsyncExtractor as AsyncExtractor
    from mderank.asynchronous import aextract as aextract
    from mderank.candidates import CandidateSource as CandidateSource
    from mderank.candidates import Concept as Concept
    from mderank.candidates import NGrams as NGrams
    from mderank.candidates import NounPhrases as NounPhrases
    from mderank.candidates import PhraseList as PhraseList
    from mderank.candidates import Terms as Terms
    from mderank.candidates import Vocabulary as Vocabulary
    from mderank.document import Document as Document
    from mderank.document import MarkedUpText as MarkedUpText
    from mderank.document import Span as Span
    from mderank.document import Token as Token
    from mderank.encoding import Encoder as Encoder
    from mderank.encoding import EncoderSpec as EncoderSpec
    from mderank.encoding import FunctionEmbedder as FunctionEmbedder
    from mderank.encoding import TextEmbedder as TextEmbedder
    from mderank.encoding import load_encoder as load_encoder
    from mderank.errors import ExactFallbackWarning as ExactFallbackWarning
    from mderank.errors import InputError as InputError
    from mderank.errors import LanguageWarning as LanguageWarning
    from mderank.errors import MDERankError as MDERankError
    from mderank.errors import MDERankWarning as MDERankWarning
    from mderank.errors import MissingExtraError as MissingExtraError
    from mderank.errors import ModelError as ModelError
    from mderank.errors import OptionError as OptionError
    from mderank.errors import TrainingError as TrainingError
    from mderank.errors import WeightsConvertedWarning as WeightsConvertedWarning
    from mderank.factory import build_extractor as build_extractor
    from mderank.keyphrase import Candidate as Candidate
    from mderank.keyphrase import ConceptLabel as ConceptLabel
    from mderank.keyphrase import Keyphrase as Keyphrase
    from mderank.keyphrase import Keyphrases as Keyphrases
    from mderank.keyphrase import LanguageInfo as LanguageInfo
    from mderank.keyphrase import Occurrence as Occurrence
    from mderank.languages import detect_language as detect_language
    from mderank.masking import MaskAll as MaskAll
    from mderank.masking import MaskHighest as MaskHighest
    from mderank.masking import Masking as Masking
    from mderank.masking import MaskOnce as MaskOnce
    from mderank.masking import MaskSubset as MaskSubset
    from mderank.methods.base import Extractor as Extractor
    from mderank.methods.fusionrank import FusionRank as FusionRank
    from mderank.methods.fusionrank import FusionWeights as FusionWeights
    from mderank.methods.mderank import MDERank as MDERank
    from mderank.options import Options as Options
    from mderank.ranking import MMR as MMR
    from mderank.ranking import Diversity as Diversity
    from mderank.ranking import MaxSum as MaxSum
    from mderank.shortcuts import extract as extract
    from mderank.shortcuts import read as read
    from mderank.style import Style as Style
    from mderank.style import load_style as load_style
    from mderank.tagging import EncoderTagger as EncoderTagger
    from mderank.tagging import LanguageTagger as LanguageTagger
    from mderank.tagging import SegmenterTagger as SegmenterTagger
    from mderank.tagging import SpacyTagger as SpacyTagger
    from mderank.tagging import Tagger as Tagger
    from mderank.tagging import WordTagger as WordTagger
    from mderank.vocabularies import load_vocabulary as load_vocabulary

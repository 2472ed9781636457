"""Tokens and masks to embeddings: encoders, one-pass and exact masking, pooling, windows."""

from __future__ import annotations

from mderank.encoding.base import (
    POOLINGS,
    AttentionEncoder,
    Encoder,
    EncoderInputs,
    EncoderSpec,
    PoolingName,
    TokenizedText,
)
from mderank.encoding.embed import Embeddings, Request, embed
from mderank.encoding.load import BUNDLED_MODEL, BUNDLED_MODEL_FOLDER, load_encoder
from mderank.encoding.text_embedder import EmbeddingFunction, FunctionEmbedder, TextEmbedder

__all__ = [
    "BUNDLED_MODEL",
    "BUNDLED_MODEL_FOLDER",
    "POOLINGS",
    "AttentionEncoder",
    "EmbeddingFunction",
    "Embeddings",
    "Encoder",
    "EncoderInputs",
    "EncoderSpec",
    "FunctionEmbedder",
    "PoolingName",
    "Request",
    "TextEmbedder",
    "TokenizedText",
    "embed",
    "load_encoder",
]

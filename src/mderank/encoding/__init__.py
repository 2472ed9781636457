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

__all__ = [
    "BUNDLED_MODEL",
    "BUNDLED_MODEL_FOLDER",
    "POOLINGS",
    "AttentionEncoder",
    "Embeddings",
    "Encoder",
    "EncoderInputs",
    "EncoderSpec",
    "PoolingName",
    "Request",
    "TokenizedText",
    "embed",
    "load_encoder",
]

"""Tokens and masks to embeddings: encoders, one-pass and exact masking, pooling, windows."""

from __future__ import annotations

from mderank.encoding.base import POOLINGS, AttentionEncoder, Encoder, EncoderSpec, Inputs, Pieces, PoolingName
from mderank.encoding.embed import Embeddings, Request, embed
from mderank.encoding.load import EMBEDDED, EMBEDDED_FOLDER, load_encoder
from mderank.encoding.remembering import RememberingEncoder

__all__ = [
    "EMBEDDED",
    "EMBEDDED_FOLDER",
    "POOLINGS",
    "AttentionEncoder",
    "Embeddings",
    "Encoder",
    "EncoderSpec",
    "Inputs",
    "Pieces",
    "PoolingName",
    "RememberingEncoder",
    "Request",
    "embed",
    "load_encoder",
]

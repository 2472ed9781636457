"""`load_word_encoder`: from the name of a model, or its folder, to an encoder of words."""

from __future__ import annotations

from pathlib import Path

from mderank.encoding.base import Encoder, Precision
from mderank.encoding.load import BUNDLED_MODEL, is_elmo, load_encoder
from mderank.errors import OptionError
from mderank.methods.sifrank.elmo import Elmo
from mderank.methods.sifrank.word_encoder import SubwordWordEncoder, WordEncoder


def load_word_encoder(
    model: str | Path | Encoder | WordEncoder = BUNDLED_MODEL,
    *,
    device: str | None = None,
    dtype: str | None = None,
    threads: int | None = None,
    precision: Precision = "auto",
) -> WordEncoder:
    """Load an encoder of words: ELMo from a folder with its files, or any other encoder.

    Args:
        model: Name or folder of a model, an `Encoder`, or a `WordEncoder`, which is returned as it is.
        device: Device of torch, such as "cuda"; None chooses one.
        dtype: Number format of torch; None for float32, the only one for ELMo.
        threads: Threads of ONNX Runtime; None for all cores. Not for ELMo.
        precision: Number format of ONNX Runtime's products with weights: "auto", "float32", "int16" or
            "int8". Not for ELMo.

    Returns:
        The encoder of words.

    Raises:
        ModelError: If the model does not exist or cannot be loaded.
        OptionError: If an option does not suit the model.
    """
    if isinstance(model, WordEncoder):
        return model
    if not isinstance(model, str | Path):
        return SubwordWordEncoder(model)
    if not is_elmo(model):
        loaded = load_encoder(model, device=device, dtype=dtype, threads=threads, precision=precision)
        return SubwordWordEncoder(loaded)
    for option, value in (("dtype", dtype), ("threads", threads), ("precision", precision)):
        if value not in (None, "auto", "float32"):
            raise OptionError(f"{option}={value!r}: ELMo runs on torch in float32; leave it out")
    return Elmo(model, device=device)

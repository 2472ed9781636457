"""`load_encoder`: from the name of a model, or its folder, to an encoder."""

from __future__ import annotations

from pathlib import Path

from mderank.encoding.base import Encoder, Precision, check_precision
from mderank.errors import ModelError, OptionError

BUNDLED_MODEL = "minilm-l6"
BUNDLED_MODEL_FOLDER = Path(__file__).parent.parent / "models" / BUNDLED_MODEL


def load_encoder(
    model: str | Path = BUNDLED_MODEL,
    *,
    device: str | None = None,
    dtype: str | None = None,
    threads: int | None = None,
    precision: Precision = "auto",
) -> Encoder:
    """Load an encoder.

    Args:
        model: ``minilm-l6``, which is bundled, or a folder that ``mderank export`` wrote; both run on ONNX Runtime. Or
            the folder or hub name of a Hugging Face model, which runs on torch.
        device: Device of torch, such as "cuda"; None chooses one.
        dtype: Number format of torch; None for float32.
        threads: Threads of ONNX Runtime; None for all cores.
        precision: Number format of ONNX Runtime's products with weights: "auto", "float32", "int16" or
            "int8"; see `OnnxEncoder`.

    Returns:
        The encoder.

    Raises:
        ModelError: If the model does not exist or cannot be loaded.
        OptionError: If an option does not suit the model.
    """
    check_precision(precision)
    name = str(model)
    folder = BUNDLED_MODEL_FOLDER if name == BUNDLED_MODEL else Path(model)
    if folder.suffix == ".onnx" and folder.is_file():
        folder = folder.parent
        if not (folder / "encoder.json").is_file():
            raise ModelError(
                f"{model} is an ONNX graph that mderank export did not write: its folder has no encoder.json; "
                "export the original model: mderank export MODEL DIR"
            )
    if (folder / "encoder.json").is_file():
        for option, value in (("device", device), ("dtype", dtype)):
            if value not in (None, "cpu", "float32"):
                raise OptionError(
                    f"{option}={value!r} is for torch, but '{name}' runs on ONNX Runtime, on the CPU in float32: "
                    f"leave it out, or name a Hugging Face model"
                )
        from mderank.encoding.onnx import OnnxEncoder

        return OnnxEncoder(folder, threads=threads, precision=precision)
    if is_elmo(folder):
        raise ModelError(f"'{name}' is ELMo, which reads words and has no mask: it is for sifrank and sifrank-plus")
    if not folder.is_dir() and (name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name):
        raise ModelError(f"the model folder '{name}' does not exist")
    from mderank.encoding.torch import DTYPES, TorchEncoder

    if threads is not None:
        raise OptionError(f"threads is for ONNX Runtime, but '{name}' runs on torch: set OMP_NUM_THREADS instead")
    if precision not in ("auto", "float32"):
        raise OptionError(
            f"precision={precision!r} is for ONNX Runtime, but '{name}' runs on torch: export it first "
            f"(mderank export {name} DIR --compute {precision}), or leave it out"
        )
    if dtype is not None and dtype not in DTYPES:
        raise OptionError(f"unknown dtype {dtype!r}: it is one of {', '.join(DTYPES)}")
    return TorchEncoder(name, device=device, dtype=dtype or "float32")


def is_elmo(model: str | Path) -> bool:
    """Check whether a path is a folder with ELMo's files, or one of its weights' files.

    Args:
        model: Name, file or folder of a model.

    Returns:
        True for ELMo.
    """
    path = Path(model)
    if path.suffix == ".hdf5":
        return True
    return path.is_dir() and (any(path.glob("*.hdf5")) or any(path.glob("*options.json")))

"""Find the folder from which transformers loads a model: download it, and convert its weights if they are pickled."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from textwrap import shorten

from mderank.encoding.convert_weights import INDEX, REFUSED, SAFE_INDEX, SAFE_WEIGHTS, WEIGHTS
from mderank.errors import ModelError, WeightsConvertedWarning
from mderank.util.files import atomic_folder, file_sha256

# Files of a model besides its weights: configuration, tokenizer, pooling. All are small.
_SMALL_FILES = ("*.json", "*.txt", "*.model", "1_Pooling/config.json")
_SAFE_WEIGHTS_FILES = (SAFE_WEIGHTS, "model-*.safetensors")
_WEIGHTS_FILES = (WEIGHTS, "pytorch_model-*.bin")
# Weights in forms that are neither loaded nor converted.
_OTHER_WEIGHTS = ("model.pt", "model.pth", "tf_model.h5", "flax_model.msgpack")


def model_folder(model: str) -> Path:
    """Find the folder with configuration, tokenizer and safetensors weights of a model.

    A model of the hub is downloaded into the hub's cache, where it is found again when the hub cannot be reached.
    Weights that exist as ``pytorch_model.bin`` only are converted once, into a folder below `cache_folder`.

    Args:
        model: Name on the hub, or folder.

    Returns:
        The folder.

    Raises:
        ModelError: If the model cannot be found, or if its weights are refused.
    """
    folder = Path(model) if Path(model).is_dir() else _downloaded(model)
    if _has(folder, SAFE_WEIGHTS, SAFE_INDEX):
        return folder
    if _has(folder, WEIGHTS, INDEX):
        return _converted(model, folder)
    if any(folder.rglob("*.onnx")):
        raise ModelError(
            f"{folder} holds an ONNX graph that mderank export did not write (no encoder.json) and no weights that "
            "torch could load; export the original model: mderank export MODEL DIR"
        )
    others = [name for name in _OTHER_WEIGHTS if _has(folder, name)]
    raise ModelError(
        f"the model '{model}' cannot be loaded: it has neither {SAFE_WEIGHTS} nor {WEIGHTS}"
        + (f", and {', '.join(others)} is not read: save the model again with save_pretrained" if others else "")
    )


def cache_folder() -> Path:
    """Return the folder for converted weights.

    Returns:
        $MDERANK_CACHE_DIR, $XDG_CACHE_HOME/mderank or ~/.cache/mderank.
    """
    if own := os.environ.get("MDERANK_CACHE_DIR"):
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "mderank"


def _has(folder: Path, *names: str) -> bool:
    return any((folder / name).is_file() for name in names)


def _downloaded(model: str) -> Path:
    """The folder of the hub's cache with the newest version that can be had: the hub's, else the cache's."""
    from huggingface_hub import snapshot_download, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError, RevisionNotFoundError

    try:
        folder = Path(snapshot_download(model, allow_patterns=[*_SMALL_FILES, *_SAFE_WEIGHTS_FILES]))
        if not _has(folder, SAFE_WEIGHTS, SAFE_INDEX):
            folder = Path(snapshot_download(model, allow_patterns=[*_SMALL_FILES, *_WEIGHTS_FILES]))
        return folder
    except (HFValidationError, RepositoryNotFoundError, RevisionNotFoundError) as error:
        raise ModelError(
            f"the model '{model}' cannot be loaded: it is not a folder, and the Hugging Face hub has no model of that "
            "name, or only for those who are logged in (known models: mderank models)"
        ) from error
    except Exception as error:  # the hub's, the network's and the file system's errors share no other base
        # Another program may have put into the cache all that is needed, if less than is asked for here.
        config = try_to_load_from_cache(model, "config.json")
        if isinstance(config, str) and _has(Path(config).parent, SAFE_WEIGHTS, SAFE_INDEX, WEIGHTS, INDEX):
            return Path(config).parent
        raise ModelError(
            f"the model '{model}' cannot be loaded: it is neither a folder nor wholly in the cache of the Hugging Face "
            f"hub, and the hub cannot be reached ({_reason(error)}). Offline, give a folder that holds the model, or "
            "load it once while online: it is then found in the cache"
        ) from error


def _reason(error: Exception) -> str:
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    cause = error.__cause__ or error  # the hub's own error is long
    return shorten(" ".join(str(cause).split()), 160, placeholder=" …") or type(cause).__name__


def _converted(model: str, source: Path) -> Path:
    """The folder with the converted weights of ``source`` and its other files; written at the first call."""
    small = _names(source, *_SMALL_FILES)
    digest = _digest(source, [*small, *_names(source, "*.bin")])
    small = [name for name in small if name != INDEX]  # the converted weights have an index of their own
    label = re.sub(r"[^\w.-]+", "--", str(source.resolve().name if Path(model).is_dir() else model))
    folder = cache_folder() / "converted" / f"{label}-{digest[:16]}"
    if folder.is_dir():
        return folder
    try:
        with atomic_folder(folder, keep_existing=True) as draft:  # another process may convert the same weights
            _run_conversion(model, source, draft)
            for name in small:
                (draft / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source / name, draft / name)
    except OSError as error:
        raise ModelError(
            f"the weights of '{model}' cannot be converted to safetensors in {folder.parent}: "
            f"{error.strerror or error}; set MDERANK_CACHE_DIR to a folder that can be written to"
        ) from error
    warnings.warn(
        f"the model '{model}' has pickled weights only: they were converted to safetensors, once, into {folder}",
        WeightsConvertedWarning,
        stacklevel=2,
    )
    return folder


def _names(folder: Path, *patterns: str) -> list[str]:
    files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
    return sorted(file.relative_to(folder).as_posix() for file in files)


def _digest(folder: Path, names: list[str]) -> str:
    digest = hashlib.sha256()
    for name in names:
        digest.update(f"{name} {file_sha256(folder / name)}\n".encode())
    return digest.hexdigest()


def _run_conversion(model: str, source: Path, target: Path) -> None:
    # The process finds the same packages as this one, and none in the current folder (-P).
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-P", "-m", "mderank.encoding.convert_weights", str(source.resolve()), str(target)]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode == REFUSED:
        raise ModelError(
            f"the weights of '{model}' will not be loaded: {shorten(done.stdout, 300, placeholder=' …')} "
            "(nothing in them was run; choose a model with safetensors weights)"
        )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()[-1:] or ["it said nothing; is there enough memory?"]
        raise ModelError(
            f"the weights of '{model}' cannot be converted to safetensors: the conversion ended with exit status "
            f"{done.returncode} ({shorten(said[0], 200, placeholder=' …')})"
        )

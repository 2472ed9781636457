"""Checks of a model's files before a library opens them. A model may come from anybody.

The limits are several times above what published encoders have. Every refusal is a `ModelError` with file and remedy.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mderank.encoding.onnx_graph import find_external_data
from mderank.encoding.regex_checks import find_fault
from mderank.errors import ModelError
from mderank.util.files import read_json_object, read_limited

MAX_CONFIG_BYTES = 10_000_000  # a configuration with 100,000 labels has 5 MB
# Gemma's tokenizer, one of the largest, has 33 MB. A file at the limit takes 677 MiB (benchmarks/tokenizer_memory.py).
MAX_TOKENIZER_BYTES = 40_000_000
MAX_WORD_CHARS = 1_000  # WordPiece takes time that grows with the square of a word's length; BERT has 100
MAX_HEADER_BYTES = 10_000_000  # of a safetensors file: names, types and shapes
MAX_NESTING = 100  # of a tokenizer's JSON

# Vocabularies that are JSON: of byte pairs, and of SentencePiece (paraphrase-multilingual-MiniLM-L12-v2 has 15 MB).
_JSON_VOCABULARIES = ("vocab.json", "unigram.json")
CONFIG_FILE, TOKENIZER_FILE, WEIGHTS_INDEX = "config.json", "tokenizer.json", "model.safetensors.index.json"
_VOCABULARIES = ("*.txt", "*.model")
# Sizes of a transformers configuration, under the names that its models give them, and the largest that is accepted.
MAX_SIZES = {
    **dict.fromkeys(("num_hidden_layers", "num_layers", "n_layers", "n_layer", "encoder_layers"), 1_000),
    **dict.fromkeys(("num_attention_heads", "n_heads", "n_head", "num_hidden_groups", "inner_group_num"), 1_000),
    **dict.fromkeys(("hidden_size", "dim", "d_model", "embedding_size", "n_embd"), 100_000),
    **dict.fromkeys(("intermediate_size", "hidden_dim", "d_ff", "encoder_ffn_dim"), 1_000_000),
    **dict.fromkeys(("vocab_size", "type_vocab_size", "max_position_embeddings", "n_positions"), 10_000_000),
}
# Keys by which a configuration names weights in other forms, or code that transformers would fetch and run.
_REFUSED_KEYS = {
    "transformers_weights": "names a file of weights of its own",
    "attn_implementation": "names an implementation of attention, which may be code from the hub",
    "_attn_implementation": "names an implementation of attention, which may be code from the hub",
    "experts_implementation": "names an implementation of experts, which may be code from the hub",
}
_PLAIN_IMPLEMENTATIONS = (None, "eager", "sdpa")


def check_graph_file(file: Path) -> None:
    """Refuse an ONNX graph that has its weights in other files. ``mderank export`` writes all into one.

    ONNX Runtime would open the files that the graph names.

    Args:
        file: A ``model.onnx``.

    Raises:
        ModelError: If the graph names other files, or is not an ONNX file.
    """
    try:
        # Mapped, so that the weights themselves are not read here.
        with (
            file.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
            memoryview(mapped) as view,
        ):
            files = find_external_data(view)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{file} cannot be loaded by ONNX Runtime: it is not an ONNX file ({error}); "
            "write the folder again with mderank export"
        ) from error
    if files:
        raise ModelError(
            f"{file} is refused: it has weights outside of itself, in '{files[0]}', and a graph may not name other "
            "files. Export the original model with mderank export, which writes one file"
        )


def read_tokenizer_file(file: Path) -> bytes:
    """Read a ``tokenizer.json`` and check what can be checked before it is loaded.

    Args:
        file: The file.

    Returns:
        Its content.

    Raises:
        ModelError: If the file is too large, cannot be read, or has a regular expression that could hang.
    """
    try:
        data = read_limited(file, MAX_TOKENIZER_BYTES)
        # Few tokenizers have a regular expression; the others are not parsed twice. A key may be written in escapes.
        if b"Regex" in data or b"\\u" in data:
            for pattern in _regexes(json.loads(data)):
                if fault := find_fault(pattern):
                    raise ValueError(f"its regular expression {pattern[:100]!r} {fault}")
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(
            f"{file} is refused as a tokenizer: {error}; take the tokenizer of the original model, "
            "or another encoder (mderank models)"
        ) from error
    return data


def _regexes(content: Any, depth: int = 0) -> Iterator[str]:
    """All values of keys called "Regex", without the vocabulary."""
    if depth > MAX_NESTING:
        raise ValueError(f"its JSON is nested more than {MAX_NESTING} deep")
    if isinstance(content, dict):
        if isinstance(content.get("Regex"), str):
            yield content["Regex"]
        for key, value in content.items():
            if not (depth == 0 and key == "model"):
                yield from _regexes(value, depth + 1)
    elif isinstance(content, list):
        for value in content:
            yield from _regexes(value, depth + 1)


def check_transformers_folder(folder: Path) -> None:
    """Check the files of a Hugging Face model before transformers opens them.

    Args:
        folder: Folder with configuration, tokenizer and safetensors weights.

    Raises:
        ModelError: If a file is too large, of the wrong type, or names other files, or code, to be loaded.
    """
    if (folder / "adapter_config.json").is_file():
        raise ModelError(
            f"{folder / 'adapter_config.json'} is refused: an adapter names another model to load; "
            "merge it into its model (merge_and_unload of peft) and save that"
        )
    for file in sorted(folder.glob("*.json")):
        if file.name in (TOKENIZER_FILE, *_JSON_VOCABULARIES):
            continue
        _check_size(file, MAX_CONFIG_BYTES)
    vocabularies = {file for pattern in (*_VOCABULARIES, *_JSON_VOCABULARIES) for file in folder.glob(pattern)}
    for file in sorted(vocabularies):
        _check_size(file, MAX_TOKENIZER_BYTES)
    if (folder / TOKENIZER_FILE).is_file():
        read_tokenizer_file(folder / TOKENIZER_FILE)
    _check_config(folder / CONFIG_FILE)
    if (folder / WEIGHTS_INDEX).is_file():
        _check_index(folder / WEIGHTS_INDEX)
    for file in sorted(folder.glob("*.safetensors")):
        _check_safetensors(file)


def _check_size(file: Path, limit: int) -> None:
    if file.is_file() and file.stat().st_size > limit:
        raise ModelError(
            f"{file} is refused: it has more than {limit:,} bytes, which is the limit for a file of its kind; "
            "take the files of the original model"
        )


def _check_config(file: Path) -> None:
    if not file.is_file():
        return  # transformers says what is missing
    try:
        config = read_json_object(file, MAX_CONFIG_BYTES)
        for part in (config, *(value for value in config.values() if isinstance(value, dict))):
            for key, value in part.items():
                if key in _REFUSED_KEYS and value not in _PLAIN_IMPLEMENTATIONS:
                    raise ValueError(f"{key}={str(value)[:100]!r} {_REFUSED_KEYS[key]}")
                if key in MAX_SIZES:
                    _check_number(key, value, MAX_SIZES[key])
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} is refused: {error}; take the configuration of the original model") from error


def _check_number(key: str, value: Any, largest: int) -> None:
    if value is not None and (type(value) is not int or not -1 <= value <= largest):
        raise ValueError(f"{key} is {str(value)[:100]!r}, and must be a whole number up to {largest:,}")


def _check_index(file: Path) -> None:
    try:
        names = read_json_object(file, MAX_CONFIG_BYTES).get("weight_map")
        if not isinstance(names, dict):
            raise ValueError("it has no weight_map")
        for name in set(map(str, names.values())):
            if Path(name).name != name or "\\" in name or not name.endswith(".safetensors"):
                raise ValueError(f"it names {name[:100]!r}, which is not a .safetensors file beside it")
    except (OSError, ValueError) as error:
        raise ModelError(f"{file} is refused: {error}; take the files of the original model") from error


def _check_safetensors(file: Path) -> None:
    """The first eight bytes say how long the header is."""
    with file.open("rb") as stream:
        start = stream.read(8)
    header, rest = int.from_bytes(start, "little"), file.stat().st_size - 8
    if len(start) < 8 or header > rest:
        raise ModelError(f"{file} is not a safetensors file, or is cut off: get it again")
    if header > MAX_HEADER_BYTES:
        raise ModelError(
            f"{file} is refused: its header has {header:,} bytes, and at most {MAX_HEADER_BYTES:,} are read; "
            "take the weights of the original model"
        )

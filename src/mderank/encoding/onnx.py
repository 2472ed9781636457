"""Encoders by ONNX Runtime: the bundled model, and whatever ``mderank export`` wrote. No torch is needed.

A model is a folder with three files: ``model.onnx``, ``tokenizer.json`` and ``encoder.json``, which holds the
`EncoderSpec`. The graph takes ``input_ids`` (B, S), and if the encoder can do one pass also ``position_ids`` (B, S)
and ``attention_mask`` (B, 1, S, S), which is added to the attention scores; it gives ``hidden_0`` … ``hidden_L``.

The graph is rewritten when it is loaded (`onnx_rewrite`): attention by blocks, and products in whole numbers
where the precision says so.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mderank.encoding.base import (
    POOLINGS,
    BlockInputs,
    EncoderInputs,
    EncoderSpec,
    Precision,
    TokenizedText,
    check_precision,
)
from mderank.encoding.file_checks import check_graph_file
from mderank.encoding.onnx_graph import Graph, Node
from mderank.encoding.onnx_rewrite import fuse_gelu, keep_tables_small, split_attention, use_integers
from mderank.encoding.onnx_runtime import import_onnxruntime
from mderank.encoding.text_prefix import LONGEST_PREFIX
from mderank.encoding.tokenizer import load_tokenizer, tokenize
from mderank.errors import ModelError, OptionError
from mderank.util.arrays import Floats
from mderank.util.environment import bound_cores
from mderank.util.files import read_json_object

if TYPE_CHECKING:
    import onnxruntime as ort

GRAPH_FILE, TOKENIZER_FILE, SPEC_FILE = "model.onnx", "tokenizer.json", "encoder.json"
ONE_PASS_INPUTS = ("input_ids", "position_ids", "attention_mask")
EXACT_INPUTS = ("input_ids",)

MAX_SPEC_BYTES = 1_000_000  # of encoder.json

_ADDED: dict[str, Any] = {"text_prefix": "", "anisotropic": False}  # what older folders do not say
_RANGES = {
    "layers": (1, 1_000),
    "dimension": (1, 100_000),
    "max_length": (1, 1_000_000),
    "mask_id": (0, 10_000_000),
    "pad_id": (0, 10_000_000),
    "first_position": (0, 1_000_000),
}

HIDE = np.finfo(np.float32).min  # added to an attention score, it makes the softmax exactly 0


def output_name(layer: int) -> str:
    """Return the name of the graph's output for a layer.

    Args:
        layer: Number of the layer.

    Returns:
        The name.
    """
    return f"hidden_{layer}"


def is_onnx_folder(folder: Path) -> bool:
    """Check whether ``mderank export`` wrote a folder.

    Args:
        folder: Folder of a model.

    Returns:
        True if it has an ``encoder.json``.
    """
    return (folder / SPEC_FILE).is_file()


def write_spec(spec: EncoderSpec, folder: Path, **notes: Any) -> None:
    """Write ``encoder.json``.

    Args:
        spec: Properties of the encoder.
        folder: Folder of the model.
        **notes: Further values for the file, such as the source of the model.
    """
    text = json.dumps({**asdict(spec), **notes}, indent=2)
    (folder / SPEC_FILE).write_text(text + "\n", encoding="utf-8")


def read_spec(folder: Path) -> EncoderSpec:
    """Read ``encoder.json``.

    Args:
        folder: Folder of a model.

    Returns:
        Properties of the encoder.

    Raises:
        ModelError: If the file is missing or damaged.
    """
    file = folder / SPEC_FILE
    try:
        data = read_json_object(file, MAX_SPEC_BYTES)
        for name, value in _ADDED.items():
            data.setdefault(name, value)
        known = {field.name: data[field.name] for field in fields(EncoderSpec)}
        known |= {"prefix": tuple(data["prefix"]), "suffix": tuple(data["suffix"])}
        spec = EncoderSpec(**known)
        _check_spec(spec)
        return spec
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{file} cannot be read ({error!r}): write the folder again with mderank export") from error


def read_compute(folder: Path) -> Precision:
    """Read which precision the model was checked for; "float32" if ``encoder.json`` does not say.

    Args:
        folder: Folder of a model.

    Returns:
        The precision.
    """
    found: Precision = read_json_object(folder / SPEC_FILE, MAX_SPEC_BYTES).get("compute", "float32")
    return found if found in ("int16", "int8") else "float32"


def _check_spec(spec: EncoderSpec) -> None:
    """Raise a `ValueError` for a value of the wrong type, or one that no encoder has."""
    for name, (least, most) in _RANGES.items():
        value = getattr(spec, name)
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{name} must be a whole number from {least} to {most:,}, not {str(value)[:50]!r}")
    tokens = (*spec.prefix, *spec.suffix)
    if any(type(token) is not int or not 0 <= token <= _RANGES["mask_id"][1] for token in tokens):
        raise ValueError("prefix and suffix must be lists of token ids")
    if spec.capacity < 1:
        raise ValueError(f"max_length {spec.max_length} leaves no room for a text")
    if not isinstance(spec.name, str) or not 0 < len(spec.name) <= 1_000:
        raise ValueError("name must be a text of 1 to 1,000 characters")
    for name in ("one_pass", "anisotropic"):
        if type(getattr(spec, name)) is not bool:
            raise ValueError(f"{name} must be true or false, not {str(getattr(spec, name))[:50]!r}")
    if spec.pooling not in POOLINGS:
        raise ValueError(f"unknown pooling {spec.pooling!r}")
    if not isinstance(spec.text_prefix, str) or len(spec.text_prefix) > LONGEST_PREFIX:
        raise ValueError(f"text_prefix must be a text of up to {LONGEST_PREFIX} characters")


def _allowed_cores() -> int:
    """The cores this process is bound to; 0, which leaves it to ONNX Runtime, if it is bound to none."""
    bound = bound_cores()
    return bound if bound < (os.cpu_count() or 0) else 0


def _start(graph: bytes, threads: int) -> ort.InferenceSession:
    ort = import_onnxruntime()
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    # Weights that are stored in int8 and computed in float32 are converted once, when the graph is loaded.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    # Threads sleep while they wait. Others need the cores: other processes, and what is computed between two calls.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    # The fused kernel takes seven times as long as an addition and a normalization.
    return ort.InferenceSession(
        graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=["SkipLayerNormFusion"]
    )


@cache
def has_exact_int8() -> bool:
    """Check whether this processor multiplies 8-bit numbers without overflow.

    Processors with dot products of 8-bit numbers (AVX512-VNNI, AVX-VNNI, AMX, Arm's dotprod) do, and are fast at it.
    On others ONNX Runtime adds products of unsigned by signed numbers in 16 bits, which are too few.

    Returns:
        True if the largest numbers give the right sum.
    """
    graph = Graph(b"\x08\x09\x3a\x03\x12\x01g\x42\x02\x10\x12")  # an empty graph, IR version 9, opset 18
    graph.add_constant("weights", np.full((64, 16), 127, dtype=np.int8))
    graph.add_input("values", np.dtype(np.uint8), ("rows", "columns"))
    graph.add_output("product", np.dtype(np.int32), ("rows", "columns"))
    graph.nodes.append(Node("MatMulInteger", ("values", "weights"), ("product",)))
    session = _start(graph.to_bytes(), 1)
    product = session.run(["product"], {"values": np.full((4, 64), 255, dtype=np.uint8)})[0]
    return bool((product == 64 * 255 * 127).all())


class OnnxEncoder:
    """An encoder that runs on ONNX Runtime, on the CPU.

    Args:
        folder: Folder that ``mderank export`` wrote, or that of the bundled model.
        threads: Number of cores per encoder call; None for all that this process may use.
        precision: Number format of products with weights, which have 8 bits unless it is "float32". Activations have
            16 bits with "int16", where ranks are those of float32; with "int8" most have 8. "auto" is what the model
            was checked for, on a processor that is fast at it, and "float32" otherwise.

    Attributes:
        folder: Folder of the model.
        spec: Properties of the encoder.
        precision: The precision that is used: "float32", "int16" or "int8".
        takes_blocks: Whether the attention was found in the graph, so that `block_states` can be used.

    Raises:
        ModelError: If a file is missing or cannot be loaded.
        OptionError: If the precision does not exist, or this processor cannot multiply whole numbers.
    """

    def __init__(self, folder: str | Path, *, threads: int | None = None, precision: Precision = "auto") -> None:
        self.folder = Path(folder)
        self._threads = threads
        self.spec = read_spec(self.folder)
        self.precision = self._choose(precision)
        self._open()

    def _choose(self, precision: Precision) -> Precision:
        check_precision(precision)
        if precision == "auto":
            checked = read_compute(self.folder)
            return checked if checked != "float32" and has_exact_int8() else "float32"
        if precision != "float32" and not has_exact_int8():
            raise OptionError(
                f"precision={precision!r} needs a processor with 8-bit dot products (AVX512-VNNI, AVX-VNNI or Arm's "
                "dotprod), which this one has not: use precision='float32' or 'auto'"
            )
        return precision

    def _open(self) -> None:
        for name in (GRAPH_FILE, TOKENIZER_FILE):
            if not (self.folder / name).is_file():
                raise ModelError(f"{self.folder} has no {name}: write the folder again with mderank export")
        check_graph_file(self.folder / GRAPH_FILE)
        self._tokenizer = load_tokenizer(self.folder / TOKENIZER_FILE)
        self._sessions: dict[tuple[int, bool], ort.InferenceSession] = {}
        last = self.spec.layers
        session, self.takes_blocks = self._load(last, self.spec.one_pass)
        self._sessions[last, self.takes_blocks] = session

    def _session_of(self, layer: int, blocks: bool) -> ort.InferenceSession:
        """A graph without what is above a layer, loaded when first asked for."""
        if (layer, blocks) not in self._sessions:
            self._sessions[layer, blocks], _ = self._load(layer, blocks)
        return self._sessions[layer, blocks]

    def _load(self, layer: int, blocks: bool) -> tuple[ort.InferenceSession, bool]:
        """A session for a layer, and whether it takes blocks: not if the attention was not found."""
        try:
            graph = Graph((self.folder / GRAPH_FILE).read_bytes())
            self._check_signature(graph)
            takes_blocks = blocks and split_attention(graph)
            keep_tables_small(graph)
            if self.precision != "float32":
                fuse_gelu(graph)
                use_integers(graph, 8 if self.precision == "int8" else 16)
            graph.cut(output_name(layer))
            graph.drop_unused()
            rewritten = graph.to_bytes()
            del graph  # a multilingual encoder has 120 MB, of which ONNX Runtime makes its own copies
            return _start(rewritten, self._threads or _allowed_cores()), takes_blocks
        except ModelError:
            raise
        except Exception as error:  # ONNX Runtime's errors share no base but Exception
            raise ModelError(f"{self.folder / GRAPH_FILE} cannot be loaded by ONNX Runtime: {error}") from error

    def _check_signature(self, graph: Graph) -> None:
        expected = ONE_PASS_INPUTS if self.spec.one_pass else EXACT_INPUTS
        inputs, outputs = graph.inputs, set(graph.outputs)
        wrong = sorted(inputs) != sorted(expected)
        wrong = wrong or (self.spec.one_pass and inputs["attention_mask"] != 4)
        wrong = wrong or not {output_name(layer) for layer in range(self.spec.layers + 1)} <= outputs
        if wrong:
            found = ", ".join(f"{name} with {dimensions} dimensions" for name, dimensions in inputs.items())
            raise ModelError(
                f"{self.folder / GRAPH_FILE} does not take {', '.join(expected)} and give {output_name(0)} to "
                f"{output_name(self.spec.layers)}; it takes {found} and gives {', '.join(sorted(outputs))}: "
                "make it from the original encoder with mderank export"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Sent to another process, it opens its files there."""
        return {"folder": self.folder, "_threads": self._threads, "spec": self.spec, "precision": self.precision}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def tokenize(self, text: str) -> TokenizedText:
        """Return all tokens of a text, without truncation and without special tokens.

        Args:
            text: Any text.

        Returns:
            The tokens with their character offsets.
        """
        return tokenize(self._tokenizer, text)

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        """Compute the hidden states of a layer.

        Args:
            inputs: A batch of ``B`` sequences of ``S`` tokens.
            layer: Number of the layer; 0 is the embedding layer.

        Returns:
            Hidden states ``(B, S, d)`` in float32.

        Raises:
            ModelError: If the graph cannot be computed, or gives states of another shape.
        """
        batch, size = inputs.input_ids.shape
        feed: dict[str, Any] = {"input_ids": inputs.input_ids}
        blocks = self.takes_blocks and inputs.attention_mask is None
        if self.spec.one_pass:
            positions = inputs.position_ids
            if positions is None:
                positions = np.broadcast_to(self.spec.first_position + np.arange(size), (batch, size))
            feed["position_ids"] = np.ascontiguousarray(positions, dtype=np.int64)
            if blocks:
                feed |= _block_feed(np.ones((0, size)), np.zeros((0, 1)), np.ones((0, 1, 1)), np.zeros(0))
            elif inputs.attention_mask is None:
                feed["attention_mask"] = np.zeros((batch, 1, size, size), dtype=np.float32)
            else:
                feed["attention_mask"] = _bias(inputs.attention_mask)[:, None]
        session = self._session_of(layer, blocks)
        return self._run(session, layer, feed)

    def _run(self, session: ort.InferenceSession, layer: int, feed: dict[str, Any]) -> Floats:
        batch, size = feed["input_ids"].shape
        try:
            states: Floats = session.run([output_name(layer)], feed)[0]
        except Exception as error:  # ONNX Runtime's errors share no base but Exception
            raise ModelError(
                f"{self.folder / GRAPH_FILE} cannot compute {batch} sequences of {size} tokens ({error}): "
                "write the folder again with mderank export"
            ) from error
        if states.shape != (batch, size, self.spec.dimension):
            raise ModelError(
                f"{self.folder / GRAPH_FILE} gives states of the shape {states.shape}, and not "
                f"{(batch, size, self.spec.dimension)}: write the folder again with mderank export"
            )
        return states

    def block_states(self, inputs: BlockInputs, layer: int) -> Floats:
        """Compute the hidden states of a layer, for a window and its blocks.

        Args:
            inputs: One sequence of ``S`` tokens.
            layer: Number of the layer; 0 is the embedding layer.

        Returns:
            Hidden states ``(S, d)`` in float32.
        """
        feed = {"input_ids": inputs.input_ids[None], "position_ids": inputs.position_ids[None]}
        feed |= _block_feed(inputs.sees_window, inputs.slots, inputs.sees_slot, inputs.places)
        states: Floats = self._run(self._session_of(layer, True), layer, feed)[0]
        return states


def _block_feed(sees_window: Any, slots: Any, sees_slot: Any, places: Any) -> dict[str, Any]:
    return {
        "block_bias": _bias(sees_window),
        "slots": slots.astype(np.int64),
        "slot_bias": _bias(sees_slot),
        "places": places.astype(np.int64),
    }


def _bias(visible: Any) -> Floats:
    """The bias of attention scores: 0 where a token is attended to."""
    bias: Floats = np.where(visible, np.float32(0), HIDE)
    return bias

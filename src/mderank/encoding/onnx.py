"""Encoders by ONNX Runtime: the bundled model, and whatever ``mderank export`` wrote. No torch is needed.

A model is a folder with three files: ``model.onnx``, ``tokenizer.json`` and ``encoder.json``, which holds the
`EncoderSpec`. The graph takes ``input_ids`` (B, S), and if the encoder can do one pass also ``position_ids`` (B, S)
and ``attention_mask`` (B, 1, S, S), which is added to the attention scores; it gives ``hidden_0`` … ``hidden_L``.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mderank.encoding.base import POOLINGS, EncoderInputs, EncoderSpec, TokenizedText
from mderank.encoding.onnx_graph import cut
from mderank.encoding.tokenizer import load_tokenizer, tokenize
from mderank.errors import ModelError
from mderank.util.arrays import Floats
from mderank.util.environment import bound_cores

if TYPE_CHECKING:
    import onnxruntime as ort

GRAPH_FILE, TOKENIZER_FILE, SPEC_FILE = "model.onnx", "tokenizer.json", "encoder.json"
ONE_PASS_INPUTS = ("input_ids", "position_ids", "attention_mask")
EXACT_INPUTS = ("input_ids",)

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
        data = json.loads(file.read_text(encoding="utf-8"))
        known = {field.name: data[field.name] for field in fields(EncoderSpec)}
        known |= {"prefix": tuple(data["prefix"]), "suffix": tuple(data["suffix"])}
        spec = EncoderSpec(**known)
        if spec.pooling not in POOLINGS:
            raise ValueError(f"unknown pooling {spec.pooling!r}")
        return spec
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{file} cannot be read ({error!r}): write the folder again with mderank export") from error


def _allowed_cores() -> int:
    """The cores this process is bound to; 0, which leaves it to ONNX Runtime, if it is bound to none."""
    bound = bound_cores()
    return bound if bound < (os.cpu_count() or 0) else 0


class OnnxEncoder:
    """An encoder that runs on ONNX Runtime, on the CPU.

    Args:
        folder: Folder that ``mderank export`` wrote, or that of the bundled model.
        threads: Number of cores per encoder call; None for all that this process may use.

    Attributes:
        folder: Folder of the model.
        spec: Properties of the encoder.

    Raises:
        ModelError: If a file is missing or cannot be loaded.
    """

    def __init__(self, folder: str | Path, *, threads: int | None = None) -> None:
        self.folder = Path(folder)
        self._threads = threads
        self.spec = read_spec(self.folder)
        self._open()

    def _open(self) -> None:
        for name in (GRAPH_FILE, TOKENIZER_FILE):
            if not (self.folder / name).is_file():
                raise ModelError(f"{self.folder} has no {name}: write the folder again with mderank export")
        self._tokenizer = load_tokenizer(self.folder / TOKENIZER_FILE)
        self._session = self._start(str(self.folder / GRAPH_FILE))
        self._lower: dict[int, ort.InferenceSession] = {}
        self._check_signature()

    def _start(self, graph: str | bytes) -> ort.InferenceSession:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = self._threads or _allowed_cores()
        # Weights are stored in int8 and made float32 once, when the graph is loaded, not at every run.
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        options.log_severity_level = 3
        try:
            return ort.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # ONNX Runtime's errors share no base but Exception
            raise ModelError(f"{self.folder / GRAPH_FILE} cannot be loaded by ONNX Runtime: {error}") from error

    def _session_of(self, layer: int) -> ort.InferenceSession:
        """The whole graph for the last layer; for another one without what is above it, loaded when first asked for."""
        if layer == self.spec.layers:
            return self._session
        if layer not in self._lower:
            graph = (self.folder / GRAPH_FILE).read_bytes()
            self._lower[layer] = self._start(cut(graph, output_name(layer)))
        return self._lower[layer]

    def _check_signature(self) -> None:
        expected = ONE_PASS_INPUTS if self.spec.one_pass else EXACT_INPUTS
        inputs = {node.name: node for node in self._session.get_inputs()}
        outputs = {node.name for node in self._session.get_outputs()}
        wrong = sorted(inputs) != sorted(expected)
        wrong = wrong or (self.spec.one_pass and len(inputs["attention_mask"].shape) != 4)
        wrong = wrong or not {output_name(layer) for layer in range(self.spec.layers + 1)} <= outputs
        if wrong:
            found = ", ".join(f"{name} {list(node.shape)}" for name, node in inputs.items())
            raise ModelError(
                f"{self.folder / GRAPH_FILE} does not take {', '.join(expected)} and give {output_name(0)} to "
                f"{output_name(self.spec.layers)}; it takes {found} and gives {', '.join(sorted(outputs))}: "
                "make it from the original encoder with mderank export"
            )

    def __getstate__(self) -> dict[str, Any]:
        """Sent to another process, it opens its files there."""
        return {"folder": self.folder, "_threads": self._threads, "spec": self.spec}

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
        """
        batch, size = inputs.input_ids.shape
        feed: dict[str, Any] = {"input_ids": inputs.input_ids}
        if self.spec.one_pass:
            positions = inputs.position_ids
            if positions is None:
                positions = np.broadcast_to(self.spec.first_position + np.arange(size), (batch, size))
            feed["position_ids"] = np.ascontiguousarray(positions, dtype=np.int64)
            if inputs.attention_mask is None:
                feed["attention_mask"] = np.zeros((batch, 1, size, size), dtype=np.float32)
            else:
                feed["attention_mask"] = np.where(inputs.attention_mask, np.float32(0), HIDE)[:, None]
        states: Floats = self._session_of(layer).run([output_name(layer)], feed)[0]
        return states

"""A Hugging Face encoder to ONNX form, checked against the original before anything is written."""

from __future__ import annotations

import contextlib
import io
import logging
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mderank.document import Span
from mderank.encoding.base import Encoder, EncoderInputs, EncoderSpec
from mderank.encoding.embed import Request, embed
from mderank.encoding.onnx import (
    EXACT_INPUTS,
    GRAPH_FILE,
    ONE_PASS_INPUTS,
    TOKENIZER_FILE,
    OnnxEncoder,
    output_name,
    write_spec,
)
from mderank.errors import InputError, MissingExtraError, ModelError
from mderank.util.arrays import Floats
from mderank.util.files import atomic_folder

if TYPE_CHECKING:
    import onnx
    import torch

    from mderank.encoding.torch import TorchEncoder

Storage = Literal["float32", "int8"]
Compute = Literal["float32", "int16", "int8"]

OPSET = 18

# How far the exported encoder may be from the original.
_CLOSE = 1e-3  # float32: largest difference of any state, the states being of the order of 1
_SAME_RANKS = 0.98  # int8: Spearman's rank correlation over the words of the texts below

TRACED_LENGTH = 16  # tokens of the sequence by which torch traces the encoder
# Tokens of the longest sequence that is checked: dense attention on more would take gigabytes.
LONGEST_CHECKED = 4096

SMALLEST_INT8 = 4096  # numbers: a smaller matrix takes next to no space and stays in float32

# What the two are compared on: prose of three fields, every word masked in turn.
CHECK_TEXTS = (
    "Tidal marshes store carbon at rates far above those of most forests. We measured sediment accretion in twelve "
    "marshes along an estuary for six years and found that accretion follows the supply of fine sediment rather than "
    "the rise of the sea. Where dams hold the sediment back, marsh plants build peat instead, more slowly.",
    "A compiler that knows the shape of every array can plan memory before the program runs. We describe an allocator "
    "that colours the interference graph of array lifetimes, and report its memory use on forty numerical programs "
    "against a general allocator and against the plans of experts.",
    "The strike began in the harbour and reached the mills within a week. Newspapers of the day blamed agitators, but "
    "the letters of the mill owners speak of wages that had not moved in ten years, of rents that had doubled, and of "
    "a winter for which no coal had been bought.",
)


def export(
    model: str,
    folder: Path,
    *,
    storage: Storage = "float32",
    compute: Compute = "float32",
    name: str | None = None,
    text_prefix: str | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> EncoderSpec:
    """Write an encoder as a folder for ONNX Runtime.

    The float32 graph is compared with the original on sequences up to the encoder's maximum, or up to
    ``LONGEST_CHECKED`` tokens if it takes more. An encoder whose attention depends on the length is refused.

    Args:
        model: Name on the hub, or folder.
        folder: Folder to write, which must be new or empty.
        storage: Number format of the stored weights. "int8" takes a quarter of the space, with one scale per channel.
            The speed does not depend on it.
        compute: Number format of products with weights that the precision "auto" uses. "int16" and "int8" are faster
            on processors with 8-bit dot products; their rank agreement is checked too.
        name: Name of the model; None for the last part of ``model``.
        text_prefix: Words to put before every text, such as "query: "; None for those of the model's configuration.
        report: Called with lines of text that report the progress and the measurements.

    Returns:
        Properties of the encoder.

    Raises:
        InputError: If the folder exists and is not empty.
        MissingExtraError: If a package for the export is missing.
        ModelError: If the model cannot be loaded, or if the export does not agree with it.
        OptionError: If the prefix is too long.
    """
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("mderank export", "export") from error
    from mderank.encoding.torch import TorchEncoder

    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists and is not an empty folder: choose another, or empty it first")
    original = TorchEncoder(model, device="cpu", text_prefix=text_prefix)
    label = name or Path(model).name
    report(f"{model}: {original.spec.layers} layers, one pass {'yes' if original.spec.one_pass else 'no'}")
    graph = _graph(original)
    with atomic_folder(folder) as draft:
        (draft / GRAPH_FILE).write_bytes(graph.SerializeToString())
        original.tokenizer.save(str(draft / TOKENIZER_FILE))
        spec = replace(original.spec, name=label)
        write_spec(spec, draft)
        _check_lengths(model, original, OnnxEncoder(draft, precision="float32"), report)
        if storage == "int8":
            _store_int8(graph)
            (draft / GRAPH_FILE).write_bytes(graph.SerializeToString())
        agreement = compare(original, OnnxEncoder(draft, precision="float32"))
        report(f"largest difference of a state {agreement['difference']:.1e}, rank agreement {agreement['ranks']:.4f}")
        _judge(model, storage, agreement)
        if compute != "float32":
            ranks = compare(original, OnnxEncoder(draft, precision=compute))["ranks"]
            report(f"computed in {compute}: rank agreement {ranks:.4f}")
            _judge(model, "int8", {**agreement, "ranks": ranks})
            agreement[f"ranks_{compute}"] = ranks
        write_spec(spec, draft, source=label, storage=storage, compute=compute, agreement=agreement)
    return spec


def _check_lengths(
    model: str, original: Encoder, exported: Encoder, report: Callable[[str], None] = lambda line: None
) -> None:
    """Refuse an encoder that computes something else on long sequences than on the traced one.

    BigBird, for one, attends to all tokens of a short text and to some of a long one. A graph has only one of the two.
    """
    longest = min(original.spec.max_length, LONGEST_CHECKED)
    lengths = [length for length in (TRACED_LENGTH << step for step in range(20)) if length < longest]
    good = 0
    for length in (*lengths, longest):
        difference = _difference(original, exported, length)
        if difference > _CLOSE:
            shortest = _shortest_that_differs(original, exported, good, length) if good else length
            raise ModelError(_refusal(model, shortest, _difference(original, exported, shortest)))
        good = length
    beyond = " (the encoder takes longer ones, which were not compared)" if original.spec.max_length > longest else ""
    report(f"the same on sequences of {min(TRACED_LENGTH, longest)} to {longest} tokens{beyond}")


def _shortest_that_differs(original: Encoder, exported: Encoder, good: int, bad: int) -> int:
    """The length, above ``good`` and up to ``bad``, from which on the two differ; found by halving."""
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if _difference(original, exported, middle) > _CLOSE else (middle, bad)
    return bad


def _difference(original: Encoder, exported: Encoder, length: int) -> float:
    """The largest difference of a state after the last layer, on a sequence of ``length`` tokens."""
    spec = original.spec
    tokenized = original.tokenize(" ".join(CHECK_TEXTS))
    inner = np.resize(tokenized.ids, max(0, length - len(spec.prefix) - len(spec.suffix)))
    inputs = EncoderInputs(spec.add_special_tokens(inner)[None, :length])
    expected = original.hidden_states(inputs, spec.layers)
    try:
        found = exported.hidden_states(inputs, spec.layers)
    except Exception:  # ONNX Runtime's errors share no other base; a shape of the traced sequence is fixed in the graph
        return math.inf
    if found.shape != expected.shape or not np.isfinite(found).all():
        return math.inf
    return float(np.abs(expected - found).max())


def _refusal(model: str, length: int, difference: float) -> str:
    how = f"their states differ by {difference:.1e}"
    why = "its attention changes with the length of the text, which an ONNX graph does not follow"
    if math.isinf(difference):
        how, why = "ONNX Runtime cannot compute them", "its ONNX form does not take texts of all lengths"
    elif length <= TRACED_LENGTH:
        why = "its ONNX form does not agree with the original"
    return (
        f"'{model}' cannot be exported: {why}. On texts of {length} tokens and more {how}. Nothing was written; use "
        f"the encoder directly: --model {model} (pip install 'mderank[torch]')"
    )


def _judge(model: str, storage: Storage, agreement: dict[str, float]) -> None:
    bad = agreement["difference"] > _CLOSE if storage == "float32" else agreement["ranks"] < _SAME_RANKS
    if bad:
        raise ModelError(
            f"the ONNX form of '{model}' does not agree with the original (largest difference of a state "
            f"{agreement['difference']:.1e}, rank agreement {agreement['ranks']:.4f}); nothing was written"
        )


def compare(original: Encoder, exported: Encoder) -> dict[str, float]:
    """Compare an exported encoder with the original, on three texts.

    Args:
        original: The original encoder.
        exported: The exported encoder.

    Returns:
        "difference": the largest difference of a hidden state in any layer. "ranks": the mean rank correlation of the
        scores of masked words.

    Raises:
        ModelError: If the tokenizers differ.
    """
    spec = original.spec
    difference = 0.0
    ranks = []
    for text in CHECK_TEXTS:
        tokenized = original.tokenize(text)
        if tokenized.ids.tolist() != exported.tokenize(text).ids.tolist():
            raise ModelError(f"the exported tokenizer of '{spec.name}' reads a text differently; nothing was written")
        ids = spec.add_special_tokens(tokenized.ids[: spec.capacity])[None]
        for layer in range(spec.layers + 1):
            states = original.hidden_states(EncoderInputs(ids), layer) - exported.hidden_states(
                EncoderInputs(ids), layer
            )
            difference = max(difference, float(np.abs(states).max()))
        ranks.append(spearman(_word_scores(original, text), _word_scores(exported, text)))
    return {"difference": difference, "ranks": float(np.mean(ranks))}


def _word_scores(encoder: Encoder, text: str) -> Floats:
    """The distance by which masking each word moves the document's embedding."""
    tokenized = encoder.tokenize(text)
    starts = [0, *(index + 1 for index, character in enumerate(text) if character == " ")]
    masks = [(Span(start, end),) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    (result,) = embed(
        encoder,
        [Request(tokenized, (), masks)],
        pooling="mean",
        layer=encoder.spec.layers,
        exact=not encoder.spec.one_pass,
    )
    norms: Floats = np.linalg.norm(result.changes, axis=1)
    return norms


def spearman(one: Floats, other: Floats) -> float:
    """Compute Spearman's rank correlation of two lists. Ties are ranked in order.

    Args:
        one: Values ``(n,)``.
        other: Other values ``(n,)``.

    Returns:
        The correlation, from -1 to 1.
    """
    first, second = (np.argsort(np.argsort(values)).astype(np.float64) for values in (one, other))
    return float(np.corrcoef(first, second)[0, 1])


def _graph(encoder: TorchEncoder) -> onnx.ModelProto:
    import torch

    spec = encoder.spec
    names = ONE_PASS_INPUTS if spec.one_pass else EXACT_INPUTS
    outputs = [output_name(layer) for layer in range(spec.layers + 1)]
    size = TRACED_LENGTH
    ids = torch.full((2, size), spec.mask_id)
    positions = (spec.first_position + torch.arange(size)).repeat(2, 1)
    example = (ids, positions, torch.zeros(2, 1, size, size))[: len(names)]
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", min=2)
    shapes: list[dict[int, Any]] = [{0: batch, 1: length}, {0: batch, 1: length}, {0: batch, 2: length, 3: length}]
    wrapper = _hidden_states(encoder.module, names)
    # The exporter talks a lot, on every channel there is.
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        try:
            program = torch.onnx.export(
                wrapper,
                example,
                dynamo=True,
                input_names=list(names),
                output_names=outputs,
                dynamic_shapes=(tuple(shapes[: len(names)]),),
                opset_version=OPSET,
                verbose=False,
            )
        except Exception as error:  # whatever torch raises
            raise ModelError(
                f"torch cannot export '{spec.name}' to ONNX: {str(error).splitlines()[0]}; "
                "it can still be used directly: --model " + spec.name
            ) from error
    if program is None:
        raise ModelError(f"torch exported nothing for '{spec.name}'")
    model: onnx.ModelProto = program.model_proto
    _forget_where_it_was_made(model)
    return model


def _forget_where_it_was_made(model: onnx.ModelProto) -> None:
    """Take out stack traces and paths of this machine, which the exporter writes beside every node."""
    graph = model.graph
    for part in (model, graph, *graph.node, *graph.initializer, *graph.input, *graph.output, *graph.value_info):
        del part.metadata_props[:]
        part.doc_string = ""


def _hidden_states(module: torch.nn.Module, names: tuple[str, ...]) -> torch.nn.Module:
    import torch

    class HiddenStates(torch.nn.Module):
        """The model as a function from named inputs to the states of all layers."""

        def __init__(self) -> None:
            super().__init__()
            self.module = module

        def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
            output = self.module(**dict(zip(names, inputs, strict=True)), output_hidden_states=True, return_dict=True)
            return tuple(output.hidden_states)

    return HiddenStates().eval()


def _store_int8(model: onnx.ModelProto) -> None:
    """Store every weight matrix in int8 with one scale a channel, behind a DequantizeLinear node.

    The channel is the output of a linear layer, the row of an embedding table: each then uses its own range.
    """
    from onnx import helper, numpy_helper

    graph = model.graph
    axes: dict[str, int] = {}
    for node in graph.node:
        if node.op_type == "Gather":
            axes[node.input[0]] = 0
        elif node.op_type in ("MatMul", "Gemm"):
            transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
            axes[node.input[1]] = 0 if transposed else 1
    kept, nodes = [], []
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        axis = axes.get(weight.name)
        if axis is None or values.ndim != 2 or values.dtype != np.float32 or values.size < SMALLEST_INT8:
            kept.append(weight)
            continue
        scale = np.abs(values).max(axis=1 - axis, keepdims=True) / 127
        scale[scale == 0] = 1
        quantized = np.clip(np.round(values / scale), -127, 127).astype(np.int8)
        kept.append(numpy_helper.from_array(quantized, weight.name + "_int8"))
        kept.append(numpy_helper.from_array(scale.reshape(-1).astype(np.float32), weight.name + "_scale"))
        nodes.append(
            helper.make_node(
                "DequantizeLinear",
                [weight.name + "_int8", weight.name + "_scale"],
                [weight.name],
                axis=axis,
                name=weight.name + "_dequantize",
            )
        )
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for position, node in enumerate(nodes):
        graph.node.insert(position, node)

"""Rewrites of an encoder's graph, made when it is loaded: the same weights, less work.

`split_attention` computes the attention scores that one-pass masking needs, and no others. `fuse_gelu` makes one
operation of five. `use_integers` computes the products with weights in whole numbers. `keep_tables_small` leaves
embedding tables in the 8 bits that they are stored in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from mderank.encoding.onnx_graph import Graph, Node

# Inputs of a graph after `split_attention`, in place of the attention mask. A sequence has n tokens of a window, then
# m tokens of blocks. A block is what attends to itself: the tokens of one mask, or those of one phrase (`BlockInputs`).
BLOCK_INPUTS: dict[str, tuple[np.dtype[Any], tuple[str, ...]]] = {
    "block_bias": (np.dtype(np.float32), ("blocked", "window")),  # (m, n): added to the scores of blocks and window
    "slots": (np.dtype(np.int64), ("slots", "slot")),  # (g, t): tokens of blocks in each slot, as rows of m
    "slot_bias": (np.dtype(np.float32), ("slots", "slot", "slot_key")),  # (g, t, t): added to scores within a slot
    "places": (np.dtype(np.int64), ("blocked",)),  # (m,): where each token of a block is in the slots
}
_MASK = "attention_mask"
_OWN_DOMAIN = "com.microsoft"  # of operations that ONNX Runtime adds to ONNX's
_SMALLEST = 4096  # numbers: a smaller matrix stays in float32

# A row of activations is scaled so that its largest number is this, and stored in numbers of 8 bits with 128 added:
# ONNX Runtime is fast at products of unsigned by signed numbers. The lower half of 16 bits counts 256ths of a step.
_LARGEST, _ZERO = 127.0, 128
# GELU gives no number below this. Its rows in 8 bits have 24 added and not 128, and 231 steps above zero.
_GELU_LOWEST, _GELU_ZERO = -0.17, 24
_GELU_OPS = ("Gelu", "BiasGelu")
_LARGEST_WEIGHT = 127
_TINY = 1e-30  # instead of the largest number of a row of zeros
# Nodes by which torch's export makes keys (B, h, k, S), from the last to the first.
_FLAT_TRANSPOSE = (("Reshape", None), ("Transpose", (0, 2, 1)), ("Reshape", None))
_NEAR = 1e-5  # difference of a constant in float32 from what it stands for


def split_attention(graph: Graph) -> bool:
    """Divide attention into window and blocks.

    Tokens of the window attend to the window: no token of a block is among their keys. Tokens of a block attend to
    the window, with a bias that hides rows, and to their own block. With the mask over the whole sequence, scores
    between blocks, and of the window's tokens with blocks, are computed to be thrown away.

    Args:
        graph: The graph, which is changed: `BLOCK_INPUTS` take the place of ``attention_mask``.

    Returns:
        Whether the attention was found in all layers. If not, the graph is as it was.
    """
    makers, takers = _makers(graph), _takers(graph)
    found: dict[int, list[Node]] = {}  # by the last of the four nodes of a layer's attention
    drop: set[int] = set()
    for add in takers.get(_MASK, []):
        scores = makers.get(next((name for name in add.inputs if name != _MASK), ""))
        softmax = _only(takers, add)
        product = _only(takers, softmax)
        if (
            add.op != "Add"
            or scores is None
            or scores.op != "MatMul"
            or len(takers[scores.outputs[0]]) != 1
            or softmax is None
            or softmax.op != "Softmax"
            or product is None
            or product.op != "MatMul"
            or product.inputs[0] != softmax.outputs[0]
        ):
            return False
        found[id(product)] = list(_divided(scores, product, _key_rows(graph, makers, scores.inputs[1])))
        drop |= {id(scores), id(add), id(softmax)}
    if not found or _MASK not in graph.inputs:
        return False
    graph.remove_input(_MASK)
    for name, (kind, shape) in BLOCK_INPUTS.items():
        graph.add_input(name, kind, shape)
    nodes = list(_sizes(graph))
    for node in graph.nodes:
        if id(node) not in drop:
            nodes += found.get(id(node), [node])
    graph.nodes = nodes
    return True


def _makers(graph: Graph) -> dict[str, Node]:
    """The node that computes each value."""
    return {output: node for node in graph.nodes for output in node.outputs}


def _takers(graph: Graph) -> dict[str, list[Node]]:
    """The nodes that take each value."""
    takers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for name in node.inputs:
            takers.setdefault(name, []).append(node)
    return takers


def _only(takers: dict[str, list[Node]], node: Node | None) -> Node | None:
    """The node that alone takes what another one gives."""
    some = takers.get(node.outputs[0], []) if node is not None else []
    return some[0] if len(some) == 1 else None


def _sizes(graph: Graph) -> Iterator[Node]:
    """Sizes that all layers use."""
    graph.add_constant("keep_two", np.zeros(2, dtype=np.int64))  # Reshape: 0 keeps the size of a dimension
    yield Node("Shape", ("block_bias",), ("size_window",), {"start": 1, "end": 2})
    yield Node("Shape", ("block_bias",), ("size_blocked",), {"start": 0, "end": 1})
    yield Node("Shape", ("slots",), ("size_slot",), {"start": 1, "end": 2})
    yield Node("Shape", ("slots",), ("number_of_slots",), {"start": 0, "end": 1})
    yield Node("Mul", ("number_of_slots", "size_slot"), ("size_slots",))
    yield Node("Concat", ("size_window", "size_blocked"), ("parts_of_sequence",), {"axis": 0})
    yield Node("Concat", ("size_window", "size_slot"), ("parts_of_keys",), {"axis": 0})
    yield Node("Concat", ("keep_two", "size_slots", "size_slot"), ("shape_of_scores",), {"axis": 0})


def _key_rows(graph: Graph, makers: dict[str, Node], key: str) -> tuple[str, str]:
    """What keys (B, h, k, S) are made of: rows (B, h, S, k), and a number that they are multiplied by; "" for none."""
    name, factor = key, ""
    maker = makers.get(name)
    if maker is not None and maker.op == "Mul" and _number(graph, maker.inputs[1]) is not None:
        name, factor = maker.inputs
    path = []
    while (maker := makers.get(name)) is not None and maker.op in ("Reshape", "Transpose"):
        path.append((maker.op, maker.attributes.get("perm")))
        if path == [("Transpose", (0, 1, 3, 2))]:
            return maker.inputs[0], factor
        if path == [*_FLAT_TRANSPOSE, ("Transpose", (0, 2, 1, 3))]:
            return name, factor
        name = maker.inputs[0]
    return "", ""


def _divided(scores: Node, product: Node, keys: tuple[str, str]) -> Iterator[Node]:
    """The attention of one layer: queries (B, h, S, k), keys (B, h, k, S), values (B, h, S, k)."""
    query, value = scores.inputs[0], product.inputs[1]
    (result,) = product.outputs
    p = f"{result}/"
    rows, factor = keys
    if factor:
        yield Node("Mul", (query, factor), (p + "query",))
        query = p + "query"
    if not rows:
        rows = p + "key_rows"
        yield Node("Transpose", (scores.inputs[1],), (rows,), {"perm": (0, 1, 3, 2)})
    yield Node("Split", (query, "parts_of_sequence"), (p + "window_query", p + "block_query"), {"axis": 2})
    yield Node("Split", (rows, "parts_of_sequence"), (p + "window_key", p + "block_key"), {"axis": 2})
    yield Node("Split", (value, "parts_of_sequence"), (p + "window_value", p + "block_value"), {"axis": 2})
    # The window with itself.
    yield _scores(p + "window_query", p + "window_key", p + "window_scores")
    yield Node("Softmax", (p + "window_scores",), (p + "window_weights",), {"axis": -1})
    yield Node("MatMul", (p + "window_weights", p + "window_value"), (p + "window",))
    # Scores of blocks with the window (B, h, m, n), and within each slot (B, h, g, t, t).
    yield _scores(p + "block_query", p + "window_key", p + "across_all")
    yield Node("Add", (p + "across_all", "block_bias"), (p + "across",))
    yield Node("Gather", (p + "block_query", "slots"), (p + "slot_query",), {"axis": 2})
    yield Node("Gather", (p + "block_key", "slots"), (p + "slot_key",), {"axis": 2})
    yield Node("Gather", (p + "block_value", "slots"), (p + "slot_value",), {"axis": 2})
    yield _scores(p + "slot_query", p + "slot_key", p + "within_all")
    yield Node("Add", (p + "within_all", "slot_bias"), (p + "within_slots",))
    yield Node("Reshape", (p + "within_slots", "shape_of_scores"), (p + "within_flat",))
    yield Node("Gather", (p + "within_flat", "places"), (p + "within",), {"axis": 2})
    # One softmax over both.
    yield Node("Concat", (p + "across", p + "within"), (p + "block_scores",), {"axis": 3})
    yield Node("Softmax", (p + "block_scores",), (p + "block_weights",), {"axis": -1})
    yield Node(
        "Split", (p + "block_weights", "parts_of_keys"), (p + "weights_across", p + "weights_within"), {"axis": 3}
    )
    yield Node("MatMul", (p + "weights_across", p + "window_value"), (p + "from_window",))
    yield Node("Gather", (p + "weights_within", "slots"), (p + "slot_weights",), {"axis": 2})
    yield Node("MatMul", (p + "slot_weights", p + "slot_value"), (p + "from_slots",))
    yield Node("Shape", (value,), (p + "size_head",), {"start": 3, "end": 4})
    yield Node("Concat", ("keep_two", "size_slots", p + "size_head"), (p + "shape_of_states",), {"axis": 0})
    yield Node("Reshape", (p + "from_slots", p + "shape_of_states"), (p + "from_flat",))
    yield Node("Gather", (p + "from_flat", "places"), (p + "from_block",), {"axis": 2})
    yield Node("Add", (p + "from_window", p + "from_block"), (p + "block",))
    yield Node("Concat", (p + "window", p + "block"), (result,), {"axis": 2})


def _scores(queries: str, keys: str, result: str) -> Node:
    """Products of queries (…, s, k) and keys (…, t, k)."""
    return Node("FusedMatMul", (queries, keys), (result,), {"transB": 1}, domain=_OWN_DOMAIN)


def keep_tables_small(graph: Graph) -> None:
    """Look up rows of embedding tables in int8, and make these float32, not the tables.

    Args:
        graph: The graph, which is changed. The numbers that it computes stay the same.
    """
    graph.add_constant("last_axis", np.array([-1], dtype=np.int64))
    stored = {node.outputs[0]: node for node in graph.nodes if node.op == "DequantizeLinear" and len(node.inputs) == 2}
    nodes: list[Node] = []
    for node in graph.nodes:
        table = stored.get(node.inputs[0]) if node.op == "Gather" else None
        if table is None or table.attributes.get("axis", 1) != 0 or node.attributes.get("axis", 0) != 0:
            nodes.append(node)
            continue
        (result,) = node.outputs
        p = f"{result}/"
        nodes += [
            Node("Gather", (table.inputs[0], node.inputs[1]), (p + "rows",), {"axis": 0}),
            Node("Gather", (table.inputs[1], node.inputs[1]), (p + "row_scales",), {"axis": 0}),
            Node("Unsqueeze", (p + "row_scales", "last_axis"), (p + "scales",)),
            Node("Cast", (p + "rows",), (p + "floats",), {"to": 1}),
            Node("Mul", (p + "floats", p + "scales"), (result,)),
        ]
    graph.nodes = nodes


def fuse_gelu(graph: Graph) -> None:
    """Compute each GELU, x · (1 + erf(x / √2)) / 2, and the addition of a bias before it, as one operation.

    Args:
        graph: The graph, which is changed. The numbers that it computes stay the same but for rounding.
    """
    makers, takers = _makers(graph), _takers(graph)
    fused: dict[int, Node] = {}  # by the last node of each GELU
    drop: set[int] = set()
    for erf in graph.nodes:
        found = _gelu(graph, erf, makers, takers) if erf.op == "Erf" else None
        if found is None:
            continue
        source, nodes = found
        inputs: tuple[str, ...] = (source,)
        op = "Gelu"
        bias = makers.get(source)
        if bias is not None and bias.op == "Add" and {id(each) for each in takers[source]} <= {id(n) for n in nodes}:
            numbers = [(name, graph.constant(name)) for name in bias.inputs]
            some = [name for name, values in numbers if values is not None and values.ndim == 1 and values.size > 1]
            if len(some) == 1:
                inputs, op = (next(name for name in bias.inputs if name != some[0]), some[0]), "BiasGelu"
                drop.add(id(bias))
        drop |= {id(node) for node in nodes}
        fused[id(nodes[-1])] = Node(op, inputs, nodes[-1].outputs, domain=_OWN_DOMAIN)
    graph.nodes = [fused.get(id(node), node) for node in graph.nodes if id(node) in fused or id(node) not in drop]


def _gelu(
    graph: Graph, erf: Node, makers: dict[str, Node], takers: dict[str, list[Node]]
) -> tuple[str, list[Node]] | None:
    """What a GELU takes, and its nodes, the last one at the end. None if it is another function."""
    root = makers.get(erf.inputs[0])
    plus = _only(takers, erf)
    first = _only(takers, plus)
    second = _only(takers, first)
    if root is None or plus is None or first is None or second is None:
        return None
    factor = _number(graph, root.inputs[1])
    scaled = (root.op == "Div" and _is(factor, 2**0.5)) or (root.op == "Mul" and _is(factor, 0.5**0.5))
    raised = plus.op == "Add" and any(_is(_number(graph, name), 1.0) for name in plus.inputs)
    rest = [name for name in (*first.inputs, *second.inputs) if name not in (plus.outputs[0], first.outputs[0])]
    halves = [name for name in rest if _is(_number(graph, name), 0.5)]
    if not (scaled and raised and first.op == second.op == "Mul" and len(rest) == 2 and len(halves) == 1):
        return None
    source = root.inputs[0]
    return (source, [root, erf, plus, first, second]) if source in rest else None


def _number(graph: Graph, name: str) -> float | None:
    """The value of a constant that is one number."""
    values = graph.constant(name)
    return float(values.reshape(-1)[0]) if values is not None and values.size == 1 else None


def _is(number: float | None, value: float) -> bool:
    return number is not None and abs(number - value) < _NEAR


def use_integers(graph: Graph, bits: Literal[8, 16] = 8) -> int:
    """Compute products with weight matrices in whole numbers: weights of 8 bits, activations of 8 or 16.

    Weights have one scale per output channel; those that are stored in int8 are taken as they are. Every row of
    activations, one token, has its own scale. So a token's states do not depend on the tokens beside it, and the sums
    are of whole numbers, which are exact in any order. Activations of 16 bits take two products of 8 bits.

    With 8 bits, products that give the values of attention take activations of 16. An error there is the same in all
    tokens that attend to one: with 8 bits there too, the error of the states would be 7.0 and not 4.8 %.

    Args:
        graph: The graph, which is changed.
        bits: Bits of an activation. With 16, states are those of float32 but for rounding.

    Returns:
        The number of products that are computed in whole numbers.
    """
    stored = {node.outputs[0]: node for node in graph.nodes if node.op == "DequantizeLinear" and len(node.inputs) == 2}
    _add_numbers(graph)
    exact = _attention_values(graph) if bits == 8 else set()
    products: dict[str, tuple[str, str]] = {}  # result of a product: the weights in int8 and their scales
    wide: set[str] = set()  # activations that are needed in 16 bits
    sizes: dict[str, int] = {}  # numbers of a row of activations
    for node in graph.nodes:
        weights = _weights(graph, stored, node.inputs[1]) if node.op == "MatMul" else None
        if weights is not None:
            products[node.outputs[0]] = weights
            sizes[node.inputs[0]] = _length(graph, weights[0])
            if bits == 16 or node.outputs[0] in exact:
                wide.add(node.inputs[0])
    shifted = {node.outputs[0] for node in graph.nodes if node.op in _GELU_OPS} - wide
    done: set[str] = set()
    nodes: list[Node] = []
    for node in graph.nodes:
        result = node.outputs[0]
        if result not in products:
            nodes.append(node)
            continue
        source = node.inputs[0]
        if source not in done:
            done.add(source)
            size = sizes[source]
            nodes += _shifted(source, size) if source in shifted else _quantized(source, size, source in wide)
        both = bits == 16 or result in exact
        nodes += _products(source, products[result], result, "gelu_zero" if source in shifted else "zero", both)
    graph.nodes = nodes
    return len(products)


def _add_numbers(graph: Graph) -> None:
    """Constants that all products use."""
    steps = 255.0 - _GELU_ZERO
    graph.add_constant("last_axis", np.array([-1], dtype=np.int64))
    for name, number in (
        ("largest", _LARGEST),
        ("tiny", _TINY),
        ("step_1", 1),
        ("step_1_256", 1 / 256),
        ("step_256", 256),
        ("gelu_largest", steps),
        ("gelu_smallest", -_GELU_LOWEST * steps / _GELU_ZERO),
    ):
        graph.add_constant(name, np.array(number, dtype=np.float32))
    graph.add_constant("zero", np.array(_ZERO, dtype=np.uint8))
    graph.add_constant("gelu_zero", np.array(_GELU_ZERO, dtype=np.uint8))


def _length(graph: Graph, matrix: str) -> int:
    """Numbers of a row that a matrix is multiplied by, whose shape is noted as a constant."""
    values = graph.constant(matrix)
    assert values is not None
    size = int(values.shape[0])
    graph.add_constant(f"shape_of_rows_{size}", np.array([-1, size], dtype=np.int64))
    return size


def _attention_values(graph: Graph) -> set[str]:
    """Results of products that become the values of attention: what weights from a softmax are multiplied by."""
    makers = _makers(graph)
    found: set[str] = set()
    for node in graph.nodes:
        weights = makers.get(node.inputs[0]) if node.op == "MatMul" else None
        name = node.inputs[1] if weights is not None and weights.op == "Softmax" else ""
        maker = makers.get(name)
        while maker is not None and maker.op in ("Split", "Transpose", "Reshape", "Add"):
            name = next((each for each in maker.inputs if each in makers), "")
            maker = makers.get(name)
        if maker is not None and maker.op == "MatMul":
            found.add(name)
    return found


def _quantized(source: str, size: int, wide: bool) -> Iterator[Node]:
    """Rows of activations as whole numbers: ``high`` of 8 bits, and ``low`` for the lower half of 16."""
    p = f"{source}/"
    yield from _rows(source, size)
    yield Node("Abs", (p + "rows",), (p + "sizes",))
    yield Node("ReduceMax", (p + "sizes", "last_axis"), (p + "some_size",), {"keepdims": 0})
    yield Node("Max", (p + "some_size", "tiny"), (p + "size",))
    yield from _divided_rows(source, "largest", "zero")
    if wide:
        yield Node("DequantizeLinear", (p + "high", p + "scale", p + "zeros"), (p + "upper",), {"axis": 0})
        yield Node("Sub", (p + "rows", p + "upper"), (p + "rest",))
        yield Node("Div", (p + "scale", "step_256"), (p + "low_scale",))
        yield Node("QuantizeLinear", (p + "rest", p + "low_scale", p + "zeros"), (p + "low",), {"axis": 0})


def _shifted(source: str, size: int) -> Iterator[Node]:
    """Rows of a GELU as whole numbers of 8 bits: hardly any below zero, where it has no large numbers."""
    p = f"{source}/"
    yield from _rows(source, size)
    yield Node("ReduceMax", (p + "rows", "last_axis"), (p + "some_size",), {"keepdims": 0})
    yield Node("Max", (p + "some_size", "gelu_smallest"), (p + "size",))
    yield from _divided_rows(source, "gelu_largest", "gelu_zero")


def _rows(source: str, size: int) -> Iterator[Node]:
    """Activations (…, size) as rows (n, size), and the shape (…, -1) of what is computed of them."""
    p = f"{source}/"
    yield Node("Reshape", (source, f"shape_of_rows_{size}"), (p + "rows",))
    yield Node("Shape", (source,), (p + "outer",), {"start": 0, "end": -1})
    yield Node("Concat", (p + "outer", "last_axis"), (p + "shape",), {"axis": 0})


def _divided_rows(source: str, largest: str, zero: str) -> Iterator[Node]:
    """Rows in steps of their own: (n,) steps."""
    p = f"{source}/"
    yield Node("Div", (p + "size", largest), (p + "scale",))
    yield Node("Shape", (p + "scale",), (p + "number_of_rows",))
    yield Node("Expand", (zero, p + "number_of_rows"), (p + "zeros",))
    yield Node("QuantizeLinear", (p + "rows", p + "scale", p + "zeros"), (p + "high",), {"axis": 0})
    yield Node("Unsqueeze", (p + "scale", "last_axis"), (p + "column",))


def _products(source: str, weights: tuple[str, str], result: str, zero: str, both: bool) -> Iterator[Node]:
    matrix, scales = weights
    p, r = f"{source}/", f"{result}/"
    high = (p + "high", matrix, "step_1", scales, zero)
    yield Node("MatMulIntegerToFloat", high, (r + "high",), domain=_OWN_DOMAIN)
    unscaled = r + "high"
    if both:
        low = (p + "low", matrix, "step_1_256", scales, zero)
        yield Node("MatMulIntegerToFloat", low, (r + "low",), domain=_OWN_DOMAIN)
        yield Node("Add", (r + "high", r + "low"), (r + "both",))
        unscaled = r + "both"
    yield Node("Mul", (unscaled, p + "column"), (r + "rows",))
    yield Node("Reshape", (r + "rows", p + "shape"), (result,))


def _weights(graph: Graph, stored: dict[str, Node], name: str) -> tuple[str, str] | None:
    """The names of a weight matrix in int8 and of its scales; None for what is not a weight matrix."""
    node = stored.get(name)
    if node is not None:
        values = graph.constant(node.inputs[0])
        suits = values is not None and values.ndim == 2 and values.dtype == np.int8
        return node.inputs if suits and node.attributes.get("axis", 1) == 1 else None  # type: ignore[return-value]
    values = graph.constant(name)
    if values is None or values.ndim != 2 or values.dtype != np.float32 or values.size < _SMALLEST:
        return None
    scale = np.abs(values).max(axis=0) / np.float32(_LARGEST_WEIGHT)
    scale[scale == 0] = 1
    matrix = np.clip(np.round(values / scale), -_LARGEST_WEIGHT, _LARGEST_WEIGHT).astype(np.int8)
    return (
        graph.add_constant(f"{name}/int8", matrix),
        graph.add_constant(f"{name}/scales", scale.astype(np.float32)),
    )

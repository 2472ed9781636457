"""ONNX files without the package ``onnx``: read a graph, exchange nodes, write it again.

The file is read as what it is, protocol buffers within protocol buffers. The package that could do it is large, and
only ``mderank export`` needs it. Fields that are not understood here are kept as they are. `tensors` finds tensors by
name. `find_external_data` lists the files that a graph names, before ONNX Runtime opens them.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mderank.util.arrays import Numbers

# Numbers of fields, in ONNX's messages.
_MODEL_GRAPH, _MODEL_OPSETS = 7, 8
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_INPUT, _GRAPH_OUTPUT = 1, 5, 11, 12
_NODE_INPUT, _NODE_OUTPUT, _NODE_OP, _NODE_ATTRIBUTE, _NODE_DOMAIN = 1, 2, 4, 5, 7
_ATTRIBUTE_NAME, _ATTRIBUTE_INT, _ATTRIBUTE_INTS, _ATTRIBUTE_TYPE = 1, 3, 8, 20
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_RAW = 1, 2, 8, 9
_VALUE_NAME, _VALUE_TYPE, _TYPE_TENSOR, _TENSOR_ELEMENT, _TENSOR_SHAPE, _SHAPE_DIM, _DIM_NAME = 1, 2, 1, 1, 2, 1, 2
_OPSET_DOMAIN, _OPSET_VERSION = 1, 2
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # how a field's value is written
_INT_ATTRIBUTE, _INTS_ATTRIBUTE = 2, 7  # types of attributes
# ONNX's numbers of the types of elements.
_TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64}
_NUMBERS = {np.dtype(kind): number for number, kind in _TYPES.items()}
_LONGEST_VARINT = 10  # bytes
_LARGEST_KEY = (1 << 32) - 1  # readers cut off what is above it, and would see another field

# In which fields of a message other messages stand that may hold tensors.
_MESSAGES: dict[str, dict[int, str]] = {
    "model": {7: "graph", 20: "training", 25: "function"},
    "training": {1: "graph", 2: "graph"},
    "function": {7: "node", 11: "attribute"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
}
_TENSOR_EXTERNAL_DATA, _TENSOR_DATA_LOCATION, _ENTRY_KEY, _ENTRY_VALUE = 13, 14, 1, 2
MAX_FIELDS = 5_000_000  # of all messages that are looked into; the graph of a large encoder has some ten thousand
MAX_DEPTH = 100  # of messages within messages, as ONNX Runtime has it


def find_external_data(model: memoryview) -> list[str]:
    """Find the tensors that a model keeps in other files, wherever in the model they stand.

    Args:
        model: The ONNX file.

    Returns:
        The files that they name, or "an unnamed file", in the order of the model.

    Raises:
        ValueError: If the file is not a protocol buffer, or has too many or too deeply nested fields.
    """
    found: list[str] = []
    stack = [("model", model, 0)]
    fields = 0
    while stack:
        kind, message, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise ValueError(f"its messages are nested more than {MAX_DEPTH} deep")
        for number, value, _ in _fields(message):
            fields += 1
            if fields > MAX_FIELDS:
                raise ValueError(f"it has more than {MAX_FIELDS:,} fields")
            if kind != "tensor":
                if number in _MESSAGES[kind]:
                    stack.append((_MESSAGES[kind][number], value, depth + 1))
            elif number == _TENSOR_EXTERNAL_DATA:
                if b"location" in _texts(value, _ENTRY_KEY):
                    found += [text.decode("utf-8", "replace") for text in _texts(value, _ENTRY_VALUE)]
            elif number == _TENSOR_DATA_LOCATION and any(value):
                found.append("an unnamed file")
    named = [name for name in found if name != "an unnamed file"]
    return named[::-1] or found


@dataclass(frozen=True)
class Node:
    """A node of a graph.

    Attributes:
        op: Type of the operation.
        inputs: Names of the values that it takes; "" for one that is left out.
        outputs: Names of the values that it gives.
        attributes: Whole numbers, or lists of them, by name. Of a node that was read, these kinds only.
        domain: Domain of the operation; "" for ONNX's own.
        raw: The message of a node that was read; None for a new one.
    """

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, int | tuple[int, ...]] = field(default_factory=dict)
    domain: str = ""
    raw: bytes | None = None


class Graph:
    """The graph of an ONNX model, whose nodes can be exchanged.

    Args:
        model: The ONNX file.

    Attributes:
        nodes: The nodes, in the order of computation.

    Raises:
        ValueError: If the file is not an ONNX model.
    """

    def __init__(self, model: bytes) -> None:
        self._model: list[bytes] = []  # fields before and after the graph, as they are
        self._before = 0
        self._rest: list[memoryview] = []
        self._inputs: dict[str, bytes] = {}
        self._outputs: dict[str, bytes] = {}
        self._initializers: dict[str, memoryview] = {}
        self._domains: set[str] = set()
        self.nodes: list[Node] = []
        for number, value, whole in _fields(memoryview(model)):
            if number == _MODEL_GRAPH:
                self._before = len(self._model)
                self._read(value)
            else:
                if number == _MODEL_OPSETS:
                    self._domains |= {bytes(each).decode() for each in _values(value, _OPSET_DOMAIN)}
                self._model.append(bytes(whole))

    def _read(self, graph: memoryview) -> None:
        named = {_GRAPH_INPUT: self._inputs, _GRAPH_OUTPUT: self._outputs}
        for number, value, whole in _fields(graph):
            if number == _GRAPH_NODE:
                self.nodes.append(_read_node(value))
            elif number == _GRAPH_INITIALIZER:
                self._initializers[_text(value, _TENSOR_NAME)] = value
            elif number in named:
                named[number][_text(value, _VALUE_NAME)] = bytes(value)
            else:
                self._rest.append(whole)

    @property
    def inputs(self) -> dict[str, int]:
        """The inputs by name, each with its number of dimensions."""
        return {name: _dimensions(memoryview(value)) for name, value in self._inputs.items()}

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self._outputs)

    def constant(self, name: str) -> Numbers | None:
        """Read a constant of the graph.

        Args:
            name: Name of the value.

        Returns:
            The numbers. None if the value is computed, or if its numbers are of a kind that is not read here.
        """
        tensor = self._initializers.get(name)
        if tensor is None:
            return None
        shape: list[int] = []
        kind, raw = 0, None
        for number, value, whole in _fields(tensor):
            if number == _TENSOR_DIMS:
                shape += _integers(value, whole)
            elif number == _TENSOR_TYPE:
                kind = _read_varint(value, 0)[0]
            elif number == _TENSOR_RAW:
                raw = value
        if kind not in _TYPES or raw is None:
            return None
        values: Numbers = np.frombuffer(raw, dtype=_TYPES[kind]).reshape(shape)
        return values

    def add_constant(self, name: str, values: Numbers) -> str:
        """Add a constant, unless there is one of that name.

        Args:
            name: Name of the new value.
            values: The numbers: float32, uint8, int8 or int64.

        Returns:
            The name.
        """
        if name not in self._initializers:
            message = [_number(_TENSOR_DIMS, size) for size in values.shape]
            message += [_number(_TENSOR_TYPE, _NUMBERS[values.dtype]), _string(_TENSOR_NAME, name)]
            message.append(_message(_TENSOR_RAW, np.ascontiguousarray(values).tobytes()))
            self._initializers[name] = memoryview(b"".join(message))
        return name

    def add_input(self, name: str, kind: np.dtype[Any], shape: Sequence[str]) -> None:
        """Add an input.

        Args:
            name: Its name.
            kind: Type of its elements.
            shape: Names of its dimensions.
        """
        self._inputs[name] = _value_message(name, kind, shape)

    def remove_input(self, name: str) -> None:
        """Remove an input.

        Args:
            name: Its name.
        """
        del self._inputs[name]

    def add_output(self, name: str, kind: np.dtype[Any], shape: Sequence[str]) -> None:
        """Add an output.

        Args:
            name: Its name.
            kind: Type of its elements.
            shape: Names of its dimensions.
        """
        self._outputs[name] = _value_message(name, kind, shape)

    def cut(self, output: str) -> None:
        """Drop the nodes above one of the outputs, and the other outputs.

        Args:
            output: Name of the output.
        """
        last = next((place for place, node in enumerate(self.nodes) if output in node.outputs), len(self.nodes))
        del self.nodes[last + 1 :]
        self._outputs = {name: value for name, value in self._outputs.items() if name == output}

    def drop_unused(self) -> None:
        """Drop the nodes and constants that no output needs."""
        wanted = set(self._outputs)
        kept = []
        for node in reversed(self.nodes):
            if wanted.intersection(node.outputs):
                wanted.update(node.inputs)
                kept.append(node)
        self.nodes = kept[::-1]
        self._initializers = {name: value for name, value in self._initializers.items() if name in wanted}

    def to_bytes(self) -> bytes:
        """Write the model.

        Returns:
            The ONNX file.
        """
        parts: list[bytes | memoryview] = [_message(_GRAPH_NODE, _node_message(node)) for node in self.nodes]
        parts += self._rest
        for number, values in ((_GRAPH_INPUT, self._inputs), (_GRAPH_OUTPUT, self._outputs)):
            parts += [_message(number, value) for value in values.values()]
        for value in self._initializers.values():
            parts += [_varint(_GRAPH_INITIALIZER << 3 | _BYTES), _varint(len(value)), value]
        size = sum(map(len, parts))
        missing = {node.domain for node in self.nodes} - self._domains - {""}
        opsets = [
            _message(_MODEL_OPSETS, _string(_OPSET_DOMAIN, domain) + _number(_OPSET_VERSION, 1))
            for domain in sorted(missing)
        ]
        before, after = self._model[: self._before], self._model[self._before :]
        return b"".join([*before, _varint(_MODEL_GRAPH << 3 | _BYTES), _varint(size), *parts, *after, *opsets])


def _value_message(name: str, kind: np.dtype[Any], shape: Sequence[str]) -> bytes:
    dimensions = b"".join(_message(_SHAPE_DIM, _string(_DIM_NAME, size)) for size in shape)
    tensor = _number(_TENSOR_ELEMENT, _NUMBERS[kind]) + _message(_TENSOR_SHAPE, dimensions)
    return _string(_VALUE_NAME, name) + _message(_VALUE_TYPE, _message(_TYPE_TENSOR, tensor))


def _dimensions(value: memoryview) -> int:
    """How many dimensions an input has."""
    found = [value]
    for part in (_VALUE_TYPE, _TYPE_TENSOR, _TENSOR_SHAPE):
        found = [inner for each in found for inner in _values(each, part)]
    return sum(len(_values(each, _SHAPE_DIM)) for each in found)


def _read_node(message: memoryview) -> Node:
    inputs, outputs = [], []
    attributes: dict[str, int | tuple[int, ...]] = {}
    op = domain = ""
    for number, value, _ in _fields(message):
        if number == _NODE_INPUT:
            inputs.append(bytes(value).decode())
        elif number == _NODE_OUTPUT:
            outputs.append(bytes(value).decode())
        elif number == _NODE_OP:
            op = bytes(value).decode()
        elif number == _NODE_DOMAIN:
            domain = bytes(value).decode()
        elif number == _NODE_ATTRIBUTE:
            attributes |= _read_attribute(value)
    return Node(op, tuple(inputs), tuple(outputs), attributes, domain, bytes(message))


def _read_attribute(message: memoryview) -> dict[str, int | tuple[int, ...]]:
    kind, single, several = 0, 0, []
    for number, value, whole in _fields(message):
        if number == _ATTRIBUTE_TYPE:
            kind = _read_varint(value, 0)[0]
        elif number == _ATTRIBUTE_INT:
            single = _signed(_read_varint(value, 0)[0])
        elif number == _ATTRIBUTE_INTS:
            several += _integers(value, whole)
    name = _text(message, _ATTRIBUTE_NAME)
    if kind == _INT_ATTRIBUTE:
        return {name: single}
    return {name: tuple(several)} if kind == _INTS_ATTRIBUTE else {}


def _node_message(node: Node) -> bytes:
    if node.raw is not None:
        return node.raw
    parts = [_string(_NODE_INPUT, name) for name in node.inputs]
    parts += [_string(_NODE_OUTPUT, name) for name in node.outputs]
    parts.append(_string(_NODE_OP, node.op))
    for name, value in node.attributes.items():
        message = [_string(_ATTRIBUTE_NAME, name)]
        if isinstance(value, int):
            message += [_number(_ATTRIBUTE_INT, value), _number(_ATTRIBUTE_TYPE, _INT_ATTRIBUTE)]
        else:
            message += [_number(_ATTRIBUTE_INTS, each) for each in value]
            message.append(_number(_ATTRIBUTE_TYPE, _INTS_ATTRIBUTE))
        parts.append(_message(_NODE_ATTRIBUTE, b"".join(message)))
    if node.domain:
        parts.append(_string(_NODE_DOMAIN, node.domain))
    return b"".join(parts)


def _message(number: int, content: bytes) -> bytes:
    return b"".join([_varint(number << 3 | _BYTES), _varint(len(content)), content])


def _string(number: int, text: str) -> bytes:
    return _message(number, text.encode())


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value & 0xFFFF_FFFF_FFFF_FFFF)


def _values(message: memoryview, wanted: int) -> list[memoryview]:
    return [value for number, value, _ in _fields(message) if number == wanted]


def tensors(model: memoryview, names: Collection[str]) -> dict[str, memoryview]:
    """Find tensors of a model by their names. Nothing is copied.

    Args:
        model: The ONNX file.
        names: Names of initializers.

    Returns:
        The values of those that the model has, as bytes.
    """
    wanted = {name.encode(): name for name in names}
    found: dict[str, memoryview] = {}
    for number, graph, _ in _fields(model):
        if number != _MODEL_GRAPH:
            continue
        for kind, tensor, _ in _fields(graph):
            if kind == _GRAPH_INITIALIZER:
                parts = {field: value for field, value, _ in _fields(tensor) if field in (_TENSOR_NAME, _TENSOR_RAW)}
                name = wanted.get(bytes(parts.get(_TENSOR_NAME, b"")))
                if name is not None and _TENSOR_RAW in parts:
                    found[name] = parts[_TENSOR_RAW]
    return found


def _texts(message: memoryview, wanted: int) -> list[bytes]:
    return [bytes(value) for value in _values(message, wanted)]


def _text(message: memoryview, wanted: int) -> str:
    return bytes(next(iter(_values(message, wanted)), b"")).decode()


def _integers(value: memoryview, whole: memoryview) -> list[int]:
    """The numbers of a field that may repeat: one by one, or packed into one value."""
    if whole[0] & 7 == _VARINT:
        return [_signed(_read_varint(value, 0)[0])]
    numbers, place = [], 0
    while place < len(value):
        number, place = _read_varint(value, place)
        numbers.append(_signed(number))
    return numbers


def _signed(number: int) -> int:
    signed: int = struct.unpack("<q", struct.pack("<Q", number))[0]
    return signed


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Each field of a message: its number, its value, and all of it."""
    start = 0
    while start < len(message):
        key, place = _read_varint(message, start)
        kind = key & 7
        if kind == _BYTES:
            length, place = _read_varint(message, place)
            end = place + length
        elif kind == _VARINT:
            _, end = _read_varint(message, place)
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            end = place + (8 if kind == _EIGHT_BYTES else 4)
        else:
            raise ValueError(f"no protocol buffer: a field of kind {kind}")
        if end > len(message):
            raise ValueError("no protocol buffer: it ends within a field")
        if key > _LARGEST_KEY:
            raise ValueError("no protocol buffer: a field's number is too large")
        yield key >> 3, message[place:end], message[start:end]
        start = end


def _read_varint(message: memoryview, place: int) -> tuple[int, int]:
    """A number written in groups of seven bits, and where it ends."""
    number = shift = 0
    end = place + _LONGEST_VARINT
    while True:
        if place >= end:
            raise ValueError("no protocol buffer: a number of more than ten bytes")
        if place >= len(message):
            raise ValueError("no protocol buffer: it ends within a number")
        byte = message[place]
        place += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return number, place


def _varint(number: int) -> bytes:
    """The same the other way.

    >>> _varint(300).hex()
    'ac02'
    """
    groups = []
    while number >= 0x80:
        groups.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*groups, number])

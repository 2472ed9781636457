"""An ONNX graph cut above one of its layers: ONNX Runtime computes a graph whole, whatever is asked of it.

The file is read as what it is, protocol buffers within protocol buffers. The package that could do it is large, and
only ``mderank export`` needs it.
"""

from __future__ import annotations

from collections.abc import Iterator

# Numbers of fields, in ONNX's messages.
_MODEL_GRAPH, _GRAPH_NODE, _GRAPH_OUTPUT, _NODE_OUTPUT, _VALUE_NAME = 7, 1, 12, 2, 1
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5  # how a field's value is written


def cut(model: bytes, output: str) -> bytes:
    """Cut a model above one of its outputs. Nodes are in the order of computation.

    Args:
        model: The ONNX file.
        output: Name of the output.

    Returns:
        The model up to the node that computes the output, with no other output.
    """
    parts = []
    for number, value, whole in _fields(memoryview(model)):
        if number == _MODEL_GRAPH:
            graph = b"".join(_below(value, output.encode()))
            parts += [_varint(_MODEL_GRAPH << 3 | _BYTES), _varint(len(graph)), graph]
        else:
            parts.append(bytes(whole))
    return b"".join(parts)


def _below(graph: memoryview, output: bytes) -> Iterator[memoryview]:
    there = False
    for number, value, whole in _fields(graph):
        if number == _GRAPH_NODE:
            if not there:
                yield whole
            there = there or output in _texts(value, _NODE_OUTPUT)
        elif number != _GRAPH_OUTPUT or output in _texts(value, _VALUE_NAME):
            yield whole


def _texts(message: memoryview, wanted: int) -> list[bytes]:
    return [bytes(value) for number, value, _ in _fields(message) if number == wanted]


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
        yield key >> 3, message[place:end], message[start:end]
        start = end


def _read_varint(message: memoryview, place: int) -> tuple[int, int]:
    """A number written in groups of seven bits, and where it ends."""
    number = shift = 0
    while True:
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

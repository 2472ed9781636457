"""ELMo: a two-way language model that reads words letter by letter.

Peters et al. (2018), "Deep contextualized word representations", NAACL. Its authors' files are read as they are: the
options in JSON, the weights in HDF5. Layer 0 is what a word is without context, from a convolution over its letters;
each further layer is a forward and a backward LSTM, whose states stand side by side.

Every segment starts from empty memory, so that a text's states do not depend on what was read before it; the authors'
code continues with the memory that earlier texts left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mderank.document import Span
from mderank.encoding.padding import batch_by_tokens
from mderank.errors import MissingExtraError, ModelError
from mderank.methods.sifrank.word_encoder import WordSpec
from mderank.util.arrays import Floats, Ints
from mderank.util.files import read_json_object

if TYPE_CHECKING:
    import h5py
    import torch

# Symbols: the 256 bytes of UTF-8, then these. All are shifted by one: 0 is the padding after a sentence, unused here.
BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = 256, 257, 258, 259, 260
SYMBOLS = 262

LAYER = 1  # the layer that SIFRank's authors take by default

_BATCH = 1024  # words computed at once
_LETTERS = 256  # words whose letters are convolved at once: about 180 kB each
_STEPS = 128  # time steps whose inputs are multiplied at once: 64 kB each and sequence

# Bounds for files of strangers; the largest published model has a cell of 4,096 and two layers.
_MAX_OPTIONS_BYTES, _MAX_SIZE, _MAX_LAYERS, _MAX_COMPRESSION = 1_000_000, 100_000, 100, 20
_ORIGINAL = "take the files of the original model"


@dataclass(frozen=True)
class ElmoOptions:
    """The sizes that the options file gives."""

    filters: tuple[tuple[int, int], ...]  # (width, number)
    activation: str
    letter: int  # dimension of a letter's vector
    letters: int  # of a word that are read, its two bounds included
    highways: int
    layers: int
    cell: int
    projection: int
    cell_clip: float | None
    projection_clip: float | None
    skip: bool  # whether a layer's input is added to its output, from the second layer on


@dataclass(frozen=True)
class _Highway:
    transform: torch.Tensor  # (f, f)
    transform_bias: torch.Tensor  # (f,)
    carry: torch.Tensor  # (f, f)
    carry_bias: torch.Tensor  # (f,)


@dataclass(frozen=True)
class _Cell:
    """One direction of one layer; gates in the order input, new memory, forget, output."""

    inputs: torch.Tensor  # (p, 4c)
    recurrent: torch.Tensor  # (p, 4c)
    bias: torch.Tensor  # (4c,)
    projection: torch.Tensor  # (c, p)


class Elmo:
    """ELMo as an encoder of words.

    Args:
        model: A folder with its options and weights, or the file of the weights with the options beside it.
        device: Device of torch, such as "cuda"; None takes the GPU if there is one.

    Raises:
        MissingExtraError: If torch or h5py is missing.
        ModelError: If the files cannot be read or the device cannot be used.
    """

    packages: ClassVar[tuple[str, ...]] = ("torch",)  # whose versions may change the states

    def __init__(self, model: str | Path, *, device: str | None = None) -> None:
        try:
            import h5py  # noqa: F401
            import torch
        except ImportError as error:
            raise MissingExtraError(f"the model '{model}', which is ELMo,", "elmo") from error
        self._arguments = (str(model), device)
        options_file, weights_file = find_files(Path(model))
        self.folder = weights_file.parent
        self.options = read_options(options_file)
        try:
            self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
            self._load(weights_file, options_file)
        except (RuntimeError, AssertionError) as error:
            raise ModelError(f"the device '{device}' cannot be used ({error}); try --device cpu") from error
        self.spec = WordSpec(
            str(model), self.options.layers, 2 * self.options.projection, min(LAYER, self.options.layers)
        )

    def __getstate__(self) -> dict[str, Any]:
        """Sent to another process, it loads its weights there."""
        return {"arguments": self._arguments}

    def __setstate__(self, state: dict[str, Any]) -> None:
        model, device = state["arguments"]
        Elmo.__init__(self, model, device=device)

    def word_states(
        self, text: str, words: Sequence[Span], segments: Sequence[range], breaks: Sequence[int], layer: int | None
    ) -> Iterator[tuple[Ints, Floats]]:
        """Compute the hidden states of the words of a text, segment by segment.

        Args:
            text: The text.
            words: Character offsets of its words.
            segments: Ranges of words; words of different segments do not attend to each other.
            breaks: Not used: no segment is too long for ELMo.
            layer: Number of the layer; None for the mean of all layers.

        Yields:
            The indices ``(k,)`` of some words, and their hidden states ``(k, d)``.
        """
        for batch in batch_by_tokens(sorted((segment for segment in segments if segment), key=len), _BATCH, len, 2):
            sentences = [[text[start:end] for start, end in words[part.start : part.stop]] for part in batch]
            for part, states in zip(batch, self.hidden_states(sentences, layer), strict=True):
                yield np.arange(part.start, part.stop), states

    def hidden_states(self, sentences: Sequence[Sequence[str]], layer: int | None) -> list[Floats]:
        """Compute the hidden states of the words of sentences.

        Args:
            sentences: The words of each sentence.
            layer: Number of the layer; None for the mean of all layers.

        Returns:
            Hidden states ``(n, d)`` of each sentence.
        """
        import torch

        with torch.inference_mode():
            embedded, lengths = self._embed(sentences)
            every = []
            for number, states in enumerate(self._layers(embedded, lengths)):
                every.append(states)
                if number == layer:
                    break
            chosen = torch.stack(every).mean(dim=0) if layer is None else every[-1]
            array: Floats = chosen.cpu().numpy()
        # Without the marks at both ends of the sentence.
        return [array[row, 1 : 1 + len(sentence)] for row, sentence in enumerate(sentences)]

    def _layers(self, embedded: torch.Tensor, lengths: torch.Tensor) -> Iterator[torch.Tensor]:
        """The states ``(B, T, 2p)`` of one layer after the other."""
        import torch

        there, back = embedded, _turned(embedded, lengths)
        yield torch.cat([there, there], dim=-1)
        for number, (forward, backward) in enumerate(self._cells):
            skip = self.options.skip and number > 0
            there = self._run(forward, there) + (there if skip else 0)
            back = self._run(backward, back) + (back if skip else 0)
            yield torch.cat([there, _turned(back, lengths)], dim=-1)

    def _run(self, cell: _Cell, inputs: torch.Tensor) -> torch.Tensor:
        """The outputs ``(B, T, p)`` of an LSTM with projection; what follows a sentence's end is not used."""
        import torch

        options = self.options
        memory = inputs.new_zeros(len(inputs), options.cell)
        state = inputs.new_zeros(len(inputs), options.projection)
        outputs = []
        for start in range(0, inputs.shape[1], _STEPS):
            given = inputs[:, start : start + _STEPS] @ cell.inputs + cell.bias  # (B, steps, 4c)
            for step in range(given.shape[1]):
                gates = given[:, step] + state @ cell.recurrent
                into, new, forget, out = gates.chunk(4, dim=-1)
                memory = torch.sigmoid(forget) * memory + torch.sigmoid(into) * torch.tanh(new)
                memory = _clipped(memory, options.cell_clip)
                state = (torch.sigmoid(out) * torch.tanh(memory)) @ cell.projection
                state = _clipped(state, options.projection_clip)
                outputs.append(state)
        return torch.stack(outputs, dim=1)

    def _embed(self, sentences: Sequence[Sequence[str]]) -> tuple[torch.Tensor, torch.Tensor]:
        """What each word is without context ``(B, T, p)``, between the marks of a sentence; lengths ``(B,)``."""
        import torch

        known: dict[tuple[int, ...], int] = {}
        limit = self.options.letters
        begin, end = _mark(BEGIN_SENTENCE, limit), _mark(END_SENTENCE, limit)
        rows = [
            [known.setdefault(letters, len(known)) for letters in (begin, *(_letters(w, limit) for w in sentence), end)]
            for sentence in sentences
        ]
        symbols = torch.tensor(list(known), device=self._device)  # (U, letters)
        vectors = torch.cat([self._convolve(symbols[at : at + _LETTERS]) for at in range(0, len(symbols), _LETTERS)])
        longest = max(map(len, rows))
        index = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows], device=self._device)
        return vectors[index], torch.tensor([len(row) for row in rows], device=self._device)

    def _convolve(self, symbols: torch.Tensor) -> torch.Tensor:
        """Words ``(U, letters)`` to vectors ``(U, p)``: convolutions, their maximum, highways, a projection."""
        import torch
        from torch.nn import functional

        activation = torch.relu if self.options.activation == "relu" else torch.tanh
        letters = self._symbols[symbols].transpose(1, 2)  # (U, letter, letters)
        parts = [
            activation(functional.conv1d(letters, weight, bias).amax(dim=-1)) for weight, bias in self._convolutions
        ]
        states = torch.cat(parts, dim=-1)  # (U, f)
        for highway in self._highways:
            gate = torch.sigmoid(states @ highway.carry + highway.carry_bias)
            states = gate * torch.relu(states @ highway.transform + highway.transform_bias) + (1 - gate) * states
        return states @ self._projection + self._projection_bias

    def _load(self, weights_file: Path, options_file: Path) -> None:
        import h5py

        try:
            file = h5py.File(weights_file, "r")
        except OSError as error:
            raise ModelError(f"{weights_file} is not an HDF5 file ({error}): download ELMo's weights again") from error
        with file:
            self._take(_Weights(file, weights_file, options_file, self._device))

    def _take(self, weights: _Weights) -> None:
        import torch

        options = self.options
        features = sum(number for _, number in options.filters)
        symbols = weights.get("char_embed", SYMBOLS - 1, options.letter)
        self._symbols = torch.cat([symbols.new_zeros(1, options.letter), symbols])
        self._convolutions = [
            (
                # (1, width, letter, number) to what torch takes, (number, letter, width)
                weights.get(f"CNN/W_cnn_{each}", 1, width, options.letter, number)[0].permute(2, 1, 0).contiguous(),
                weights.get(f"CNN/b_cnn_{each}", number),
            )
            for each, (width, number) in enumerate(options.filters)
        ]
        self._highways = [
            _Highway(
                weights.get(f"CNN_high_{each}/W_transform", features, features),
                weights.get(f"CNN_high_{each}/b_transform", features),
                weights.get(f"CNN_high_{each}/W_carry", features, features),
                weights.get(f"CNN_high_{each}/b_carry", features),
            )
            for each in range(options.highways)
        ]
        self._projection = weights.get("CNN_proj/W_proj", features, options.projection)
        self._projection_bias = weights.get("CNN_proj/b_proj", options.projection)
        self._cells = [
            (self._cell(weights, 0, layer), self._cell(weights, 1, layer)) for layer in range(options.layers)
        ]

    def _cell(self, weights: _Weights, direction: int, layer: int) -> _Cell:
        size, width = self.options.cell, self.options.projection
        home = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        matrix = weights.get(f"{home}/W_0", 2 * width, 4 * size)  # of the input, and below it of the last output
        bias = weights.get(f"{home}/B", 4 * size)
        bias[2 * size : 3 * size] += 1  # the forget gate's bias is stored without the 1 that it was trained with
        return _Cell(matrix[:width], matrix[width:], bias, weights.get(f"{home}/W_P_0", size, width))


class _Weights:
    """The arrays of a weights' file, each checked against the shape that the options give it."""

    def __init__(self, file: h5py.File, path: Path, options: Path, device: torch.device) -> None:
        self._file, self._path, self._options, self._device = file, path, options, device

    def get(self, name: str, *shape: int) -> torch.Tensor:
        import h5py
        import torch

        self._refuse_links(name)
        stored = self._file.get(name)
        if isinstance(stored, h5py.Dataset) and (stored.external or stored.is_virtual):
            raise ModelError(f"{self._path} is refused: '{name}' is in another file; {_ORIGINAL}")
        if not isinstance(stored, h5py.Dataset):
            raise ModelError(f"{self._path} has no '{name}': these are not the weights that {self._options} describes")
        if stored.shape != shape:
            raise ModelError(
                f"{self._path}: '{name}' has the shape {stored.shape}, but {self._options} makes it {shape}: "
                "take the options that belong to these weights"
            )
        if stored.nbytes > _MAX_COMPRESSION * stored.id.get_storage_size():
            raise ModelError(
                f"{self._path} is refused: '{name}' takes more than {_MAX_COMPRESSION} times the space it has in the "
                f"file; {_ORIGINAL}"
            )
        return torch.from_numpy(np.asarray(stored, dtype=np.float32)).to(self._device)

    def _refuse_links(self, name: str) -> None:
        """A link in an HDF5 file may lead to any other file."""
        import h5py

        parts = name.split("/")
        for end in range(1, len(parts) + 1):
            link = self._file.get("/".join(parts[:end]), getlink=True)
            if isinstance(link, h5py.ExternalLink | h5py.SoftLink):
                raise ModelError(f"{self._path} is refused: '{name}' is a link to '{link.path}'; {_ORIGINAL}")


def find_files(model: Path) -> tuple[Path, Path]:
    """Find the files of a model.

    Args:
        model: A folder, or the file of the weights.

    Returns:
        The file of the options and that of the weights.

    Raises:
        ModelError: If one of the files is missing, or if there are several.
    """
    if not model.exists():
        raise ModelError(f"the ELMo model '{model}' does not exist")
    weights = [model] if model.is_file() else sorted(model.glob("*.hdf5"))
    if not weights:
        raise ModelError(f"{model} has ELMo's options but no weights: put the *.hdf5 file beside them")
    if len(weights) > 1:
        listed = ", ".join(file.name for file in weights)
        raise ModelError(f"{model} has several weights ({listed}): name one of them, e.g. --model {weights[0]}")
    file = weights[0]
    namesake = file.with_name(file.stem.replace("weights", "options") + ".json")
    options = [namesake] if namesake.is_file() else sorted(file.parent.glob("*options.json"))
    if len(options) != 1:
        found = ", ".join(each.name for each in options) or "none"
        raise ModelError(
            f"{file} needs its options beside it, in one file called options.json or {namesake.name}; there is {found}"
        )
    return options[0], file


def read_options(file: Path) -> ElmoOptions:
    """Read a file of options.

    Args:
        file: The file.

    Returns:
        The sizes of the model.

    Raises:
        ModelError: If the file cannot be read or does not describe a model that can be computed.
    """
    try:
        record = read_json_object(file, _MAX_OPTIONS_BYTES)
        letters, lstm = record["char_cnn"], record["lstm"]
        options = ElmoOptions(
            filters=tuple((int(width), int(number)) for width, number in letters["filters"]),
            activation=str(letters["activation"]),
            letter=int(letters["embedding"]["dim"]),
            letters=int(letters["max_characters_per_token"]),
            highways=int(letters["n_highway"]),
            layers=int(lstm["n_layers"]),
            cell=int(lstm["dim"]),
            projection=int(lstm["projection_dim"]),
            cell_clip=_limit(lstm.get("cell_clip")),
            projection_clip=_limit(lstm.get("proj_clip")),
            skip=bool(lstm.get("use_skip_connections", False)),
        )
        symbols = int(letters["n_characters"])
    except KeyError as error:
        raise ModelError(
            f"{file} says nothing of {error}: it is not the options file of a character-based ELMo"
        ) from error
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{file} is not an options file of ELMo ({error!r})") from error
    if symbols != SYMBOLS:
        raise ModelError(f"{file}: n_characters is {symbols}, and must be {SYMBOLS} (261 is for training: change it)")
    if options.activation not in ("relu", "tanh"):
        raise ModelError(f"{file}: the activation is '{options.activation}', and must be relu or tanh")
    sizes = (
        options.letter,
        options.layers,
        options.cell,
        options.projection,
        *(n for pair in options.filters for n in pair),
    )
    widest = max((width for width, _ in options.filters), default=0)
    if min(sizes) < 1 or options.highways < 0 or options.letters < max(3, widest) or not options.filters:
        raise ModelError(f"{file}: no model has these sizes: {options}")
    largest = max(*sizes, options.highways, options.letters)
    if largest > _MAX_SIZE or max(options.layers, options.highways, len(options.filters)) > _MAX_LAYERS:
        raise ModelError(f"{file} is refused: sizes go up to {_MAX_SIZE:,} and layers to {_MAX_LAYERS}; {_ORIGINAL}")
    return options


def _limit(value: Any) -> float | None:
    return float(value) if value else None


def _clipped(values: torch.Tensor, limit: float | None) -> torch.Tensor:
    return values if limit is None else values.clamp(-limit, limit)


def _turned(states: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """``(B, T, p)`` with every sequence back to front and its padding where it was. Twice, it is what it was."""
    import torch

    steps = torch.arange(states.shape[1], device=states.device)[None]
    index = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)  # (B, T)
    return states.gather(1, index[..., None].expand_as(states))


def _letters(word: str, limit: int) -> tuple[int, ...]:
    """The symbols of a word: its bytes, as many as fit, between the marks of a word."""
    return _padded([BEGIN_WORD, *word.encode("utf-8", "ignore")[: limit - 2], END_WORD], limit)


def _mark(symbol: int, limit: int) -> tuple[int, ...]:
    """The beginning or the end of a sentence, as a word."""
    return _padded([BEGIN_WORD, symbol, END_WORD], limit)


def _padded(symbols: list[int], limit: int) -> tuple[int, ...]:
    return tuple(1 + symbol for symbol in (*symbols, *[PADDING] * (limit - len(symbols))))

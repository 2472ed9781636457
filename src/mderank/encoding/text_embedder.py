"""Models that give finished embeddings: functions from texts to vectors, and sentence-transformers.

They show neither hidden states nor masks, so that they serve the methods that compare embeddings only. Nothing is cut
off silently: a text that is longer than such a model takes is embedded in windows that end at sentence ends. Its
embedding is the mean of theirs, each weighted by its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mderank.encoding.base import Encoder, TokenizedText
from mderank.encoding.pooling import Embeddings
from mderank.encoding.windows import windows
from mderank.errors import InputError, ModelError, OptionError
from mderank.util.arrays import Floats

WINDOW_WORDS = 256  # most models take 512 tokens or more, and a word has rarely more than two
_BATCH = 256  # texts per call; APIs limit what a request may hold
_MARGIN = 2  # tokens; a window that begins inside a word may have one more there, and at its end


@runtime_checkable
class TextEmbedder(Protocol):
    """Interface of an embedder of texts."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed texts. The vector of a text must not depend on the other texts.

        Args:
            texts: Phrases, and texts or parts of them, as they stand in the document.

        Returns:
            Vectors ``(n, d)``; zeros for a text without a known word.
        """
        ...


@runtime_checkable
class EmbeddingFunction(Protocol):
    """Interface of a function that embeds texts."""

    def __call__(self, texts: list[str], /) -> Any:
        """Embed texts: a row of numbers for each, as an array or as lists."""
        ...


@dataclass(frozen=True)
class FunctionEmbedder:
    """Embeds texts with a function of your own, such as the client of an API.

    A plain function serves as ``model=`` too. This class says how much text it takes.

    >>> import numpy as np
    >>> def letters(texts):
    ...     return [[text.count(letter) for letter in "abc"] for text in texts]
    >>> FunctionEmbedder(letters, max_words=5_000).embed(["a cab", "bacca"]).tolist()
    [[2.0, 1.0, 1.0], [2.0, 1.0, 2.0]]

    Args:
        function: Takes a list of texts and returns a row of numbers for each, as an array or as lists.
        max_words: Maximum number of words and punctuation marks of a text. A longer text is embedded in windows that
            end at sentence ends. None gives the function whole texts; what it then cuts off is lost.
        batch_size: Maximum number of texts that are given at once.
        name: Its name in results; empty for that of the function.

    Raises:
        OptionError: If the function cannot be called, or a number is not a whole number of at least 1.
    """

    function: EmbeddingFunction
    max_words: int | None = WINDOW_WORDS
    batch_size: int = _BATCH
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise OptionError(f"function must take texts and return vectors, and is a {type(self.function).__name__}")
        whole = 1 if self.max_words is None else self.max_words
        for name, value in (("max_words", whole), ("batch_size", self.batch_size)):
            if not isinstance(value, int) or value < 1:
                raise OptionError(f"{name} must be a whole number of at least 1, not {value!r}")
        if not self.name:
            own = getattr(self.function, "__qualname__", "") or type(self.function).__name__
            object.__setattr__(self, "name", own.rpartition("<locals>.")[2])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed texts, some at a time.

        Args:
            texts: The texts.

        Returns:
            Vectors ``(n, d)`` in float64.

        Raises:
            ModelError: If the function does not give a vector for each text.
            InputError: If it gives a text a vector that is not finite.
        """
        starts = range(0, len(texts), self.batch_size)
        parts = [self._embed(list(texts[start : start + self.batch_size])) for start in starts]
        if len({part.shape[1] for part in parts}) > 1:
            raise ModelError(f"the model '{self.name}' gave vectors of several lengths: they must have one")
        return np.concatenate(parts) if parts else np.zeros((0, 0))

    def _embed(self, texts: list[str]) -> Floats:
        given = self.function(texts)
        if hasattr(given, "detach"):  # a tensor of torch, which may be on another device
            given = given.detach().cpu().float().numpy()
        try:
            vectors = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"the model '{self.name}' must return a row of numbers for each text, not {type(given).__name__}: "
                f"{error}"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise ModelError(
                f"the model '{self.name}' gave an array {vectors.shape} for {len(texts)} texts: it must give a row of "
                "numbers for each"
            )
        wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
        if len(wrong):
            raise InputError(
                f"the model '{self.name}' gave a vector that is not finite for the text {texts[wrong[0]][:60]!r}"
            )
        return vectors


@dataclass(frozen=True)
class EmbeddingModel:
    """A model of finished embeddings, and how much text it takes at once.

    Attributes:
        embedder: Embeds texts.
        capacity: Number of tokens that the model takes; None for texts of any length.
        tokenize: Returns the tokens of a text; None if the words of the tagged document count instead.
    """

    embedder: FunctionEmbedder
    capacity: int | None = None
    tokenize: Callable[[str], TokenizedText] | None = None

    @property
    def name(self) -> str:
        """Its name in results."""
        return self.embedder.name

    def windows(self, request: EmbeddingRequest) -> list[tuple[str, float]]:
        """Divide a text into parts that the model takes.

        Args:
            request: The text.

        Returns:
            The parts with their weights; none for a text without words.
        """
        text = request.text or ""
        if not text.strip():
            return []
        if self.capacity is None:
            return [(text, 1.0)]
        tokens = _as_tokens(request.words) if self.tokenize is None else self.tokenize(text)
        if len(tokens) <= self.capacity:
            return [(text, 1.0)]
        cuts = windows(tokens, request.breaks, max(1, self.capacity - _MARGIN))
        return [(text[tokens.starts[cut.start] : tokens.ends[cut.stop - 1]], float(len(cut))) for cut in cuts]


@dataclass(frozen=True)
class EmbeddingRequest:
    """A text to embed, with its phrases.

    Attributes:
        text: The text; None if it is not embedded.
        words: The offsets of its words and punctuation marks.
        breaks: Character offsets where a long text may be divided.
        phrases: Phrases that are embedded alone.
    """

    text: str | None
    words: Sequence[tuple[int, int]] = ()
    breaks: Sequence[int] = ()
    phrases: Sequence[str] = ()


def embed_texts(model: EmbeddingModel, requests: Sequence[EmbeddingRequest]) -> list[Embeddings]:
    """Embed documents and their phrases. A text or phrase that several of them have is embedded once.

    Args:
        model: The model.
        requests: The documents.

    Returns:
        One result per request, in order. A text without words has zeros.
    """
    parts = [model.windows(each) for each in requests]
    wanted = (text for own, each in zip(parts, requests, strict=True) for text in _texts(own, each.phrases))
    places = {text: place for place, text in enumerate(dict.fromkeys(wanted))}
    vectors = model.embedder.embed(list(places))
    made = []
    for own, each in zip(parts, requests, strict=True):
        rows = vectors[[places[text] for text, _ in own]]
        weights = np.asarray([weight for _, weight in own])
        document = weights @ rows / weights.sum() if own else np.zeros(vectors.shape[1])
        phrases = vectors[[places[phrase] for phrase in each.phrases]].reshape(len(each.phrases), vectors.shape[1])
        none = phrases[:0]
        made.append(Embeddings(document, none, phrases, none))
    return made


def _texts(parts: Sequence[tuple[str, float]], phrases: Sequence[str]) -> Iterator[str]:
    yield from (text for text, _ in parts)
    yield from phrases


def load_embedder(model: TextEmbedder | EmbeddingFunction) -> EmbeddingModel:
    """Make an embedding model of what a user gives: a SentenceTransformer, an embedder, or a function.

    Args:
        model: The user's object.

    Returns:
        The model.
    """
    if is_sentence_transformer(model):
        return _load_sentence_transformer(model)
    if not isinstance(model, FunctionEmbedder):
        if isinstance(model, TextEmbedder):
            model = FunctionEmbedder(model.embed, name=type(model).__name__)
        else:
            model = FunctionEmbedder(model)
    return EmbeddingModel(model, model.max_words)


def is_sentence_transformer(model: object) -> bool:
    """Check whether an object is a ``SentenceTransformer``, without importing that package.

    Args:
        model: Any object.

    Returns:
        True for an instance of the class or of one derived from it.
    """
    return any(
        each.__name__ == "SentenceTransformer" and each.__module__.startswith("sentence_transformers")
        for each in type(model).__mro__
    )


def _load_sentence_transformer(model: Any) -> EmbeddingModel:
    encode = partial(model.encode, show_progress_bar=False, convert_to_numpy=True)
    embedder = FunctionEmbedder(encode, None, name=sentence_transformer_name(model))
    longest = model.max_seq_length
    if longest is None:
        return EmbeddingModel(embedder)
    tokenizer = model.tokenizer
    if not getattr(tokenizer, "is_fast", False):  # it tells no offsets
        return EmbeddingModel(embedder, max(1, longest // 2))
    prompt = (getattr(model, "prompts", None) or {}).get(getattr(model, "default_prompt_name", None) or "", "")
    taken = tokenizer.num_special_tokens_to_add(False) + len(_tokens(tokenizer, prompt))
    return EmbeddingModel(embedder, max(1, longest - taken), partial(_tokens, tokenizer))


def sentence_transformer_name(model: Any) -> str:
    """Return the name or the folder that a ``SentenceTransformer`` was loaded from.

    Args:
        model: The model.

    Returns:
        The name; that of its class where it is not known.
    """
    config = getattr(getattr(model[0], "auto_model", None), "config", None)
    return str(getattr(config, "_name_or_path", "") or type(model).__name__)


def describe_refused(model: object) -> str:
    """Say why a method that masks does not take a model of finished embeddings, and what to do.

    Args:
        model: What was given as ``model``.

    Returns:
        The end of an error message; empty for any other object.
    """
    if isinstance(model, str | type | Encoder) or not isinstance(model, TextEmbedder | EmbeddingFunction):
        return ""
    advice = "use EmbedRank or KeyBERT"
    kind = "function" if hasattr(model, "__qualname__") else type(model).__name__
    if is_sentence_transformer(model):
        advice += f", or load it as an encoder: model={sentence_transformer_name(model)!r}"
    return f", not a {kind}: that gives finished embeddings, and this method needs hidden states and masks; {advice}"


def _as_tokens(words: Sequence[tuple[int, int]]) -> TokenizedText:
    spans = np.asarray(words, dtype=np.int64).reshape(-1, 2)
    return TokenizedText(np.zeros(len(spans), dtype=np.int64), spans[:, 0], spans[:, 1])


def _tokens(tokenizer: Any, text: str) -> TokenizedText:
    read = tokenizer(text, add_special_tokens=False, truncation=False, return_offsets_mapping=True, verbose=False)
    spans = np.asarray(read["offset_mapping"], dtype=np.int64).reshape(-1, 2)
    return TokenizedText(np.asarray(read["input_ids"], dtype=np.int64), spans[:, 0], spans[:, 1])

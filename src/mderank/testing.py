"""A tagger and an encoder for tests, ours and yours: no model, no loading time, results that can be worked out.

>>> from mderank import MDERank
>>> extractor = MDERank(FakeEncoder({"reef": 3.0}), tagger=FakeTagger())
>>> [keyphrase.text for keyphrase in extractor.extract("The reef is near the old harbour.")]
['reef', 'old harbour']
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from mderank.document import Document, Token
from mderank.encoding.base import EncoderInputs, EncoderSpec, PoolingName, TokenizedText
from mderank.methods.mderank import MDERank
from mderank.options import Options
from mderank.tagging.paragraphs import paragraphs
from mderank.util.arrays import Floats


def fake_extractor(options: Options | None = None) -> MDERank:
    """Make an extractor of `FakeEncoder` and `FakeTagger`.

    With ``BatchWorker(build=fake_extractor)`` batches need no model either.

    Args:
        options: Not used.

    Returns:
        The extractor.
    """
    return MDERank(FakeEncoder(), tagger=FakeTagger())


_WORD = re.compile(r"\w+(?:[-’']\w+)*|[^\w\s]")

_TAGS = {
    **dict.fromkeys("the a an this that these those its their".split(), "DT"),
    **dict.fromkeys("of in on at by for with from near to as and or".split(), "IN"),
    **dict.fromkeys("is are was were be has have had".split(), "VBZ"),
    **dict.fromkeys("new old big small fast slow deep red lazy good long short".split(), "JJ"),
    **dict.fromkeys(".?!", "."),
}


class FakeTagger:
    """A tagger without a model: every word is a noun, but for a few known ones.

    Args:
        tags: Tags of further words, by word in lower case.
    """

    def __init__(self, tags: Mapping[str, str] | None = None) -> None:
        self._tags = {**_TAGS, **(tags or {})}

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag texts.

        Args:
            texts: The texts.

        Yields:
            The tagged documents, in order.
        """
        for text in texts:
            tokens: list[Token] = []
            starts = set()
            for paragraph in paragraphs(text):
                words = list(_WORD.finditer(text, paragraph.start, paragraph.end))
                if words:
                    starts.add(len(tokens))
                tokens += [Token(word.group(), self._tag(word.group()), *word.span()) for word in words]
            yield Document(text, tuple(tokens), frozenset(starts)).with_breaks(text)

    def _tag(self, word: str) -> str:
        known = self._tags.get(word.lower())
        return known or ("NN" if any(map(str.isalpha, word)) else "CD" if word.isdigit() else ":")


class FakeEncoder:
    """An encoder without a model, which mixes the tokens that each token attends to.

    A word is one token, or two if it is longer than six letters. Layer 0 is a fixed vector per token plus a small one
    per position. Every further layer is half of the one before, and half the mean of it over all tokens attended to.

    Args:
        weights: Factors of words' vectors, so that masking these words matters more.
        layers: Number of layers.
        dimension: Length of a hidden state.
        max_length: Maximum number of tokens of a sequence.
        one_pass: Whether the encoder says that it can do one-pass masking.
        pooling: The pooling that suits it.
    """

    MASK, PAD, CLS, SEP = 1, 0, 2, 3
    _FIRST_WORD, _WORDS = 10, 5_000

    def __init__(
        self,
        weights: Mapping[str, float] | None = None,
        *,
        layers: int = 2,
        dimension: int = 16,
        max_length: int = 64,
        one_pass: bool = True,
        pooling: PoolingName = "mean",
    ) -> None:
        self.spec = EncoderSpec(
            name="fake",
            layers=layers,
            dimension=dimension,
            max_length=max_length,
            mask_id=self.MASK,
            pad_id=self.PAD,
            prefix=(self.CLS,),
            suffix=(self.SEP,),
            one_pass=one_pass,
            pooling=pooling,
        )
        rng = np.random.default_rng(0)
        self._vectors = rng.normal(size=(self._FIRST_WORD + self._WORDS, dimension)).astype(np.float32)
        self._vectors[self.MASK] = 0
        self._positions = 0.01 * rng.normal(size=(max_length, dimension)).astype(np.float32)
        for word, weight in (weights or {}).items():
            for token in self.tokenize(word).ids:
                self._vectors[token] *= weight

    def tokenize(self, text: str) -> TokenizedText:
        """Return words and punctuation marks as tokens, long words as two.

        Args:
            text: Any text.

        Returns:
            The tokens with their character offsets.
        """
        spans = []
        for match in re.finditer(r"\w+|[^\w\s]", text):
            middle = match.start() + 6
            spans += [(match.start(), middle), (middle, match.end())] if match.end() > middle else [match.span()]
        words = [text[start:end].lower().encode("utf-8", "replace") for start, end in spans]
        ids = [self._FIRST_WORD + zlib.crc32(word) % self._WORDS for word in words]
        starts, ends = zip(*spans, strict=True) if spans else ((), ())
        return TokenizedText(np.asarray(ids, np.int64), np.asarray(starts, np.int64), np.asarray(ends, np.int64))

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        """Compute the hidden states of a layer.

        Args:
            inputs: A batch of ``B`` sequences of ``S`` tokens.
            layer: Number of the layer; 0 is the embedding layer.

        Returns:
            Hidden states ``(B, S, d)``.
        """
        return self.hidden_states_and_attentions(inputs, layer)[0]

    def hidden_states_and_attentions(self, inputs: EncoderInputs, layer: int) -> tuple[Floats, Floats]:
        """Compute the hidden states and the attention weights of a layer.

        Args:
            inputs: A batch of ``B`` sequences of ``S`` tokens.
            layer: Number of the layer; 0 is the embedding layer.

        Returns:
            Hidden states ``(B, S, d)`` and attention weights ``(B, h, S, S)``.
        """
        batch, size = inputs.input_ids.shape
        positions = (
            np.broadcast_to(np.arange(size), (batch, size)) if inputs.position_ids is None else inputs.position_ids
        )
        visible = np.ones((batch, size, size)) if inputs.attention_mask is None else inputs.attention_mask
        attention = visible / np.maximum(1, visible.sum(axis=2, keepdims=True))
        states = self._vectors[inputs.input_ids] + self._positions[positions]
        for _ in range(layer):
            states = 0.5 * states + 0.5 * (attention @ states)
        return states.astype(np.float32), attention.astype(np.float32)[:, None]

"""Training of the bundled tagger: ``python -m mderank.research.training.tagger --data DIR --output FILE``.

The texts are WikiText-2, the texts of tuning sets (their labels are not read) and the everyday documents for
development. spaCy's English pipeline gives the tags that the network learns; it tags the words of our tokenizer.
Each stretch of text is read with its own capitals, or in capitals, in title case, or in lower case: the tags stay those
of the text as it was written. So the network learns to do without capitals.

The network is `mderank.tagging.tag_network.TagNetwork`. Two runs with one thread and the same versions give the same
file. It needs the extras ``train`` and ``spacy``.
"""

from __future__ import annotations

import argparse
import gzip
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mderank.encoding.word_piece_vectors import WordPieceVectors
from mderank.research.datasets.loading import load_dataset
from mderank.research.training.corpus import split_articles
from mderank.tagging.layout import read_layout
from mderank.tagging.paragraph_texts import paragraph_texts
from mderank.tagging.spacy import SpacyTagger
from mderank.tagging.spelling import FEATURES, spelling_features
from mderank.tagging.tag_network import find_pieces, word_vectors
from mderank.tagging.tokenizer import tokenize
from mderank.text import replace_surrogates
from mderank.util.arrays import Bools, Floats, Ints

if TYPE_CHECKING:
    import torch

PENN_TAGS = tuple(
    "NN NNS NNP NNPS JJ JJR JJS VB VBD VBG VBN VBP VBZ MD RB RBR RBS RP IN TO DT PDT WDT PRP PRP$ WP WP$ WRB EX CC CD "
    "POS UH FW SYM LS AFX ADD XX NFP HYPH $ . , : `` '' -LRB- -RRB-".split()
)
TagWeights = dict[str, npt.NDArray[Any]]
UNKNOWN = PENN_TAGS.index("XX")
SEPARATOR = -1  # in place of a tag, for rows between paragraphs

TUNING_SETS = ("inspec_train", "www", "krapivin_valid200", "citeulike180")
WIKITEXT_WORDS = 350_000
EVERYDAY_TIMES = 5  # how often each everyday document is read: they are few, and unlike all others
LONGEST_TEXT = 6_000  # characters of a paper: its beginning has all kinds of words

# How the words of a stretch are written, and how often.
CASES: dict[str, tuple[Callable[[str], str], float]] = {
    "as written": (str, 0.6),
    "lower": (str.lower, 0.2),
    "capitals": (str.upper, 0.1),
    "title": (lambda word: word[:1].upper() + word[1:] if len(word) > 3 else word, 0.1),
}


@dataclass(frozen=True)
class TaggerSettings:
    """Settings of the training of a tagger.

    Attributes:
        width: Length of a state.
        layers: Number of layers that read a word with its neighbours.
        epochs: How often every text is read.
        stretch: Words of a training step.
        learning_rate: Highest learning rate; it falls to 0 along a cosine.
        warm_up: Steps in which the learning rate rises.
        dropout: Share of values that are set to 0 in training.
        seed: Random seed.
    """

    width: int = 128
    layers: int = 4
    epochs: int = 3
    stretch: int = 1024
    learning_rate: float = 3e-3
    warm_up: int = 50
    dropout: float = 0.1
    seed: int = 0


@dataclass(frozen=True)
class TaggedWords:
    """Words of many texts as the network reads them, with a separating row behind each paragraph.

    Attributes:
        pieces: Ids of all word pieces ``(m,)``.
        first: The first piece of each row ``(n,)``; for separating rows, where the next word begins.
        last: The last piece of each row ``(n,)``; before the first for rows without a piece.
        tags: Index of the tag of each row ``(n,)``, or `SEPARATOR`.
        features: Features of the spelling ``(n, f)``, for each way of writing.
    """

    pieces: Ints
    first: Ints
    last: Ints
    tags: Ints
    features: dict[str, Floats]

    def inputs(self, rows: slice, case: str, vectors: WordPieceVectors) -> tuple[Floats, Bools]:
        """Compute the input of the network for some rows.

        Args:
            rows: The rows.
            case: How the words are written; a key of `CASES`.
            vectors: Vectors of word pieces.

        Returns:
            Vectors and features ``(n, d)``, and which rows are words ``(n,)``.
        """
        first, last = self.first[rows], self.last[rows]
        begin, end = int(first.min()), int(max(last.max() + 1, first.min()))
        words = word_vectors(vectors.rows(self.pieces[begin:end]), first - begin, last - begin)
        return np.concatenate([words, self.features[case][rows].astype(np.float32)], axis=1), self.tags[rows] >= 0


def training_texts(data: Path) -> Iterator[str]:
    """Read the texts of WikiText-2, of tuning sets, and of the everyday documents for development.

    Args:
        data: Folder with ``wikitext2/train.raw.gz`` and ``tuning/``.

    Yields:
        The texts.
    """
    words = 0
    with gzip.open(data / "wikitext2" / "train.raw.gz", "rt", encoding="utf-8") as lines:
        for _, paragraphs in split_articles(lines):
            text = "\n\n".join(paragraphs)
            words += len(text.split())
            if words > WIKITEXT_WORDS:
                break
            yield text
    for name in TUNING_SETS:
        for document in load_dataset(f"tuning/{name}", data).documents:
            titled = document.title and not document.text.startswith(document.title)
            yield (f"{document.title}\n\n{document.text}" if titled else document.text)[:LONGEST_TEXT]
    for _ in range(EVERYDAY_TIMES):
        for document in load_dataset("everyday").documents:
            yield document.text


def label(texts: Iterable[str], tagger: SpacyTagger, vectors: WordPieceVectors) -> TaggedWords:
    """Tag texts with spaCy, and find the pieces and the spelling of their words.

    Args:
        texts: The texts.
        tagger: The tagger whose tags are learnt.
        vectors: Finds the word pieces.

    Returns:
        The words with their tags.
    """
    indices = {tag: index for index, tag in enumerate(PENN_TAGS)}
    columns: dict[str, list[Any]] = {name: [] for name in ("pieces", "first", "last", "tags", *CASES)}
    count = 0
    for text in texts:
        clean = replace_surrogates(text)
        paragraphs = list(paragraph_texts(0, clean, read_layout(clean)))
        for paragraph, tokens in zip(paragraphs, tagger.tag_paragraphs(paragraphs), strict=True):
            words = tokenize(paragraph.text)
            tokenized = vectors.tokenize(paragraph.text)
            first, last = find_pieces(tokenized, [word.start for word in words], [word.end for word in words])
            size = len(tokenized)
            columns["pieces"].append(tokenized.ids)
            columns["first"].append(np.append(first, size) + count)
            columns["last"].append(np.append(last, size - 1) + count)
            columns["tags"].append([*(indices.get(token.tag, UNKNOWN) for token in tokens), SEPARATOR])
            for case, (write, _) in CASES.items():
                forms = [write(paragraph.text[word.start : word.end]) for word in words]
                features = spelling_features(forms, [word.kind for word in words])
                columns[case].append(np.append(features, np.zeros((1, len(FEATURES))), axis=0).astype(np.int8))
            count += size
    joined = {name: np.concatenate([np.asarray(each) for each in some]) for name, some in columns.items()}
    spelling = {case: joined.pop(case) for case in CASES}
    return TaggedWords(**joined, features=spelling)


def train_tagger(words: TaggedWords, settings: TaggerSettings, progress: Callable[[str], None] = print) -> TagWeights:
    """Train a network on tagged words.

    Args:
        words: The words.
        settings: The settings.
        progress: Called with a line of text now and then.

    Returns:
        The weights by name, as `TagNetwork` reads them.
    """
    import torch
    from torch.nn import functional

    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    chosen = np.random.default_rng(settings.seed)
    vectors = WordPieceVectors()
    network = _make_network(3 * vectors.dimension + len(FEATURES), settings)
    optimizer = torch.optim.AdamW(network.parameters(), lr=settings.learning_rate, weight_decay=0.01)
    starts = np.arange(0, len(words.tags), settings.stretch)
    steps = settings.epochs * len(starts)
    shares = [share for _, share in CASES.values()]
    mean = 0.0
    for step in range(steps):
        if step % len(starts) == 0:
            chosen.shuffle(starts)
        start = int(starts[step % len(starts)])
        rows = slice(start, start + settings.stretch)
        inputs, real = words.inputs(rows, chosen.choice(list(CASES), p=shares), vectors)
        tags = torch.from_numpy(words.tags[rows].astype(np.int64))
        scores = network(torch.from_numpy(inputs), torch.from_numpy(real)[:, None])
        loss = functional.cross_entropy(scores, tags, ignore_index=SEPARATOR)
        rate = min(1, (step + 1) / settings.warm_up) * (1 + math.cos(math.pi * step / steps)) / 2
        optimizer.param_groups[0]["lr"] = settings.learning_rate * rate
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        mean += (loss.item() - mean) * max(0.01, 1 / (step + 1))
        if (step + 1) % 500 == 0 or step + 1 == steps:
            progress(f"step {step + 1} of {steps}, loss {mean:.4f}")
    return _weights(network)


def _make_network(inputs: int, settings: TaggerSettings) -> torch.nn.Module:
    """Make the network of `TagNetwork` in torch."""
    import torch
    from torch import nn
    from torch.nn import functional

    width = settings.width

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.word, self.word_norm = nn.Linear(inputs, width), nn.LayerNorm(width)
            self.context = nn.ModuleList(nn.Linear(3 * width, width) for _ in range(settings.layers))
            self.context_norm = nn.ModuleList(nn.LayerNorm(width) for _ in range(settings.layers))
            self.tag = nn.Linear(width, len(PENN_TAGS))
            self.drop = nn.Dropout(settings.dropout)

        def forward(self, words: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
            states = self.word_norm(functional.relu(self.word(self.drop(words)))) * real
            for layer, norm in zip(self.context, self.context_norm, strict=True):
                beside = functional.pad(states, (0, 0, 1, 1))
                around = torch.cat([beside[:-2], states, beside[2:]], dim=1)
                states = norm(states + self.drop(functional.relu(layer(around)))) * real
            scores: torch.Tensor = self.tag(states)
            return scores

    return Network()


def _weights(network: torch.nn.Module) -> TagWeights:
    """Return the weights as `TagNetwork` names and turns them, in half precision."""
    weights: TagWeights = {"tags": np.asarray(PENN_TAGS)}
    for name, tensor in network.state_dict().items():
        module, _, kind = name.rpartition(".")
        stem, _, number = module.partition(".")
        own = f"context{number}{stem.removeprefix('context')}" if number else stem
        weights[f"{own}_{kind}"] = tensor.numpy().T.astype(np.float16)
    return weights


def main(arguments: Sequence[str] | None = None) -> None:
    """Train the tagger and write its weights.

    Args:
        arguments: Arguments of the command line; None for those of the process.
    """
    parser = argparse.ArgumentParser(prog="python -m mderank.research.training.tagger", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with wikitext2/ and tuning/")
    parser.add_argument("--output", type=Path, required=True, help="file of the weights, tagger.npz")
    parser.add_argument("--epochs", type=int, default=TaggerSettings.epochs)
    given = parser.parse_args(arguments)
    words = label(training_texts(given.data), SpacyTagger(), WordPieceVectors())
    print(f"{int((words.tags >= 0).sum())} words")
    weights: dict[str, Any] = dict(train_tagger(words, TaggerSettings(epochs=given.epochs)))
    np.savez(given.output, **weights)


if __name__ == "__main__":
    main()

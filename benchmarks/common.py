"""What the benchmarks share: texts, encoders, alternating timers, and figures with their targets."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

from mderank import MDERank
from mderank.candidates import CandidateSource, NounPhrases
from mderank.document import Document
from mderank.encoding import Encoder, Request, embed
from mderank.masking import MaskAll
from mderank.tagging import SpacyTagger

ROOT = Path(__file__).resolve().parent.parent
LAYER = 6  # the last of MiniLM-L6

Block = TypeVar("Block")


# --- texts ------------------------------------------------------------------------------------------------------------


def data_file(name: str) -> Path:
    """A file of the benchmark data, or one line about where it should be."""
    folder = Path(os.environ.get("MDERANK_DATA_DIR") or ROOT.parent / "shared" / "data")
    if not (folder / name).is_file():
        sys.exit(f"no benchmark data: {folder / name} is missing; set MDERANK_DATA_DIR to the folder that holds it")
    return folder / name


def records(name: str) -> list[dict[str, str]]:
    data = data_file(name).read_bytes()
    text = (gzip.decompress(data) if name.endswith(".gz") else data).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def abstracts(count: int, name: str = "inspec.jsonl") -> list[str]:
    """The first ``count`` abstracts, each with its title before it."""
    return [f"{record['title']} {record['text']}" for record in records(name)[:count]]


def news(count: int, words: int = 512) -> list[str]:
    """The first ``count`` DUC2001 documents of at least ``words`` words, cut to these."""
    return cut_to(words, (record["text"] for record in records("duc2001.jsonl")))[:count]


def papers(count: int, words: int = 8000, name: str = "nus.jsonl.gz") -> list[str]:
    """The ``count`` papers that are the closest to ``words`` words from above, cut to these."""
    texts = sorted((record["text"] for record in records(name)), key=lambda text: len(text.split()))
    return cut_to(words, texts)[:count]


def cut_to(words: int, texts: Iterable[str]) -> list[str]:
    """The first ``words`` words of the texts that have so many."""
    first_words = re.compile(rf"\s*(?:\S+\s+){{{words - 1}}}\S+")
    return [match[0] for match in map(first_words.match, texts) if match]


# --- models -----------------------------------------------------------------------------------------------------------


def model_folder() -> Path:
    """The folder with the float32 original of the bundled model, or one line about how to get it."""
    folder = os.environ.get("MDERANK_MODELS_DIR")
    if not folder or not (Path(folder) / "minilm" / "model.safetensors").is_file():
        where = f"{folder}/minilm is missing" if folder else "MDERANK_MODELS_DIR is not set"
        sys.exit(f"no model weights: {where}; it is a folder that holds all-MiniLM-L6-v2 in safetensors as minilm/")
    return Path(folder) / "minilm"


# --- work for an encoder ----------------------------------------------------------------------------------------------


def tag(texts: Sequence[str]) -> list[Document]:
    return list(SpacyTagger().tag(texts))


def requests(
    encoder: Encoder,
    documents: Iterable[Document],
    max_tokens: int | None = None,
    candidates: CandidateSource | None = None,
) -> list[Request]:
    """What `MDERank` asks of its encoder, by default for its own candidates.

    ``max_tokens``, special tokens counted, reads only the beginning of every document.
    """
    source = candidates or NounPhrases()
    made = []
    for document in documents:
        pieces = encoder.tokenize(document.text)
        if max_tokens is not None:
            pieces = pieces.upto(max_tokens - (encoder.spec.max_length - encoder.spec.capacity))
        read = document.upto(int(pieces.ends[-1]))
        masks = [mask for some in MaskAll().masks(read, source.find(read)) for mask in some]
        made.append(Request(pieces, read.sentence_ends(), masks))
    return made


def one_pass(encoder: Encoder, block: Sequence[Request]) -> None:
    embed(encoder, block, pooling="mean", layer=LAYER, exact=False)


def exact(encoder: Encoder, block: Sequence[Request]) -> None:
    embed(encoder, block, pooling="mean", layer=LAYER, exact=True)


def extractor() -> MDERank:
    """The default extractor, with everything loaded."""
    loaded = MDERank()
    loaded.extract("A warm engine starts at once.")
    return loaded


# --- environments -----------------------------------------------------------------------------------------------------


def light_python() -> str:
    """A python with mderank and without torch, or one line about how to make it."""
    python = os.environ.get("MDERANK_LIGHT_PYTHON")
    if not python or not Path(python).is_file():
        sys.exit(
            "no light environment: set MDERANK_LIGHT_PYTHON to a python in which only `pip install mderank` was done"
        )
    return python


# Not ru_maxrss: a process inherits that of the one that started it, here a benchmark with its encoders loaded.
_PEAK = """
import pathlib, re, sys
from mderank import MDERank, NGrams
from mderank.encoding import one_pass as packing
{settings}
MDERank({arguments}).extract(sys.stdin.buffer.read().decode())
print(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
"""


def peak_memory(python: str, text: str, settings: str = "", arguments: str = "") -> float:
    """The largest resident set, in MB, of a fresh process that extracts from ``text`` (Linux only)."""
    command = [python, "-c", _PEAK.format(settings=settings, arguments=arguments)]
    printed = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
    return int(printed) * 1024 / 1e6


# --- timing -----------------------------------------------------------------------------------------------------------


def blocks(items: Sequence[Block], size: int) -> list[Sequence[Block]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def alternate(
    sides: Sequence[Callable[[int], object]],
    count: int,
    rounds: int,
    *,
    warm_up: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> list[list[float]]:
    """Seconds that each side takes for all of ``count`` blocks, round by round.

    The sides take turns block by block, and in the next block in reverse, so that whatever else the machine does
    meets all of them alike. To warm up, block 0 is run once beforehand, and not counted.
    """
    for side in sides if warm_up else ():
        side(0)
    seconds = [[0.0] * rounds for _ in sides]
    for number in range(rounds):
        for block in range(count):
            order = list(enumerate(sides))
            for index, side in order if (block + number) % 2 == 0 else reversed(order):
                start = clock()
                side(block)
                seconds[index][number] += clock() - start
    return seconds


# --- figures ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figure:
    """One measured number beside its target, if it has one."""

    what: str
    value: float
    unit: str
    detail: str
    at_least: float | None = None
    at_most: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.at_least is None and self.at_most is None:
            return None
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )

    @property
    def target(self) -> str:
        sign, bound = ("≥", self.at_least) if self.at_least is not None else ("≤", self.at_most)
        return "" if bound is None else f"{sign} {bound:g} {self.unit}"

    @property
    def measured(self) -> str:
        return f"{_digits(self.value)} {self.unit}"


def _digits(value: float) -> str:
    if abs(value) < 1:
        return f"{value:.4f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}" if abs(value) < 100 else f"{value:.0f}"


def ratio(
    what: str,
    slow: Sequence[float],
    fast: Sequence[float],
    documents: int,
    *,
    parts: bool = False,
    note: str = "",
    at_least: float | None = None,
    at_most: float | None = None,
) -> Figure:
    """How many times longer ``slow`` took than ``fast``, round by round: the median.

    With ``parts`` the times are not of rounds but of different documents: the ratio of the totals.
    """
    ratios = [one / other for one, other in zip(slow, fast, strict=True)]
    total = sum if parts else statistics.median
    each = [1000 * total(side) / documents for side in (slow, fast)]
    value = each[0] / each[1] if parts else statistics.median(ratios)
    spread = f"{len(ratios)} {'parts' if parts else 'rounds'}: {_digits(min(ratios))} to {_digits(max(ratios))}"
    detail = f"{_digits(each[0])} ms against {_digits(each[1])} ms a document, {documents} documents, {spread}"
    return Figure(what, value, "×", f"{detail}{'; ' if note else ''}{note}", at_least, at_most)


def table(figures: Iterable[Figure]) -> str:
    """A Markdown table."""
    marks = {True: "met", False: "**missed**", None: ""}
    rows = [("what", "target", "measured", "", "detail"), ("---",) * 5]
    rows += [(each.what, each.target, each.measured, marks[each.met], each.detail) for each in figures]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def processor_seconds() -> tuple[float, float]:
    """What all processes have used of the processor, and what this one and its children have (Linux only)."""
    user, nice, system, _, _, irq, softirq = map(int, Path("/proc/stat").read_text().split()[1:8])
    everyone = (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
    return everyone, sum(os.times()[:4])


def main(measure: Callable[..., Iterable[Figure]], description: str | None, names: Sequence[str] = ()) -> None:
    """Run one benchmark from the command line.

    With ``names`` of what there is to measure, some of them can be asked for, and ``measure`` is given these.
    """
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few documents only, to see that it works")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE too")
    if names:
        parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(names)} (default: all)")
    arguments = parser.parse_args()
    asked_for = tuple(arguments.names or names) if names else ()
    for name in asked_for:
        if name not in names:
            parser.error(f"nothing is called '{name}': there are {', '.join(names)}")
    start, before = time.perf_counter(), processor_seconds()
    figures = []
    for figure in measure(arguments.quick, asked_for) if names else measure(arguments.quick):
        print(table([figure]).splitlines()[-1], file=sys.stderr, flush=True)
        figures.append(figure)
    everyone, own = (now - then for now, then in zip(processor_seconds(), before, strict=True))
    others = (everyone - own) / (time.perf_counter() - start)
    print(table(figures))
    print(f"\nOther processes used {others:.2f} of {os.cpu_count()} cores meanwhile.")
    if arguments.json:
        result = {"others": round(others, 2), "figures": [asdict(figure) for figure in figures]}
        arguments.json.write_text(json.dumps(result, ensure_ascii=False, indent=2))

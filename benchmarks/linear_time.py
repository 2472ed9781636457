"""How processor time grows with the text: hostile texts by stages, at some length and at four times that length.

A stage that is linear takes about 4 times as long for 4 times the text; one that grows with the square takes 16 times.
A figure is the ratio for the two longest texts of a ladder that is climbed until the stage has taken long enough to be
measured. Of three tries the lowest ratio counts. Python's cyclic garbage collector is off meanwhile, since it runs at
intervals of its own. Cells without a figure took too little time to tell on the longest text.

The encoder and the tagger's network are stand-ins that cost little per token, so that what is around them is seen. What
they are given is counted in tests/contract/test_linear_time.py. The collector of waste apart, all else is as in use.

    python benchmarks/linear_time.py                     # all: nine minutes of processor time
    python benchmarks/linear_time.py html layout         # some stages
    python benchmarks/linear_time.py --write             # also into docs/linear_time.json
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import itertools
import json
import os
import random
import string
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from mderank.candidates import NGrams, NounPhrases, PhraseList, Terms
from mderank.document import Document
from mderank.errors import InputError
from mderank.methods.registry import METHODS
from mderank.methods.yake.yake import KeywordNGrams
from mderank.ranking import MMR
from mderank.reading import ReadOptions
from mderank.reading.eml import mail_text_and_subject
from mderank.reading.html import html_text
from mderank.reading.markdown import blank_markup
from mderank.reading.rst import blank_rst
from mderank.reading.tex import tex_text
from mderank.tagging import SpacyTagger
from mderank.tagging.layout import read_layout
from mderank.tagging.tokenizer import tokenize
from mderank.testing import FakeEncoder

FACTOR = 4
MOST = 6.0  # ratio of times for FACTOR times the text
FIRST, LAST = 4_000, 1_100_000  # characters
ENOUGH = 0.04  # seconds from which on a ratio says something
LONG = 2.0  # seconds after which no longer text is tried
TRIES = 3
QUICK = 5
TABLE = Path(__file__).resolve().parent.parent / "docs" / "linear_time.json"

Make = Callable[[int], str]


# --- hostile texts ----------------------------------------------------------------------------------------------------

MARKS = "( ) ' 😀 \" - / . _ # * ` | > < & [ ] ~ = : , + @ \\ ! ; { } $ % ’ – — … •".split(" ")
OTHERS = {"digits": "7", "combining characters": "\u0301", "joiners": "\u200d", "ideographs": "中", "letters": "a",
          "control characters": "\x00", "white space": " ", "line breaks": "\n", "page breaks": "\f"}  # fmt: skip
MARKDOWN = ("*", "_", "`", "#", ">", "|", "[", "](", ")", "<", "-", "\n", " ", "a", "<!--")
HTML = ("<", ">", "<a ", '<a href="', "a=", '"', "'", "<!--", "-->", "<![CDATA[", "&", "&#", "</p>", "<svg>", "</svg>",
        "<script>", "<pre>", " ", "a")  # fmt: skip
RST = ("*", "`", "_", "|", ":", ":a:", "::\n", ".. ", ".. a::\n", "[", "]_", "<", ">`", "=", "+-", ">>> ", "\\", "\n",
       "\n\n", " ", "   ", "a")  # fmt: skip
TEX = ("\\", "\\a", "\\cite", "\\section", "\\footnote", "\\verb|", "\\begin{a}", "\\begin{verbatim}",
       "\\end{verbatim}", "\\begin{tabular}", "\\item", "\\[", "\\(", "\\'", "$", "$$", "{", "}", "[", "]", "%", "&",
       "~", "\n", "\n\n", " ", "a")  # fmt: skip
MAIL = ("--b", "--b--", "\n", "\n\n", "\r\n", "Content-Type: multipart/mixed; boundary=b\n",
        "Content-Type: message/rfc822\n", "Content-Type: text/html\n", "Content-Transfer-Encoding: base64\n",
        "To: ", "=?utf-8?q?", "?=", ";", ":", "=", "(", '"', " ", "<", "a")  # fmt: skip
MAIL_HEADER = "From: a\nSubject: b\nContent-Type: multipart/mixed; boundary=b\n\n"


def repeat(*units: str) -> Make:
    unit = "".join(units)
    return lambda length: unit * (length // len(unit))


def halves(first: str, second: str) -> Make:
    return lambda length: first * (length // 2 // len(first)) + second * (length // 2 // len(second))


def words(separator: str, letters: int = 6) -> Make:
    """Different words of so many letters."""

    def make(length: int) -> str:
        draw = random.Random(0).choices
        size = letters + len(separator)
        return separator.join("".join(draw(string.ascii_lowercase, k=letters)) for _ in range(length // size))

    return make


def marks() -> Iterator[tuple[str, Make]]:
    for mark in MARKS:
        yield f"{mark} repeated", repeat(mark)
    for mark in MARKS[::3]:
        yield f"{mark} and spaces", repeat(mark, " ")
        yield f"{mark} a line", repeat(mark, "\n")
    for name, character in OTHERS.items():
        yield name, repeat(character)
    for joint in "-/._'&+:,–@":
        yield f"a{joint}a{joint}…", repeat("a", joint)
        yield f"7{joint}7{joint}…", repeat("7", joint)
    yield "letters with accents", repeat("a\u0301")


def texts_of_words() -> Iterator[tuple[str, Make]]:
    yield "one phrase in one line", repeat("storm surge ")
    yield "one phrase in sentences", repeat("Storm surges. ")
    yield "a word a line", words("\n")
    yield "words in one line", words(" ")
    yield "words without white space", words("")
    yield "words as paragraphs", words("\n\n")
    yield "short phrases", words(". ", letters=3)
    yield "phrases with one head", words(" surge. ")
    yield "phrases with one tail", words(" of storm surge. ")
    yield "enumerations", words(", ")
    yield "acronyms", words(" (ABC) ")
    yield "divided words", words("-\n")


def texts_with_a_layout() -> Iterator[tuple[str, Make]]:
    yield "mail headers", repeat("From: a\nSubject: b\n c\n")
    yield "labels", repeat("Note: a\n")
    yield "signatures", repeat("Regards,\n")
    yield "subtitles", repeat("00:01 --> 00:02\n\nNOTE x\n")
    yield "references", repeat("References\nSmith, J. 1999. x\n")
    yield "minutes", repeat("Present:\nAnn Lee\n")
    yield "code fences", repeat("```\nx\n")
    yield "tables", repeat("a,b\tc | d\n")
    yield "quotations", repeat("> > a\n")


def pairs(marks: tuple[str, ...]) -> Iterator[tuple[str, Make]]:
    for first, second in itertools.product(marks, repeat=2):
        if first != second:
            yield f"{first!r}{second!r}…", repeat(first, second)
        yield f"{first!r}…{second!r}…", halves(first, second)


# --- stages -----------------------------------------------------------------------------------------------------------


@Language.component("stand_in_tags")
def stand_in_tags(doc: Doc) -> Doc:
    """Tags that cost little: words are nouns."""
    for word in doc:
        word.tag_ = "NN" if word.is_alpha else "CD" if word.is_digit else "." if word.text in ".?!" else ":"
    return doc


def prepare_mail(text: str) -> bytes:
    return f"{MAIL_HEADER}{text}".encode()


def read_mail(data: bytes) -> None:
    """Read a mail; one with too many parts is refused."""
    with contextlib.suppress(InputError):
        mail_text_and_subject(data, ReadOptions())


class Stage(NamedTuple):
    """Something to measure.

    Attributes:
        name: Its name.
        run: What is measured.
        texts: Its texts.
        prepare: What is done to a text before, without being measured.
    """

    name: str
    run: Callable[[Any], object]
    texts: dict[str, Make]
    prepare: Callable[[str], Any] = str


def stages() -> Iterator[Stage]:
    nlp = spacy.blank("en")
    nlp.add_pipe("stand_in_tags")
    own, by_spacy = SpacyTagger(nlp), SpacyTagger(nlp, tokenizer="spacy")
    worded = dict(texts_of_words())
    plain = dict(marks()) | worded | dict(texts_with_a_layout())
    markdown = plain | dict(pairs(MARKDOWN))
    html = plain | dict(pairs(HTML))

    def tag_by(tagger: SpacyTagger) -> Callable[[str], Document]:
        return lambda text: next(tagger.tag([text]))

    yield Stage("markdown", blank_markup, markdown)
    yield Stage("html", html_text, html)
    yield Stage("reStructuredText", blank_rst, plain | dict(pairs(RST)))
    yield Stage("LaTeX", tex_text, plain | dict(pairs(TEX)))
    yield Stage("mail", read_mail, plain | dict(pairs(MAIL)), prepare_mail)
    yield Stage("layout", read_layout, plain)
    yield Stage("tokenizer", tokenize, plain)
    yield Stage("tagging", tag_by(own), plain)
    yield Stage("tagging, spaCy's words", tag_by(by_spacy), plain)
    sources = {"Terms": Terms(), "NounPhrases": NounPhrases(max_phrase_words=None), "NGrams": NGrams(),
               "KeywordNGrams": KeywordNGrams(), "PhraseList": PhraseList(["storm surge", "a", "("])}  # fmt: skip
    for name, source in sources.items():
        yield Stage(f"candidates, {name}", source.find, worded, tag_by(own))
    for name, options in METHOD_OPTIONS.items():
        extractor = METHODS[name.partition(",")[0]].make(**options)
        yield Stage(f"method, {name}", extractor.extract, worded, tag_by(own))


def method_options() -> dict[str, dict[str, Any]]:
    """The options of each method that is measured. AttentionRank compares every candidate with every sentence."""
    encoder = FakeEncoder(max_length=512)
    found: dict[str, dict[str, Any]] = {
        name: {"model": encoder} for name in ("fusion", "mderank", "embedrank", "keybert", "sifrank", "sifrank-plus")
    }
    found["mderank, max pooling"] = {"model": encoder, "pooling": "max"}
    found["mderank, MMR"] = {"model": encoder, "diversity": MMR(diversity=0.5)}
    others = [method.name for method in METHODS.values() if method.kind != "embedding"]
    return found | {name: {} for name in others}


METHOD_OPTIONS = method_options()


# --- measuring --------------------------------------------------------------------------------------------------------


def seconds(run: Callable[[Any], object], prepared: Any) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        run(prepared)
        return time.process_time() - start
    finally:
        gc.enable()


class Cell(NamedTuple):
    """The growth of a stage on a kind of text: its ratio, None if too fast to tell, and the longest text's figures."""

    text: str
    ratio: float | None
    characters: int
    seconds: float


def growth(stage: Stage, name: str, most: int) -> Cell:
    make = stage.texts[name]
    length = FIRST
    shorter, longer = stage.prepare(make(length)), stage.prepare(make(FACTOR * length))
    stage.run(shorter)  # what is loaded or cached at the first call
    while (took := seconds(stage.run, longer)) < ENOUGH and FACTOR * FACTOR * length <= most:
        length *= FACTOR
        shorter, longer = longer, stage.prepare(make(FACTOR * length))
    if took < ENOUGH:
        return Cell(name, None, FACTOR * length, took)
    ratio = took / seconds(stage.run, shorter)
    # A step in the time, such as the first text that has candidates, is not there at the next length.
    while ratio > MOST and took < LONG and FACTOR * FACTOR * length <= most:
        length *= FACTOR
        shorter, longer = longer, stage.prepare(make(FACTOR * length))
        took = seconds(stage.run, longer)
        ratio = took / seconds(stage.run, shorter)
    for _ in range(TRIES - 1):
        if ratio > MOST:
            ratio = min(ratio, seconds(stage.run, longer) / seconds(stage.run, shorter))
    return Cell(name, ratio, FACTOR * length, took)


def row(stage: str, cells: list[Cell]) -> dict[str, Any]:
    """A row of the table: the worst ratio of a stage, and the slowest text per character."""
    measured = [cell for cell in cells if cell.ratio is not None]
    worst = max(measured, key=lambda cell: cell.ratio or 0.0, default=None)
    slowest = max(cells, key=lambda cell: cell.seconds / cell.characters)
    return {
        "stage": stage,
        "texts": len(cells),
        "worst_ratio": worst and round(worst.ratio or 0.0, 2),
        "worst_text": worst and worst.text,
        "slowest_text": slowest.text,
        "seconds_per_million_characters": round(1e6 * slowest.seconds / slowest.characters, 1),
        "held": worst is None or (worst.ratio or 0.0) <= MOST,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", help="names of stages, or their beginnings; all without any")
    parser.add_argument("--texts", default="", help="only texts with this in their name")
    parser.add_argument("--quick", action="store_true", help=f"every {QUICK}th text only")
    parser.add_argument("--longest", type=int, default=LAST, help="characters of the longest text")
    parser.add_argument("--write", action="store_true", help=f"write the table to {TABLE.name}")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    gc.freeze()  # what is loaded is not looked through before each measurement
    rows = json.loads(TABLE.read_text())["rows"] if arguments.write and TABLE.exists() else []
    failed = 0
    for stage in stages():
        if arguments.stages and not stage.name.startswith(tuple(arguments.stages)):
            continue
        cells = []
        for name in [name for name in stage.texts if arguments.texts in name][:: QUICK if arguments.quick else 1]:
            cell = growth(stage, name, arguments.longest)
            cells.append(cell)
            if cell.ratio is not None and cell.ratio > MOST:
                failed += 1
                print(f"  {stage.name}: {cell.text}: {cell.ratio:.1f} at {cell.characters} characters", flush=True)
        made = row(stage.name, cells)
        rows = [each for each in rows if each["stage"] != stage.name] + [made]
        print(
            f"{stage.name}: worst ratio {made['worst_ratio']} ({made['worst_text']}), {len(cells)} texts, slowest "
            f"{made['seconds_per_million_characters']} s per million characters ({made['slowest_text']})",
            flush=True,
        )
        if arguments.write:
            TABLE.write_text(
                json.dumps({"factor": FACTOR, "most": MOST, "rows": rows}, indent=1, ensure_ascii=False) + "\n"
            )
    if failed:
        sys.exit(f"{failed} cells grow faster than {MOST} times for {FACTOR} times the text")


if __name__ == "__main__":
    main()

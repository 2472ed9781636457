"""A vocabulary of 50,000 labels: time and memory to load it, and time to extract with it.

``python benchmarks/vocabulary.py``: 25,000 concepts with a preferred label and a synonym each, 24,000 of random words
and 1,000 of words that follow each other in the texts. They are written as SKOS (Turtle and RDF/XML), CSV and JSON.
Each file is loaded in a process of its own, which prints processor time and memory (on Linux). Then 50 abstracts, and 2
papers of 8,000 words, are read by the default method with all 25,000 concepts, with only those that occur in the texts,
and without a vocabulary. The three take turns, and processor times are compared. ``--quick``: a tenth of the texts.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from common import abstracts, alternate, papers
from mderank import Concept, FusionRank, Vocabulary
from mderank.vocabularies import vocabulary_json

CONCEPTS, FROM_TEXTS, ROUNDS = 25_000, 1_000, 5
SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SYLLABLES = "ba co du fe gi ho ju ka lo mi nu pa ro sa ti vu wex yor zan qui".split()
LOAD = """
import pathlib, re, sys, time
from mderank.vocabularies import load_vocabulary
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) / 1000
start, before = time.process_time(), peak()
vocabulary = load_vocabulary(sys.argv[1])
loaded = time.process_time()
vocabulary.concept_of("tide", "en")
print(f"{loaded - start:.2f} s, and {time.process_time() - loaded:.2f} s for the index; {peak() - before:.0f} MB")
"""


def make_concepts(texts: list[str]) -> list[Concept]:
    """Concepts with a preferred label and a synonym each, some of which occur in the texts."""
    chance = random.Random(0)
    invented = sorted({"".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(12_000)})
    words = [word for text in texts for word in text.split()]

    def label(number: int) -> str:
        size = chance.choice((1, 2, 2, 3))
        if number >= FROM_TEXTS:
            return " ".join(chance.choices(invented, k=size))
        start = chance.randrange(len(words) - size)
        return " ".join(words[start : start + size]).strip(".,;:()") or "tide"

    return [
        Concept(f"http://example.org/{number}", {"en": label(number)}, {"en": [label(number)]})
        for number in range(CONCEPTS)
    ]


def write(folder: Path, concepts: list[Concept]) -> Iterator[Path]:
    """The same vocabulary in four formats."""
    from xml.sax.saxutils import escape

    labels = [(each.id, each.preferred["en"], each.alternative.get("en", ("",))[0]) for each in concepts]
    quoted = [tuple(text.replace("\\", "").replace('"', "") for text in row) for row in labels]
    turtle = "".join(
        f'<{name}> a skos:Concept ; skos:prefLabel "{first}"@en ; skos:altLabel "{second}"@en ; skos:broader <x> .\n'
        for name, first, second in quoted
    )
    xml = "".join(
        f'<skos:Concept rdf:about="{name}"><skos:prefLabel xml:lang="en">{escape(first)}</skos:prefLabel>'
        f'<skos:altLabel xml:lang="en">{escape(second)}</skos:altLabel>'
        '<skos:broader rdf:resource="x"/></skos:Concept>\n'
        for name, first, second in quoted
    )
    contents = {
        "vocabulary.ttl": f"@prefix skos: <{SKOS}> .\n{turtle}",
        "vocabulary.rdf": f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:skos="{SKOS}">\n{xml}</rdf:RDF>\n',
        "vocabulary.csv": "id,label,synonyms,language\n" + "".join(f'{n},"{a}","{b}",en\n' for n, a, b in quoted),
        "vocabulary.json": vocabulary_json(Vocabulary(concepts)),
    }
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
        yield folder / name


def main() -> None:
    share = 10 if "--quick" in sys.argv else 1
    groups = {"abstracts": abstracts(50 // share), "papers of 8,000 words": papers(2 if share == 1 else 1)}
    texts = [text for group in groups.values() for text in group]
    concepts = make_concepts(texts)
    with tempfile.TemporaryDirectory() as folder:
        for file in write(Path(folder), concepts):
            printed = subprocess.run([sys.executable, "-c", LOAD, file], capture_output=True, text=True, check=True)
            print(f"{file.name} ({file.stat().st_size / 1e6:.1f} MB): {printed.stdout.strip()}", flush=True)
    large = FusionRank(candidates=Vocabulary(concepts))
    for name, group in groups.items():
        occurring = {each.concept.id for found in large.extract_many(group, None) for each in found if each.concept}
        small = FusionRank(candidates=Vocabulary(each for each in concepts if each.id in occurring))
        sides = [lambda n, e=each, g=group: e.extract(g[n]) for each in (large, small, FusionRank())]
        seconds = alternate(sides, len(group), ROUNDS, clock=time.process_time)
        for what, other in (("only those that occur", seconds[1]), ("no vocabulary", seconds[2])):
            ratios = [one / two for one, two in zip(seconds[0], other, strict=True)]
            print(
                f"{name}: {CONCEPTS:,} concepts take {statistics.median(ratios):.2f} times as long as {what} "
                f"({len(occurring)} occur; {min(ratios):.2f} to {max(ratios):.2f})",
                flush=True,
            )


if __name__ == "__main__":
    main()

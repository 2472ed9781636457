"""Accuracy, certainty and time of `detect_language`, by language and length of the text.

``python benchmarks/language_detection.py FOLDER [--against py3langid] [--certainty]``. FOLDER has a folder of
text files per language, called after its code: ``de/*.txt``, one paragraph per line. Samples are runs of 5 to 100 words
from random paragraphs that are long enough, at most 200 of each length; of Chinese, Japanese and Thai, three characters
per word.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from mderank.languages import detect_language, get_language

LENGTHS = (5, 10, 20, 50, 100)  # words
SAMPLES = 200
FEWEST = 20  # samples that a figure is given for
UNSPACED = ("zh", "ja", "th")
CHARACTERS = 3  # per word, in languages without spaces
BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0)


def samples(folder: Path, words: int) -> list[str]:
    """Runs of so many words, each from another paragraph; the same ones in each run of this script."""
    unspaced = folder.name in UNSPACED
    wanted = words * CHARACTERS if unspaced else words
    chosen = random.Random(f"{folder.name} {words}")
    found = []
    for file in sorted(folder.glob("*.txt")):
        for line in file.read_text(encoding="utf-8").splitlines():
            units = line if unspaced else line.split()
            if len(units) >= wanted:
                found.append(units)
    chosen.shuffle(found)
    runs = []
    for units in found[:SAMPLES]:
        start = chosen.randrange(len(units) - wanted + 1)
        run = units[start : start + wanted]
        runs.append(run if isinstance(run, str) else " ".join(run))
    return runs


def load_py3langid() -> Callable[[str], str]:
    from py3langid import langid

    identify = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE).classify
    same = {"no": "nb", "nn": "nb", "bs": "hr"}  # codes that one language of ours stands for

    def detect(text: str) -> str:
        code = str(identify(text)[0])
        return same.get(code, code)

    return detect


def table(folders: list[Path], detect: Callable[[str], str]) -> None:
    """Print the share of right answers, what was said instead from 20 words on, and the time per sample."""
    shares: dict[int, list[float]] = {length: [] for length in LENGTHS}
    seconds, count = Counter[int](), Counter[int]()
    print("| language |", " | ".join(f"{length} words" for length in LENGTHS), "| instead, from 20 words |")
    print("| --- |", " | ".join("---" for _ in LENGTHS), "| --- |")
    for folder in folders:
        instead: Counter[str] = Counter()
        cells = []
        for length in LENGTHS:
            texts = samples(folder, length)
            if len(texts) < FEWEST:
                cells.append("–")
                continue
            detect(texts[0])  # tables are loaded when they are first needed
            started = time.process_time()
            codes = [detect(text) for text in texts]
            seconds[length] += time.process_time() - started
            count[length] += len(texts)
            shares[length].append(100 * sum(code == folder.name for code in codes) / len(codes))
            cells.append(f"{shares[length][-1]:.1f}")
            if length >= 20:
                instead.update(code for code in codes if code != folder.name)
        names = ", ".join(f"{code} {times}" for code, times in instead.most_common(3))
        print(f"| {folder.name} |", " | ".join(cells), f"| {names} |")
    means = (f"**{sum(each) / len(each):.1f}**" for each in shares.values())
    print("| **mean** |", " | ".join(means), "| |")
    times = (f"{1000 * seconds[length] / count[length]:.2f}" for length in LENGTHS)
    print("| ms per text |", " | ".join(times), "| |")


def certainty(folders: list[Path]) -> None:
    """Print the share of right answers for ranges of certainty, over languages that share a script, 5 to 50 words."""
    answers = []
    for folder in folders:
        if get_language(folder.name).script in ("Latin", "Cyrillic", "Arabic", "Devanagari", "Hebrew"):
            for length in LENGTHS[:-1]:
                found = map(detect_language, samples(folder, length))
                answers += [(each.certainty, each.code == folder.name) for each in found]
    print("| certainty | texts | mean certainty | right |")
    print("| --- | --- | --- | --- |")
    for low, high in zip((0.0, *BINS), (*BINS, 1.1), strict=False):
        some = [answer for answer in answers if low <= answer[0] < high]
        if some:
            said, right = (100 * sum(values) / len(some) for values in zip(*some, strict=True))
            print(f"| {low} to {min(high, 1.0)} | {len(some)} | {said:.1f} % | {right:.1f} % |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--against", choices=["py3langid"], help="the table of this package instead")
    parser.add_argument("--certainty", action="store_true", help="how far the certainty can be trusted, instead")
    arguments = parser.parse_args()
    folders = sorted(path for path in arguments.folder.iterdir() if path.is_dir())
    if arguments.certainty:
        certainty(folders)
    else:
        table(folders, load_py3langid() if arguments.against else lambda text: detect_language(text).code)


if __name__ == "__main__":
    main()

"""The memory and processor time of the largest tokenizer file that is accepted, filled with short words."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from common import Figure, main
from mderank.encoding import BUNDLED_MODEL_FOLDER
from mderank.encoding.file_checks import MAX_TOKENIZER_BYTES

LOAD = """
import re, sys, time
from pathlib import Path
from mderank.encoding.tokenizer import load_tokenizer
# Not ru_maxrss, in which a process inherits the peak of its parent.
peak = lambda: int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
before, start = peak(), time.process_time()
load_tokenizer(Path(sys.argv[1]))
print(peak() - before, time.process_time() - start)
"""


def write_tokenizer(file: Path, size: int) -> int:
    """Write a tokenizer of at most ``size`` bytes with as many words as go in, and return their number."""
    content = json.loads((BUNDLED_MODEL_FOLDER / "tokenizer.json").read_text(encoding="utf-8"))
    words = content["model"]["vocab"]
    room = size - len(json.dumps(content, separators=(",", ":")).encode())
    number = len(words)
    while True:
        word = f"{number:x}"
        room -= 0 if word in words else len(f'"{word}":{number},')
        if room < 0:
            break
        words.setdefault(word, number)
        number += 1
    file.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")
    return len(words)


def measure(quick: bool) -> Iterator[Figure]:
    size = MAX_TOKENIZER_BYTES // (10 if quick else 1)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "tokenizer.json"
        words = write_tokenizer(file, size)
        done = subprocess.run([sys.executable, "-c", LOAD, file], capture_output=True, text=True, check=True)
        memory, seconds = map(float, done.stdout.split())
        detail = f"{words:,} words in {file.stat().st_size / 1e6:.1f} MB, {seconds:.1f} s of processor time"
    yield Figure("memory of the largest tokenizer file", memory, "MiB", detail, at_most=1024)


if __name__ == "__main__":
    main(measure, __doc__)

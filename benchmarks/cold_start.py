"""Cold start: a first keyphrase from the command line, against the time it takes to import torch and transformers.

Wall time of fresh processes that take turns; files are in the disk cache. Measured twice: in this environment, where
torch is installed and spaCy's thinc imports it, and in the one that `pip install mderank` makes, without torch, whose
python is named by MDERANK_LIGHT_PYTHON.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from common import Figure, abstracts, alternate, light_python, main

IMPORTS = (sys.executable, "-c", "import torch, transformers")


def _run(command: Sequence[str], _: int) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def measure(quick: bool) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "abstract.txt"
        file.write_text(abstracts(1)[0], encoding="utf-8")
        for where, python in (("torch installed", sys.executable), ("no torch installed", light_python())):
            ours = partial(_run, (str(Path(python).parent / "mderank"), "extract", str(file)))
            imports, extract = alternate([partial(_run, IMPORTS), ours], 1, 2 if quick else 9)
            sooner = statistics.median(imports) / statistics.median(extract)
            detail = (
                f"`mderank extract` {statistics.median(extract):.2f} s ({min(extract):.2f} to {max(extract):.2f}), "
                f"`import torch, transformers` {statistics.median(imports):.2f} s "
                f"({min(imports):.2f} to {max(imports):.2f}), medians of {len(imports)} rounds"
            )
            yield Figure(f"cold start against the imports alone, {where}", sooner, "×", detail, at_least=1)


if __name__ == "__main__":
    main(measure, __doc__)

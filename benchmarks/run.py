"""Run the benchmarks and write what they measured to results.json and into the table of README.md.

``python benchmarks/run.py`` runs all of them, ``python benchmarks/run.py one_pass cold_start`` only these; the others'
figures stay as they were measured last.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import Figure, table

HERE = Path(__file__).resolve().parent
RESULTS, README = HERE / "results.json", HERE / "README.md"
BENCHMARKS = (
    "one_pass",
    "against_keybert",
    "cold_start",
    "long_documents",
    "agreement",
    "batching",
    "fusion",
    "baselines",
    "methods",
    "training",
)
PACKAGES = (
    "mderank",
    "onnxruntime",
    "numpy",
    "spacy",
    "torch",
    "transformers",
    "sentence-transformers",
    "keybert",
    "yake",
    "pyspark",
    "ray",
)
BEGIN, END = "<!-- figures: written by run.py -->", "<!-- end of figures -->"


def machine() -> dict[str, Any]:
    processors = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"model name\s*:\s*(.*)", processors)
    return {
        "processor": model[1] if model else platform.processor(),
        "cores": os.cpu_count(),
        "instructions": [name for name in ("avx2", "avx512f", "avx512_vnni") if name in processors],
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := installed_version(name)) is not None},
    }


def installed_version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def run(name: str) -> dict[str, Any]:
    """One benchmark in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        done = subprocess.run(
            [sys.executable, HERE / f"{name}.py", "--json", file], stdout=subprocess.DEVNULL, check=False
        )
        if done.returncode:
            sys.exit(f"{name}.py stopped; nothing of it was written")
        when = datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")
        return {"measured": when, **json.loads(file.read_text(encoding="utf-8"))}


def report(results: dict[str, Any]) -> str:
    """The machine and a table for each benchmark."""
    where = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in where["packages"].items())
    lines = [
        f"{where['processor']}, {where['cores']} cores, {', '.join(where['instructions'])}; {where['system']}; "
        f"Python {where['python']}; {versions}."
    ]
    for name, result in results["benchmarks"].items():
        when, others = result["measured"], result["others"]
        command = f"`python benchmarks/{name}.py`, {when}; other processes used {others} cores meanwhile:"
        lines += ["", command, "", table(Figure(**each) for each in result["figures"])]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)} (default: all)")
    names = parser.parse_args().names or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            parser.error(f"no benchmark '{name}': there are {', '.join(BENCHMARKS)}")
    known = json.loads(RESULTS.read_text(encoding="utf-8"))["benchmarks"] if RESULTS.exists() else {}
    for name in names:
        known[name] = run(name)
        ordered = {each: known[each] for each in BENCHMARKS if each in known}
        results = {"machine": machine(), "benchmarks": ordered}
        RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
        readme = README.read_text(encoding="utf-8")
        before, after = readme.split(BEGIN)[0], readme.split(END)[1]
        README.write_text(f"{before}{BEGIN}\n\n{report(results)}\n\n{END}{after}", encoding="utf-8")
    print(report(results))


if __name__ == "__main__":
    main()

"""Build the wheel and the sdist, check what is in them, and try each in a fresh environment: .ci/packages.py [FOLDER].

With FOLDER the two files are kept there. It works on Linux, macOS and Windows, and needs git and the registry. pip
takes PIP_CONSTRAINT from the environment.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/mderank/"

# Runs the command line in a process that cannot open a connection or look up a name.
OFFLINE = """
import sys

def refuse(event, _):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname"):
        raise RuntimeError(f"the package reaches for the network: {event}")

sys.addaudithook(refuse)
import mderank.cli
mderank.cli.main()
"""


def main() -> None:
    """Build, check and try."""
    keep = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        tools = environment(work / "tools", with_pip=True)
        install(tools, tools, "build", "twine")
        packages = work / "dist"
        # `build` makes the wheel from the unpacked sdist, so a file that the sdist lacks is missed here.
        run(tools, "-m", "build", "--outdir", packages, ROOT, quiet=True)
        wheel, sdist = next(packages.glob("*.whl")), next(packages.glob("*.tar.gz"))
        run(tools, "-m", "twine", "check", "--strict", wheel, sdist)
        check_wheel(wheel)
        check_sdist(sdist)
        with ThreadPoolExecutor() as pool:
            list(
                pool.map(
                    lambda package: try_package(package, tools, work / f"try-{package.suffix[1:]}"), (wheel, sdist)
                )
            )
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            for package in (wheel, sdist):
                shutil.copy(package, keep)


def environment(folder: Path, *, with_pip: bool) -> Path:
    """Make a virtual environment, and return its Python."""
    venv.create(folder, with_pip=with_pip)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install(tools: Path, python: Path, *packages: str | Path) -> None:
    """Install packages into the environment of a Python, by the pip of the tools."""
    pip = ("-m", "pip", "--python", python, "--disable-pip-version-check")
    run(tools, *pip, "install", "--quiet", "--no-compile", *packages)
    run(tools, *pip, "check", quiet=True)


def run(python: Path, *arguments: str | Path, cwd: Path | None = None, quiet: bool = False) -> str:
    """Run Python, and return what it printed. Ends with its output if it fails."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    command = [str(each) for each in (python, *arguments)]
    done = subprocess.run(
        command, cwd=cwd, env=clean | {"PYTHONUTF8": "1"}, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{done.stderr}\nfailed: {' '.join(command)[:300]}")
    if not quiet and done.stdout:
        print(done.stdout.strip())
    return done.stdout


def tracked(*below: str) -> set[str]:
    """Return the files that git knows, and that exist."""
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", *below], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


def check_wheel(wheel: Path) -> None:
    """The wheel has all files of the package, the model and the templates among them, and no others."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
    ours = {name.removeprefix("src/") for name in tracked(PACKAGE)}
    needed = {"mderank/py.typed", "mderank/models/minilm-l6/model.onnx", "mderank/templates/base.html"}
    assert needed <= ours, f"not in the package: {sorted(needed - ours)}"
    found = {name for name in names if ".dist-info/" not in name}
    assert found == ours, f"wheel: missing {sorted(ours - found)}, too many {sorted(found - ours)}"
    relative = re.findall(r"\]\((?!https?:|#)[^)]*\)", metadata)
    assert not relative, f"wheel: links of README.md that lead nowhere on the index: {relative[:20]}"
    assert "pip install ." not in metadata, "wheel: README.md installs from a checkout; see [tool.hatch.metadata.hooks]"
    licences = {Path(name).name for name in names if ".dist-info/licenses/" in name}
    assert licences == {"LICENSE", "NOTICE"}, f"wheel: licences {sorted(licences)}"


def check_sdist(sdist: Path) -> None:
    """The sdist has all files that git knows, so that the tests run from it."""
    with tarfile.open(sdist) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    missing = tracked() - found
    assert not missing, f"sdist: missing {sorted(missing)[:20]}; see [tool.hatch.build.targets.sdist]"
    extra = {name for name in found - tracked() - {"PKG-INFO", ""} if not name.endswith("/")}
    assert not extra, f"sdist: not known to git: {sorted(extra)[:20]}"


def try_package(package: Path, tools: Path, folder: Path) -> None:
    """Install a package in a fresh environment, away from the checkout, and extract from an example offline."""
    python = environment(folder / "venv", with_pip=False)
    install(tools, python, package)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(ROOT / "examples" / "tides.txt", elsewhere)
    program = elsewhere / "offline.py"
    program.write_text(OFFLINE, encoding="utf-8")
    answer = run(python, program, "extract", "tides.txt", "-f", "json", "-k", "5", cwd=elsewhere, quiet=True)
    phrases = [phrase["text"] for phrase in first(json.loads(answer))["keyphrases"]]
    assert phrases[0] == "storm surges", f"{package.name}: {phrases}"
    assert len(phrases) == 5, f"{package.name}: {phrases}"
    run(python, program, "extract", "tides.txt", "-o", "tides.html", cwd=elsewhere, quiet=True)
    assert "storm surge" in (elsewhere / "tides.html").read_text(encoding="utf-8")
    scripts = python.parent / ("mderank.exe" if os.name == "nt" else "mderank")
    told = subprocess.run([scripts, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    assert told == f"mderank, version {version()}", told
    where = run(python, "-c", "import mderank; print(mderank.__file__)", cwd=elsewhere, quiet=True)
    assert ROOT not in Path(where.strip()).parents, f"imported from the checkout: {where}"
    print(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB, installed and tried")


def first(answer: object) -> dict[str, list[dict[str, str]]]:
    """Return the first document of an answer in JSON."""
    return answer[0] if isinstance(answer, list) else answer  # type: ignore[return-value]


def version() -> str:
    """Return the version of the checkout."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tree = ast.parse((ROOT / project["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8"))
    return next(
        ast.literal_eval(each.value)
        for each in tree.body
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == "__version__"
    )


if __name__ == "__main__":
    main()

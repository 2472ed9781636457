"""Compare what names the version, and print the notes of a release: .ci/version.py [--tag vX.Y.Z | --notes].

The version is in src/mderank/_version.py. CITATION.cff and the newest heading of CHANGELOG.md must name the same one.
With --tag the tag must name it too, and the heading must have a date. With --notes the command prints what the
changelog says of this version.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def main() -> None:
    """Compare, or print the notes."""
    parser = argparse.ArgumentParser(description="Compare what names the version.")
    parser.add_argument("--tag", help="the tag of a release, such as v0.2.0")
    parser.add_argument("--notes", action="store_true", help="print what the changelog says of this version")
    options = parser.parse_args()
    said = versions(ROOT)
    if len(set(said.values())) > 1:
        sys.exit("the versions differ: " + ", ".join(f"{file} has {version}" for file, version in said.items()))
    version = said["src/mderank/_version.py"]
    heading, notes = newest(ROOT)
    if options.tag is not None:
        if options.tag != f"v{version}":
            sys.exit(f"the tag is {options.tag}, the version is {version}: see RELEASING.md")
        if not DATE.search(heading):
            sys.exit(f"CHANGELOG.md: '{heading}' has no date: write '## {version} (YYYY-MM-DD)'")
    print(notes if options.notes else version)


def versions(root: Path) -> dict[str, str]:
    """Return the version that each file names."""
    patterns = {
        "src/mderank/_version.py": r'^__version__ = "(.+)"$',
        "CITATION.cff": r"^version: (\S+)$",
        "CHANGELOG.md": r"^## (\S+)",
    }
    said = {}
    for file, pattern in patterns.items():
        found = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.MULTILINE)
        said[file] = found[1] if found else "none"
    return said


def newest(root: Path) -> tuple[str, str]:
    """Return the newest heading of the changelog, and what stands below it."""
    parts = re.split(r"^(## .*)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return parts[1], parts[2].strip()


if __name__ == "__main__":
    main()

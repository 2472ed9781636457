"""Where the rows come from: the folder of a batch, or one file of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mderank.batch.output_folder import load_manifest
from mderank.batch.row_files import ROW_FORMATS, read_rows
from mderank.batch.worker import Row
from mderank.errors import InputError


@dataclass(frozen=True)
class Output:
    """What a batch wrote, or ``mderank extract -f jsonl``."""

    name: str
    files: tuple[Path, ...]
    manifest: dict[str, Any]

    def rows(self) -> Iterator[Row]:
        """A row for every document, in order."""
        for file in self.files:
            for row in read_rows(file):
                if not isinstance(row, dict) or not isinstance(row.get("keyphrases"), list):
                    raise InputError(f"{file}: has rows without keyphrases: it is no output of mderank")
                yield row

    @property
    def documents(self) -> int | None:
        """How many there are, if the batch is finished."""
        return (self.manifest.get("result") or {}).get("documents")

    @property
    def whole(self) -> bool:
        """Whether nothing is missing, as far as one can know."""
        return not self.manifest or "result" in self.manifest

    @property
    def language(self) -> str:
        """Of the tagging pipeline; English where it is not known."""
        tagger = str((self.manifest.get("extractor") or {}).get("tagger", ""))
        return tagger[:2] if tagger[2:3] == "_" else "en"

    def differences(self, other: Output) -> list[str]:
        """Settings that make keyphrases of two outputs hard to compare."""
        ours, theirs = ({**each.manifest.get("settings", {})} for each in (self, other))
        if not ours or not theirs:
            return []
        names = sorted(name for name in {*ours, *theirs} if name not in _INPUT and ours.get(name) != theirs.get(name))
        return [f"{name}: {ours.get(name)!r} and {theirs.get(name)!r}" for name in names]


_INPUT = ("reading", "files", "marked")


def open_output(path: Path) -> Output:
    """The output at ``path``."""
    if path.is_file():
        if not path.name.endswith(tuple(f".{form}" for form in ROW_FORMATS)):
            raise InputError(
                f"{path}: is no output of mderank batch or extract: it is none of {', '.join(ROW_FORMATS)}"
            )
        return Output(str(path), (path,), {})
    manifest = load_manifest(path)
    files = tuple(sorted(path.glob(f"part-*.{manifest.get('output', 'jsonl')}"), key=_number))
    return Output(str(path), files, manifest)


def _number(file: Path) -> int:
    digits = file.name.removeprefix("part-").partition(".")[0]
    return int(digits) if digits.isdigit() else 0

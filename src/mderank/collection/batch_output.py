"""The rows of a batch output folder, or of one file of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mderank.batch.output_folder import MANIFEST, load_manifest
from mderank.batch.row_files import ROW_FORMATS, read_rows
from mderank.batch.worker import Row
from mderank.errors import InputError


@dataclass(frozen=True)
class BatchOutput:
    """The output of ``mderank batch``, or of ``mderank extract -f jsonl``.

    Attributes:
        name: its path.
        files: the files with rows, in order.
        manifest: content of ``_mderank/manifest.json``; empty for a single file.
    """

    name: str
    files: tuple[Path, ...]
    manifest: dict[str, Any]

    def rows(self) -> Iterator[Row]:
        """Read the rows.

        Yields:
            One row per document, in order.

        Raises:
            InputError: a file is damaged, or its rows have no keyphrases.
        """
        for file in self.files:
            for row in read_rows(file):
                if not isinstance(row, dict) or not isinstance(row.get("keyphrases"), list):
                    raise InputError(f"{file}: is not an output of mderank: it has rows without keyphrases")
                yield row

    def failures(self) -> Iterator[Row]:
        """Read the rows of documents that failed.

        Yields:
            Their rows, in order.

        Raises:
            InputError: a file is damaged, or its rows have no keyphrases.
        """
        return (row for row in self.rows() if row.get("error") is not None)

    @property
    def documents(self) -> int | None:
        """Number of documents; None if the batch is not finished."""
        return (self.manifest.get("result") or {}).get("documents")

    @property
    def whole(self) -> bool:
        """Whether the batch is finished, or the output is a single file."""
        return not self.manifest or "result" in self.manifest

    def differences(self, other: BatchOutput) -> list[str]:
        """Compare the settings of two batches.

        Args:
            other: the other output.

        Returns:
            One text per setting that differs, except settings of the input.
        """
        ours, theirs = ({**each.manifest.get("settings", {})} for each in (self, other))
        if not ours or not theirs:
            return []
        names = sorted(name for name in {*ours, *theirs} if name not in _INPUT and ours.get(name) != theirs.get(name))
        return [f"{name}: {ours.get(name)!r} and {theirs.get(name)!r}" for name in names]


_INPUT = ("reading", "files", "marked")


def is_batch_output(path: Path) -> bool:
    """Check whether a path is the output folder of a batch.

    Args:
        path: any path.

    Returns:
        True if the folder has a batch's record of itself.
    """
    return (path / MANIFEST).is_file()


def open_output(path: Path) -> BatchOutput:
    """Open the output of a batch.

    Args:
        path: an output folder of ``mderank batch``, or a file of rows.

    Returns:
        The output; its rows are read on demand.

    Raises:
        InputError: there is no output at this path.
    """
    if path.is_file():
        if not path.name.endswith(tuple(f".{suffix}" for suffix in ROW_FORMATS)):
            raise InputError(
                f"{path}: is not an output of mderank batch or extract: its suffix is none of {', '.join(ROW_FORMATS)}"
            )
        return BatchOutput(str(path), (path,), {})
    manifest = load_manifest(path)
    files = tuple(sorted(path.glob(f"part-*.{manifest.get('output', 'jsonl')}"), key=_part_number))
    return BatchOutput(str(path), files, manifest)


def _part_number(file: Path) -> int:
    digits = file.name.removeprefix("part-").partition(".")[0]
    return int(digits) if digits.isdigit() else 0

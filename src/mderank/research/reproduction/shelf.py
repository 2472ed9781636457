"""Runs that are there already, found by what they are and not by what they are called."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from mderank.research.evaluation.naming import encoder_key
from mderank.research.evaluation.runs import SETTINGS_FILE, SUMMARY_FILE, differences

# Settings that say how a run was asked for, not what it is; what came of them is in "encoder" and "resolved".
_ASKED = ("label", "limit", "versions", "model", "pooling", "layer", "exact", "device", "threads")


@dataclass(frozen=True)
class Kept:
    """A finished run: its folder, its settings, how many documents it has, and the seconds that each took."""

    folder: Path
    settings: Mapping[str, Any]
    documents: int
    seconds: float


def identity(settings: Mapping[str, Any]) -> str:
    """What a run is: all settings that change its predictions. What is not set is as if it were not there.

    >>> run = {"method": "mderank", "label": "mine", "pooling": None, "resolved": {"pooling": "mean"}, "corpus": None}
    >>> identity(run) == identity({"method": "mderank", "pooling": "mean", "resolved": {"pooling": "mean"}})
    True
    >>> identity(run) == identity(run | {"masking": "once"})
    False
    """
    kept = {name: value for name, value in settings.items() if name not in _ASKED}
    # The same weights are the same encoder, and the same bytes the same file, wherever they are.
    files = kept.get("files") or {}
    kept["encoder"] = encoder_key(settings)
    kept["assignments"] = [each for each in kept.get("assignments") or () if each.partition("=")[0] not in files]
    return json.dumps({name: value for name, value in kept.items() if value not in (None, [], {})}, sort_keys=True)


class Shelf:
    """The finished runs in a folder, ``FOLDER/SET/LABEL`` as ``mderank evaluate`` writes them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs: dict[str, list[Kept]] = {}
        for file in sorted(folder.glob(f"*/*/{SETTINGS_FILE}")):
            kept = _kept(file)
            if kept is not None:
                self._runs.setdefault(identity(kept.settings), []).append(kept)

    def find(self, settings: Mapping[str, Any], documents: int) -> Kept | None:
        """A run with these settings that has the first ``documents`` of its set, the shortest such."""
        fitting = [kept for kept in self._runs.get(identity(settings), []) if kept.documents >= documents]
        return min(fitting, key=lambda kept: kept.documents, default=None)

    def begun(self, settings: Mapping[str, Any], documents: int) -> Kept | None:
        """A run with these settings that has fewer documents, the longest such: another can go on from there.

        Unlike one that is used as it is, it must be of the same versions: they are told once for the whole run.
        """
        runs = self._runs.get(identity(settings), [])
        same = [kept for kept in runs if kept.settings.get("versions") == settings.get("versions")]
        shorter = [kept for kept in same if kept.documents < documents]
        return max(shorter, key=lambda kept: kept.documents, default=None)

    def place(self, settings: Mapping[str, Any]) -> Path:
        """Where a run with these settings goes, or goes on: ``SET/LABEL``, or ``LABEL~2`` if that is another run's."""
        for number in count(1):
            label = f"{settings['label']}~{number}" if number > 1 else str(settings["label"])
            folder = self.folder / str(settings["dataset"]) / label
            try:
                there = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
            except (OSError, ValueError):
                return folder
            if isinstance(there, dict) and not differences(there, {**settings, "label": label}):
                return folder
        raise AssertionError

    def like(self, settings: Mapping[str, Any]) -> Kept | None:
        """A run whose cost tells that of one with these settings: the same method, encoder, form and set."""
        alike = [kept for runs in self._runs.values() for kept in runs if _work(kept.settings) == _work(settings)]
        same = [kept for kept in alike if _cut(kept.settings) == _cut(settings)]
        return max(same or alike, key=lambda kept: kept.documents, default=None)


def _work(settings: Mapping[str, Any]) -> tuple[object, ...]:
    resolved, encoder = settings.get("resolved") or {}, settings.get("encoder") or {}
    plain = (settings.get(name) for name in ("method", "dataset", "input"))
    return (*plain, encoder.get("sha256"), resolved.get("exact"))


def _cut(settings: Mapping[str, Any]) -> tuple[object, ...]:
    return settings.get("max_words"), settings.get("max_tokens"), settings.get("masking") == "highest"


def _kept(file: Path) -> Kept | None:
    """The run of a settings file; None if it is not finished, or cannot be read."""
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        summary = json.loads((file.parent / SUMMARY_FILE).read_text(encoding="utf-8"))
        documents = int(summary["documents"])
        return Kept(file.parent, settings, documents, float(summary["seconds"]) / max(1, documents))
    except (OSError, ValueError, KeyError, TypeError):
        return None

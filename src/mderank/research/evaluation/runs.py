"""Runs on disk: an extractor's predictions for the documents of a dataset, with everything that they depend on.

A run is a folder. ``run.json`` holds all settings, versions and checksums. ``documents.jsonl`` has one line per
document, in the dataset's order: id, predictions with scores, gold keyphrases, hits under the paper's protocol,
seconds, error. ``summary.json`` is written at the end and holds counts and costs. On a judged dataset the gold
keyphrases are the acceptable phrases, and a line also has the junk and the kind of the document. A document that is not
English has its language.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from mderank.errors import InputError
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import JUDGED, PROTOCOLS, Prediction, Protocol
from mderank.util.files import Differences, find_differences, read_settings
from mderank.util.format import round_number

SETTINGS_FILE, DOCUMENTS_FILE, SUMMARY_FILE = "run.json", "documents.jsonl", "summary.json"

# Options that change no prediction.
_COMPUTING = ("threads", "batch_tokens")
# Settings and options that say how a run was requested. The keys "encoder" and "resolved" hold what came of them.
_REQUEST = ("label", "limit", "versions")
_REQUEST_OPTIONS = (*_COMPUTING, "model", "pooling", "layer", "exact", "device", "params")


@dataclass(frozen=True)
class LabelledText:
    """A text to extract from, with the keyphrases that should be found.

    Attributes:
        id: The document's id.
        text: The text.
        gold: The gold keyphrases; on a judged dataset, the acceptable phrases.
        junk: On a judged dataset, the phrases that should not be found; otherwise None.
        kind: On a judged dataset, the kind of the document.
        language: Code of the document's language.

    """

    id: str
    text: str
    gold: tuple[str, ...]
    junk: tuple[str, ...] | None = None
    kind: str = ""
    language: str = "en"


@dataclass(frozen=True)
class DocumentOutcome:
    """The predictions for one document.

    Attributes:
        id: The document's id.
        predictions: The predicted phrases, best first.
        scores: Their scores.
        gold: The gold keyphrases; on a judged dataset, the acceptable phrases.
        seconds: The time that the document took, tagging included.
        error: Why the extraction failed; None if it did not.
        junk: On a judged dataset, the phrases that should not be found; otherwise None.
        kind: On a judged dataset, the kind of the document.
        language: Code of the document's language.

    """

    id: str
    predictions: tuple[Prediction, ...]
    scores: tuple[float, ...]
    gold: tuple[str, ...]
    seconds: float
    error: str | None
    junk: tuple[str, ...] | None = None
    kind: str = ""
    language: str = "en"

    def judge(self, protocol: Protocol, text: str = "") -> Judgement | None:
        """Compare the predictions with the gold keyphrases.

        Args:
            protocol: How they are matched.
            text: The document's text, for protocols that look into it.

        Returns:
            The judgement; None if the protocol leaves the document out, or if it has no gold keyphrases.

        """
        if not self.gold and not protocol.judged:
            return None
        return protocol.judge(self.predictions, self.gold, text, self.junk or (), self.language)

    @property
    def unjudged(self) -> tuple[str, ...]:
        """The predictions that are neither acceptable nor junk."""
        judgement = self.judge(JUDGED)
        if judgement is None:
            return ()
        verdicts = zip(judgement.phrases, judgement.hits, judgement.junk, strict=True)
        return tuple(phrase for phrase, acceptable, junk in verdicts if not acceptable and not junk)

    def to_dict(self) -> dict[str, Any]:
        """Return the line of ``documents.jsonl``."""
        judgement = self.judge(PROTOCOLS["mderank"] if self.junk is None else JUDGED)
        return {
            "id": self.id,
            "predictions": [
                [each.text, round_number(score), each.found]
                for each, score in zip(self.predictions, self.scores, strict=True)
            ],
            "gold": list(self.gold),
            "hits": [rank for rank, hit in enumerate(judgement.hits, start=1) if hit] if judgement else [],
            "seconds": round(self.seconds, 5),
            "error": self.error,
            **({} if self.junk is None else {"junk": list(self.junk), "kind": self.kind}),
            **({} if self.language == "en" else {"language": self.language}),
        }

    @classmethod
    def from_dict(cls, line: dict[str, Any]) -> DocumentOutcome:
        """Read a line of ``documents.jsonl``."""
        return cls(
            line["id"],
            tuple(Prediction(text, found) for text, _, found in line["predictions"]),
            tuple(score for _, score, _ in line["predictions"]),
            tuple(line["gold"]),
            line["seconds"],
            line["error"],
            tuple(line["junk"]) if "junk" in line else None,
            line.get("kind", ""),
            line.get("language", "en"),
        )


@dataclass(frozen=True)
class Run:
    """A run as it is on disk.

    Attributes:
        folder: Its folder.
        settings: The contents of ``run.json``.
        outcomes: The outcomes of its documents, in the dataset's order.
        summary: The contents of ``summary.json``; None if the run is not finished.

    """

    folder: Path
    settings: dict[str, Any]
    outcomes: tuple[DocumentOutcome, ...]
    summary: dict[str, Any] | None

    @property
    def name(self) -> str:
        """Its name in tables."""
        return str(self.settings.get("label") or self.method or self.folder.name)

    @property
    def method(self) -> str:
        """The method's name."""
        return str((self.settings.get("options") or {}).get("method", ""))

    @property
    def dataset(self) -> str:
        """The dataset's name."""
        return str(self.settings["dataset"])

    @property
    def judged(self) -> bool:
        """Whether the dataset is judged: predictions are then the lists that users get."""
        return bool(self.settings.get("judged"))

    def judgements(self, protocol: Protocol, texts: Mapping[str, str] | None = None) -> list[Judgement]:
        """Compare all predictions with the gold keyphrases.

        Args:
            protocol: How they are matched.
            texts: The texts by document, for protocols that look into them.

        Returns:
            The judgements of all documents but those that the protocol leaves out.

        """
        judged = (outcome.judge(protocol, (texts or {}).get(outcome.id, "")) for outcome in self.outcomes)
        return [judgement for judgement in judged if judgement is not None]

    def value(self, measure: Measure, protocol: Protocol, texts: Mapping[str, str] | None = None) -> float:
        """Compute a measure over all documents.

        Args:
            measure: The measure.
            protocol: How predictions are matched and documents averaged.
            texts: The texts by document, for protocols that look into them.

        Returns:
            The value in per cent; redundancy in phrases per document.

        """
        return measure.scale * measure.over(self.judgements(protocol, texts), protocol.average)

    @property
    def seconds_per_document(self) -> float:
        """The mean time per document, tagging included."""
        return sum(outcome.seconds for outcome in self.outcomes) / max(1, len(self.outcomes))


def load_run(folder: str | Path) -> Run:
    """Read a run.

    Args:
        folder: Its folder.

    Returns:
        The run; of an unfinished one, the documents so far.

    Raises:
        InputError: If the folder is not a run, or cannot be read.

    """
    folder = Path(folder)
    if not (folder / SETTINGS_FILE).is_file():
        raise InputError(f"{folder} is not a run: {SETTINGS_FILE} is missing; 'mderank evaluate' writes runs")
    summary = folder / SUMMARY_FILE
    return Run(
        folder,
        read_settings(folder / SETTINGS_FILE),
        tuple(read_outcomes(folder)),
        read_settings(summary) if summary.is_file() else None,
    )


def read_outcomes(folder: Path) -> list[DocumentOutcome]:
    """Read the outcomes of a run. An incomplete last line is still being written, and left out.

    Args:
        folder: The run's folder.

    Returns:
        The outcomes so far.

    Raises:
        InputError: If a line is damaged.

    """
    file = folder / DOCUMENTS_FILE
    if not file.is_file():
        return []
    data = file.read_bytes()
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    return [_read_outcome(line, file, number) for number, line in enumerate(lines, start=1)]


def _read_outcome(line: bytes, file: Path, number: int) -> DocumentOutcome:
    try:
        return DocumentOutcome.from_dict(parse_line(line, file, number))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{file}:{number} is not a document of a run ({error!r}): remove the run's folder and run again"
        ) from error


def parse_line(line: bytes, file: Path, number: int) -> dict[str, Any]:
    """Parse a line of ``documents.jsonl``.

    Args:
        line: The line.
        file: The file, for the error.
        number: The line's number, for the error.

    Returns:
        The JSON object.

    Raises:
        InputError: If it is not JSON.

    """
    try:
        data: dict[str, Any] = json.loads(line)
        return data
    except ValueError as error:
        raise InputError(f"{file}:{number} is not JSON: {error}; remove the run's folder and run again") from error


def count_documents(folder: Path) -> int:
    """Return the number of documents of a run, finished or not."""
    try:
        with (folder / DOCUMENTS_FILE).open("rb") as lines:
            return sum(line.endswith(b"\n") for line in lines)
    except OSError:
        return 0


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Differences:
    """Compare the settings of two runs.

    Options that change no prediction are not compared, nor packages that the earlier run did not record: only some
    encoders need torch.

    Args:
        before: The settings of the run on disk.
        now: The settings that are asked for.

    Returns:
        Both values of each setting that differs.

    >>> differences({"text": "paper", "versions": {"numpy": "2"}}, {"versions": {"numpy": "3", "torch": "2"}})
    {'text': ('paper', None), 'versions.numpy': ('2', '3')}
    """
    recorded = before.get("versions") or {}
    versions = {name: version for name, version in (now.get("versions") or {}).items() if name in recorded}
    found = find_differences({**before, "versions": recorded}, {**now, "versions": versions})
    return {name: values for name, values in found.items() if name not in [f"options.{each}" for each in _COMPUTING]}


def encoder_key(settings: Mapping[str, Any]) -> str | None:
    """Return what identifies the encoder of a run: the checksum of its weights, or its name if there is none."""
    encoder = settings.get("encoder") or {}
    return encoder.get("sha256") or encoder.get("name")


def identity(settings: Mapping[str, Any]) -> str:
    """Return what identifies a run: all settings that change its predictions.

    The same weights are the same encoder, and the same bytes the same file, wherever they are.

    Args:
        settings: The contents of ``run.json``.

    Returns:
        A text that is equal for runs with equal predictions.

    >>> run = {"options": {"method": "mderank", "pooling": None}, "label": "mine", "resolved": {"pooling": "mean"}}
    >>> identity(run) == identity(
    ...     {"options": {"method": "mderank", "pooling": "mean"}, "resolved": {"pooling": "mean"}}
    ... )
    True
    >>> identity(run) == identity(run | {"options": {"method": "mderank", "masking": "once"}})
    False
    """
    kept = {name: value for name, value in settings.items() if name not in _REQUEST}
    options = settings.get("options") or {}
    files = settings.get("files") or {}
    kept["encoder"] = encoder_key(settings)
    kept["options"] = _drop_empty({name: value for name, value in options.items() if name not in _REQUEST_OPTIONS})
    kept["params"] = {name: value for name, value in (options.get("params") or {}).items() if name not in files}
    return json.dumps(_drop_empty(kept), sort_keys=True)


def _drop_empty(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value not in (None, [], {})}


@dataclass(frozen=True)
class StoredRun:
    """A finished run in a store.

    Attributes:
        folder: Its folder.
        settings: The contents of ``run.json``.
        documents: Number of documents.
        seconds: Seconds per document.

    """

    folder: Path
    settings: Mapping[str, Any]
    documents: int
    seconds: float


class RunStore:
    """The runs in a folder, ``FOLDER/DATASET/LABEL``. Finished runs are found by their settings, not by their label.

    Args:
        folder: The folder. It need not exist.

    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._runs: dict[str, list[StoredRun]] | None = None

    def refresh(self) -> None:
        """Read the folder again before the next search. `evaluate` calls this when a run is finished."""
        self._runs = None

    def _finished(self) -> dict[str, list[StoredRun]]:
        if self._runs is None:
            self._runs = {}
            for file in sorted(self.folder.glob(f"*/*/{SETTINGS_FILE}")):
                stored = _read_stored(file)
                if stored is not None:
                    self._runs.setdefault(identity(stored.settings), []).append(stored)
        return self._runs

    def find(self, settings: Mapping[str, Any], documents: int) -> StoredRun | None:
        """Find a run with these settings.

        Args:
            settings: The settings, as in ``run.json``.
            documents: Number of documents that it must have.

        Returns:
            The shortest run that has the first ``documents`` documents of its dataset, or None.

        """
        fitting = [stored for stored in self._finished().get(identity(settings), []) if stored.documents >= documents]
        return min(fitting, key=lambda stored: stored.documents, default=None)

    def find_shorter(self, settings: Mapping[str, Any], documents: int) -> StoredRun | None:
        """Find a run with these settings and fewer documents, from which a longer run can resume.

        Its versions must be the same too, since they are recorded once for a whole run.

        Args:
            settings: The settings, as in ``run.json``.
            documents: Number of documents of the longer run.

        Returns:
            The longest such run, or None.

        """
        runs = self._finished().get(identity(settings), [])
        same = [stored for stored in runs if stored.settings.get("versions") == settings.get("versions")]
        shorter = [stored for stored in same if stored.documents < documents]
        return max(shorter, key=lambda stored: stored.documents, default=None)

    def find_similar(self, settings: Mapping[str, Any]) -> StoredRun | None:
        """Find a run with the same method, encoder, mode and dataset, whose cost predicts that of another one.

        Args:
            settings: The settings of the other run, as in ``run.json``.

        Returns:
            The longest such run, preferably one that reads as many words; or None.

        """
        similar = [
            each for runs in self._finished().values() for each in runs if _work(each.settings) == _work(settings)
        ]
        same = [stored for stored in similar if _cut(stored.settings) == _cut(settings)]
        return max(same or similar, key=lambda stored: stored.documents, default=None)

    def folder_for(self, settings: Mapping[str, Any]) -> Path:
        """Choose the folder of a run.

        Args:
            settings: The settings, as in ``run.json``.

        Returns:
            ``DATASET/LABEL``, where a run with these settings is resumed; ``LABEL~2`` if another run has that folder.

        """
        for number in count(1):
            label = f"{settings['label']}~{number}" if number > 1 else str(settings["label"])
            folder = self.folder / folder_name(str(settings["dataset"])) / label
            try:
                there = read_settings(folder / SETTINGS_FILE)
            except InputError:
                return folder
            if not differences(there, {**settings, "label": label}):
                return folder
        raise AssertionError


def folder_name(dataset: str) -> str:
    """Return the name of the folder for the runs on a dataset.

    >>> folder_name("tuning/inspec_dev")
    'tuning-inspec_dev'
    """
    return dataset.replace("/", "-")


def _work(settings: Mapping[str, Any]) -> tuple[object, ...]:
    """What determines the cost of a document."""
    resolved, encoder, options = (settings.get(name) or {} for name in ("resolved", "encoder", "options"))
    plain = (settings.get(name) for name in ("dataset", "text"))
    return (*plain, options.get("method"), encoder.get("sha256"), resolved.get("exact"))


def _cut(settings: Mapping[str, Any]) -> tuple[object, ...]:
    """What determines how much of a document is read, and how often."""
    options = settings.get("options") or {}
    return options.get("max_words"), options.get("max_tokens"), options.get("masking") == "highest"


def _read_stored(file: Path) -> StoredRun | None:
    """Read a finished run from its settings file. Return None if it is not finished, or cannot be read."""
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
        summary = json.loads((file.parent / SUMMARY_FILE).read_text(encoding="utf-8"))
        documents = int(summary["documents"])
        return StoredRun(file.parent, settings, documents, float(summary["seconds"]) / max(1, documents))
    except (OSError, ValueError, KeyError, TypeError):
        return None

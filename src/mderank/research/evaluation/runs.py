"""Running an extractor over a set, so that nothing is lost when it stops and nothing is said that was not measured.

A run is a folder. ``run.json`` holds all settings, versions and checksums; ``documents.jsonl`` a line for each
document, in the set's order: id, predictions with scores, gold, hits under the paper's protocol, seconds, error;
``summary.json``, written at the end, what the run cost. A run that was stopped goes on where it was and ends the same.
On a judged dataset the gold keyphrases are the acceptable phrases, and a line has the junk and the document's kind too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from mderank.errors import InputError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import JUDGED, PROTOCOLS, Prediction, Protocol
from mderank.util.environment import peak_memory
from mderank.util.files import Differences, claim_settings, find_differences, open_locked, read_settings
from mderank.util.format import round_number

SETTINGS_FILE, DOCUMENTS_FILE, SUMMARY_FILE = "run.json", "documents.jsonl", "summary.json"
CHUNK = 16  # documents that are extracted, and written, together, at most
PATIENCE = 10.0  # seconds that may be lost if the run is stopped: documents that take long are written one by one


@dataclass(frozen=True)
class Task:
    """A document to extract from, and what should be found; in judged datasets also what should not, and its kind."""

    id: str
    text: str
    gold: tuple[str, ...]
    junk: tuple[str, ...] | None = None
    kind: str = ""


@dataclass(frozen=True)
class Outcome:
    """What was found in one document. ``junk`` is None where the dataset is not judged."""

    id: str
    predictions: tuple[Prediction, ...]
    scores: tuple[float, ...]
    gold: tuple[str, ...]
    seconds: float
    error: str | None
    junk: tuple[str, ...] | None = None
    kind: str = ""

    def judge(self, protocol: Protocol, text: str = "") -> Judgement | None:
        """What is right; None if the protocol leaves the document out, or if there was nothing to find."""
        if not self.gold and not protocol.judged:
            return None
        return protocol.judge(self.predictions, self.gold, text, self.junk or ())

    @property
    def unjudged(self) -> tuple[str, ...]:
        """The predictions that are neither acceptable nor junk."""
        judgement = self.judge(JUDGED)
        if judgement is None:
            return ()
        verdicts = zip(judgement.phrases, judgement.hits, judgement.junk, strict=True)
        return tuple(phrase for phrase, acceptable, junk in verdicts if not acceptable and not junk)

    def as_dict(self) -> dict[str, Any]:
        """The line of ``documents.jsonl``."""
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
        }

    @classmethod
    def from_dict(cls, line: dict[str, Any]) -> Outcome:
        """What a line of ``documents.jsonl`` says."""
        return cls(
            line["id"],
            tuple(Prediction(text, found) for text, _, found in line["predictions"]),
            tuple(score for _, score, _ in line["predictions"]),
            tuple(line["gold"]),
            line["seconds"],
            line["error"],
            tuple(line["junk"]) if "junk" in line else None,
            line.get("kind", ""),
        )


@dataclass(frozen=True)
class Run:
    """A run as it is on disk."""

    folder: Path
    settings: dict[str, Any]
    outcomes: tuple[Outcome, ...]
    summary: dict[str, Any] | None

    @property
    def name(self) -> str:
        """What to call it in a table."""
        return str(self.settings.get("label") or self.settings.get("method") or self.folder.name)

    @property
    def dataset(self) -> str:
        """The set it ran on."""
        return str(self.settings["dataset"])

    @property
    def judged(self) -> bool:
        """Whether that is a judged dataset: its lists are those that a user gets."""
        return bool(self.settings.get("judged"))

    def judgements(self, protocol: Protocol, texts: dict[str, str] | None = None) -> list[Judgement]:
        """What is right, document by document; those that the protocol leaves out are left out."""
        judged = (outcome.judge(protocol, (texts or {}).get(outcome.id, "")) for outcome in self.outcomes)
        return [judgement for judgement in judged if judgement is not None]

    def value(self, measure: Measure, protocol: Protocol, texts: dict[str, str] | None = None) -> float:
        """A measure over the whole set, in per cent or in phrases per document."""
        return measure.scale * measure.over(self.judgements(protocol, texts), protocol.average)

    @property
    def seconds_per_document(self) -> float:
        """The mean time a document took, tagging included."""
        return sum(outcome.seconds for outcome in self.outcomes) / max(1, len(self.outcomes))


def execute(
    extractor: Extractor,
    tasks: Sequence[Task],
    folder: Path,
    settings: dict[str, Any],
    advance: Callable[[int], None] = lambda count: None,
    clock: Callable[[], float] = time.perf_counter,
    begun: Path | None = None,
    top_k: int | None = None,
) -> Run:
    """Run ``extractor`` over ``tasks`` and write ``folder``, or go on with what is there.

    ``advance`` is told how many documents were done, those of an earlier start first. ``clock`` times them. ``begun``
    is the folder of the same run on fewer documents, which are then not done again. ``top_k`` is the number of
    keyphrases per document; by default the whole ranking.
    """
    claim_settings(folder / SETTINGS_FILE, settings, differences)
    with _open_documents(folder) as stream:
        if begun is not None and documents_in(begun) > documents_in(folder):
            (folder / DOCUMENTS_FILE).write_bytes((begun / DOCUMENTS_FILE).read_bytes())
        done = _resume(folder / DOCUMENTS_FILE, tasks)
        advance(done)
        size = 1
        while chunk := tasks[done : done + size]:
            outcomes = list(_timed(extractor, chunk, clock, top_k))
            lines = (json.dumps(outcome.as_dict(), ensure_ascii=False) + "\n" for outcome in outcomes)
            stream.writelines(line.encode() for line in lines)
            stream.flush()
            done += len(chunk)
            advance(len(chunk))
            quick = sum(outcome.seconds for outcome in outcomes) < PATIENCE
            size = min(CHUNK, 2 * size) if quick else max(1, size // 2)
    _summarise(folder)
    return load_run(folder)


def documents_in(folder: Path) -> int:
    """How many documents a run has, finished or not."""
    try:
        with (folder / DOCUMENTS_FILE).open("rb") as lines:
            return sum(line.endswith(b"\n") for line in lines)
    except OSError:
        return 0


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Differences:
    """The settings in which a run that is there differs from one that is asked for, with both values.

    Packages are compared one by one. A package that the earlier run did not record is left out: runs of earlier
    releases did not record those that only some encoders use.

    >>> differences({"masking": "all", "versions": {"numpy": "2"}}, {"versions": {"numpy": "3", "torch": "2"}})
    {'masking': ('all', None), 'versions.numpy': ('2', '3')}
    """
    recorded = before.get("versions") or {}
    versions = {name: version for name, version in (now.get("versions") or {}).items() if name in recorded}
    return find_differences({**before, "versions": recorded}, {**now, "versions": versions})


def _open_documents(folder: Path) -> IO[bytes]:
    """Nobody else may write this run meanwhile: two at once would both do, and write, the same documents."""
    try:
        return open_locked(folder / DOCUMENTS_FILE)
    except BlockingIOError:
        raise InputError(
            f"{folder} is being written by another process: wait for it, or choose another folder"
        ) from None


def _resume(file: Path, tasks: Sequence[Task]) -> int:
    """How many documents are done. A line that was being written when the run stopped is taken away."""
    if not file.exists():
        return 0
    data = file.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        file.write_bytes(whole)
    ids = [_parse(line, file, number)["id"] for number, line in enumerate(whole.splitlines(), start=1)]
    if ids != [task.id for task in tasks[: len(ids)]]:
        raise InputError(f"{file} holds other documents than the set: choose another folder, or remove it")
    return len(ids)


def _timed(
    extractor: Extractor, tasks: Sequence[Task], clock: Callable[[], float], top_k: int | None
) -> Iterator[Outcome]:
    """The outcomes of some documents; the time is shared among them, since they are encoded together."""
    start = clock()
    results = list(extractor.extract_many([task.text for task in tasks], top_k=top_k))
    seconds = (clock() - start) / len(tasks)
    for task, found in zip(tasks, results, strict=True):
        yield _outcome(task, found, seconds)


def _outcome(task: Task, found: Keyphrases, seconds: float) -> Outcome:
    return Outcome(
        task.id,
        tuple(Prediction(each.text, each.match_count) for each in found),
        tuple(each.score for each in found),
        task.gold,
        seconds,
        str(found.error) if found.error else None,
        task.junk,
        task.kind,
    )


def _summarise(folder: Path) -> None:
    outcomes = _outcomes(folder / DOCUMENTS_FILE)
    seconds = sum(outcome.seconds for outcome in outcomes)
    summary = {
        "documents": len(outcomes),
        "failed": sum(outcome.error is not None for outcome in outcomes),
        "seconds": round(seconds, 2),
        "documents_per_second": round(len(outcomes) / seconds, 3) if seconds else None,
        "peak_memory_mb": peak_memory(),
    }
    (folder / SUMMARY_FILE).write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")


def load_run(folder: Path) -> Run:
    """A run from its folder."""
    folder = Path(folder)
    if not (folder / SETTINGS_FILE).is_file():
        raise InputError(f"{folder} is not a run: it has no {SETTINGS_FILE}; mderank evaluate writes runs")
    summary = folder / SUMMARY_FILE
    return Run(
        folder,
        read_settings(folder / SETTINGS_FILE),
        tuple(_outcomes(folder / DOCUMENTS_FILE)),
        read_settings(summary) if summary.is_file() else None,
    )


def _outcomes(file: Path) -> list[Outcome]:
    if not file.is_file():
        return []
    data = file.read_bytes()
    lines = data[: data.rfind(b"\n") + 1].splitlines()  # a line without its end is still being written
    return [_as_outcome(line, file, number) for number, line in enumerate(lines, start=1)]


def _as_outcome(line: bytes, file: Path, number: int) -> Outcome:
    try:
        return Outcome.from_dict(_parse(line, file, number))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{file}:{number} is no document of a run ({error!r}): remove the folder, run again"
        ) from error


def _parse(line: bytes, file: Path, number: int) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(line)
        return data
    except ValueError as error:
        raise InputError(f"{file}:{number} is not JSON: {error}; remove the run's folder and run again") from error

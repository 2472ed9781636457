"""Plans: which runs exist, which are missing, and how long these will take.

The factors of the estimate were fitted by eye to runs on the six datasets. A finished run that is similar gives a
better estimate, and is preferred.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mderank.encoding import Encoder, EncoderInputs
from mderank.options import Options
from mderank.research.evaluation.runs import StoredRun
from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.config import ReproductionConfig
from mderank.research.reproduction.paper import SETS
from mderank.research.reproduction.tables import Part
from mderank.util.format import format_duration

# --- estimates --------------------------------------------------------------------------------------------------------

TOKENS_PER_WORD = 1.3
CANDIDATES_PER_WORD = 0.18
TAGGING = 8e-5  # seconds per word
GRAPH = 4e-5  # seconds per word for methods without an encoder
# Tokens that go through the encoder, per token that is read.
ENCODED_TOKENS = {"mderank": 2.2, "embedrank": 1.8, "sifrank": 1.5}
CUT = 512  # words, and tokens, that the paper reads
# The share of a run's time that is left if another masking was run before. Measured: MPNet on Inspec, SemEval2017 and
# SemEval2010 19 to 23 % for once after all, then 24 to 32 % for highest and 5 to 7 % for subset; the bundled encoder,
# where tagging counts for more, 27 to 44 % for highest and 12 to 22 % for subset.
AFTER_OTHER_MASKING = {"all": 0.3, "once": 0.25, "highest": 0.35, "subset": 0.15}
AFTER_SAME_MASKING = 0.05


def estimate(options: Options, lengths: Sequence[int], seconds_per_token: float) -> float:
    """Estimate the time of a run.

    Args:
        options: The run's options.
        lengths: Words per document.
        seconds_per_token: The encoder's time per token.

    Returns:
        Seconds.

    """
    words_read, tokens_read = options.max_words or CUT, options.max_tokens or CUT
    return sum(_estimate_document(options, min(words, words_read), tokens_read, seconds_per_token) for words in lengths)


def estimate_from(options: Options, lengths: Sequence[int], stored: StoredRun) -> float:
    """Estimate the time of a run from a similar run on the same dataset, which may read or mask otherwise.

    Args:
        options: The run's options.
        lengths: Words per document.
        stored: The similar run.

    Returns:
        Seconds.

    """
    recorded: Mapping[str, Any] = stored.settings.get("options") or {}
    other = replace(
        options,
        max_words=recorded.get("max_words"),
        max_tokens=recorded.get("max_tokens"),
        masking=recorded.get("masking"),
    )
    ratio = estimate(options, lengths, 1.0) / max(1e-9, estimate(other, lengths, 1.0))
    return stored.seconds * len(lengths) * ratio


def _estimate_document(options: Options, words: int, tokens_read: int, seconds_per_token: float) -> float:
    tagging = TAGGING * words
    if options.method not in ENCODED_TOKENS:
        return tagging + GRAPH * words
    tokens = min(TOKENS_PER_WORD * words, tokens_read)
    if not options.exact:
        return tagging + ENCODED_TOKENS[options.method] * tokens * seconds_per_token
    # Every masked variant is encoded. Hiding one occurrence at a time makes about twice as many.
    variants = 1 + CANDIDATES_PER_WORD * words * (2 if options.masking == "highest" else 1)
    return tagging + variants * tokens * seconds_per_token


def measure_encoder(encoder: Encoder) -> float:
    """Measure an encoder's time per token, on one text of moderate length.

    On a busy machine the elapsed time is too long. The processor's own time is used if it is shorter.

    Args:
        encoder: The encoder.

    Returns:
        Seconds per token.

    """
    size = min(256, encoder.spec.max_length)
    ids = np.full((1, size), encoder.spec.mask_id, dtype=np.int64)
    times = []
    for _ in range(3):  # the first call may still load or compile something
        starts = time.perf_counter(), time.process_time()
        encoder.hidden_states(EncoderInputs(ids), encoder.spec.layers)
        times += [time.perf_counter() - starts[0], time.process_time() - starts[1]]
    return max(min(times), 1e-9) / size


# --- plans ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlannedRun:
    """A run that tables need.

    Attributes:
        spec: The run.
        documents: Number of documents that are needed.
        of: Number of documents of the dataset.
        stored: The run in the store, if it exists.
        seconds: The estimated time, if it is missing.
        problem: Why it cannot be made; None if it can.

    """

    spec: RunSpec
    documents: int = 0
    of: int = 0
    stored: StoredRun | None = None
    seconds: float = 0.0
    problem: str | None = None

    @property
    def to_do(self) -> bool:
        """Whether the run is missing and can be made."""
        return self.stored is None and self.problem is None


@dataclass(frozen=True)
class Plan:
    """All runs that tables need; a run that several tables need is there once.

    Attributes:
        config: The configuration.
        parts: The tables.
        runs: The runs by their specification.

    """

    config: ReproductionConfig
    parts: Sequence[Part]
    runs: Mapping[RunSpec, PlannedRun]

    def to_do(self) -> list[PlannedRun]:
        """Return the runs that are missing, in the order in which they are made."""
        return _sort(run for run in self.runs.values() if run.to_do)

    @property
    def problems(self) -> tuple[str, ...]:
        """Why runs cannot be made, each reason once."""
        return tuple(dict.fromkeys(run.problem for run in self.runs.values() if run.problem))

    def lines(self, commands: bool = False) -> Iterator[str]:
        """Describe the plan.

        Args:
            commands: Whether to list the commands of missing runs.

        Yields:
            Lines of text.

        """
        width = max(len(part.title) for part in self.parts)
        counted: set[RunSpec] = set()
        for part in self.parts:
            runs = [self.runs[spec] for spec in part.needs(self.config)]
            new = [run for run in runs if run.to_do and run.spec not in counted]
            counted.update(run.spec for run in new)
            yield f"{part.name:<8} {part.title:<{width}}  {_summarise(runs, new)}"
        for part in self.parts:
            for row, reason in part.missing(self.config):
                yield f"left empty: {part.name}, {row}: {reason}"
        for problem in self.problems:
            yield f"cannot be run ({sum(run.problem == problem for run in self.runs.values())}): {problem}"
        to_do = self.to_do()
        if commands:
            yield from (f"{format_duration(run.seconds):>12}  {run.spec.command()}" for run in to_do)
        there = sum(run.stored is not None for run in self.runs.values())
        duration = f"about {format_duration(sum(run.seconds for run in to_do))}" if to_do else "nothing to run"
        yield f"{len(self.runs)} runs: {there} are there, {len(to_do)} to do; {duration}"


def make_plan(config: ReproductionConfig, parts: Sequence[Part], runs: Iterable[PlannedRun]) -> Plan:
    """Make a plan. Runs in exact mode share masked variants, which are encoded, and counted, once.

    Args:
        config: The configuration.
        parts: The tables.
        runs: The runs that they need, with the time that each takes alone.

    Returns:
        The plan.

    """
    planned = {run.spec: run for run in runs}
    maskings: dict[tuple[object, ...], set[str]] = {}
    for run in _sort(run for run in planned.values() if run.to_do and run.spec.options.exact):
        masking = run.spec.options.masking or "all"
        done = maskings.setdefault(_shared_variants(run.spec), set())
        share = 1.0 if not done else AFTER_SAME_MASKING if masking in done else AFTER_OTHER_MASKING[masking]
        planned[run.spec] = replace(run, seconds=share * run.seconds)
        done.add(masking)
    return Plan(config, parts, planned)


def _sort(runs: Iterable[PlannedRun]) -> list[PlannedRun]:
    """Sort fast runs first, and runs on one dataset together: they share its tagging and its masked variants."""
    return sorted(
        runs,
        key=lambda run: (run.spec.options.exact, SETS.index(run.spec.dataset), run.spec.options.max_words or 0),
    )


def _shared_variants(spec: RunSpec) -> tuple[object, ...]:
    """Return what two runs must have in common for their masked variants to be the same."""
    options = spec.options
    return (
        spec.dataset,
        spec.limit,
        spec.documents,
        options.model,
        options.layer,
        options.max_words,
        options.max_tokens,
    )


def _summarise(runs: Sequence[PlannedRun], new: Sequence[PlannedRun]) -> str:
    if not runs:
        return "no runs"
    there = sum(run.stored is not None for run in runs)
    if there == len(runs):
        return f"{len(runs)} runs, all there"
    shared = sum(run.to_do for run in runs) - len(new)
    also = f" ({shared} more for tables above)" if shared else ""
    duration = format_duration(sum(run.seconds for run in new))
    return f"{len(runs)} runs, {there} there, {len(new)} to do{also}, about {duration}"

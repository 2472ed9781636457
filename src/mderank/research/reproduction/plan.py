"""What is there, what is to be done, and how long that will take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mderank.research.reproduction.config import Setup
from mderank.research.reproduction.paper import SETS
from mderank.research.reproduction.shelf import Kept
from mderank.research.reproduction.tables import Part
from mderank.research.reproduction.wanted import Wanted
from mderank.util.format import format_duration


@dataclass(frozen=True)
class Job:
    """A wanted run: ``kept`` if it is there, else the seconds it may take, or the ``problem`` that forbids it."""

    wanted: Wanted
    documents: int = 0
    of: int = 0
    kept: Kept | None = None
    seconds: float = 0.0
    problem: str | None = None

    @property
    def to_do(self) -> bool:
        """Whether it is to be run."""
        return self.kept is None and self.problem is None


@dataclass(frozen=True)
class Plan:
    """All runs that the chosen parts need; what several need is there once."""

    setup: Setup
    parts: Sequence[Part]
    jobs: Mapping[Wanted, Job]

    def to_do(self) -> list[Job]:
        """What is to be run, in this order."""
        return _in_order(job for job in self.jobs.values() if job.to_do)

    def lines(self, commands: bool = False) -> Iterator[str]:
        """The plan in words, with the commands of what is to be done if asked for."""
        width = max(len(part.title) for part in self.parts)
        counted: set[Wanted] = set()
        for part in self.parts:
            jobs = [self.jobs[wanted] for wanted in part.needs(self.setup)]
            new = [job for job in jobs if job.to_do and job.wanted not in counted]
            counted.update(job.wanted for job in new)
            yield f"{part.name:<8} {part.title:<{width}}  {_told(jobs, new)}"
        for part in self.parts:
            for row, why in part.missing(self.setup):
                yield f"left empty: {part.name}, {row}: {why}"
        for problem, count in _counted(job.problem for job in self.jobs.values() if job.problem):
            yield f"cannot be run ({count}): {problem}"
        to_do = self.to_do()
        if commands:
            yield from (f"{format_duration(job.seconds):>12}  {job.wanted.command()}" for job in to_do)
        there = sum(job.kept is not None for job in self.jobs.values())
        time = f"about {format_duration(sum(job.seconds for job in to_do))}" if to_do else "nothing to run"
        yield f"{len(self.jobs)} runs: {there} are there, {len(to_do)} to do; {time}"


def make_plan(setup: Setup, parts: Sequence[Part], jobs: Iterable[Job]) -> Plan:
    """The plan; what runs in the exact form have in common is done, and counted, once."""
    planned = {job.wanted: job for job in jobs}
    maskings: dict[tuple[object, ...], set[str]] = {}
    for job in _in_order(job for job in planned.values() if job.to_do and job.wanted.exact):
        masking = job.wanted.option("--masking") or "all"
        done = maskings.setdefault(_encoded(job.wanted), set())
        share = 1.0 if not done else SAME_AGAIN if masking in done else NEW[masking]
        planned[job.wanted] = replace(job, seconds=share * job.seconds)
        done.add(masking)
    return Plan(setup, parts, planned)


# The time that is left of a run's own where another masking was run before: of MPNet on Inspec, SemEval2017 and
# SemEval2010 19 to 23 % for once after all, then 24 to 32 % for highest and 5 to 7 % for subset; of the embedded
# encoder, where reading counts for more, 27 to 44 % for highest and 12 to 22 % for subset.
NEW = {"all": 0.3, "once": 0.25, "highest": 0.35, "subset": 0.15}
SAME_AGAIN = 0.05


def _in_order(jobs: Iterable[Job]) -> list[Job]:
    """What is quick first, and the runs on a set together: they share its tagging, and what masks change in it."""
    return sorted(jobs, key=lambda job: (job.wanted.exact, SETS.index(job.wanted.dataset), _cut(job.wanted)))


def _encoded(wanted: Wanted) -> tuple[object, ...]:
    """What two runs must have in common for their variants to be the same."""
    names = ("--model", "--layer", "--max-words", "--max-tokens")
    return (wanted.dataset, wanted.limit, wanted.document, *map(wanted.option, names))


def _cut(wanted: Wanted) -> int:
    return int(wanted.option("--max-words") or 0)


def _told(jobs: Sequence[Job], new: Sequence[Job]) -> str:
    if not jobs:
        return "no runs"
    there = sum(job.kept is not None for job in jobs)
    if all(job.kept is not None for job in jobs):
        return f"{len(jobs)} runs, all there"
    shared = sum(job.to_do for job in jobs) - len(new)
    also = f" ({shared} more for tables above)" if shared else ""
    time = format_duration(sum(job.seconds for job in new))
    return f"{len(jobs)} runs, {there} there, {len(new)} to do{also}, about {time}"


def _counted(problems: Iterator[str]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for problem in problems:
        counts[problem] = counts.get(problem, 0) + 1
    return list(counts.items())

"""Where wanted runs of ``mderank reproduce`` become runs: read as options of ``mderank evaluate``, found or done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._terminal import progress
from mderank.cli.evaluate import evaluate
from mderank.cli.making import given_options, load_model, make_extractor
from mderank.cli.running import about, label_of, method_settings, tasks_of
from mderank.errors import InputError, MDERankError

if TYPE_CHECKING:
    from mderank.encoding import Encoder
    from mderank.methods.registry import Method
    from mderank.methods.sifrank.word_encoder import WordEncoder
    from mderank.research.datasets import Dataset
    from mderank.research.evaluation.runs import Task
    from mderank.research.evaluation.tagger_cache import SharedTagger
    from mderank.research.reproduction.config import Model, Setup
    from mderank.research.reproduction.encoder_cache import CachingEncoder
    from mderank.research.reproduction.plan import Job, Plan
    from mderank.research.reproduction.results import Results
    from mderank.research.reproduction.shelf import Shelf
    from mderank.research.reproduction.wanted import Wanted


class Encoders:
    """Encoders, each loaded once; what masks change in the exact form is remembered from run to run."""

    def __init__(self, device: str | None, dtype: str | None) -> None:
        self._device, self._dtype = device, dtype
        self._loaded: dict[str, CachingEncoder] = {}
        self._speeds: dict[str, float] = {}

    def get(self, name: str) -> CachingEncoder:
        from mderank.encoding import load_encoder
        from mderank.research.reproduction.encoder_cache import CachingEncoder

        if name not in self._loaded:
            self._loaded[name] = CachingEncoder(load_encoder(name, device=self._device, dtype=self._dtype))
        return self._loaded[name]

    def forget(self) -> None:
        """Let go of what was remembered: the next texts are others."""
        for encoder in self._loaded.values():
            encoder.clear()

    def saved(self) -> float:
        """The seconds that remembering has spared so far."""
        return sum(encoder.saved for encoder in self._loaded.values())

    def facts(self, name: str) -> Model:
        from mderank.research.reproduction.config import Model

        spec = self.get(name).spec
        return Model(name, spec.layers, spec.one_pass, spec.pooling, spec.max_length)

    def load(self, method: Method, settings: dict[str, Any]) -> Encoder | WordEncoder:
        """For `make_extractor`; ELMo is no such encoder, and is loaded in its own way."""
        from mderank.encoding.load import is_elmo

        name = settings["model"]
        return load_model(method, settings) if is_elmo(Path(name)) else self.get(name)

    def speed(self, name: str) -> float:
        """Seconds a token, measured once."""
        from mderank.encoding.load import is_elmo
        from mderank.research.reproduction.cost import seconds_per_token

        if is_elmo(Path(name)):
            return 1e-3
        if name not in self._speeds:
            self._speeds[name] = seconds_per_token(self.get(name))
        return self._speeds[name]


class Sets:
    """The paper's sets, whole, each read once; a set that is not there is a reason not to run, no error."""

    def __init__(self, data_dir: str | None, verify: bool) -> None:
        from mderank.research.datasets import load_dataset
        from mderank.research.reproduction.paper import SETS

        self.found: dict[str, Dataset] = {}
        self.problems: dict[str, str] = {}
        for name in SETS:
            try:
                self.found[name] = load_dataset(name, data_dir, verify=verify)
            except InputError as error:
                self.problems[name] = str(error)
        if not self.found:
            raise InputError(next(iter(self.problems.values())))

    def notes(self) -> Iterator[str]:
        """What is missing."""
        yield from self.problems.values()


@dataclass(frozen=True)
class Ready:
    """A wanted run with all that it takes: an extractor, the documents, the settings, the folder."""

    extractor: Any
    tasks: list[Task]
    settings: dict[str, Any]
    folder: Path


def _depth(settings: Mapping[str, Any]) -> int:
    """How many layers a run computes; of a method without an encoder it does not matter."""
    return int((settings.get("resolved") or {}).get("layer") or 1)


class Workshop:
    """Where wanted runs become runs."""

    def __init__(self, encoders: Encoders, sets: Sets, shelf: Shelf, batch_tokens: int | None = None) -> None:
        from mderank.research.evaluation.tagger_cache import SharedTagger
        from mderank.tagging import SpacyTagger

        self._encoders, self._sets, self._shelf = encoders, sets, shelf
        self._batch_tokens = batch_tokens  # of the exact form
        self._tagger: SharedTagger = SharedTagger(SpacyTagger(None, tokenizer="spacy"))

    def ready(self, wanted: Wanted) -> Ready:
        """What a run takes. Its options are read by ``mderank evaluate`` itself."""
        # The names of --help are the parent's business, and click remembers what it was first told.
        names = click.get_current_context().help_option_names
        context = evaluate.make_context("evaluate", wanted.arguments(), help_option_names=names)
        with context.scope(cleanup=False):
            given = given_options()
        own = signature(evaluate.callback).parameters  # type: ignore[arg-type]
        chosen = {name: value for name, value in context.params.items() if name not in own}
        if wanted.exact:
            chosen["batch_tokens"] = self._batch_tokens
        settings = method_settings(wanted.method, chosen, given, "paper")
        extractor = make_extractor(settings, given, self._encoders.load, tagger=self._tagger)
        dataset = self._sets.found[wanted.dataset]
        only = context.params["only"]
        tasks = tasks_of(dataset, "paper", only)[: wanted.limit]
        limit = wanted.limit if wanted.limit is not None and wanted.limit < len(dataset.documents) else None
        runs = self._shelf.folder
        label = label_of(settings, given, only, extractor, dataset, runs, limit, numbered=True)
        told = about(settings, dataset, "paper", limit, label, extractor, only)
        folder = self._shelf.place(told)
        return Ready(extractor, tasks, {**told, "label": folder.name}, folder)

    def plan(self, setup: Setup, parts: Any) -> Plan:
        """What is there, and what is to be done."""
        from mderank.research.reproduction.plan import make_plan

        needed = dict.fromkeys(wanted for part in parts for wanted in part.needs(setup))
        return make_plan(setup, parts, map(self._job, needed))

    def _job(self, wanted: Wanted) -> Job:
        from mderank.research.evaluation.runs import documents_in
        from mderank.research.reproduction.plan import Job

        if wanted.dataset in self._sets.problems:
            return Job(wanted, problem=f"the set {wanted.dataset} is not there")
        try:
            ready = self.ready(wanted)
        except MDERankError as error:
            return Job(wanted, problem=str(error))
        documents, of = len(ready.tasks), len(self._sets.found[wanted.dataset].documents)
        kept = self._shelf.find(ready.settings, documents)
        if kept is not None:
            return Job(wanted, documents, of, kept)
        begun = self._shelf.begun(ready.settings, documents)
        done = max(documents_in(ready.folder), begun.documents if begun else 0)
        left = 1 - min(1.0, done / max(1, documents))
        return Job(wanted, documents, of, seconds=self._seconds(wanted, ready) * left)

    def _seconds(self, wanted: Wanted, ready: Ready) -> float:
        from mderank.research.reproduction.cost import TOKENS, estimate, scaled

        lengths = [len(task.text.split()) for task in ready.tasks]
        like = self._shelf.like(ready.settings)
        if like is not None:
            return scaled(wanted, lengths, like) * _depth(ready.settings) / _depth(like.settings)
        model = ready.settings["model"]
        speed = self._encoders.speed(model) if wanted.method in TOKENS else 0.0
        if wanted.option("--layer"):
            speed *= _depth(ready.settings) / self._encoders.get(model).spec.layers
        return estimate(wanted, lengths, speed)

    def work(self, plan: Plan, quiet: bool) -> list[str]:
        """Run what is to be done; what went wrong comes back as notes."""
        from mderank.research.evaluation.runs import execute

        notes = []
        to_do = plan.to_do()
        before = None
        for number, job in enumerate(to_do, start=1):
            wanted = job.wanted
            if (wanted.dataset, wanted.option("--max-words")) != before:
                self._tagger.forget()  # other texts
                self._encoders.forget()
                before = (wanted.dataset, wanted.option("--max-words"))
            ready = self.ready(wanted)
            shorter = self._shelf.begun(ready.settings, len(ready.tasks))
            begun = shorter.folder if shorter else None
            title = f"{number}/{len(to_do)} {wanted.dataset} {ready.settings['label']}"
            try:
                with progress(title, len(ready.tasks), silent=quiet) as advance:
                    run = execute(
                        ready.extractor, ready.tasks, ready.folder, ready.settings, advance, self._clock, begun
                    )
            except MDERankError as error:
                notes.append(f"{wanted.command()}: not run: {error}")
                continue
            failed = [outcome for outcome in run.outcomes if outcome.error]
            if failed:
                notes.append(f"{wanted.command()}: {len(failed)} documents failed, the first: {failed[0].error}")
            if not quiet:
                click.echo(f"{title}: {run.seconds_per_document:.3f} s a document", err=True)
        return notes

    def _clock(self) -> float:
        """Seconds, with those of tagging and encoding that were not done again: every run is charged for its own."""
        return self._tagger.clock() + self._encoders.saved()

    def results(self, plan: Plan) -> tuple[Results, list[Any], list[str]]:
        """What there is now: runs, how each was made, and what must be said of them."""
        from mderank.research.evaluation.runs import load_run
        from mderank.research.reproduction.report.build import Done
        from mderank.research.reproduction.results import Measured, Results
        from mderank.research.reproduction.shelf import Shelf

        shelf = Shelf(self._shelf.folder)
        measured: dict[Wanted, Measured] = {}
        done: list[Done] = []
        versions: dict[str, set[str]] = {}
        for wanted, job in plan.jobs.items():
            kept = job.kept or (shelf.find(self.ready(wanted).settings, job.documents) if job.to_do else None)
            if kept is None:
                continue
            run = load_run(kept.folder)
            measured[wanted] = Measured(run.outcomes[: job.documents], 1 if wanted.document else job.of)
            done.append(Done(wanted.command(), job.documents, job.of, kept.seconds))
            for package, version in (kept.settings.get("versions") or {}).items():
                versions.setdefault(package, set()).add(version)
        problems = dict.fromkeys(job.problem for job in plan.jobs.values() if job.problem)
        notes = [f"not run: {problem}" for problem in problems if problem]
        differing = [package for package, found in versions.items() if len(found) > 1]
        if differing:
            notes.append(f"the runs were made with different versions of {', '.join(differing)}: see run.json")
        return Results(measured, self._sets.found), done, notes

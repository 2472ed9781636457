"""``mderank reproduce``: the paper's tables, measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Any

import click

from mderank.cli.evaluate import evaluate
from mderank.cli.making import given_options, load_model, make_extractor
from mderank.cli.options import DEFAULT_MODEL, SectionedCommand, import_spacy_without_torch, option
from mderank.cli.running import about, label_of, method_settings, tasks_of
from mderank.cli.terminal import output as opened
from mderank.cli.terminal import progress
from mderank.errors import InputError, MDERankError, OptionError

if TYPE_CHECKING:
    from mderank.encoding import Encoder, RememberingEncoder, WordEncoder
    from mderank.evaluation.datasets import Dataset
    from mderank.evaluation.runner import Task
    from mderank.evaluation.tagged import SharedTagger
    from mderank.methods import Method
    from mderank.reproduction.plan import Job, Plan
    from mderank.reproduction.results import Results
    from mderank.reproduction.setup import Limits, Model, Setup
    from mderank.reproduction.shelf import Kept, Shelf
    from mderank.reproduction.wanted import Wanted

FORMS = {"both": ("exact", "one pass"), "exact": ("exact",), "one-pass": ("one pass",)}


@click.command(cls=SectionedCommand)
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@option("Method", "--encoder", "-m", default=DEFAULT_MODEL, show_default=True, metavar="NAME|DIR",
        help="What stands for the paper's BERT; bert-base-uncased is the paper's own.")  # fmt: skip
@option("Method", "--kpe", multiple=True, metavar="NAME=DIR",
        help="A trained encoder: ab or re (by sampling), textrank or yake (by θ; yake is ab unless given); repeatable. "
        "'mderank train' makes them.")  # fmt: skip
@option("Method", "--long-encoder", metavar="NAME|DIR", help="What stands for the paper's BigBird.")
@option("Method", "--elmo", metavar="DIR", help="ELMo's files, for SIFRank.  [default: the encoder in its place]")
@option("Method", "--sent2vec", metavar="FILE", help="A Sent2Vec model, for EmbedRank as it was published.")
@option("Method", "--form", type=click.Choice(list(FORMS)), default="both", show_default=True,
        help="MDERank as in the paper (exact), in one pass, or both.")  # fmt: skip
@option("Method", "--device", metavar="NAME", help="For torch models: cpu, cuda, cuda:1, mps.")
@option("Method", "--dtype", type=click.Choice(["float32", "float16", "bfloat16"]), help="For torch models.")
@option("Input", "--data-dir", metavar="DIR", help="Where the sets are.  [default: MDERANK_DATA_DIR]")
@option("Input", "--limit", "limits", multiple=True, metavar="N|SET=N",
        help="Only the first N documents of each set, or of one; repeatable.")  # fmt: skip
@option("Input", "--exact-limit", "exact_limits", multiple=True, metavar="N|SET=N",
        help="The same for the exact form, which takes many times longer.")  # fmt: skip
@option("Input", "--no-verify", is_flag=True, help="Do not compare the sets' checksums.")
@option("Results", "--runs", type=click.Path(path_type=Path), default=Path("runs"), show_default=True,
        help="Runs of 'mderank evaluate': those that are there are used, others are added.")  # fmt: skip
@option("Results", "--out", type=click.Path(path_type=Path), default=Path("reproduction"), show_default=True,
        help="Where the tables go.")  # fmt: skip
@option(
    "Results", "--plan", "only_plan", is_flag=True, help="Show what would be run, and how long it may take; no more."
)
@option("Results", "--no-run", is_flag=True, help="Write the tables from the runs that are there.")
@option("Results", "--quiet", "-q", is_flag=True, help="No plan, no progress; errors only.")
@click.pass_context
def reproduce(
    context: click.Context,
    tables: tuple[str, ...],
    encoder: str,
    kpe: tuple[str, ...],
    long_encoder: str | None,
    elmo: str | None,
    sent2vec: str | None,
    form: str,
    device: str | None,
    dtype: str | None,
    data_dir: str | None,
    limits: tuple[str, ...],
    exact_limits: tuple[str, ...],
    no_verify: bool,
    runs: Path,
    out: Path,
    only_plan: bool,
    no_run: bool,
    quiet: bool,
) -> None:
    """Measure the paper's tables and figures, and set the two beside each other.

    TABLE is table1 to table10 or figure3, or a word for it: case, datasets, main, phrase-length, document-length,
    layers, long-documents, theta, masking, similarity, diversity; or all, which is also what is done without any. Shows
    a plan with the time it may take, runs what is missing, reuses what is there, and writes Markdown, CSV, LaTeX and a
    page, with three numbers in every cell: the paper's, ours, the difference. What was not run is empty. Stopped, the
    same command goes on.
    """
    from mderank.reproduction.report import build
    from mderank.reproduction.setup import Setup
    from mderank.reproduction.shelf import Shelf
    from mderank.reproduction.tables import choose

    parts = choose(tables)
    import_spacy_without_torch()
    encoders = _Encoders(device, dtype)
    setup = Setup(
        encoder=encoders.facts(encoder),
        kpe=_kpe(kpe, encoders),
        long_encoder=encoders.facts(long_encoder) if long_encoder else None,
        elmo=elmo,
        sent2vec=sent2vec,
        forms=FORMS[form],  # type: ignore[arg-type]
        limit=_limits("--limit", limits),
        exact_limit=_limits("--exact-limit", exact_limits),
        further=(*(("--device", device) if device else ()), *(("--dtype", dtype) if dtype else ())),
    )
    sets = _Sets(data_dir, verify=not no_verify)
    workshop = _Workshop(encoders, sets, Shelf(runs))
    with progress("planning", None, silent=quiet):
        plan = workshop.plan(setup, parts)
    for line in () if quiet else plan.lines(commands=only_plan):
        click.echo(line, err=not only_plan)
    if only_plan:
        return
    notes = [] if no_run else workshop.work(plan, quiet)
    results, done, more = workshop.results(plan)
    with progress("writing", len(parts) + len(setup.forms_of(setup.encoder)), silent=quiet) as advance:
        report = build(setup, parts, results, done, (*sets.notes(), *notes, *more), advance)
    _write(report, out)
    if not quiet:
        _conclude(report, out)
    failed = notes or any(job.problem for job in plan.jobs.values())
    context.exit(1 if failed and not no_run else 0)


def _kpe(assignments: tuple[str, ...], encoders: _Encoders) -> dict[str, Model]:
    from mderank.reproduction.setup import SAMPLINGS, TEACHERS

    known = (*SAMPLINGS, *TEACHERS)
    trained = {}
    for assignment in assignments:
        name, equals, folder = assignment.partition("=")
        if name not in known or not equals or not folder:
            raise OptionError(f"--kpe {assignment}: write NAME=DIR, where NAME is one of {', '.join(known)}")
        trained[name] = encoders.facts(folder)
    return trained


def _limits(option: str, given: tuple[str, ...]) -> Limits:
    from mderank.reproduction.paper import SETS
    from mderank.reproduction.setup import Limits

    every, by_set = None, {}
    for each in given:
        name, _, number = each.rpartition("=")
        if not number.isdecimal() or int(number) < 1 or (name and name not in SETS) or each.startswith("="):
            raise OptionError(f"{option} {each}: write N or SET=N, where SET is one of {', '.join(SETS)}")
        if name:
            by_set[name] = int(number)
        else:
            every = int(number)
    return Limits(every, by_set)


class _Encoders:
    """Encoders, each loaded once; what masks change in the exact form is remembered from run to run."""

    def __init__(self, device: str | None, dtype: str | None) -> None:
        self._device, self._dtype = device, dtype
        self._loaded: dict[str, RememberingEncoder] = {}
        self._speeds: dict[str, float] = {}

    def get(self, name: str) -> RememberingEncoder:
        from mderank.encoding import RememberingEncoder, load_encoder

        if name not in self._loaded:
            self._loaded[name] = RememberingEncoder(load_encoder(name, device=self._device, dtype=self._dtype))
        return self._loaded[name]

    def forget(self) -> None:
        """Let go of what was remembered: the next texts are others."""
        for encoder in self._loaded.values():
            encoder.forget()

    def saved(self) -> float:
        """The seconds that remembering has spared so far."""
        return sum(encoder.saved for encoder in self._loaded.values())

    def facts(self, name: str) -> Model:
        from mderank.reproduction.setup import Model

        spec = self.get(name).spec
        return Model(name, spec.layers, spec.one_pass, spec.pooling, spec.max_length)

    def load(self, method: Method, settings: dict[str, Any]) -> Encoder | WordEncoder:
        """For `make_extractor`; ELMo is no such encoder, and is loaded in its own way."""
        from mderank.encoding import is_elmo

        name = settings["model"]
        return load_model(method, settings) if is_elmo(Path(name)) else self.get(name)

    def speed(self, name: str) -> float:
        """Seconds a token, measured once."""
        from mderank.encoding import is_elmo
        from mderank.reproduction.cost import seconds_per_token

        if is_elmo(Path(name)):
            return 1e-3
        if name not in self._speeds:
            self._speeds[name] = seconds_per_token(self.get(name))
        return self._speeds[name]


class _Sets:
    """The paper's sets, whole, each read once; a set that is not there is a reason not to run, no error."""

    def __init__(self, data_dir: str | None, verify: bool) -> None:
        from mderank.evaluation.datasets import load_dataset
        from mderank.reproduction.paper import SETS

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
class _Ready:
    """A wanted run with all that it takes: an extractor, the documents, the settings, the folder."""

    extractor: Any
    tasks: list[Task]
    settings: dict[str, Any]
    folder: Path

    def done(self) -> int:
        """How many documents there are already."""
        from mderank.evaluation.runner import DOCUMENTS_FILE

        try:
            with (self.folder / DOCUMENTS_FILE).open("rb") as lines:
                return min(sum(1 for _ in lines), len(self.tasks))
        except OSError:
            return 0

    def go_on_from(self, begun: Kept | None) -> None:
        """Take the documents of a run on fewer, so as not to do them again."""
        from mderank.evaluation.runner import DOCUMENTS_FILE

        if begun is not None and begun.documents > self.done():
            self.folder.mkdir(parents=True, exist_ok=True)
            copyfile(begun.folder / DOCUMENTS_FILE, self.folder / DOCUMENTS_FILE)


class _Workshop:
    """Where wanted runs become runs."""

    def __init__(self, encoders: _Encoders, sets: _Sets, shelf: Shelf) -> None:
        from mderank.evaluation.tagged import SharedTagger
        from mderank.tagging import SpacyTagger

        self._encoders, self._sets, self._shelf = encoders, sets, shelf
        self._tagger: SharedTagger = SharedTagger(SpacyTagger(None))

    def ready(self, wanted: Wanted) -> _Ready:
        """What a run takes. Its options are read by ``mderank evaluate`` itself."""
        context = evaluate.make_context("evaluate", wanted.arguments())
        with context.scope(cleanup=False):
            given = given_options()
        own = signature(evaluate.callback).parameters  # type: ignore[arg-type]
        chosen = {name: value for name, value in context.params.items() if name not in own}
        settings = method_settings(wanted.method, chosen, given, "paper")
        extractor = make_extractor(settings, given, self._encoders.load, tagger=self._tagger)
        dataset = self._sets.found[wanted.dataset]
        only = context.params["only"]
        tasks = tasks_of(dataset, "paper", only)[: wanted.limit]
        limited = wanted.limit is not None and wanted.limit < len(dataset.documents)
        label = label_of(settings, given, only) + (f"-limit={wanted.limit}" if limited else "")
        told = about(settings, dataset, "paper", wanted.limit if limited else None, label, extractor, only)
        folder = self._shelf.place(told)
        return _Ready(extractor, tasks, {**told, "label": folder.name}, folder)

    def plan(self, setup: Setup, parts: Any) -> Plan:
        """What is there, and what is to be done."""
        from mderank.reproduction.plan import make_plan

        needed = dict.fromkeys(wanted for part in parts for wanted in part.needs(setup))
        return make_plan(setup, parts, map(self._job, needed))

    def _job(self, wanted: Wanted) -> Job:
        from mderank.reproduction.plan import Job

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
        done = max(ready.done(), begun.documents if begun else 0)
        return Job(wanted, documents, of, seconds=self._seconds(wanted, ready) * (1 - done / documents))

    def _seconds(self, wanted: Wanted, ready: _Ready) -> float:
        from mderank.reproduction.cost import TOKENS, estimate, scaled

        lengths = [len(task.text.split()) for task in ready.tasks]
        like = self._shelf.like(ready.settings)
        if like is not None:
            return scaled(wanted, lengths, like)
        speed = self._encoders.speed(ready.settings["model"]) if wanted.method in TOKENS else 0.0
        return estimate(wanted, lengths, speed)

    def work(self, plan: Plan, quiet: bool) -> list[str]:
        """Run what is to be done; what went wrong comes back as notes."""
        from mderank.evaluation.runner import execute

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
            title = f"{number}/{len(to_do)} {wanted.dataset} {ready.settings['label']}"
            try:
                ready.go_on_from(self._shelf.begun(ready.settings, len(ready.tasks)))
                with progress(title, len(ready.tasks), silent=quiet) as advance:
                    run = execute(ready.extractor, ready.tasks, ready.folder, ready.settings, advance, self._clock)
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
        from mderank.evaluation.runner import load_run
        from mderank.reproduction.report.build import Done
        from mderank.reproduction.results import Measured, Results
        from mderank.reproduction.shelf import Shelf

        shelf = Shelf(self._shelf.folder)
        measured: dict[Wanted, Measured] = {}
        done, versions = [], set()
        for wanted, job in plan.jobs.items():
            kept = job.kept or (shelf.find(self.ready(wanted).settings, job.documents) if job.to_do else None)
            if kept is None:
                continue
            run = load_run(kept.folder)
            measured[wanted] = Measured(run.outcomes[: job.documents], 1 if wanted.document else job.of)
            done.append(Done(wanted.command(), job.documents, job.of, kept.seconds))
            versions.add(tuple(sorted(kept.settings.get("versions", {}).items())))
        problems = dict.fromkeys(job.problem for job in plan.jobs.values() if job.problem)
        notes = [f"not run: {problem}" for problem in problems if problem]
        if len(versions) > 1:
            notes.append(
                "the runs were made with different versions of mderank or of what it is built on: see run.json"
            )
        return Results(measured, self._sets.found), done, notes


def _write(report: Any, out: Path) -> None:
    from mderank.reproduction.report import as_csv, as_latex, as_markdown, claims_as_csv, page

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}") from error
    forms = {"reproduction.md": as_markdown, "reproduction.csv": as_csv, "reproduction.tex": as_latex,
             "reproduction.html": page, "claims.csv": claims_as_csv}  # fmt: skip
    for name, write in forms.items():
        with opened(str(out / name)) as stream:
            stream.write(write(report).encode("utf-8", "backslashreplace").decode("utf-8"))


def _conclude(report: Any, out: Path) -> None:
    from mderank.reproduction.report.text import summary

    for form, findings in report.findings.items():
        if not findings:
            continue
        click.echo(f"What the paper says, MDERank {form}: {summary(findings)}")
        for finding in findings:
            click.echo(f"  {finding.verdict:<14} {finding.claim.says}")
    for note in report.notes:
        click.echo(f"mderank: note: {note}", err=True)
    click.echo(f"{out / 'reproduction.html'} and, beside it, Markdown, CSV and LaTeX")

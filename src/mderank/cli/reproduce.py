"""``mderank reproduce``: the paper's tables, measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._options import DEFAULT_MODEL, SectionedCommand, import_spacy_without_torch, option
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import progress
from mderank.cli.workshop import Encoders, Sets, Workshop
from mderank.errors import InputError, OptionError

if TYPE_CHECKING:
    from mderank.research.reproduction.config import Limits, Model

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
@option("Method", "--batch-tokens", type=click.IntRange(1), metavar="N",
        help="Tokens that the encoder computes at once in the exact form; makes no difference to the result.  "
        "[default: 4096 on the CPU, 32768 on a GPU]")  # fmt: skip
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
    batch_tokens: int | None,
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
    from mderank.research.reproduction.config import Setup
    from mderank.research.reproduction.report import build
    from mderank.research.reproduction.shelf import Shelf
    from mderank.research.reproduction.tables import choose

    parts = choose(tables)
    import_spacy_without_torch()
    encoders = Encoders(device, dtype)
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
    sets = Sets(data_dir, verify=not no_verify)
    workshop = Workshop(encoders, sets, Shelf(runs), batch_tokens)
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


def _kpe(assignments: tuple[str, ...], encoders: Encoders) -> dict[str, Model]:
    from mderank.research.reproduction.config import SAMPLINGS, TEACHERS

    known = (*SAMPLINGS, *TEACHERS)
    trained = {}
    for assignment in assignments:
        name, equals, folder = assignment.partition("=")
        if name not in known or not equals or not folder:
            raise OptionError(f"--kpe {assignment}: write NAME=DIR, where NAME is one of {', '.join(known)}")
        trained[name] = encoders.facts(folder)
    return trained


def _limits(option: str, given: tuple[str, ...]) -> Limits:
    from mderank.research.reproduction.config import Limits
    from mderank.research.reproduction.paper import SETS

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


def _write(report: Any, out: Path) -> None:
    from mderank.research.reproduction.report import as_csv, as_latex, as_markdown, claims_as_csv, page

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
    from mderank.research.reproduction.report.text import summary

    for form, findings in report.findings.items():
        if not findings:
            continue
        click.echo(f"What the paper says, MDERank {form}: {summary(findings)}")
        for finding in findings:
            click.echo(f"  {finding.verdict:<14} {finding.claim.says}")
    for note in report.notes:
        click.echo(f"mderank: note: {note}", err=True)
    click.echo(f"{out / 'reproduction.html'} and, beside it, Markdown, CSV and LaTeX")

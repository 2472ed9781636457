"""``mderank reproduce``: measure the paper's tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mderank.cli._options import DEFAULT_MODEL, SectionedCommand, import_spacy_without_torch, option
from mderank.cli._signals import RESUME, stopped_with
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import progress, show_stages
from mderank.errors import InputError, OptionError

if TYPE_CHECKING:
    from mderank.research.reproduction.config import EncoderInfo, Limits, Mode
    from mderank.research.reproduction.report import Report
    from mderank.research.reproduction.reproduce import ReproductionResources

MODES: dict[str, tuple[Mode, ...]] = {"both": ("exact", "one pass"), "exact": ("exact",), "one-pass": ("one pass",)}


@click.command(cls=SectionedCommand, short_help="Measure the paper's tables and figures, and compare.")
@click.argument("tables", nargs=-1, metavar="[TABLE]...")
@option("Method", "--model", "-m", default=DEFAULT_MODEL, show_default=True, metavar="NAME|DIR",
        help="Encoder in place of the paper's BERT; bert-base-uncased is the paper's own.")  # fmt: skip
@option("Method", "--kpe", multiple=True, metavar="NAME=DIR",
        help="A trained encoder: ab or re (by sampling), textrank or yake (by θ; yake is ab unless given); repeatable. "
        "'mderank train' makes them.")  # fmt: skip
@option("Method", "--long-encoder", metavar="NAME|DIR", help="Encoder in place of the paper's BigBird.")
@option("Method", "--elmo", metavar="DIR", help="ELMo's files, for SIFRank.  [default: the encoder in its place]")
@option("Method", "--sent2vec", metavar="FILE", help="A Sent2Vec model, for EmbedRank as it was published.")
@option("Method", "--mode", type=click.Choice(list(MODES)), default="both", show_default=True,
        help="MDERank as in the paper (exact), in one pass, or both.")  # fmt: skip
@option("Method", "--device", metavar="NAME", help="For torch models: cpu, cuda, cuda:1, mps.")
@option("Method", "--dtype", type=click.Choice(["float32", "float16", "bfloat16"]), help="For torch models.")
@option("Method", "--batch-tokens", type=click.IntRange(1), metavar="N",
        help="Tokens that the encoder computes at once in exact mode; the results stay the same.  "
        "[default: 4096 on the CPU, 32768 on a GPU]")  # fmt: skip
@option("Input", "--data-dir", metavar="DIR", help="Folder of the datasets.  [default: MDERANK_DATA_DIR]")
@option("Input", "--limit", "limits", multiple=True, metavar="N|DATASET=N",
        help="Only the first N documents of each dataset, or of one. Repeatable.")  # fmt: skip
@option("Input", "--exact-limit", "exact_limits", multiple=True, metavar="N|DATASET=N",
        help="The same for exact mode, which takes many times longer.")  # fmt: skip
@option("Input", "--no-verify", is_flag=True, help="Do not compare the datasets' checksums.")
@option("Results", "--runs", type=click.Path(path_type=Path), default=Path("runs"), show_default=True,
        help="Folder of the runs. Those that are there are used, others are added.")  # fmt: skip
@option("Results", "--out", type=click.Path(path_type=Path), default=Path("reproduction"), show_default=True,
        help="Folder of the report.")  # fmt: skip
@option("Results", "--dry-run", is_flag=True, help="Print which runs are missing and how long they may take; run none.")
@option("Results", "--no-run", is_flag=True, help="Write the report from the runs that are there.")
@option("Results", "--quiet", "-q", is_flag=True, help="No plan, no progress; errors only.")
@click.pass_context
def reproduce(
    context: click.Context,
    tables: tuple[str, ...],
    model: str,
    kpe: tuple[str, ...],
    long_encoder: str | None,
    elmo: str | None,
    sent2vec: str | None,
    mode: str,
    device: str | None,
    dtype: str | None,
    batch_tokens: int | None,
    data_dir: str | None,
    limits: tuple[str, ...],
    exact_limits: tuple[str, ...],
    no_verify: bool,
    runs: Path,
    out: Path,
    dry_run: bool,
    no_run: bool,
    quiet: bool,
) -> None:
    """Measure tables and figures of the paper, and compare the numbers.

    TABLE is table1 to table10 or figure3, or an alias: case, datasets, main, phrase-length, document-length, layers,
    long-documents, theta, masking, similarity, diversity; or all, the default. The command prints a plan with the time
    it may take, makes the runs that are missing, and writes Markdown, CSV, LaTeX and a page. Every cell has three
    numbers: the paper's, ours, the difference. Cells that were not run are empty. If it was stopped, the same command
    resumes.
    """
    from mderank.research.evaluation.runs import RunStore
    from mderank.research.reproduction.config import ReproductionConfig
    from mderank.research.reproduction.reproduce import Reproduction, ReproductionResources
    from mderank.research.reproduction.tables import choose_parts

    parts = choose_parts(tables)
    import_spacy_without_torch()
    resources = ReproductionResources(data_dir, verify=not no_verify, device=device, dtype=dtype)
    config = ReproductionConfig(
        encoder=resources.describe_encoder(model),
        kpe=_parse_kpe(kpe, resources),
        long_encoder=resources.describe_encoder(long_encoder) if long_encoder else None,
        elmo=elmo,
        sent2vec=sent2vec,
        modes=MODES[mode],
        limit=_parse_limits("--limit", limits),
        exact_limit=_parse_limits("--exact-limit", exact_limits),
        device=device,
        dtype=dtype,
    )
    reproduction = Reproduction(config, parts, RunStore(runs), resources, batch_tokens)
    with progress("planning", None, silent=quiet):
        plan = reproduction.plan()
    for line in () if quiet else plan.lines(commands=dry_run):
        click.echo(line, err=not dry_run)
    if dry_run:
        return

    def tell(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    with show_stages(silent=quiet) as show, stopped_with(RESUME):
        notes = [] if no_run else reproduction.run(plan, show, tell)
    with progress("writing", len(parts) + len(config.modes_of(config.encoder)), silent=quiet) as advance:
        report = reproduction.report(plan, notes, advance)
    _write(report, out)
    if not quiet:
        _print_conclusion(report, out)
    context.exit(1 if (notes or plan.problems) and not no_run else 0)


def _parse_kpe(assignments: tuple[str, ...], resources: ReproductionResources) -> dict[str, EncoderInfo]:
    from mderank.research.reproduction.config import SAMPLINGS, TEACHERS

    known = (*SAMPLINGS, *TEACHERS)
    trained = {}
    for assignment in assignments:
        name, equals, folder = assignment.partition("=")
        if name not in known or not equals or not folder:
            raise OptionError(f"--kpe {assignment}: write NAME=DIR, where NAME is one of {', '.join(known)}")
        trained[name] = resources.describe_encoder(folder)
    return trained


def _parse_limits(option: str, given: tuple[str, ...]) -> Limits:
    from mderank.research.reproduction.config import Limits
    from mderank.research.reproduction.paper import SETS

    default, by_dataset = None, {}
    for each in given:
        name, _, number = each.rpartition("=")
        if not number.isdecimal() or int(number) < 1 or (name and name not in SETS) or each.startswith("="):
            raise OptionError(f"{option} {each}: write N or DATASET=N, where DATASET is one of {', '.join(SETS)}")
        if name:
            by_dataset[name] = int(number)
        else:
            default = int(number)
    return Limits(default, by_dataset)


def _write(report: Report, out: Path) -> None:
    from mderank.research.reproduction.page import reproduction_page
    from mderank.research.reproduction.writers import as_csv, as_latex, as_markdown, claims_as_csv

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}") from error
    formats = {"reproduction.md": as_markdown, "reproduction.csv": as_csv, "reproduction.tex": as_latex,
               "reproduction.html": reproduction_page, "claims.csv": claims_as_csv}  # fmt: skip
    for name, write in formats.items():
        with opened(str(out / name)) as stream:
            stream.write(write(report).encode("utf-8", "backslashreplace").decode("utf-8"))


def _print_conclusion(report: Report, out: Path) -> None:
    from mderank.research.reproduction.report import summarise_findings

    for mode, findings in report.findings.items():
        if not findings:
            continue
        click.echo(f"What the paper says, MDERank {mode}: {summarise_findings(findings)}")
        for finding in findings:
            click.echo(f"  {finding.verdict:<14} {finding.claim.says}")
    for note in report.notes:
        click.echo(f"mderank: note: {note}", err=True)
    click.echo(f"{out / 'reproduction.html'} and, beside it, Markdown, CSV and LaTeX")

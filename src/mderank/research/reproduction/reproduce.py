"""Reproduce the paper's tables: find the runs that they need, make those that are missing, build the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mderank.encoding import BUNDLED_MODEL, load_encoder
from mderank.encoding.load import is_elmo
from mderank.errors import InputError, MDERankError
from mderank.factory import load_model
from mderank.options import Options
from mderank.research.datasets import Dataset
from mderank.research.evaluation.evaluate import PreparedRun, Progress, Resources, count_progress, prepare
from mderank.research.evaluation.runs import RunStore, count_documents, load_run
from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.cells import Measured, Results
from mderank.research.reproduction.config import EncoderInfo, ReproductionConfig
from mderank.research.reproduction.encoder_cache import CachingEncoder
from mderank.research.reproduction.paper import SETS
from mderank.research.reproduction.plan import (
    ENCODED_TOKENS,
    Plan,
    PlannedRun,
    estimate,
    estimate_from,
    make_plan,
    measure_encoder,
)
from mderank.research.reproduction.report import Report, RunRecord, build_report
from mderank.research.reproduction.tables import Part, choose_parts

if TYPE_CHECKING:
    from mderank.encoding import Encoder
    from mderank.methods.sifrank.word_encoder import WordEncoder

ELMO_SPEED = 1e-3  # seconds per token, roughly


class ReproductionResources(Resources):
    """The paper's datasets, and encoders that cache masked variants from run to run.

    Args:
        data_dir: The data folder, as for `load_dataset`.
        verify: Whether datasets must have the known checksum.
        device: Device of torch models.
        dtype: Number type of torch models.

    Attributes:
        datasets: The datasets that were found, by name.
        problems: Why the others were not found, by name.

    Raises:
        InputError: If no dataset was found.

    """

    def __init__(
        self,
        data_dir: str | Path | None = None,
        *,
        verify: bool = True,
        device: str | None = None,
        dtype: str | None = None,
    ) -> None:
        super().__init__(data_dir, verify=verify, cache_tags=True)
        self._device, self._dtype = device, dtype
        self._caching: dict[str, CachingEncoder] = {}
        self._speeds: dict[str, float] = {}
        self.datasets: dict[str, Dataset] = {}
        self.problems: dict[str, str] = {}
        for name in SETS:
            try:
                self.datasets[name] = super().dataset(name)
            except InputError as error:
                self.problems[name] = str(error)
        if not self.datasets:
            raise InputError(next(iter(self.problems.values())))

    def dataset(self, name: str, limit: int | None = None) -> Dataset:
        """Return a whole dataset; runs take its first documents."""
        if name in self.problems:
            raise InputError(f"the dataset {name} is not there")
        return self.datasets[name]

    def get_encoder(self, name: str) -> CachingEncoder:
        """Return an encoder with a cache, loaded once."""
        if name not in self._caching:
            self._caching[name] = CachingEncoder(
                load_encoder(name, device=self._device, dtype=self._dtype, precision="float32")
            )
        return self._caching[name]

    def encoder(self, options: Options) -> Encoder | WordEncoder:
        """Return the encoder that the options name. ELMo has no cache."""
        name = options.model or BUNDLED_MODEL
        return load_model(options) if is_elmo(Path(name)) else self.get_encoder(name)

    def describe_encoder(self, name: str) -> EncoderInfo:
        """Describe an encoder for the configuration.

        Args:
            name: Its name or folder.

        Returns:
            The description.

        Raises:
            ModelError: If it cannot be loaded.

        """
        spec = self.get_encoder(name).spec
        return EncoderInfo(name, spec.layers, spec.one_pass, spec.pooling, spec.max_length)

    def speed(self, name: str) -> float:
        """Return an encoder's time per token in seconds, measured once."""
        if is_elmo(Path(name)):
            return ELMO_SPEED
        if name not in self._speeds:
            self._speeds[name] = measure_encoder(self.get_encoder(name))
        return self._speeds[name]

    def clear(self) -> None:
        """Drop everything that was cached of texts."""
        super().clear()
        for encoder in self._caching.values():
            encoder.clear()

    def clock(self) -> float:
        """Return the time in seconds, plus the time that caching has saved: each run is charged for all its work."""
        return super().clock() + sum(encoder.saved for encoder in self._caching.values())


class Reproduction:
    """A reproduction, step by step: `plan`, `run`, `report`.

    Args:
        config: The configuration.
        parts: The tables and figures.
        store: The store of runs. Runs that are there are used, others are added.
        resources: Datasets and encoders.
        batch_tokens: Tokens that the encoder computes at once in exact mode. The results stay the same.

    """

    def __init__(
        self,
        config: ReproductionConfig,
        parts: Sequence[Part],
        store: RunStore,
        resources: ReproductionResources,
        batch_tokens: int | None = None,
    ) -> None:
        self.config, self.parts, self.store = config, parts, store
        self._resources, self._batch_tokens = resources, batch_tokens

    def plan(self) -> Plan:
        """Find the runs that exist, and estimate the time of the others."""
        needed = dict.fromkeys(spec for part in self.parts for spec in part.needs(self.config))
        return make_plan(self.config, self.parts, map(self._plan_run, needed))

    def run(
        self,
        plan: Plan,
        progress: Progress = lambda stage, done, total: None,
        report: Callable[[str], object] = lambda line: None,
    ) -> list[str]:
        """Make the missing runs.

        Args:
            plan: The plan.
            progress: Called with the run, the number of documents that are done, and of all documents.
            report: Called with a line of text for each finished run.

        Returns:
            Notes on runs and documents that failed.

        """
        notes = []
        to_do = plan.to_do()
        for number, planned in enumerate(to_do, start=1):
            run = self._prepare(planned.spec)
            shorter = self.store.find_shorter(run.settings, len(run.texts))
            title = f"{number}/{len(to_do)} {planned.spec.dataset} {run.label}"
            try:
                advance = count_progress(progress, title, len(run.texts))
                done = run.execute(advance, shorter.folder if shorter else None)
            except MDERankError as error:
                notes.append(f"{planned.spec.command()}: not run: {error}")
                continue
            failed = [outcome for outcome in done.outcomes if outcome.error]
            if failed:
                command = planned.spec.command()
                notes.append(f"{command}: {len(failed)} documents failed, the first: {failed[0].error}")
            report(f"{title}: {done.seconds_per_document:.3f} s per document")
        self.store.refresh()
        return notes

    def report(self, plan: Plan, notes: Sequence[str] = (), advance: Callable[[], object] = lambda: None) -> Report:
        """Build the report from the runs that exist.

        Args:
            plan: The plan.
            notes: Further notes for the report.
            advance: Called after each table, and after the claims of each mode.

        Returns:
            The report.

        """
        measured: dict[RunSpec, Measured] = {}
        records: list[RunRecord] = []
        versions: dict[str, set[str]] = {}
        for spec, planned in plan.runs.items():
            stored = planned.stored
            if planned.to_do:
                stored = self.store.find(self._prepare(spec).settings, planned.documents)
            if stored is None:
                continue
            run = load_run(stored.folder)
            measured[spec] = Measured(run.outcomes[: planned.documents], 1 if spec.documents else planned.of)
            records.append(RunRecord(spec.command(), planned.documents, planned.of, stored.seconds))
            for package, version in (stored.settings.get("versions") or {}).items():
                versions.setdefault(package, set()).add(version)
        all_notes = [*self._resources.problems.values(), *notes, *(f"not run: {each}" for each in plan.problems)]
        differing = [package for package, found in versions.items() if len(found) > 1]
        if differing:
            all_notes.append(f"the runs were made with different versions of {', '.join(differing)}: see run.json")
        results = Results(measured, self._resources.datasets)
        return build_report(self.config, self.parts, results, records, all_notes, advance)

    def _prepare(self, spec: RunSpec) -> PreparedRun:
        options = spec.options
        if options.exact and self._batch_tokens is not None:
            options = replace(options, batch_tokens=self._batch_tokens)
        documents = len(self._resources.dataset(spec.dataset).documents)
        limit = spec.limit if spec.limit is not None and spec.limit < documents else None
        chosen = replace(spec, options=options, limit=limit)
        return prepare(chosen, self.store, resources=self._resources, numbered=True)

    def _plan_run(self, spec: RunSpec) -> PlannedRun:
        try:
            run = self._prepare(spec)
        except MDERankError as error:
            return PlannedRun(spec, problem=str(error))
        documents, of = len(run.texts), len(run.dataset.documents)
        stored = self.store.find(run.settings, documents)
        if stored is not None:
            return PlannedRun(spec, documents, of, stored)
        shorter = self.store.find_shorter(run.settings, documents)
        done = max(count_documents(run.folder), shorter.documents if shorter else 0)
        left = 1 - min(1.0, done / max(1, documents))
        return PlannedRun(spec, documents, of, seconds=self._estimate(run) * left)

    def _estimate(self, run: PreparedRun) -> float:
        options = run.spec.options
        lengths = [len(each.text.split()) for each in run.texts]
        similar = self.store.find_similar(run.settings)
        if similar is not None:
            return estimate_from(options, lengths, similar) * _depth(run.settings) / _depth(similar.settings)
        model = options.model or BUNDLED_MODEL
        speed = self._resources.speed(model) if options.method in ENCODED_TOKENS else 0.0
        if options.layer is not None:
            speed *= _depth(run.settings) / self._resources.get_encoder(model).spec.layers
        return estimate(options, lengths, speed)


def _depth(settings: Mapping[str, Any]) -> int:
    """Return the number of layers that a run computes; 1 for a method without an encoder."""
    return int((settings.get("resolved") or {}).get("layer") or 1)


def reproduce(
    config: ReproductionConfig,
    tables: Sequence[str] = (),
    *,
    store: RunStore,
    resources: ReproductionResources,
    batch_tokens: int | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Report:
    """Measure tables of the paper.

    Args:
        config: What they are measured with.
        tables: Names of tables and figures. Default: all.
        store: The store of runs. Runs that are there are used, others are added.
        resources: Datasets and encoders.
        batch_tokens: Tokens that the encoder computes at once in exact mode. The results stay the same.
        progress: Called with a run, the number of documents that are done, and of all documents.

    Returns:
        The report: the paper's numbers, ours, and tests of the paper's claims.

    Raises:
        OptionError: If a table is unknown.

    """
    reproduction = Reproduction(config, choose_parts(tables), store, resources, batch_tokens)
    plan = reproduction.plan()
    return reproduction.report(plan, reproduction.run(plan, progress))

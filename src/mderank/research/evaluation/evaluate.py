"""Run methods over labelled datasets. Runs are written document by document, and resume if they are stopped.

>>> from mderank import Options
>>> from mderank.research.evaluation.runs import RunStore
>>> from mderank.research.evaluation.spec import RunSpec
>>> folder = getfixture("tmp_path")
>>> run = evaluate(RunSpec("everyday", Options(method="firstphrases"), limit=2), RunStore(folder))
>>> run.name, len(run.outcomes), run.folder == folder / "everyday" / "firstphrases"
('firstphrases', 2, True)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mderank.errors import InputError
from mderank.factory import build_arguments, load_model
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.options import Options
from mderank.reading import MAX_DOCUMENT_CHARS
from mderank.research.datasets import Dataset, load_dataset
from mderank.research.evaluation.naming import choose_label, named_runs
from mderank.research.evaluation.protocols import Prediction
from mderank.research.evaluation.runs import (
    DOCUMENTS_FILE,
    SETTINGS_FILE,
    SUMMARY_FILE,
    DocumentOutcome,
    LabelledText,
    Run,
    RunStore,
    count_documents,
    differences,
    encoder_key,
    folder_name,
    load_run,
    parse_line,
    read_outcomes,
)
from mderank.research.evaluation.spec import ORACLE, RunSpec, find_method
from mderank.research.evaluation.tagger_cache import CachingTagger
from mderank.style import style_file
from mderank.util.environment import PACKAGES, describe_encoder, peak_memory, versions
from mderank.util.files import cached_file_sha256, claim_settings, open_locked
from mderank.util.format import json_text

if TYPE_CHECKING:
    from mderank.encoding import Encoder
    from mderank.methods.sifrank.word_encoder import WordEncoder
    from mderank.tagging import Tagger

CHUNK = 16  # most documents that are extracted and written together
PATIENCE = 10.0  # seconds of work that may be lost if the run is stopped: slow documents are written one by one

Advance = Callable[[int], object]
Progress = Callable[[str, int, int], object]  # called with a stage, the steps that are done, and all steps


def count_progress(progress: Progress, stage: str, total: int) -> Advance:
    """Adapt a progress callback for functions that report steps one by one.

    Args:
        progress: The callback.
        stage: The stage that it is called with.
        total: The number of all steps.

    Returns:
        A function that is called with the number of steps that are done since the last call.

    """
    done = 0

    def advance(count: int = 1) -> None:
        nonlocal done
        done += count
        progress(stage, done, total)

    return advance


class Resources:
    """Datasets, taggers, encoders and extractors that several runs share, each loaded once.

    Args:
        data_dir: The data folder, as for `load_dataset`.
        verify: Whether known datasets must have the known checksum.
        cache_tags: Whether texts that several methods read are tagged once. They are held in memory.
        max_document_chars: Length of the longest document of a dataset, as for `load_dataset`.

    """

    def __init__(
        self,
        data_dir: str | Path | None = None,
        *,
        verify: bool = True,
        cache_tags: bool = False,
        max_document_chars: int = MAX_DOCUMENT_CHARS,
    ) -> None:
        self._data_dir, self._verify, self._cache_tags = data_dir, verify, cache_tags
        self._max_document_chars = max_document_chars
        self._datasets: dict[tuple[str, int | None], Dataset] = {}
        self._taggers: dict[tuple[str | None, ...], Tagger] = {}
        self._encoders: dict[tuple[object, ...], Encoder | WordEncoder] = {}
        self._extractors: dict[Options, Extractor] = {}
        self._texts: tuple[object, ...] | None = None

    def dataset(self, name: str, limit: int | None = None) -> Dataset:
        """Return a dataset, or its first ``limit`` documents."""
        key = (name, limit)
        if key not in self._datasets:
            self._datasets[key] = load_dataset(
                name,
                self._data_dir,
                limit=limit,
                verify=self._verify,
                max_document_chars=self._max_document_chars,
            )
        return self._datasets[key]

    def tagger(self, options: Options) -> Tagger:
        """Return the tagger that the options name."""
        from mderank.tagging import load_tagger

        key = (options.tagger, options.tokenizer, options.language)
        if key not in self._taggers:
            tagger = load_tagger(options.tagger, tokenizer=options.tokenizer, language=options.language)
            self._taggers[key] = CachingTagger(tagger) if self._cache_tags else tagger
        return self._taggers[key]

    def encoder(self, options: Options) -> Encoder | WordEncoder:
        """Return the encoder that the options name."""
        load = getattr(find_method(options.method).load(), "load_model", None)  # SIFRank loads encoders of words
        key = (load, options.model, options.device, options.dtype, options.threads)
        if key not in self._encoders:
            self._encoders[key] = load_model(options)
        return self._encoders[key]

    def extractor(self, options: Options, texts: Sequence[LabelledText] = ()) -> Extractor:
        """Return the extractor that the options describe.

        Args:
            options: The options.
            texts: The labelled texts, for the oracle.

        Returns:
            The extractor.

        Raises:
            OptionError: If the options do not fit the method.

        """
        if options.method == ORACLE.name:
            languages = {each.text: each.language for each in texts}
            return self._build(options, gold={each.text: each.gold for each in texts}, languages=languages)
        if options not in self._extractors:
            self._extractors[options] = self._build(options)
        return self._extractors[options]

    def _build(self, options: Options, **further: Any) -> Extractor:
        method = find_method(options.method)
        encoder = self.encoder(options) if "model" in method.options else None
        tagger = self.tagger(options)
        # The tagger has its language.
        arguments = build_arguments(method, replace(options, language=None), encoder=encoder, tagger=tagger)
        return method.make(**arguments, **further)

    def begin(self, *texts: object) -> None:
        """Announce the texts that are read next. What was cached of other texts is dropped.

        Args:
            *texts: What identifies the texts.

        """
        if texts != self._texts:
            self.clear()
        self._texts = texts

    def clear(self) -> None:
        """Drop everything that was cached of texts."""
        for tagger in self._taggers.values():
            if isinstance(tagger, CachingTagger):
                tagger.clear()

    def clock(self) -> float:
        """Return the time in seconds, plus the time that caching has saved: each run is charged for all its work."""
        saved = (each.saved for each in self._taggers.values() if isinstance(each, CachingTagger))
        return time.perf_counter() + sum(saved)


@dataclass(frozen=True)
class PreparedRun:
    """A run with everything that it takes.

    Attributes:
        spec: The specification.
        dataset: The dataset.
        extractor: The extractor.
        texts: The texts, in the dataset's order.
        settings: The contents of ``run.json``.
        folder: The run's folder.
        resources: What the run shares with others.

    """

    spec: RunSpec
    dataset: Dataset
    extractor: Extractor
    texts: list[LabelledText]
    settings: dict[str, Any]
    folder: Path
    resources: Resources

    @property
    def label(self) -> str:
        """The run's label."""
        return str(self.settings["label"])

    def execute(self, advance: Advance = lambda count: None, resume_from: Path | None = None) -> Run:
        """Extract from all texts and write the folder, or resume there.

        Args:
            advance: Called with the number of documents that are done since the last call.
            resume_from: The folder of the same run on fewer documents, which are then not extracted again.

        Returns:
            The run.

        Raises:
            InputError: If the folder holds another run, or is being written by another process.

        """
        options = self.settings["options"]
        self.resources.begin(self.dataset.sha256, self.settings["text"], options["max_words"])
        top_k = options["top_k"] or None
        clock = self.resources.clock
        return execute(self.extractor, self.texts, self.folder, self.settings, advance, clock, resume_from, top_k)


def evaluate(
    spec: RunSpec,
    store: RunStore,
    *,
    label: str | None = None,
    resources: Resources | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> Run:
    """Run a method over a dataset.

    Args:
        spec: The run.
        store: The store that the run is written to. A run that was stopped resumes there.
        label: The run's label. Default: the method and its options.
        resources: Datasets, taggers and encoders that are shared with other runs.
        progress: Called with the dataset and the label, the number of documents that are done, and of all documents.

    Returns:
        The run, with the predictions for all documents.

    Raises:
        InputError: If the dataset cannot be read, or if the run's folder holds another run.
        OptionError: If the options do not fit the method or the dataset.
        ModelError: If the encoder cannot be loaded.

    """
    prepared = prepare(spec, store, label=label, resources=resources)
    stage = f"{prepared.dataset.name} {prepared.label}"
    run = prepared.execute(count_progress(progress, stage, len(prepared.texts)))
    store.refresh()
    return run


def prepare(
    spec: RunSpec,
    store: RunStore,
    *,
    label: str | None = None,
    resources: Resources | None = None,
    numbered: bool = False,
) -> PreparedRun:
    """Load everything that a run takes, and choose its label and folder.

    Args:
        spec: The run.
        store: The store that the run will be written to.
        label: The run's label. Default: the method and its options.
        resources: Datasets, taggers and encoders that are shared with other runs.
        numbered: Whether a folder that holds another run is avoided by a number after the label. Such labels name the
            limit too.

    Returns:
        The run, ready to be executed.

    Raises:
        InputError: If the dataset cannot be read.
        OptionError: If the options do not fit the method or the dataset.
        ModelError: If the encoder cannot be loaded.

    """
    resources = resources or Resources()
    dataset = resources.dataset(spec.dataset, spec.limit)
    options, texts = spec.resolve(dataset), spec.make_texts(dataset)
    extractor = resources.extractor(options, texts)
    chosen = label or _choose_label(spec, dataset, extractor, store.folder, numbered)
    settings = _make_settings(spec, options, dataset, extractor, chosen)
    folder = store.folder_for(settings) if numbered else store.folder / folder_name(dataset.name) / chosen
    return PreparedRun(spec, dataset, extractor, texts, {**settings, "label": folder.name}, folder, resources)


def _choose_label(spec: RunSpec, dataset: Dataset, extractor: Any, folder: Path, numbered: bool) -> str:
    """Choose a label that names an encoder by the shortest end of its path that distinguishes it from others."""
    if spec.options.model is None:
        return spec.make_label(with_limit=numbered)
    encoder = encoder_key({"encoder": describe_encoder(getattr(extractor, "encoder", None))})

    def label(model: str) -> str:
        return spec.make_label(model, with_limit=numbered)

    dataset_folder = folder_name(dataset.name)
    return choose_label(label, spec.options.model, encoder, dataset_folder, named_runs(folder), numbered=numbered)


def _make_settings(spec: RunSpec, options: Options, dataset: Dataset, extractor: Any, label: str) -> dict[str, Any]:
    """Return everything that may change the result, for ``run.json``."""
    encoder, tagger = getattr(extractor, "encoder", None), extractor.tagger
    if options.dedupe is None:  # the method's own
        options = Options.from_dict({**options.to_dict(), "dedupe": extractor.dedupe})
    return {
        "label": label,
        "dataset": dataset.name,
        "dataset_sha256": dataset.sha256,
        "judged": dataset.judged,
        **({} if dataset.english else {"language": ", ".join(dataset.languages)}),
        "text": spec.choose_text(dataset),
        "limit": spec.limit,
        "documents": list(spec.documents),
        "options": options.to_dict(),
        "encoder": describe_encoder(encoder),
        "resolved": {
            name: getattr(extractor, name) for name in ("pooling", "layer", "exact") if hasattr(extractor, name)
        },
        "files": _checksums(options),
        "tagger_version": getattr(tagger, "name", type(tagger).__name__),
        "versions": versions((*PACKAGES, *getattr(encoder, "packages", ()))),
    }


def _checksums(options: Options) -> dict[str, str]:
    """Return the checksums of the style, of the vocabulary, and of files that parameters of the method name."""
    values = find_method(options.method).check_params(options.params) if options.params else {}
    if options.style is not None:
        values["style"] = style_file(options.style)
    if options.vocabulary is not None:
        values["vocabulary"] = Path(options.vocabulary)
    files = {name: file for name, file in values.items() if isinstance(file, Path) and file.is_file()}
    return {name: cached_file_sha256(file) for name, file in files.items()}


def execute(
    extractor: Extractor,
    texts: Sequence[LabelledText],
    folder: Path,
    settings: dict[str, Any],
    advance: Advance = lambda count: None,
    clock: Callable[[], float] = time.perf_counter,
    resume_from: Path | None = None,
    top_k: int | None = None,
) -> Run:
    """Extract from labelled texts and write a run, or resume it.

    Args:
        extractor: The extractor.
        texts: The texts.
        folder: The run's folder.
        settings: The contents of ``run.json``. A run that is resumed must have the same.
        advance: Called with the number of documents that are done since the last call; those of an earlier start come
            first.
        clock: Returns the time in seconds.
        resume_from: The folder of the same run on fewer documents, which are then not extracted again.
        top_k: Keyphrases per document; None keeps the whole ranking.

    Returns:
        The run.

    Raises:
        InputError: If the folder holds another run, or is being written by another process.

    """
    claim_settings(folder / SETTINGS_FILE, settings, differences)
    with _open_documents(folder) as stream:
        if resume_from is not None and count_documents(resume_from) > count_documents(folder):
            (folder / DOCUMENTS_FILE).write_bytes((resume_from / DOCUMENTS_FILE).read_bytes())
        done = _resume(folder / DOCUMENTS_FILE, texts)
        advance(done)
        size = 1
        while chunk := texts[done : done + size]:
            outcomes = list(_extract(extractor, chunk, clock, top_k))
            lines = (json_text(outcome.to_dict()) + "\n" for outcome in outcomes)
            stream.writelines(line.encode() for line in lines)
            stream.flush()
            done += len(chunk)
            advance(len(chunk))
            quick = sum(outcome.seconds for outcome in outcomes) < PATIENCE
            size = min(CHUNK, 2 * size) if quick else max(1, size // 2)
    _write_summary(folder)
    return load_run(folder)


def _open_documents(folder: Path) -> IO[bytes]:
    """Open and lock the file of documents, so that no other process extracts and writes the same documents."""
    try:
        return open_locked(folder / DOCUMENTS_FILE)
    except BlockingIOError:
        raise InputError(
            f"{folder} is being written by another process: wait for it, or choose another folder"
        ) from None


def _resume(file: Path, texts: Sequence[LabelledText]) -> int:
    """Return the number of documents that are done. An incomplete last line is removed."""
    if not file.exists():
        return 0
    data = file.read_bytes()
    complete = data[: data.rfind(b"\n") + 1]
    if len(complete) < len(data):
        file.write_bytes(complete)
    ids = [parse_line(line, file, number)["id"] for number, line in enumerate(complete.splitlines(), start=1)]
    if ids != [each.id for each in texts[: len(ids)]]:
        raise InputError(f"{file} holds other documents than the dataset: choose another folder, or remove it")
    return len(ids)


def _extract(
    extractor: Extractor, texts: Sequence[LabelledText], clock: Callable[[], float], top_k: int | None
) -> Iterator[DocumentOutcome]:
    """Yield the outcomes of texts that are extracted together. Each is charged an equal share of the time."""
    start = clock()
    results = list(extractor.extract_many([each.text for each in texts], top_k=top_k))
    seconds = (clock() - start) / len(texts)
    for text, found in zip(texts, results, strict=True):
        yield _make_outcome(text, found, seconds)


def _make_outcome(text: LabelledText, found: Keyphrases, seconds: float) -> DocumentOutcome:
    return DocumentOutcome(
        text.id,
        tuple(Prediction(each.text, each.match_count) for each in found),
        tuple(each.score for each in found),
        text.gold,
        seconds,
        str(found.error) if found.error else None,
        text.junk,
        text.kind,
        text.language,
    )


def _write_summary(folder: Path) -> None:
    outcomes = read_outcomes(folder)
    seconds = sum(outcome.seconds for outcome in outcomes)
    summary = {
        "documents": len(outcomes),
        "failed": sum(outcome.error is not None for outcome in outcomes),
        "seconds": round(seconds, 2),
        "documents_per_second": round(len(outcomes) / seconds, 3) if seconds else None,
        "peak_memory_mb": peak_memory(),
    }
    (folder / SUMMARY_FILE).write_text(json.dumps(summary, indent=2) + "\n", encoding="utf-8")

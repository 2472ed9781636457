"""From the options of ``mderank evaluate`` to a run: what the commands share that run methods on labelled sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mderank.cli.making import common_options
from mderank.errors import InputError, OptionError
from mderank.methods.registry import get_method
from mderank.presets import PAPER
from mderank.util.environment import PACKAGES, describe_encoder, versions
from mderank.util.files import cached_file_sha256

if TYPE_CHECKING:
    from mderank.methods.base import Extractor
    from mderank.research.datasets import Dataset
    from mderank.research.evaluation.runs import Task

ORACLE = "oracle"
LIST_LENGTH = 10  # keyphrases per document on judged datasets: as many as 'mderank extract' gives
_NAMING = ("preset", "model", "masking", "pooling", "layer", "similarity", "exact", "diversity", "overlap", "pattern",
           "ngrams", "phrases", "max_words", "max_tokens", "max_phrase_words", "corpus", "seed")  # fmt: skip
# They change no prediction; what a preset sets is recorded.
_NOT_RECORDED = ("threads", "batch_tokens", "preset")
# Recorded where they are given: runs from before there were these options have the method's own too.
_RECORDED_IF_GIVEN = ("overlap",)


def text_of(dataset: Dataset, asked: str | None) -> str:
    """Which text of the documents is read: the paper's input, but the whole text of judged datasets.

    Raises:
        OptionError: If the paper's input is asked for on a judged dataset.

    """
    if dataset.judged and asked == "paper":
        raise OptionError(
            f"--text paper: {dataset.name} is judged as users read it, and the paper's cuts are for the paper's sets; "
            "leave it out, or say --text whole"
        )
    return asked or ("whole" if dataset.judged else "paper")


def method_settings(
    method: str, settings: dict[str, Any], given: frozenset[str], text: str, *, judged: bool = False
) -> dict[str, Any]:
    """What one method is run with.

    On the paper's input these are its two cuts, no limit on a phrase's length, and words as the paper has them, unless
    the user says otherwise. A method with candidates made for our own words keeps these.
    On judged datasets the method merges variants as it does for users: ``dedupe`` is left to it.
    """
    encoder = method != ORACLE and "max_tokens" in get_method(method).options
    names = ("max_words", "max_phrase_words", *(("max_tokens",) if encoder else ()))
    if method == ORACLE or not reads_own_words(method):
        names = (*names, "tokenizer")
    ours = {name: getattr(PAPER, name) for name in names if name not in given} if text == "paper" else {}
    return {**settings, **ours, **({"dedupe": None} if judged else {}), "method": method}


def reads_own_words(method: str) -> bool:
    """Whether the method's own candidates are made for the words of our tokenizer."""
    from mderank.candidates import Terms

    return isinstance(getattr(get_method(method).load(), "default_candidates", None), Terms)


def tasks_of(dataset: Dataset, text: str, only: tuple[str, ...] = ()) -> list[Task]:
    """The documents of a set as they are read; of those only some, if ``only`` has their ids."""
    from mderank.research.datasets import full_text, paper_text
    from mderank.research.evaluation.runs import Task

    missing = set(only).difference(document.id for document in dataset.documents)
    if missing:
        raise InputError(f"{dataset.name} has no document {', '.join(sorted(missing))}: see the ids in its file")
    return [
        Task(
            each.id,
            paper_text(dataset.info, each) if text == "paper" else full_text(each),
            each.keyphrases,
            each.junk,
            each.kind,
        )
        for each in dataset.documents
        if not only or each.id in only
    ]


def make_oracle(
    settings: dict[str, Any], given: frozenset[str], gold: dict[str, tuple[str, ...]], further: dict[str, Any]
) -> Extractor:
    """The ranking that no other can pass."""
    from mderank.research.evaluation.oracle import Oracle

    foreign = given & {
        "model",
        "masking",
        "pooling",
        "layer",
        "exact",
        "batch_tokens",
        "similarity",
        "max_tokens",
        "corpus",
        "seed",
        "assignments",
    }
    if foreign:
        raise OptionError(f"the oracle has no option {', '.join(sorted(foreign))}: leave it out")
    return Oracle(gold, **{**common_options(settings, given), **further})


def label_of(
    settings: dict[str, Any],
    given: frozenset[str],
    only: tuple[str, ...],
    ranker: Any,
    dataset: Dataset,
    out: Path,
    limit: int | None = None,
    *,
    numbered: bool = False,
) -> str:
    """The label of a run: the method, and what was asked of it.

    An encoder is named by the shortest ending of its path that tells it from those of the runs in ``out``; a run that
    is there keeps its label. ``limit`` is the number of documents, where the label is to say it.
    """
    from mderank.research.evaluation.naming import choose_label, encoder_key, named_runs

    def label(model: str) -> str:
        asked = (_asked(name, settings[name], model) for name in _NAMING if name in given)
        documents = [*(f"document={each}" for each in only), *([] if limit is None else [f"limit={limit}"])]
        parts = [settings["method"], *asked, *settings["assignments"], *documents]
        return "-".join(part.replace("/", "_") for part in parts)

    if "model" not in given:
        return label("")
    encoder = encoder_key({"encoder": describe_encoder(getattr(ranker, "encoder", None))})
    model = str(settings["model"])
    return choose_label(label, model, encoder, folder_of(dataset), named_runs(out), numbered=numbered)


def _asked(name: str, value: Any, model: str) -> str:
    from mderank.research.evaluation.naming import in_label

    if name == "model":
        return in_label(model)
    return name if value is True else f"{name}={Path(str(value)).name}"


def folder_of(dataset: Dataset) -> str:
    """The name of the folder for the runs on a set."""
    return dataset.name.replace("/", "-")


def about(
    settings: dict[str, Any],
    dataset: Dataset,
    text: str,
    limit: int | None,
    label: str,
    ranker: Any,
    only: tuple[str, ...] = (),
) -> dict[str, Any]:
    """All that may change the result."""
    encoder = getattr(ranker, "encoder", None)
    tagger = ranker.tagger
    return {
        "label": label,
        **{name: value for name, value in settings.items() if _is_recorded(name, value)},
        "assignments": list(settings["assignments"]),
        # The list that a user gets. Elsewhere the whole ranking is kept, which protocols de-duplicate.
        **({"judged": True, "top_k": LIST_LENGTH, "dedupe": ranker.dedupe} if dataset.judged else {}),
        "dataset": dataset.name,
        "dataset_sha256": dataset.sha256,
        "input": text,
        "limit": limit,
        **({"documents": list(only)} if only else {}),
        "encoder": describe_encoder(encoder),
        "resolved": {name: getattr(ranker, name) for name in ("pooling", "layer", "exact") if hasattr(ranker, name)},
        **_files(settings),
        "tagger_version": getattr(tagger, "name", type(tagger).__name__),
        "versions": versions((*PACKAGES, *getattr(encoder, "packages", ()))),
    }


def _is_recorded(name: str, value: Any) -> bool:
    return name not in _NOT_RECORDED and not (name in _RECORDED_IF_GIVEN and value is None)


def _files(settings: dict[str, Any]) -> dict[str, Any]:
    """Checksums of the files that options of the method's own name."""
    if not settings["assignments"]:
        return {}
    values = dict(map(get_method(settings["method"]).parse, settings["assignments"]))
    files = {name: file for name, file in values.items() if isinstance(file, Path) and file.is_file()}
    return {"files": {name: cached_file_sha256(file) for name, file in files.items()}} if files else {}

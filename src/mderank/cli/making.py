"""From the command line's options to an extractor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._options import written_options
from mderank.errors import InputError, OptionError
from mderank.methods.registry import METHODS, Method, get_method
from mderank.presets import PAPER
from mderank.reading import ReadOptions, find_files, read_file
from mderank.reading.decoding import decode

if TYPE_CHECKING:
    from mderank.candidates import CandidateSource, Terms
    from mderank.encoding import Encoder
    from mderank.methods.base import Extractor
    from mderank.methods.sifrank.word_encoder import WordEncoder
    from mderank.tagging import Tagger

# The option of the library that an option of the command line is part of, where it is not its namesake.
_PART_OF = {
    "device": "model",
    "dtype": "model",
    "threads": "model",
    "pattern": "candidates",
    "ngrams": "candidates",
    "phrases": "candidates",
    "max_phrase_words": "candidates",
    "stop_words": "candidates",
    "corpus": "frequencies",
    "max_sum": "diversity",
}
_OF_METHODS = (
    *_PART_OF,
    "model",
    "masking",
    "pooling",
    "layer",
    "similarity",
    "exact",
    "batch_tokens",
    "max_tokens",
    "diversity",
    "min_confidence",
    "seed",
)


def given_options() -> frozenset[str]:
    """The options that the user wrote, here or in a file, as against those that have their default."""
    return written_options(click.get_current_context())


def make_extractor(
    settings: dict[str, Any],
    given: frozenset[str] = frozenset(),
    load: Callable[[Method, dict[str, Any]], Encoder | WordEncoder] | None = None,
    **further: Any,
) -> Extractor:
    """The extractor that the options ask for. ``given`` are those that must not be ignored; ``load`` finds encoders."""
    from mderank.masking import MASKINGS

    method = get_method(settings["method"])
    refuse_foreign(method, given)
    options = {**common_options(settings, given), **further}
    options |= dict(method.parse(assignment) for assignment in settings["assignments"])
    if "model" in method.options:
        options |= _encoder_options(method, settings, (load or load_model)(method, settings))
    if "diversity" in method.options:
        options["diversity"] = _diversity(settings)
    if "masking" in method.options:
        options["masking"] = MASKINGS[settings["masking"]]
    if "min_confidence" in method.options and "min_confidence" in settings:
        options["min_confidence"] = settings["min_confidence"]
    if "seed" in method.options:
        options["seed"] = settings["seed"]
    if "stop_words" in method.options:
        options["stop_words"] = _lines(settings["stop_words"])
    if "frequencies" in method.options:
        options["frequencies"] = _frequencies(settings["corpus"], options["tagger"], options["candidates"])
    if "domain" in method.options:
        options["domain"] = _word_frequencies(settings["corpus"], options["tagger"])
    return method.make(**options)


def refuse_foreign(method: Method, given: frozenset[str]) -> None:
    """An option that the method has no use for is an error, not ignored."""
    foreign = [name for name in _OF_METHODS if name in given and not _takes(method, name)]
    if foreign:
        listed = ", ".join(f"--{name.replace('_', '-')}" for name in foreign)
        raise OptionError(f"{listed}: the method '{method.name}' has no such option; leave it out")


def _takes(method: Method, name: str) -> bool:
    """Whether the method has the option of the library that an option of the command line is part of."""
    return _PART_OF.get(name, name) in method.options or (name == "corpus" and "domain" in method.options)


def common_options(settings: dict[str, Any], given: frozenset[str] = frozenset()) -> dict[str, Any]:
    """What all methods take."""
    from mderank.tagging import SpacyTagger

    dedupe = settings.get("dedupe", PAPER.dedupe)  # runs on labelled sets have no such option
    return {
        "tagger": SpacyTagger(settings["tagger"], tokenizer=settings.get("tokenizer")),
        "candidates": _candidates(settings, given),
        **({} if dedupe is None else {"dedupe": dedupe}),  # None: the method's own
        "overlap": settings["overlap"],
        "min_score": settings.get("min_score"),
        "max_words": settings["max_words"],
        "exclude": _lines(settings["exclude"]),
    }


def _diversity(settings: dict[str, Any]) -> Any:
    from mderank.ranking import MMR, MaxSum

    share, pool = settings["diversity"], settings.get("max_sum")
    if share is not None and pool is not None:
        raise OptionError("--diversity and --max-sum exclude each other: give one of them")
    if pool is not None:
        return MaxSum(pool)
    return MMR(diversity=share) if share else None


def _encoder_options(method: Method, settings: dict[str, Any], encoder: Encoder | WordEncoder) -> dict[str, Any]:
    names = ("pooling", "layer", "similarity", "exact", "batch_tokens", "max_tokens")
    return {"model": encoder, **{name: settings[name] for name in names if name in method.options}}


def load_model(method: Method, settings: dict[str, Any]) -> Encoder | WordEncoder:
    """The encoder that the options name."""
    from mderank.encoding import load_encoder

    load = getattr(method.load(), "load_model", load_encoder)  # a method may have a way of its own
    encoder: Encoder | WordEncoder = load(
        settings["model"], device=settings["device"], dtype=settings["dtype"], threads=settings["threads"]
    )
    return encoder


def _candidates(settings: dict[str, Any], given: frozenset[str]) -> CandidateSource | None:
    """What the options ask for; without any, the method's own source (``None``) or all noun phrases."""
    from mderank.candidates import NGrams, NounPhrases, PhraseList, Terms

    asked = given.intersection(("pattern", "ngrams", "phrases", "stop_words", "max_phrase_words"))
    if _has_own(settings["method"]) and not asked.difference(METHODS[settings["method"]].options):
        return None
    chosen = [f"--{name}" for name in ("pattern", "ngrams", "phrases") if settings[name]]
    if len(chosen) > 1:
        raise OptionError(f"{' and '.join(chosen)} exclude each other: give one of them")
    if settings["phrases"] and settings["stop_words"]:
        raise OptionError("--phrases and --stop-words exclude each other: the listed phrases are taken as they are")
    if (settings["phrases"] or settings["ngrams"]) and "max_phrase_words" in given:
        raise OptionError(f"{chosen[0]} and --max-phrase-words exclude each other: that limit is for noun phrases")
    stop_words = frozenset(_lines(settings["stop_words"]))
    if settings["phrases"]:
        return PhraseList(_lines(settings["phrases"]))
    if settings["ngrams"]:
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", settings["ngrams"])
        if not match:
            raise OptionError(f"--ngrams takes N-M, e.g. 1-3, not '{settings['ngrams']}'")
        return NGrams(int(match[1]), int(match[2] or match[1]), stop_words)
    own = _default_candidates(settings["method"])
    if isinstance(own, Terms) and not settings["pattern"]:
        return _terms(own, settings["max_phrase_words"] if "max_phrase_words" in given else None, stop_words)
    return NounPhrases(settings["pattern"], settings["max_phrase_words"] or None, stop_words)


def _terms(own: Terms, max_phrase_words: int | None, stop_words: frozenset[str]) -> Terms:
    """The method's own terms, with the user's limit and stop words."""
    if max_phrase_words == 0:
        raise OptionError("--max-phrase-words 0: parts of phrases are candidates of this method too; give a limit")
    limit = own.max_phrase_words if max_phrase_words is None else max_phrase_words
    return replace(own, max_phrase_words=limit, stop_words=stop_words)


def _has_own(name: str) -> bool:
    """Whether the method finds candidates in a way of its own."""
    from mderank.methods.base import BaseExtractor

    return name in METHODS and _default_candidates(name) is not BaseExtractor.default_candidates


def _default_candidates(name: str) -> CandidateSource | None:
    return getattr(METHODS[name].load(), "default_candidates", None) if name in METHODS else None


def _frequencies(corpus: str | None, tagger: Tagger, candidates: CandidateSource) -> Any:
    """Document frequencies from a file of them, or counted in texts."""
    from mderank.methods import DocumentFrequencies

    if corpus is None:
        return None
    if corpus.endswith((".json", ".json.gz")):
        return DocumentFrequencies.load(Path(corpus))
    return DocumentFrequencies.of(_texts(corpus), tagger=tagger, candidates=candidates)


def _word_frequencies(corpus: str | None, tagger: Tagger) -> Any:
    """Word frequencies from a file of them, or counted in texts."""
    from mderank.methods import WordFrequencies

    if corpus is None:
        return None
    if corpus.endswith((".json", ".json.gz")):
        return WordFrequencies.load(Path(corpus))
    return WordFrequencies.of(_texts(corpus), tagger=tagger)


def _texts(path: str) -> Iterator[str]:
    found = find_files([path])
    sources = (source for file in found.files for source in read_file(file, ReadOptions()))
    for source in (*found.errors, *sources):
        if source.error is not None:
            raise source.error
        yield source.prose or source.text


def _lines(file: str | None) -> list[str]:
    """The lines of a list file; blank ones and those that begin with # do not count."""
    if file is None:
        return []
    try:
        text = decode(Path(file).read_bytes(), "utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]

"""From the options that a client names to an extractor.

Only plain values get here: the encoder and the tagger are the operator's, and no option of a client's is ever a path
or the name of a model.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from mderank.candidates import CandidateSource, NGrams, NounPhrases, PhraseList, Terms
from mderank.encoding import Encoder
from mderank.errors import MDERankError, OptionError
from mderank.masking import MASKINGS
from mderank.methods.base import BaseExtractor
from mderank.methods.registry import METHODS, Method
from mderank.methods.registry import Setting as MethodSetting
from mderank.ranking import MMR, Diversity, MaxSum
from mderank.serve.schemas import Options
from mderank.tagging import Tagger

KEPT = 64  # extractors, which are small: what is large in them is shared
# What the options do not change about an extractor.
_NOT_OF_EXTRACTORS = frozenset(("top", "explain", "text", "format", "documents"))
_NEED_FILES = ("embedrank-vectors", "embedrank-sent2vec")
_CANDIDATES = ("pattern", "ngrams", "phrases", "stop_words", "max_phrase_words")
_ENCODER = ("pooling", "layer", "similarity", "exact", "max_tokens")
# The option of the library that an option of the API is part of, where it is not its namesake.
_PART_OF = {**dict.fromkeys(_CANDIDATES, "candidates"), "max_sum": "diversity"}
_NOT_OFFERED = ("tags",)  # a regular expression, which may take for ever
_LARGEST_SETTING = 100
_LONGEST_NGRAM = 5
_DEFAULTS = {name: field.get_default() for name, field in Options.model_fields.items()}


def weight(options: Options) -> int:
    """How many times a text costs more with these options than without: what limits and batches are measured by."""
    # Processor time beside that of the default, once, on one paper: `exact` (mderank, its first 3,000 characters)
    # 17.7 times, n-grams 1.8 and 900 phrases 1.2 times (its first 1,500 words). Rounded up.
    times = 20 if options.exact else 1
    if options.ngrams or options.phrases:
        times *= 2
    return times


class Workshop:
    """Makes extractors for one thread, and keeps those that were asked for last."""

    def __init__(self, encoder: Encoder, tagger: Tagger) -> None:
        self.encoder = encoder
        self.tagger = tagger
        self._kept: OrderedDict[str, BaseExtractor] = OrderedDict()

    def get(self, options: Options) -> BaseExtractor:
        """The extractor for these options; the same object for the same options."""
        key = options.model_dump_json(exclude=set(_NOT_OF_EXTRACTORS))
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self.make(options)
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return found

    def make(self, options: Options) -> BaseExtractor:
        """A new extractor; `OptionError` if there is none with these options."""
        method = METHODS.get(options.method)
        if method is None or method.name in _NEED_FILES:
            known = ", ".join(name for name in METHODS if name not in _NEED_FILES)
            raise OptionError(f"the method '{options.method}' is not offered: it is one of {known}")
        _refuse_foreign(method, options)
        made: dict[str, Any] = {
            "tagger": self.tagger,
            "candidates": _candidates(method, options),
            "dedupe": options.dedupe,
            "overlap": options.overlap,
            "min_score": options.min_score,
            "max_words": options.max_words,
            "exclude": options.exclude,
        }
        made |= _settings(method, options)
        if "model" in method.options:
            made |= {"model": self.encoder}
            made |= {name: getattr(options, name) for name in _ENCODER if name in method.options}
        further = {
            "diversity": _diversity(options),
            "masking": MASKINGS[options.masking],
            "min_confidence": options.min_confidence,
            "seed": options.seed,
            "stop_words": options.stop_words,
        }
        made |= {name: value for name, value in further.items() if name in method.options}
        extractor = method.make(**made)
        assert isinstance(extractor, BaseExtractor)
        return extractor

    def offers(self, text: str = "A warm engine starts at once.") -> dict[str, type[BaseExtractor]]:
        """The methods that work here, by trying each; those that need a file or an extra that is missing do not."""
        working: dict[str, type[BaseExtractor]] = {}
        for name in METHODS:
            try:
                extractor = self.get(Options(method=name))
                extractor.extract(text)
            except MDERankError:
                continue
            working[name] = type(extractor)
        return working


def own_settings(method: Method) -> dict[str, MethodSetting]:
    """The options that a method has to itself and that a client may set: none that is a file, or may take for ever."""
    return {
        name: setting
        for name, setting in method.settings().items()
        if name not in _NOT_OFFERED and Path not in (setting.hint, *get_args(setting.hint))
    }


def taken_options(method: Method) -> list[str]:
    """The options of the API that a method takes."""
    own = own_settings(method)
    return [
        name
        for name in Options.model_fields
        if name in ("method", "top", "explain")
        or (name == "set" and own)
        or _PART_OF.get(name, name) in method.options
        or (name == "stop_words" and name in method.options)
    ]


def _refuse_foreign(method: Method, options: Options) -> None:
    """An option that the method has no use for is an error, not ignored."""
    taken = taken_options(method)
    foreign = [name for name, usual in _DEFAULTS.items() if name not in taken and getattr(options, name) != usual]
    if foreign:
        raise OptionError(f"the method '{method.name}' does not take {', '.join(foreign)}; it takes {', '.join(taken)}")


def _settings(method: Method, options: Options) -> dict[str, Any]:
    known = own_settings(method)
    parsed: dict[str, Any] = {}
    for name, value in options.set.items():
        if name not in known:
            raise OptionError(
                f"the method '{method.name}' has no setting '{name}'; it has {', '.join(known) or 'none'}"
            )
        result = known[name].parse(_written(value))
        if isinstance(value, str) and not isinstance(result, str):
            raise OptionError(f"{name} is {known[name].describe()}, not a text")
        most = _LONGEST_NGRAM if name == "ngram" else _LARGEST_SETTING
        if isinstance(result, int) and abs(result) > most:
            raise OptionError(f"{name}={result} is more than this server computes: {most} at most")
        parsed[name] = result
    return parsed


def _written(value: str | float | bool | None) -> str:
    """A value as it would be written on the command line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _diversity(options: Options) -> Diversity | None:
    if options.diversity is not None and options.max_sum is not None:
        raise OptionError("diversity and max_sum exclude each other: give one of them")
    if options.max_sum is not None:
        if options.top > options.max_sum:
            raise OptionError(f"max_sum={options.max_sum} is less than top={options.top}: make it larger")
        return MaxSum(options.max_sum)
    return MMR(diversity=options.diversity) if options.diversity else None


def _candidates(method: Method, options: Options) -> CandidateSource | None:
    """What the options ask for; without any, the method's own source (``None``)."""
    asked = [name for name in _CANDIDATES if getattr(options, name) != _DEFAULTS[name]]
    if not set(asked).difference(method.options):
        return None
    chosen = [name for name in ("pattern", "ngrams", "phrases") if name in asked]
    if len(chosen) > 1:
        raise OptionError(f"{' and '.join(chosen)} exclude each other: give one of them")
    if options.phrases and options.stop_words:
        raise OptionError("phrases and stop_words exclude each other: the listed phrases are taken as they are")
    if chosen in (["ngrams"], ["phrases"]) and "max_phrase_words" in asked:
        raise OptionError(f"{chosen[0]} and max_phrase_words exclude each other: that limit is for noun phrases")
    stop_words = frozenset(options.stop_words)
    if options.phrases:
        return PhraseList(options.phrases)
    if options.ngrams:
        shortest, _, longest = options.ngrams.partition("-")
        return NGrams(int(shortest), int(longest or shortest), stop_words)
    own = getattr(method.load(), "default_candidates", None)
    limit = options.max_phrase_words
    if isinstance(own, Terms) and not options.pattern:
        return replace(own, max_phrase_words=limit or own.max_phrase_words, stop_words=stop_words)
    return NounPhrases(options.pattern, limit or NounPhrases.max_phrase_words, stop_words)

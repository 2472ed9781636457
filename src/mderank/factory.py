"""`build_extractor`: from `Options` to an extractor. Every interface builds its extractors here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mderank.errors import OptionError
from mderank.methods.registry import METHODS_WITH_SEEDS, Method, get_method
from mderank.options import Options

if TYPE_CHECKING:
    from mderank.candidates import CandidateSource
    from mderank.encoding import Encoder
    from mderank.methods.base import Extractor
    from mderank.methods.sifrank.word_encoder import WordEncoder
    from mderank.ranking import Diversity
    from mderank.tagging import Tagger

_CANDIDATES = ("pattern", "ngrams", "phrases", "vocabulary", "match", "stop_words", "max_phrase_words")


def build_extractor(
    options: Options,
    *,
    encoder: Encoder | WordEncoder | None = None,
    tagger: Tagger | None = None,
) -> Extractor:
    """Build the extractor that the options describe.

    >>> build_extractor(Options(method="firstphrases")).extract("Coral reefs feed fish.", top_k=1)[0].text
    'Coral reefs'

    Args:
        options: the options. Only those that the method takes may be given.
        encoder: an encoder that is loaded already, instead of the one that the options name.
        tagger: a tagger, instead of the one that the options name.

    Returns:
        An extractor of the method that the options name.

    Raises:
        OptionError: if the method is unknown or does not take an option, or if a value does not fit.
        ModelError: if the encoder cannot be loaded.
        InputError: if a file that the options name cannot be read.
    """
    method = get_method(options.method)
    return method.make(**build_arguments(method, options, encoder=encoder, tagger=tagger))


def build_arguments(
    method: Method,
    options: Options,
    *,
    encoder: Encoder | WordEncoder | None = None,
    tagger: Tagger | None = None,
) -> dict[str, Any]:
    """Build the arguments of a method's constructor.

    Args:
        method: the method, which may be one that is not registered.
        options: the options. Only those that the method takes may be given.
        encoder: as for `build_extractor`.
        tagger: as for `build_extractor`.

    Returns:
        The arguments by name.

    Raises:
        OptionError: if the method does not take an option, or if a value does not fit.
        ModelError: if the encoder cannot be loaded.
        InputError: if a file that the options name cannot be read.
    """
    from mderank.tagging import LanguageTagger, load_tagger

    check_taken(method, options)
    arguments: dict[str, Any] = method.check_params(options.params)
    arguments |= _plain_arguments(method, options)
    if isinstance(tagger, LanguageTagger) and options.language is not None:
        tagger = tagger.for_language(options.language)
    elif tagger is not None and options.language is not None:
        raise OptionError("the tagger has its own language: leave language out")
    arguments["tagger"] = tagger or load_tagger(options.tagger, tokenizer=options.tokenizer, language=options.language)
    arguments["candidates"] = _candidates(method, options)
    if "model" in method.options:
        arguments["model"] = load_model(options) if encoder is None else encoder
    if "diversity" in method.options:
        arguments["diversity"] = _diversity(options)
    if options.masking is not None:
        from mderank.masking import MASKINGS

        arguments["masking"] = MASKINGS[options.masking]
    if options.frequencies is not None:
        arguments |= _frequencies(method, options.frequencies, arguments["tagger"], arguments["candidates"])
    return arguments


def check_taken(method: Method, options: Options) -> None:
    """Refuse options that the method does not use.

    Args:
        method: the method.
        options: the options.

    Raises:
        OptionError: if an option is given that the method does not take.
    """
    foreign = [name for name in options.given() if not takes(method, name, type(options))]
    if foreign:
        able = ", ".join(METHODS_WITH_SEEDS) if {"seeds", "seed_weight"} & {*foreign} else "another method"
        raise OptionError(f"the method '{method.name}' does not take {', '.join(foreign)}: leave it out, or use {able}")


def takes(method: Method, name: str, options: type[Options] = Options) -> bool:
    """Whether a method takes an option.

    Args:
        method: the method.
        name: the option's name.
        options: the list of options.

    Returns:
        True if the method's constructor has the argument that the option is part of.
    """
    argument = options.info(name).argument
    return argument is None or argument in method.options or name in method.options or _is_domain(method, name)


def _is_domain(method: Method, name: str) -> bool:
    return name == "frequencies" and "domain" in method.options


# Options that become objects, or part of one.
_OBJECTS = ("model", "tagger", "candidates", "diversity", "masking", "frequencies")


def _plain_arguments(method: Method, options: Options) -> dict[str, Any]:
    """The options that are arguments of the constructor as they are."""
    return {
        name: value
        for name, value in options.given().items()
        if name in method.options and name not in _OBJECTS and value is not None
    }


def load_model(options: Options) -> Encoder | WordEncoder:
    """Load the encoder that the options name.

    Args:
        options: the options ``method``, ``model``, ``device``, ``dtype``, ``precision`` and ``threads`` are used.

    Returns:
        The encoder; for methods that read whole words, an encoder of words.

    Raises:
        ModelError: if it cannot be found or read.
        OptionError: if ``device``, ``dtype``, ``precision`` or ``threads`` do not fit the encoder.
    """
    from mderank.encoding import load_encoder

    load = getattr(get_method(options.method).load(), "load_model", load_encoder)  # a method may have a way of its own
    named = () if options.model is None else (options.model,)
    encoder: Encoder | WordEncoder = load(
        *named,
        device=options.device,
        dtype=options.dtype,
        threads=options.threads,
        precision=options.precision or "auto",
    )
    return encoder


def with_threads(options: Options, threads: int | None) -> Options:
    """The options for a process with a number of cores.

    Args:
        options: the options.
        threads: the number of cores; `None` leaves the options as they are.

    Returns:
        The options with ``threads``, if the method has an encoder that runs on ONNX Runtime. The threads of torch are
        set by the environment.
    """
    from mderank.encoding import BUNDLED_MODEL
    from mderank.encoding.onnx import is_onnx_folder

    method = get_method(options.method)
    on_onnx = options.model in (None, BUNDLED_MODEL) or is_onnx_folder(Path(options.model or ""))
    return replace(options, threads=threads) if threads and "model" in method.options and on_onnx else options


def default_candidates(method: Method) -> CandidateSource | None:
    """Return the default source of candidates of a method.

    Args:
        method: The method.

    Returns:
        The source; None if the method has none.
    """
    return getattr(method.load(), "default_candidates", None)


def _candidates(method: Method, options: Options) -> CandidateSource | None:
    """The candidates that the options describe; `None` means the method's own."""
    from mderank.candidates import NGrams, NounPhrases, PhraseList, Terms

    given = options.given()
    if not any(name in given and name not in method.options for name in _CANDIDATES):
        return None
    stop_words = frozenset(options.stop_words)
    if options.phrases is not None:
        return PhraseList(options.phrases, options.match or "variant")
    if options.vocabulary is not None:
        from mderank.vocabularies import load_vocabulary

        return load_vocabulary(options.vocabulary, match=options.match or "variant")
    if options.ngrams is not None:
        return NGrams(*options.ngrams, stop_words)
    own, limit = default_candidates(method), options.max_phrase_words
    if isinstance(own, Terms) and options.pattern is None:
        if limit == 0:
            raise OptionError(
                f"max_phrase_words=0: the method '{method.name}' uses parts of phrases too; give a limit of at least 1"
            )
        return replace(own, max_phrase_words=limit or own.max_phrase_words, stop_words=stop_words)
    return NounPhrases(options.pattern, NounPhrases.max_phrase_words if limit is None else limit or None, stop_words)


def _diversity(options: Options) -> Diversity | None:
    from mderank.ranking import MMR, MaxSum

    if options.max_sum is not None:
        return MaxSum(options.max_sum)
    return MMR(diversity=options.diversity) if options.diversity else None


def _frequencies(method: Method, path: str, tagger: Tagger, candidates: CandidateSource | None) -> dict[str, Any]:
    """Frequencies from a file of them, or counted in texts."""
    from mderank.methods import DocumentFrequencies, WordFrequencies

    saved = path.endswith((".json", ".json.gz"))
    if "domain" in method.options:
        words = WordFrequencies.load(Path(path)) if saved else WordFrequencies.of(_texts(path), tagger=tagger)
        return {"domain": words}
    if saved:
        return {"frequencies": DocumentFrequencies.load(Path(path))}
    return {
        "frequencies": DocumentFrequencies.of(
            _texts(path), tagger=tagger, candidates=candidates or default_candidates(method)
        )
    }


def _texts(path: str) -> Iterator[str]:
    from mderank.reading import ReadOptions, find_files, read_file

    found = find_files([path])
    sources = (source for file in found.files for source in read_file(file, ReadOptions()))
    for source in (*found.errors, *sources):
        if source.error is not None:
            raise source.error
        yield source.prose or source.text

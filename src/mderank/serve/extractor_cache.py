"""Extractors for the options of clients, kept for the next request with the same options.

Clients send plain values only. The encoder and the tagger are the operator's, and no option of a client is a path or
the name of a model.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from mderank.encoding import Encoder
from mderank.encoding.phrase_cache import PhraseCache
from mderank.errors import MDERankError, MissingExtraError, ModelError, OptionError
from mderank.factory import build_arguments, check_taken, takes
from mderank.methods.base import BaseExtractor
from mderank.methods.encoder_base import EncoderExtractor
from mderank.methods.registry import METHODS, METHODS_WITH_SEEDS, Method
from mderank.options import Options
from mderank.parameters import Parameter
from mderank.serve.schemas import HTTP_OPTIONS
from mderank.style import Style
from mderank.tagging import Tagger

CAPACITY = 64  # extractors, which are small: encoder and tagger are shared
_LARGEST_PARAMETER = 100  # of whole numbers that have no bound of their own


def cost_factor(options: Options) -> int:
    """Estimate how many times longer a text takes with these options than with the default.

    Args:
        options: options of a client.

    Returns:
        The factor on a text's length in the server's limits and queues.
    """
    # Processor time beside that of the default, measured once on one paper: `exact` (mderank, its first 3,000
    # characters) 17.7 times, n-grams 1.8 and 900 phrases 1.2 times (its first 1,500 words). Rounded up.
    return prod(options.info(name).cost for name in options.given())


def options_key(options: Options) -> str:
    """Return the options as text: equal for documents that can be computed together.

    Args:
        options: options of a client.

    Returns:
        JSON without the number of keyphrases, which each document has for itself.
    """
    return json.dumps({**options.to_dict(), "top_k": None})


def check_seeds_taken(options: Options, own_seeds: bool) -> None:
    """Refuse seeds for a method that does not take them, before anything is computed.

    Args:
        options: options of a client.
        own_seeds: whether documents have seeds of their own.

    Raises:
        OptionError: if the method does not take seeds.
    """
    if (options.seeds or options.seed_weight is not None or own_seeds) and options.method not in METHODS_WITH_SEEDS:
        raise OptionError(
            f"the method '{options.method}' does not take seeds: use one of {', '.join(METHODS_WITH_SEEDS)}"
        )


class ExtractorCache:
    """Builds extractors for one thread, and keeps those that were used last.

    Args:
        encoder: the encoder that all extractors share.
        tagger: the tagger that all extractors share.
        styles: the styles that clients may name.
    """

    def __init__(self, encoder: Encoder, tagger: Tagger, styles: Sequence[Style] = ()) -> None:
        self.encoder = encoder
        self.tagger = tagger
        self.styles = {style.name: style for style in styles}
        self._cache: OrderedDict[str, BaseExtractor] = OrderedDict()
        self._phrase_cache = PhraseCache()  # of all: clients choose how many extractors there are, not how much memory

    def get(self, options: Options) -> BaseExtractor:
        """Return the extractor for a client's options; the same object for the same options.

        Args:
            options: options of a client.

        Returns:
            The extractor.

        Raises:
            OptionError: if the method or the style is not offered, the method does not work with the encoder, or it
                does not take an option.
        """
        key = options_key(options)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._build(options)
            if len(self._cache) > CAPACITY:
                self._cache.popitem(last=False)
        self._cache.move_to_end(key)
        return found

    def _build(self, options: Options) -> BaseExtractor:
        method = METHODS.get(options.method)
        if method is None or not _is_offered(method):
            raise OptionError(f"the method '{options.method[:40]}' is not offered")
        _check_params(method, options)
        check_taken(method, options)
        # A client names a style of the operator's; the option of `build_extractor` could be any file.
        arguments = build_arguments(method, replace(options, style=None), encoder=self.encoder, tagger=self.tagger)
        if options.style is not None:
            arguments["style"] = self._style(options.style)
        try:
            extractor = method.make(**arguments)
        except (ModelError, MissingExtraError) as error:
            raise OptionError(f"the method '{method.name}' does not work on this server: {error}") from error
        assert isinstance(extractor, BaseExtractor)
        if isinstance(extractor, EncoderExtractor):
            extractor.phrase_cache = self._phrase_cache
        return extractor

    def check_styles(self) -> None:
        """Build an extractor with each style, so that a style of another encoder is refused at the start.

        Raises:
            OptionError: if a style was learned with another encoder.
        """
        for name in self.styles:
            self.get(Options(style=name))

    def _style(self, name: str) -> Style:
        if name not in self.styles:
            listed = ", ".join(self.styles) or "none"
            raise OptionError(f"the style is not offered: this server offers {listed}")
        return self.styles[name]

    def offers(self, text: str = "A warm engine starts at once.") -> dict[str, type[BaseExtractor]]:
        """Try which methods work on this server: some need a file, or an extra that may be missing.

        Args:
            text: a text to try them on.

        Returns:
            The classes of the methods that work, by name.
        """
        working: dict[str, type[BaseExtractor]] = {}
        for name in METHODS:
            try:
                extractor = self.get(Options(method=name))
                extractor.extract(text)
            except MDERankError:
                continue
            working[name] = type(extractor)
        return working


def _is_offered(method: Method) -> bool:
    """Whether a method needs no file, which a client cannot name."""
    return not any(Path in parameter.kinds for parameter in method.parameters().values())


def http_params(method: Method) -> dict[str, Parameter]:
    """Return the parameters of a method that a client may set.

    Args:
        method: the method.

    Returns:
        Its own parameters by name, without files and without those that could take for ever.
    """
    return {
        name: parameter
        for name, parameter in method.parameters().items()
        if parameter.param.http and Path not in parameter.kinds
    }


def http_options(method: Method) -> list[str]:
    """Return the names of the options that a client may set for a method.

    Args:
        method: the method.

    Returns:
        The names of request fields.
    """
    names = (*HTTP_OPTIONS, "style")
    taken = [name for name in names if takes(method, name) and (name != "params" or http_params(method))]
    return [*taken, "explain"]


def _check_params(method: Method, options: Options) -> None:
    known = http_params(method)
    for name, value in options.params.items():
        if name not in known:
            listed = ", ".join(known) or "none"
            raise OptionError(f"the method '{method.name}' has no parameter '{name}' that clients set; it has {listed}")
        bound = known[name].param.http_le or _LARGEST_PARAMETER
        if isinstance(value, int) and abs(value) > bound:
            raise OptionError(f"{name}={value} is more than this server computes: {bound} at most")

"""Options of the extraction method that several commands share, in sections, and the extractor they make."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mderank.errors import InputError, OptionError
from mderank.reading.decoding import decode

if TYPE_CHECKING:
    from mderank.candidates import CandidateSource
    from mderank.pipeline import MDERank

F = TypeVar("F", bound=Callable[..., Any])

SECTIONS = ("Input", "Results", "Candidates", "Method", "Other")
DEFAULT_MODEL = "minilm-l6"


class SectionedCommand(click.Command):
    """A command whose help shows its options under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One list of options a section, what is not in any last."""
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections[getattr(parameter, "section", SECTIONS[-1])].append(record)
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


class _Option(click.Option):
    def __init__(self, *args: Any, section: str = "Other", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


def option(section: str, *names: str, **settings: Any) -> Callable[[F], F]:
    """A click option that is listed under ``section``."""
    return click.option(*names, cls=_Option, section=section, **settings)


_METHOD = (
    option("Candidates", "--pattern", metavar="TAGS",
           help="Tag pattern of a phrase, e.g. '<JJ>*<NN.*>'.  [default: <NN.*|JJ>*<NN.*>]"),
    option("Candidates", "--ngrams", metavar="N-M", help="All n-grams of N to M words instead of noun phrases."),
    option("Candidates", "--phrases", metavar="FILE", help="Only the phrases in FILE, one a line."),
    option("Candidates", "--max-phrase-words", type=click.IntRange(0), default=8, show_default=True,
           help="Pass over longer noun phrases; 0: no limit."),
    option("Candidates", "--stop-words", metavar="FILE", help="Further words that no phrase has inside it."),
    option("Candidates", "--exclude", metavar="FILE", help="Phrases never to give, one a line."),
    option("Candidates", "--tagger", metavar="NAME",
           help="spaCy pipeline by name or folder, e.g. de_core_news_sm.  [default: English]"),
    option("Method", "--model", "-m", default=DEFAULT_MODEL, show_default=True, metavar="NAME|DIR",
           help="The encoder: see 'mderank models'."),
    option("Method", "--masking", type=click.Choice(["all", "once", "highest", "subset"]), default="all",
           show_default=True, help="What a candidate hides: all its occurrences, the first, the one that matters most, "
           "or only words that no longer candidate has hidden."),
    option("Method", "--pooling", type=click.Choice(["mean", "max", "cls"]),
           help="How states become an embedding.  [default: what suits the encoder]"),
    option("Method", "--layer", type=int, metavar="N", help="Layer to take states from.  [default: the last]"),
    option("Method", "--similarity", type=click.Choice(["cosine", "euclidean"]), default="cosine", show_default=True,
           help="How embeddings are compared."),
    option("Method", "--exact", is_flag=True,
           help="Encode every masked variant whole, as the paper does: many times slower."),
    option("Method", "--max-words", type=click.IntRange(1), metavar="N", help="Read only the first N words."),
    option("Method", "--max-pieces", type=click.IntRange(3), metavar="N",
           help="Read only the first N word pieces, special tokens counted."),
    option("Method", "--device", metavar="NAME", help="For torch models: cpu, cuda, cuda:1, mps."),
    option("Method", "--dtype", type=click.Choice(["float32", "float16", "bfloat16"]), help="For torch models."),
    option("Method", "--threads", type=click.IntRange(1), metavar="N",
           help="Cores for one encoder call.  [default: all]"),
    option("Results", "--dedupe", type=click.Choice(["none", "case", "stem"]), default="stem", show_default=True,
           help="Variants of a phrase that are one entry."),
    option("Results", "--diversity", type=click.FloatRange(0, 1), metavar="X",
           help="Prefer phrases unlike those before them: 0 not at all, 1 above all (MMR)."),
    option("Results", "--min-score", type=float, metavar="X", help="Leave out phrases with a lower score."),
)  # fmt: skip


def method_options(command: F) -> F:
    """All options that make an extractor."""
    for decorate in reversed(_METHOD):
        command = decorate(command)
    return command


def make_extractor(settings: dict[str, Any]) -> MDERank:
    """The extractor that the options ask for."""
    candidates = _candidates(settings)
    exclude = _lines(settings["exclude"])
    from mderank.encoding import load_encoder
    from mderank.masking import All, Highest, Masking, Once, Subset
    from mderank.pipeline import MDERank
    from mderank.ranking import MMR

    encoder = load_encoder(
        settings["model"], device=settings["device"], dtype=settings["dtype"], threads=settings["threads"]
    )
    maskings: dict[str, Masking] = {"all": All(), "once": Once(), "highest": Highest(), "subset": Subset()}
    diversity = settings["diversity"]
    return MDERank(
        encoder,
        tagger=settings["tagger"],
        candidates=candidates,
        masking=maskings[settings["masking"]],
        pooling=settings["pooling"],
        layer=settings["layer"],
        similarity=settings["similarity"],
        exact=settings["exact"],
        dedupe=settings["dedupe"],
        diversity=MMR(1 - diversity) if diversity else None,
        min_score=settings["min_score"],
        max_words=settings["max_words"],
        max_pieces=settings["max_pieces"],
        exclude=exclude,
    )


def _candidates(settings: dict[str, Any]) -> CandidateSource:
    chosen = [f"--{name}" for name in ("pattern", "ngrams", "phrases") if settings[name]]
    if len(chosen) > 1:
        raise OptionError(f"{' and '.join(chosen)} exclude each other: give one of them")
    if settings["phrases"] and settings["stop_words"]:
        raise OptionError("--phrases and --stop-words exclude each other: the listed phrases are taken as they are")
    from mderank.candidates import NGrams, NounPhrases, PhraseList

    stop_words = frozenset(_lines(settings["stop_words"]))
    if settings["phrases"]:
        return PhraseList(_lines(settings["phrases"]))
    if settings["ngrams"]:
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", settings["ngrams"])
        if not match:
            raise OptionError(f"--ngrams takes N-M, e.g. 1-3, not '{settings['ngrams']}'")
        return NGrams(int(match[1]), int(match[2] or match[1]), stop_words)
    return NounPhrases(settings["pattern"], settings["max_phrase_words"] or None, stop_words)


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


def import_spacy_without_torch() -> None:
    """SpaCy imports torch where it is installed, a second that its English pipeline has no use for."""
    if "torch" in sys.modules or "spacy" in sys.modules:
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import spacy  # noqa: F401
    finally:
        del sys.modules["torch"]

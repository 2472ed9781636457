"""Options of the extraction method that several commands share, in sections, and the extractor they make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from mderank.errors import InputError, OptionError
from mderank.methods.registry import METHODS, Method, get_method
from mderank.options import OptionInfo, Options
from mderank.parameters import NGramRange, Parameter
from mderank.presets import PAPER, PRESETS
from mderank.reading.decoding import decode

F = TypeVar("F", bound=Callable[..., Any])

SECTIONS = ("Server", "Limits", "Input", "Results", "Run", "Candidates", "Method", "Other")
DEFAULT_MODEL = "minilm-l6"
CONFIG = "mderank.config"  # where a context keeps the name of the file that --config read
PARAMS = "mderank.params"  # where it keeps the parameters of the method from that file


class SectionedCommand(click.Command):
    """A command whose help shows its options under headings, and whose errors name the file that has options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; those that are not written take their values from the preset, if there is one."""
        rest = super().parse_args(ctx, args)
        with _naming_file(ctx):
            _apply_preset(ctx)
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Where options come from a file too, an error about options says so."""
        with _naming_file(ctx):
            return super().invoke(ctx)

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


@contextmanager
def _naming_file(context: click.Context) -> Iterator[None]:
    """Name the file that ``--config`` read in errors about options."""
    try:
        yield
    except OptionError as error:
        if CONFIG not in context.meta:
            raise
        raise OptionError(f"{error} (with the options of {context.meta[CONFIG]})") from error


def written_options(context: click.Context) -> frozenset[str]:
    """The options that the user wrote on the command line or in a file, as against those that have their default."""
    written = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
    return frozenset(name for name in context.params if context.get_parameter_source(name) in written)


def _apply_preset(context: click.Context) -> None:
    """Give the options that the user did not write the values of the preset."""
    name = context.params.get("preset")
    if name is None:
        return
    written, preset = written_options(context), PRESETS[name].given()
    several = context.params.get("methods")  # of mderank evaluate
    methods = several if several is not None else (context.params["method"],)
    others = [method for method in methods if method != preset["method"]]
    if others and written & {"method", "methods"}:
        raise OptionError(
            f"--preset {name} is for the method '{preset['method']}', not for {', '.join(others)}: "
            "leave out --preset or --method"
        )
    for option_name, value in preset.items():
        if option_name in context.params and option_name not in written:
            context.params[option_name] = value


class _Option(click.Option):
    def __init__(self, *args: Any, section: str = "Other", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


def option(section: str, *names: str, **settings: Any) -> Callable[[F], F]:
    """A click option that is listed under ``section``."""
    return click.option(*names, cls=_Option, section=section, **settings)


class _Phrases(click.ParamType):
    """A file with one phrase per line; a list of phrases, if the value comes from a configuration file."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        return tuple(_read_lines(value) if isinstance(value, str) else value)


class _NGramRange(click.ParamType):
    """A range of words: ``1-3``."""

    name = "range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NGramRange:
        checked: NGramRange = Parameter("ngrams", NGramRange).check(value)
        return checked


def extraction_options(*, without: Collection[str] = (), options: type[Options] = Options) -> Callable[[F], F]:
    """Add a click option for each field of `Options`, and ``--preset``.

    All of them default to `None`: `make_options` fills in the preset and the defaults.

    Args:
        without: names of options that the command does not have.
        options: the list of options.

    Returns:
        A decorator for a click command.
    """

    def decorate(command: F) -> F:
        added = [
            _click_option(parameter) for parameter in options.parameters().values() if parameter.name not in without
        ]
        if "preset" not in without:
            added.insert(0, _PRESET)
        for add in reversed(added):
            command = add(command)
        return command

    return decorate


_PRESET = option(
    "Method",
    "--preset",
    type=click.Choice(list(PRESETS)),
    help="Named options; options that are given besides take precedence. paper: mderank as in its paper, that is "
    f"{PAPER.command_line()}.",
)


def _click_option(parameter: Parameter) -> Callable[[F], F]:
    info = parameter.param
    assert isinstance(info, OptionInfo)
    flag = f"--{parameter.name.replace('_', '-')}"
    flags = [flag, f"-{info.short}"] if info.short else [flag]
    settings: dict[str, Any] = {"default": None, "help": _help(parameter, info)}
    if parameter.name == "params":
        flags, settings = ["--set", "params"], {**settings, "multiple": True, "metavar": "NAME=VALUE"}
    elif parameter.name == "method":
        settings["type"] = click.Choice(list(METHODS))
    elif bool in parameter.kinds:
        flags = [f"{flag}/--no-{flag.removeprefix('--')}"]
    else:
        settings |= _type(parameter, info)
    return option(info.section, *flags, **settings)


def _type(parameter: Parameter, info: OptionInfo) -> dict[str, Any]:
    if parameter.choices:
        return {"type": click.Choice(parameter.choices)}
    if int in parameter.kinds:
        bounded = info.ge is not None or info.le is not None
        return {"type": click.IntRange(info.ge, info.le) if bounded else int, "metavar": info.metavar or "N"}
    if float in parameter.kinds:
        bounded = info.ge is not None or info.le is not None
        return {"type": click.FloatRange(info.ge, info.le) if bounded else float, "metavar": info.metavar or "X"}
    if NGramRange in parameter.kinds:
        return {"type": _NGramRange(), "metavar": info.metavar}
    if str in parameter.kinds:
        return {"type": str, "metavar": info.metavar}
    return {"type": _Phrases(), "metavar": "FILE"}


def _help(parameter: Parameter, info: OptionInfo) -> str:
    """The description, with the default that click does not know."""
    text = info.help
    if parameter.name == "params":
        text += " Repeatable."
    elif parameter.is_list:
        text += " FILE has one per line."
    default = info.default_text
    if default is None and parameter.default and not isinstance(parameter.default, bool):
        default = str(parameter.default) if not isinstance(parameter.default, tuple | Mapping) else None
    return text if default is None else f"{text}  [default: {default}]"


def make_options(
    settings: Mapping[str, Any],
    *,
    method: str | None = None,
    find_method: Callable[[str], Method] = get_method,
    options: type[Options] = Options,
) -> Options:
    """Make `Options` from the values of a command that has `extraction_options`.

    Args:
        settings: the values by name; those that are not options of an extraction are ignored.
        method: the method, for commands with several.
        find_method: finds a method by its name, to read ``--set``.
        options: the list of options.

    Returns:
        The options. Values from the command line come before those of ``--config``, and these before the preset's.

    Raises:
        OptionError: if options exclude each other, or the preset is for another method.
    """
    given = {name: settings[name] for name in options.parameters() if settings.get(name) not in (None, ())}
    assignments = given.pop("params", ())
    if method is not None:
        given["method"] = method
    preset = settings.get("preset")
    if preset is not None:
        values = PRESETS[preset].given()
        if given.get("method", values["method"]) != values["method"]:
            raise OptionError(
                f"--preset {preset} is for the method '{values['method']}', not for {given['method']}: "
                "leave out --preset or --method"
            )
        given = {**values, **given}
    params = dict(click.get_current_context().meta.get(PARAMS, {}))
    if assignments:
        chosen = find_method(given.get("method", options.parameters()["method"].default))
        params |= dict(chosen.parse(assignment) for assignment in assignments)
    return options.from_dict({**given, "params": params})


def _read_lines(file: str) -> list[str]:
    """The lines of a list file; blank lines and lines that begin with # are left out."""
    try:
        text = decode(Path(file).read_bytes(), "utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _set_beside(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    """The assignments on the command line, and those of a file's table that are not made there anew."""
    if context.get_parameter_source(str(parameter.name)) is not ParameterSource.COMMANDLINE:
        return given
    anew = {assignment.partition("=")[0] for assignment in given}
    configured = (context.default_map or {}).get(str(parameter.name), ())
    return (*(each for each in configured if each.partition("=")[0] not in anew), *given)


_METHOD = {
    "pattern": option(
        "Candidates",
        "--pattern",
        metavar="TAGS",
        help="Tag pattern of a phrase, e.g. '<JJ>*<NN.*>'; where it names a tag of function words, as in "
        "'<NN.*>+<IN><NN.*>+', stop words of that tag count.  [default: <NN.*|JJ>*<NN.*>; fusion: terms]",
    ),
    "ngrams": option(
        "Candidates", "--ngrams", metavar="N-M", help="All n-grams of N to M words instead of noun phrases."
    ),
    "phrases": option("Candidates", "--phrases", metavar="FILE", help="Only the phrases in FILE, one a line."),
    "max_phrase_words": option(
        "Candidates",
        "--max-phrase-words",
        type=click.IntRange(0),
        default=8,
        help="Pass over longer noun phrases; 0: no limit.  [default: 8; 7 for fusion]",
    ),
    "stop_words": option(
        "Candidates", "--stop-words", metavar="FILE", help="Further words that no phrase has inside it."
    ),
    "exclude": option("Candidates", "--exclude", metavar="FILE", help="Phrases never to give, one a line."),
    "tagger": option(
        "Candidates",
        "--tagger",
        metavar="NAME",
        help="spaCy pipeline by name or folder, e.g. de_core_news_sm.  [default: English]",
    ),
    "tokenizer": option(
        "Candidates",
        "--tokenizer",
        type=click.Choice(["mderank", "spacy"]),
        help="Whose words are tagged: ours, which keep TCP/IP and 5G whole and follow the layout of plain text, or the "
        "pipeline's.  [default: ours for English]",
    ),
    "preset": option(
        "Method",
        "--preset",
        type=click.Choice(list(PRESETS)),
        help="A set of options by name; options given besides come first. paper: mderank as in its paper, that is "
        "--method mderank --model bert-base-uncased --exact --pooling max --max-words 512 --max-tokens 512 "
        "--max-phrase-words 0 --dedupe case --tokenizer spacy.",
    ),
    "method": option(
        "Method",
        "--method",
        type=click.Choice(list(METHODS)),
        default="fusion",
        show_default=True,
        help="How candidates are ranked: see 'mderank methods'.",
    ),
    "model": option(
        "Method",
        "--model",
        "-m",
        default=DEFAULT_MODEL,
        show_default=True,
        metavar="NAME|DIR",
        help="The encoder: see 'mderank models'.",
    ),
    "masking": option(
        "Method",
        "--masking",
        type=click.Choice(["all", "once", "highest", "subset"]),
        default="all",
        show_default=True,
        help="What a candidate hides: all its occurrences, the first, the one that matters most, "
        "or only words that no longer candidate has hidden.",
    ),
    "pooling": option(
        "Method",
        "--pooling",
        type=click.Choice(["mean", "max", "cls"]),
        help="How states become an embedding.  [default: what suits the encoder]",
    ),
    "layer": option("Method", "--layer", type=int, metavar="N", help="Layer to take states from.  [default: the last]"),
    "similarity": option(
        "Method",
        "--similarity",
        type=click.Choice(["cosine", "euclidean"]),
        default="cosine",
        show_default=True,
        help="How embeddings are compared.",
    ),
    "exact": option(
        "Method",
        "--exact/--no-exact",
        default=False,
        help="Encode every masked variant whole, as the paper does: many times slower.",
    ),
    "batch_tokens": option(
        "Method",
        "--batch-tokens",
        type=click.IntRange(1),
        metavar="N",
        help="With --exact: tokens that the encoder computes at once; makes no difference to the result.  "
        "[default: 4096 on the CPU, 32768 on a GPU]",
    ),
    "max_words": option(
        "Method", "--max-words", type=click.IntRange(1), metavar="N", help="Read only the first N words."
    ),
    "max_tokens": option(
        "Method",
        "--max-tokens",
        type=click.IntRange(3),
        metavar="N",
        help="Read only the first N word pieces, special tokens counted.",
    ),
    "device": option("Method", "--device", metavar="NAME", help="For torch models: cpu, cuda, cuda:1, mps."),
    "dtype": option(
        "Method", "--dtype", type=click.Choice(["float32", "float16", "bfloat16"]), help="For torch models."
    ),
    "threads": option(
        "Method", "--threads", type=click.IntRange(1), metavar="N", help="Cores for one encoder call.  [default: all]"
    ),
    "corpus": option(
        "Method",
        "--corpus",
        metavar="PATH",
        help="For tfidf: texts to count document frequencies in, or a file of them; for sifrank: word frequencies.",
    ),
    "assignments": option(
        "Method",
        "--set",
        "assignments",
        multiple=True,
        callback=_set_beside,
        metavar="NAME=VALUE",
        help="An option that the method has to itself: see 'mderank methods METHOD'; repeatable.",
    ),
    "seed": option("Method", "--seed", type=int, default=0, show_default=True, help="For random."),
    "dedupe": option(
        "Results",
        "--dedupe",
        type=click.Choice(["none", "case", "variant", "stem"]),
        default="variant",
        show_default=True,
        help="Forms that are one entry: none, those that differ in case only, also inflections and spellings, or all "
        "with the same stems.",
    ),
    "overlap": option(
        "Results",
        "--overlap",
        type=click.Choice(["none", "little", "any"]),
        help="Whether phrases may be part of each other: in no case, only those that say something of their own, or as "
        "the scores have it.  [default: the method's own; little for fusion, any for the others]",
    ),
    "diversity": option(
        "Results",
        "--diversity",
        type=click.FloatRange(0, 1),
        metavar="X",
        help="Prefer phrases unlike those before them: 0 not at all, 1 above all (MMR).",
    ),
    "max_sum": option(
        "Results",
        "--max-sum",
        type=click.IntRange(1),
        metavar="N",
        help="Of the N best phrases give those that together are least alike; not with --diversity.",
    ),
    "min_score": option(
        "Results", "--min-score", type=float, metavar="X", help="Leave out phrases with a lower score."
    ),
    "min_confidence": option(
        "Results",
        "--min-confidence",
        type=click.FloatRange(0, 1),
        metavar="X",
        help="Leave out phrases that a reader would less often accept, 0 to 1: the same in short and long texts. "
        "Without this option 0.6 in texts of fewer than 50 words, and 0 in longer ones.",
    ),
}


def method_options(*, without: tuple[str, ...] = ()) -> Callable[[F], F]:
    """All options that make an extractor, but for some."""

    def decorate(command: F) -> F:
        for name, add in reversed(_METHOD.items()):
            if name not in without:
                command = add(command)
        return command

    return decorate


def import_spacy_without_torch() -> None:
    """SpaCy imports torch where it is installed, a second that its English pipeline has no use for."""
    if "torch" in sys.modules or "spacy" in sys.modules:
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import spacy  # noqa: F401
    finally:
        del sys.modules["torch"]

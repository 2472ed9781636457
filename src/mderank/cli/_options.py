"""Click options in sections, made from the fields of `Options`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from mderank.errors import InputError, OptionError
from mderank.methods.registry import METHODS, Method, get_method
from mderank.options import OptionInfo, Options
from mderank.parameters import NGramRange, Parameter
from mderank.presets import PAPER, PRESETS
from mderank.reading.decoding import decode
from mderank.tagging.spacy import import_spacy_without_torch as import_spacy_without_torch  # noqa: PLC0414
from mderank.util.format import escape_unprintable
from mderank.vocabularies.phrases import split_lines

F = TypeVar("F", bound=Callable[..., Any])

SECTIONS = ("Server", "Limits", "Input", "Results", "Run", "Candidates", "Method", "Other")
DEFAULT_MODEL = "minilm-l6"
CONFIG = "mderank.config"  # where a context keeps the name of the file that --config read
PARAMS = "mderank.params"  # where it keeps the parameters of the method from that file
NOTES = "mderank.notes"  # what to say to the user before the command runs


class SectionedCommand(click.Command):
    """A command whose help shows its options under headings, and whose errors name the file that has options."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. An error about options names the file, if options come from one."""
        if not ctx.params.get("quiet"):
            for note in ctx.meta.get(NOTES, ()):
                click.echo(f"mderank: note: {note}", err=True)
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


class _Option(click.Option):
    def __init__(self, *args: Any, section: str = "Other", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


def option(section: str, *names: str, **settings: Any) -> Callable[[F], F]:
    """A click option that is listed under ``section``."""
    return click.option(*names, cls=_Option, section=section, **settings)


class _Phrases(click.ParamType):  # type: ignore[type-arg]  # generic in new versions of click only
    """A file with one phrase per line; a list of phrases, if the value comes from a configuration file."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        if not isinstance(value, str):
            return tuple(value)
        phrases, comments = _read_lines(value)
        if comments and ctx is not None:
            lines = (
                "1 line begins with #: it is a comment"
                if comments == 1
                else (f"{comments:,} lines begin with #: they are comments")
            )
            note = f"{escape_unprintable(value)}: {lines}; a phrase with # is written \\#"
            ctx.meta.setdefault(NOTES, []).append(note)
        return phrases


def _split_seeds(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """All seeds of an option that may be repeated, and of which each value may be several, with commas."""
    return tuple(seed.strip() for value in values for seed in value.split(","))


class _NGramRange(click.ParamType):  # type: ignore[type-arg]
    """A range of words: ``1-3``."""

    name = "range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NGramRange:
        checked: NGramRange = Parameter("ngrams", NGramRange).check(value)
        return checked


def extraction_options(
    *, without: Collection[str] = (), only: Collection[str] | None = None, options: type[Options] = Options
) -> Callable[[F], F]:
    """Add a click option for each field of `Options`, and ``--preset``.

    All of them default to `None`: `make_options` fills in the preset and the defaults.

    Args:
        without: names of options that the command does not have.
        only: names of the options that the command has, without ``--preset``; None means all.
        options: the list of options.

    Returns:
        A decorator for a click command.
    """

    def decorate(command: F) -> F:
        listed = [each for each in options.parameters().values() if only is None or each.name in only]
        added = [_click_option(each) for each in listed if each.name not in without]
        if only is None and "preset" not in without:
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
    elif parameter.name == "seeds":
        settings |= {"multiple": True, "metavar": info.metavar, "callback": _split_seeds}
    elif bool in parameter.kinds:
        flags = [f"{flag}/--no-{flag.removeprefix('--')}"]
    else:
        settings |= _type(parameter, info)
    return option(info.section, *flags, **settings)


def _type(parameter: Parameter, info: OptionInfo) -> dict[str, Any]:
    if parameter.choices:
        return {"type": click.Choice(parameter.choices)}
    if int in parameter.kinds:
        least, most = (None if bound is None else int(bound) for bound in (info.ge, info.le))
        bounded = least is not None or most is not None
        return {"type": click.IntRange(least, most) if bounded else int, "metavar": info.metavar or "N"}
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
    elif parameter.name == "seeds":
        text += " Several are separated by commas, or the option is repeated."
    elif parameter.is_list:
        text += " FILE has one per line; a line that begins with # is a comment, and one with \\# a phrase with #."
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


def _read_lines(file: str) -> tuple[tuple[str, ...], int]:
    """The phrases of a list file, and the number of its comments. Blank lines are left out."""
    try:
        return split_lines(decode(Path(file).read_bytes(), "utf-8"))
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except InputError as error:
        raise InputError(f"{file}: {error}") from error

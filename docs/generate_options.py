"""Writes docs/options.md from `Options` and the methods' constructors: python docs/generate_options.py"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mderank.factory import takes
from mderank.methods.registry import METHODS
from mderank.options import Options
from mderank.parameters import Parameter

PAGE = Path(__file__).parent / "options.md"

INTRODUCTION = """# Options

All options of an extraction, with their values, defaults and methods. They have the same names everywhere: `--top-k 5`
on the command line, `top-k = 5` in a file for `--config`, `{"top_k": 5}` over HTTP, `config={"top_k": 5}` in a spaCy
pipeline, and `Options(top_k=5)` in Python, for `build_extractor`, `mderank.batch.extract_folder`, Ray and Spark. Lists
of phrases are files with one phrase per line on the command line, and lists elsewhere. An option that the method does
not take is an error.

The tables are made by `python docs/generate_options.py` from `mderank.Options` and the methods' constructors.
"""

PARAMETERS = """## Parameters of single methods

They are set by `--set NAME=VALUE`, in a table `[params]` of a `--config` file, by `"params": {"window": 5}` over HTTP,
and by `Options(method="textrank", params={"window": 5})`.
"""


def reference() -> str:
    """The tables of options and parameters, as one page."""
    return "\n".join([INTRODUCTION, *_options(), PARAMETERS, *_parameters()])


def _options() -> Iterator[str]:
    parameters = Options.parameters().values()
    for section in dict.fromkeys(Options.info(each.name).section for each in parameters):
        yield f'## {section}\n\n<div class="wide-2" markdown>\n'
        yield "| option | meaning | value | default | over HTTP | methods |\n|---|---|---|---|---|---|"
        for each in parameters:
            if Options.info(each.name).section == section:
                yield _option_row(each)
        yield "\n</div>\n"


def _option_row(parameter: Parameter) -> str:
    info = Options.info(parameter.name)
    default = info.default_text or ("none" if parameter.default in ((), {}) else parameter.default_text())
    least = [] if info.http_ge is None else [f"at least {info.http_ge}"]
    most = [] if info.http_le is None else [f"at most {info.http_le}"]
    http = (", ".join([*least, *most]) or "yes") if info.http else "no"
    taking = [name for name, method in METHODS.items() if takes(method, parameter.name)]
    methods = "all" if len(taking) == len(METHODS) else ", ".join(taking)
    cells = [f"`{parameter.name}`", info.help, parameter.describe(), default, http, methods]
    return _row(cells)


def _parameters() -> Iterator[str]:
    for name, method in METHODS.items():
        if parameters := method.parameters().values():
            yield f"### {name}\n\n| parameter | meaning | value | default |\n|---|---|---|---|"
            for each in parameters:
                yield _row([f"`{each.name}`", each.param.help, each.describe(), each.default_text()])
            yield ""


def _row(cells: list[str]) -> str:
    shown = (cell if cell.startswith("`") else _escape(cell) for cell in cells)
    return f"| {' | '.join(shown)} |"


def _escape(text: str) -> str:
    """Plain text as Markdown: "<NN.*>|<JJ>" is neither a tag of HTML, nor emphasis, nor the end of a cell."""
    return text.replace("<", "&lt;").replace("*", r"\*").replace("|", r"\|")


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")

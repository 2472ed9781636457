"""Replace the markup of reStructuredText by spaces, so that character offsets stay the same."""

from __future__ import annotations

import re
from collections.abc import Iterator

_EXPLICIT = re.compile(r"[ \t]*\.\.(?:[ \t]+|$)")
_DIRECTIVE = re.compile(r"(?:\|[^|\n]{1,100}\|[ \t]+)?([\w:.+-]{1,60})::(?:[ \t]+|$)")
_FOOTNOTE = re.compile(r"\[[^\]\n]{1,60}\](?:[ \t]+|$)")
_OPTION = re.compile(r"[ \t]*:[\w ./-]{1,60}:(?:[ \t]|$)")
_VERSION = re.compile(r"\S{1,40}[ \t]*")
# Directives whose content is not prose.
_NOT_PROSE = frozenset(
    "code code-block sourcecode literalinclude math image toctree include raw doctest testcode testsetup testcleanup "
    "testoutput parsed-literal ipython plot graphviz digraph graph mermaid uml highlight prompt contents sectnum role "
    "default-role meta index module currentmodule py:module automodule autoclass autofunction automethod autosummary "
    "autoattribute autodata autoexception productionlist tabularcolumns bibliography jupyter-execute unicode date "
    "replace default-domain target-notes header footer title code-author sectionauthor codeauthor click "
    "argparse program command-output runblock".split()
)
# Directives whose line goes on with prose.
_PROSE_LINE = frozenset(
    "note warning tip important hint caution danger error attention admonition seealso todo topic rubric sidebar "
    "epigraph highlights pull-quote compound figure-caption table list-table csv-table glossary tab".split()
)
_VERSIONED = frozenset("versionadded versionchanged versionremoved deprecated deprecated-removed".split())
# Fields about the document, whose values are not read.
_DOCUMENT_FIELDS = frozenset(
    "author authors date version revision organization contact address status copyright orphan tocdepth license "
    "nosearch email url home-page maintainer".split()
)
_FIELD = re.compile(r"[ \t]*:([^:`\n]{1,80}):(?=[ \t]|$)")
_RULE = re.compile(r"[ \t]*([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_TABLE_RULE = re.compile(r"[ \t]*[+=-](?=[^\n]*[=-]{2})[-+= ]*$")
_ROW = re.compile(r"[ \t]*\|")
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•]|(?:\d{1,4}|#)[.)]|\((?:\d{1,4}|#)\))(?=[ \t]|$)")
_LINE_BLOCK = re.compile(r"[ \t]*\|(?=[ \t])(?!.*\|)")

# What is replaced by spaces, and by a comma where no phrase may cross it. Each pattern takes linear time.
_MARKS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r":(?:math|cite(?::\w{1,9})?|footcite):`[^`]{0,500}`"), ","),
    # These show the title of what they name.
    (re.compile(r":(?:ref|doc|numref|eq|download|rfc|pep):`[^`<>]{1,200}`"), ","),
    (re.compile(r":(?:[\w+.-]{1,30}:){1,3}(?=`)"), ""),
    (re.compile(r"[ \n]<[^<>`]{1,300}>(?=`)"), ""),
    (re.compile(r"\bhttps?://[^\s<>()`]+"), ","),
    (re.compile(r"\[(?:\d{1,4}|[#*]\w{0,40}|[\w.-]{1,60})\]_(?!\w)"), ","),
    (re.compile(r"(?<=`)__?(?![\w`])"), ""),
    (re.compile(r"`+[~!]?"), ""),
    (re.compile(r"(?<=[^\W_])__?(?=[\s.,;:!?)\]}'\"]|\Z)"), ""),
    (re.compile(r"(?<![\w*\\])\*{1,2}(?=[^\s*])|(?<=[^\s*\\])\*{1,2}(?![\w*])"), ""),
    (re.compile(r"\\(?=\S)|\\ "), ""),
)
_SUBSTITUTION = re.compile(r"(?<![\w|])\|[^|\s][^|\n]{0,60}\|_{0,2}(?![\w|])")


def blank_rst(text: str) -> str:
    """Replace the markup, literal blocks, comments and addresses of reStructuredText by spaces.

    Args:
        text: source in reStructuredText.

    Returns:
        The text, of the same length.

    >>> blank_rst("*Storm* surges, see :ref:`here <x>`")
    ' Storm  surges, see       here     '
    """
    blanked = "\n".join(_blank_lines(text.split("\n")))
    for pattern, mark in _MARKS:
        blanked = pattern.sub(lambda match, mark=mark: _blank(match.group(), mark), blanked)  # type: ignore[misc]
    return blanked


def rst_title(text: str, prose: str) -> str | None:
    r"""Return the heading that a text in reStructuredText begins with.

    >>> source = ".. _tides:\n\nOn *tides*\n==========\n"
    >>> rst_title(source, blank_rst(source))
    'On tides'

    Args:
        text: source in reStructuredText.
        prose: the value of `blank_rst`.

    Returns:
        The heading without markup, on one line; None if the text begins otherwise.
    """
    first = re.search(r"\S", prose)
    if first is None:
        return None
    end = text.find("\n", first.start())
    underline = text[end + 1 :].partition("\n")[0] if end >= 0 else ""
    start = text.rfind("\n", 0, first.start()) + 1
    if not _RULE.match(underline) or len(underline.rstrip()) < len(text[start:end].strip()):
        return None
    return " ".join(prose[start:end].split())


def _blank(text: str, mark: str = "") -> str:
    return mark + re.sub(r"[^\n]", " ", text[len(mark) :])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _blank_lines(lines: list[str]) -> Iterator[str]:
    """Yield each line with its own markup blanked. Lines of literal blocks and comments are blank."""
    block = None  # least indentation of the lines of a block that is left out
    literal = None  # indentation of the paragraph before a literal block
    in_doctest = in_options = False
    for number, line in enumerate(lines):
        if not line.strip():
            in_doctest = in_options = False
            yield line
            continue
        indent = _indent(line)
        if literal is not None:
            block = indent if indent > literal else block
            literal = None
        if block is not None and indent >= block:
            yield _blank(line)
            continue
        block = None
        in_doctest = in_doctest or line.lstrip().startswith(">>>")
        in_options = in_options and bool(_OPTION.match(line))
        next_is_blank = number + 1 == len(lines) or not lines[number + 1].strip()
        if in_doctest or in_options:
            yield _blank(line)
            continue
        if _EXPLICIT.match(line):
            kept, is_block = _read_explicit(line)
            if is_block and not (next_is_blank and line.strip() == ".."):
                block = indent + 1
            in_options = True
            yield kept
            continue
        if line.rstrip().endswith("::") and next_is_blank:
            literal = indent
        yield _blank_line(line)


def _read_explicit(line: str) -> tuple[str, bool]:
    """Return a line that begins with ``..``, blanked, and whether the block below it is left out."""
    start = _EXPLICIT.match(line)
    at = start.end() if start else 0
    if footnote := _FOOTNOTE.match(line, at):
        return _blank(line[: footnote.end()]) + line[footnote.end() :], False
    directive = _DIRECTIVE.match(line, at)
    if directive is None or line[at] == "|":
        return _blank(line), True  # a comment, a target or a substitution
    name, end = directive.group(1).lower(), directive.end()
    if name in _VERSIONED:
        version = _VERSION.match(line, end)
        end = version.end() if version else end
    elif name not in _PROSE_LINE:
        return _blank(line), name in _NOT_PROSE
    return _blank(line[:end]) + line[end:], False


def _blank_line(line: str) -> str:
    """Return a line of prose, a title's underline, a field or a table's row, blanked."""
    if _RULE.match(line) or _TABLE_RULE.match(line):
        return _blank(line)
    if field := _FIELD.match(line):
        is_about = field.group(1).strip().lower() in _DOCUMENT_FIELDS
        return _blank(line) if is_about else _blank(field.group()) + line[field.end() :]
    for mark in (_LINE_BLOCK, _LIST_ITEM):
        if found := mark.match(line):
            line = _blank(found.group()) + line[found.end() :]
            break
    if _ROW.match(line):
        return line
    return _SUBSTITUTION.sub(lambda match: _blank(match.group(), ","), line)

"""Lines of code, of logs and of stack traces."""

from __future__ import annotations

import re
from itertools import pairwise

from mderank.tagging.layout.lines import Kind, Line, reads_as_prose

_LONGEST_CODE_LINE = 400  # characters; longer lines are not examined

_LONGEST_TICKET_HEAD = 60

_FENCE = re.compile(r"\s*(`{3,}|~{3,})\s*([\w+-]*)")
_FENCED_PROSE = frozenset(("text", "txt", "md", "markdown", "plain", "plaintext", "quote"))

# Each of these alone says that a line is code. All are anchored, and none can match a stretch in two ways.
_PLAINLY_CODE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*(?:async\s+)?def\s+\w+\s*\(",
        r"\s*class\s+\w+\s*(?:\([\w., ]*\))?\s*[:{]\s*$",
        r"\s*import\s+[\w.]+(?:\s+as\s+\w+)?\s*;?\s*$",
        r"\s*from\s+[\w.]+\s+import\s+[\w*(]",
        r"\s*import\s.*\sfrom\s+[\"']",
        r"\s*#\s?include\s*[<\"]",
        r"\s*#!/",
        r"\s*(?:public|private|protected|static|final)\s+[\w<>\[\]]+\s.*[({;]",
        r"\s*(?:export\s+)?(?:const|let|var)\s+[\w{\[]",
        r"\s*(?:export\s+)?(?:async\s+)?function\s*\w*\s*\(",
        r"\s*(?:func|fn)\s+\w+\s*[(<]",
        r"\s*(?:if|for|while|switch|catch)\s*\(.*[{;)]\s*$",
        r"\s*\}?\s*else\s*(?:if\s*\(.*)?\{\s*$",
        r"\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|ALTER TABLE|DROP TABLE)\s.*[*,(;=_]",
        r"\s*<[/!]?[A-Za-z][^<>]*>\s*$",
        r"\s*<([A-Za-z]+)(?:\s[^<>]*)?>[^<>]*</\1>\s*$",
        r"\s*\"[^\"]*\"\s*:\s*(?:[\"\[{\d-]|true|false|null)",
        r"@@ -\d",
        r"\s*\w+(?:\.\w+)+\([^()]*\)\s*[;,{]?\s*$",
        r"\s*[a-z]\w*\([^()]*\)\s*[;,{]?\s*$",
        r"\s*[\w.\[\]\"']+\s*(?:[-+*/|&:]?=|<-)\s*[\w.]+[(\[{]",
        r"\s*(?:[\w.-]+@[\w.-]+)?(?::\S{0,80}|\s)?[$%]\s+[a-z./~]\S*(?:\s|$)",  # a shell's prompt
        r"\s*>>>\s+\S.*[(=\[]|\s*>>>\s+(?:import|from|for|def|print)\b",
        r"\s*In \[\d+\]:",
        r"(?:PS )?[A-Z]:\\[^>]*>",
        r"\s*@[A-Za-z]{3,20}\s?\{\s?[\w:./+-]+\s?,",  # BibTeX
        r"\s*(?:title|author|year|journal|booktitle|publisher|volume|number|pages|doi|url|editor|month|note|howpublished|"
        r"institution|school|isbn|issn|address|series|eprint|archiveprefix|primaryclass)\s*=\s*[{\"].*[}\"],?\s*\}?\s*$",
    )
)
_TRACE = tuple(
    re.compile(pattern)
    for pattern in (
        r"\s*at\s+[\w.$<>/\[\]]+\s?\(.*\)\s*$",
        r"\s*at\s+\S+:\d+:\d+\s*$",
        r"\s*File \"[^\"]*\", line \d+",
        r"\s*Traceback \(most recent call last\):",
        r"\s*\.\.\. \d+ (?:more|common frames omitted)",
        r"\s*#\d+\s+(?:0x[\da-f]+|\S+\(\))",
        r"goroutine \d+ \[",
        r"\s*[\^~]+\s*$",
    )
)
_PYTHON_FRAME = re.compile(r"\s*File \"[^\"]*\", line \d+")
_CAUSE = re.compile(r"\s*(?:Caused by:\s*|Exception in thread \"[^\"]*\"\s*)?(?:\w+\.){2,}\w+(?::\s|\s*$)")

# These say it only beside a line that is plainly code.
_PERHAPS_CODE = re.compile(
    r"\s*(?:[#%](?!#)|//|/\*|\*/?\s|--\s)"
    r"|\s*(?:return|else|try|except|finally|raise|throw|break|continue|pass|end|begin|elif|yield|package|using)\b"
    r"|\s*(?:if|for|while|with|elif|else|try|except|finally)\b.*:\s*$"
    r"|\s*(?:FROM|WHERE|AND|OR|JOIN|LEFT JOIN|INNER JOIN|GROUP BY|ORDER BY|VALUES|SET|HAVING|LIMIT|ON)\s"
    r"|\s*[\w.\[\]\"'-]+\s*(?:[-+*/|&]?=|:=|<-|:)\s*\S+\s*,?\s*$"
    r"|\s*[+-]\s?[\w\"'<{(]"
    r"|\s*@\w"
    r"|.*[;{}\\,(\[]\s*$"
)
_ASSIGNMENT = re.compile(r"[A-Za-z_][\w.-]*=\S+\Z")
_YAML = re.compile(r"(?P<indent>\s*)(?:- )?(?P<key>[a-z_][\w./-]*|\"[^\"]{1,60}\"):(?:\s+(?P<value>\S.*))?$")
_YAML_ITEM = re.compile(r"\s*-\s+\S+(?:\s\S+){0,2}\s*$")
_FEWEST_YAML = 3  # lines
_TICKET_HEAD = re.compile(
    r"\s*[\[(]?(?:(?:help\s?desk|service|support|change|incident|trouble|problem|bug|issue|ticket|case|request|report|"
    r"work|order|task|defect|id|ref|no|nr|number|it|desk|new|open|closed)\b[\s.:/#–-]{0,3}){1,5}"
    r"(?:[A-Z]{1,8}[-–]\d{1,8}|#\d{1,8}|[A-Z]{2,5}\d{4,10})[\])]?\s*$",
    re.IGNORECASE,
)
_POOL = re.compile(r"(?:(?:FATAL|ERROR|WARN(?:ING)?):\s+)?(?:[A-Za-z][\w$]*-\d+\s+-\s+)?")
_CODE_MARKS = frozenset("{}()[]<>;=/\\_$&|+*\"'`#@^~")
_CALL_OR_ASSIGNMENT = re.compile(r"\w\(|=|->|::|\{")


def blank_code(lines: list[Line]) -> None:
    """Mark fenced code, code, shell prompts and stack traces as not prose.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    _blank_fenced(lines)
    for line in lines:
        if line.kind is Kind.PROSE:
            _blank_trace(line)
    for line, following in pairwise(lines):
        # The source line that Python shows below a frame.
        if following.kind is Kind.PROSE and _PYTHON_FRAME.match(line.text) and following.indent > line.indent:
            following.kind = Kind.NOT_PROSE
    _blank_yaml(lines)
    plain = [line.kind is Kind.PROSE and is_plainly_code(line.prose) for line in lines]
    perhaps = [line.kind is Kind.PROSE and is_perhaps_code(line.prose) for line in lines]
    _spread(lines, plain, perhaps, range(len(lines)))
    _spread(lines, plain, perhaps, range(len(lines) - 1, -1, -1))
    for line, is_code in zip(lines, plain, strict=True):
        if is_code:
            line.kind = Kind.NOT_PROSE


def _spread(lines: list[Line], plain: list[bool], perhaps: list[bool], order: range) -> None:
    """Count a line that may be code as code if the line before it, in ``order``, is."""
    beside_code = False
    for index in order:
        if lines[index].kind is Kind.BLANK:
            continue
        plain[index] = plain[index] or (beside_code and perhaps[index])
        beside_code = plain[index]


def _blank_fenced(lines: list[Line]) -> None:
    """Blank what stands between two fences, unless it reads as prose. A fence that is never closed has no effect."""
    opened: tuple[int, str, str] | None = None
    for index, line in enumerate(lines):
        fence = _FENCE.match(line.prose) if line.kind is Kind.PROSE else None
        if fence is None:
            continue
        if opened is None:
            opened = (index, fence.group(1), fence.group(2).lower())
        elif fence.group(1).startswith(opened[1]) and not fence.group(2):
            first, _, language = opened
            inside = lines[first + 1 : index]
            content = " ".join(each.prose for each in inside)
            is_prose = language in _FENCED_PROSE or (not language and _share_of_marks(content) < 0.05)
            is_prose = is_prose and reads_as_prose(content)
            lines[first].kind = line.kind = Kind.NOT_PROSE
            for each in inside:
                if each.kind is Kind.PROSE and not is_prose:
                    each.kind = Kind.NOT_PROSE
            opened = None


def _blank_trace(line: Line) -> None:
    content = line.prose
    if len(content) > _LONGEST_CODE_LINE:
        return
    if any(pattern.match(content) for pattern in _TRACE) or (
        len(content) <= _LONGEST_TICKET_HEAD and _TICKET_HEAD.match(content)
    ):
        line.kind = Kind.NOT_PROSE
    elif found := _CAUSE.match(content):  # the message after the exception's name stays
        line.body += found.end()
        if pool := _POOL.match(line.prose[:120]):
            line.body += pool.end()
        line.marked = True
        if line.body >= line.end:
            line.kind = Kind.NOT_PROSE


def _blank_yaml(lines: list[Line]) -> None:
    """Blank settings as YAML: successive keys in lower case, one of them above deeper ones, with short values."""
    first = 0
    while first < len(lines):
        last = first
        nested = False
        above: re.Match[str] | None = None
        while last < len(lines) and lines[last].kind is Kind.PROSE:
            content = lines[last].prose
            found = _YAML.match(content) if len(content) <= _LONGEST_CODE_LINE else None
            if found is None and not (above is not None and _YAML_ITEM.match(content)):
                break
            if found is not None and len((found.group("value") or "").split()) > 3 and reads_as_prose(content):
                break
            is_deeper = above is not None and lines[last].indent > len(above.group("indent"))
            nested = nested or (is_deeper and above is not None and above.group("value") is None)
            above = found or above
            last += 1
        if last - first >= _FEWEST_YAML and nested:
            for line in lines[first:last]:
                line.kind = Kind.NOT_PROSE
        first = max(last, first + 1)


def _is_assignments(content: str) -> bool:
    """Whether most words of a line are ``key=value``, as in a log."""
    words = content.split()
    return len(words) > 2 and 5 * sum(bool(_ASSIGNMENT.match(word)) for word in words) >= 3 * len(words)


def is_plainly_code(content: str) -> bool:
    """Whether a line is code, whatever stands around it.

    >>> is_plainly_code("for (int i = 0; i < n; i++) {")
    True
    >>> is_plainly_code("(a) the Licensee shall keep the records (of each year);")
    False

    Args:
        content: The text of the line.

    Returns:
        True for code.
    """
    if len(content) > _LONGEST_CODE_LINE:
        return _is_dense(content, 0.2) and not reads_as_prose(content, 0.1)
    if reads_as_prose(content, 0.3) and _share_of_marks(content) < 0.12:
        return False
    if any(pattern.match(content) for pattern in _PLAINLY_CODE) or _is_assignments(content):
        return True
    stripped = content.rstrip()
    if stripped[-1:] in ("{", "}", ";") and _CALL_OR_ASSIGNMENT.search(stripped):
        return not reads_as_prose(content, 0.15)
    return len(stripped) >= 8 and any(map(str.isalpha, stripped)) and _is_dense(content.strip("#= \t"), 0.3)


def is_perhaps_code(content: str) -> bool:
    """Whether a line is code if it stands beside code.

    Args:
        content: The text of the line.

    Returns:
        True if it may be code.
    """
    if len(content) > _LONGEST_CODE_LINE or reads_as_prose(content, 0.25):
        return False
    return bool(_PERHAPS_CODE.match(content))


def _is_dense(content: str, share: float) -> bool:
    """Whether more than ``share`` of a line is code marks. Brackets alone do not count: "0.46 (+24%) 0.50 (+34%)"."""
    return _share_of_marks(content) > share and sum(char in "{};=<>_\\" for char in content) > len(content) // 50


def _share_of_marks(content: str) -> float:
    marks = sum(char in _CODE_MARKS for char in content)
    return marks / max(1, len("".join(content.split())))

"""Mail as plain text: header fields, quote marks, greetings, attributions and signatures, and who writes to whom."""

from __future__ import annotations

import re
from itertools import pairwise

from mderank.tagging.layout.lines import Kind, Line, ends_sentence, reads_as_prose

_QUOTE_MARKS = re.compile(r"(?:[ \t]{0,3}>)+[ \t]?")
_PYTHON_PROMPT = re.compile(r">>>\s+(?:import|from|for|def|print)\b|>>>\s+\S[^>]{0,200}[(=\[]")
_COMPARISON = re.compile(r"[ \t]{0,3}>=?\s*\d")

_FIELD = re.compile(r"([A-Za-zÀ-ÿ][\w-]{0,40})[ \t]?:(?:[ \t]+|$)")
_HEADER_FIELDS = frozenset(
    "from to cc bcc subject date sent sender reply-to message-id in-reply-to references received return-path "
    "delivered-to mime-version content-type content-transfer-encoding content-language content-disposition user-agent "
    "importance priority organization organisation dkim-signature authentication-results list-id list-unsubscribe "
    "thread-topic thread-index newsgroups followup-to lines path nntp-posting-host distribution expires approved "
    "attachments attachment keywords summary xref envelope-to precedence errors-to status "
    "von an betreff datum gesendet de para assunto asunto objet envoyé à".split()
)
# Of these the value is worth reading.
_SPOKEN_FIELDS = frozenset(
    "subject keywords summary organization organisation attachments attachment betreff assunto asunto objet "
    "thread-topic".split()
)
_MACHINE_PREFIXES = ("x-", "content-", "list-", "arc-", "dkim-", "received-", "resent-")
# A group of fields is a mail's header if one of these is among them.
_TELLING_FIELDS = frozenset(
    "from to subject sent message-id received return-path mime-version newsgroups von betreff gesendet objet "
    "assunto asunto".split()
)
# Fields whose value names people.
_PEOPLE_FIELDS = frozenset("from to cc bcc sender reply-to von an de para à".split())
# What programs put before a subject: "Re: Fwd: [allotments] Bonfires".
_SUBJECT_MARKS = re.compile(
    r"\s*(?:(?:re|fwd?|aw|wg|sv|vs|tr|rv|ynt|odp)(?:\[\d+\])?\s?:\s*|RE\s(?=[A-Z])|\[[^\[\]]{1,40}\]\s*){1,8}",
    re.IGNORECASE,
)
_GREETING_WORDS = r"(?:dear|hi|hiya|hello|hey|good\s(?:morning|afternoon|evening|day)|hallo|liebe|lieber|bonjour|hola)"
_GREETED = r"(?:all|both|everyone|everybody|team|folks|there|again|sir|madam|or|and|&|dear|[^\W\d_a-z][\w'’.-]{0,30})"
_GREETING = re.compile(
    rf"\s*(?i:{_GREETING_WORDS})(?P<names>(?:[\s,/]{{1,2}}{_GREETED}){{1,7}})?\s*(?:[,!:;.–—-]{{1,3}}(?=\s|\Z)|\Z)\s*"
)
_NOT_NAMES = frozenset("all both everyone everybody team folks there again sir madam or and dear".split())
_PERSON = r"[^\W\d_a-z][\w'’.-]{0,30}(?:\s[^\W\d_a-z][\w'’.-]{0,30}){0,3}"
_WRITER = re.compile(
    rf"(?P<name>{_PERSON})\s*(?:<[^<>]{{0,80}}>|\([^()]{{0,80}}\))?,?\s*(?:wrote|writes|schrieb|said)\b"
)
_NAMES = re.compile(rf"(?:\A|(?<=[;,:\"'(<\s]))(?P<name>{_PERSON})\"?\s*(?=<[^<>]{{0,80}}>|[;,(\[]|\Z)")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.")

_ATTRIBUTION = re.compile(r"\s*(?:On|Am|Le|El|Em|Op|Il)\s.*\d")
_ATTRIBUTION_END = re.compile(
    r"(?:wrote|schrieb|writes|said|écrit|escribió|escreveu|schreef|scritto)[^.!?]{0,60}:\s*\Z"
)
_SEPARATOR = re.compile(
    r"\s*(?:-{2,}|_{2,})?\s*(?:Original Message|Original-Nachricht|Ursprüngliche Nachricht|Forwarded message|"
    r"Begin forwarded message|Forwarded by|End of forwarded message)\b[^\w]*\s*\Z",
    re.IGNORECASE,
)
_SIGNATURE = re.compile(r"\s{0,3}--\s?\Z")
_VALEDICTION = re.compile(
    r"\s*(?:(?:with\s+)?(?:(?:my|our)\s+)?(?:very\s+)?(?:best|kind|kindest|warm|warmest)"
    r"(?:\s+(?:regards|wishes))?(?:\s+from\s+\w+)?|(?:with\s+)?regards|(?:many\s+|with\s+)?thanks(?:\s+(?:again|"
    r"a\s+lot|so\s+much|in\s+advance|and\s+(?:best\s+|kind\s+)?regards))?|thank\s+you(?:\s+(?:again|very\s+much|"
    r"in\s+advance|so\s+much))?|thx|cheers|yours(?:\s+(?:sincerely|faithfully|truly|ever))?|"
    r"(?:very\s+)?(?:sincerely|respectfully|cordially|faithfully)(?:\s+yours)?|all\s+the\s+best|take\s+care|best|"
    r"talk\s+soon|see\s+you(?:\s+(?:soon|then|there))?|love|xoxo|mit\s+freundlichen\s+grüßen|viele\s+grüße|"
    r"beste\s+grüße|cordialement|saludos|atenciosamente)\s*[,.!]{0,3}\s*\Z",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    r"\s*(?:(?:sent|gesendet|envoyé|enviado)\s(?:from|via|with|using|von|mit|de|depuis|desde)\s"
    r"(?:my\s|meinem\s|mon\s|mi\s)?[\w .-]{2,30}|get\soutlook\sfor\s\w{2,10})\.?\s*\Z",
    re.IGNORECASE,
)
_POSTSCRIPT = re.compile(r"\s*P\.?\s?P?\.?S\b", re.IGNORECASE)

_SIGNATURE_LINES, _SIGNATURE_WIDTH = 8, 80
_NAME_LINES, _NAME_WIDTH = 5, 60
_NAMED_WIDTH = 100  # of the second line of an attribution
_FARTHEST = 40  # lines that are looked at below a signature's mark, blank ones too


def read_quote_marks(lines: list[Line]) -> None:
    """Blank the leading ``>`` marks of quoted lines, and count them.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    for line in lines:
        marks = match_quote_marks(line.text) if line.kind is Kind.PROSE else None
        if marks:
            line.depth = marks.group().count(">")
            line.text = line.text[marks.end() :]
            line.body = line.start + marks.end()
            if not line.text.strip():
                line.kind = Kind.BLANK


def match_quote_marks(line: str) -> re.Match[str] | None:
    """Find the ``>`` marks that a quoted line begins with.

    >>> [bool(match_quote_marks(line)) for line in ("> > Hi", ">>> import this", "> 5 m")]
    [True, False, False]

    Args:
        line: The line.

    Returns:
        The match; None if the line is not quoted, a Python prompt or a comparison.
    """
    if not line.lstrip().startswith(">") or _PYTHON_PROMPT.match(line) or _COMPARISON.match(line):
        return None
    return _QUOTE_MARKS.match(line)


def is_attribution(line: str, following: str = "") -> bool:
    """Return whether a line says who wrote what is quoted below it, alone or with the next line.

    >>> is_attribution("On 3 May Ann Lee wrote:"), is_attribution("On 3 May Ann <ann@b.c>", "wrote:")
    (True, True)

    Args:
        line: The line.
        following: The line below it.
    """
    if not _ATTRIBUTION.match(line):
        return False
    if _ATTRIBUTION_END.search(line):
        return True
    return len(following) <= _NAMED_WIDTH and not ends_sentence(line) and bool(_ATTRIBUTION_END.search(following))


def read_mail(lines: list[Line]) -> set[str]:
    """Find header fields, greetings, attributions and signatures of mails.

    Args:
        lines: The lines of the text, which are changed in place.

    Returns:
        The names of writers and readers.
    """
    people: set[str] = set()
    headers = _read_headers(lines, people)
    attributions = _blank_attributions(lines, people)
    _blank_greetings(lines, people)
    for line in lines:
        if line.kind is Kind.PROSE and len(line.prose) <= _NAME_WIDTH and _DEVICE.match(line.prose):
            line.kind = Kind.NOT_PROSE
    starts = sorted({*headers, *attributions})
    _blank_signatures(lines, starts, people)
    return people


def _blank_greetings(lines: list[Line], people: set[str]) -> None:
    """Blank "Dear Mrs Lumley" at the beginning of lines."""
    for line in lines:
        found = _GREETING.match(line.prose[:160]) if line.kind is Kind.PROSE else None
        if found is None or (found.end() == 160 and len(line.prose) > 160):
            continue
        words = re.split(r"[\s,/&]+", found.group("names") or "")
        people.update(word for word in words if word and word.casefold() not in _NOT_NAMES)
        line.body += found.end()
        line.marked = True
        if not line.prose.strip():
            line.kind = Kind.NOT_PROSE


def _read_headers(lines: list[Line], people: set[str]) -> list[int]:
    """Make a block of every header field; return the first line of every header."""
    firsts = []
    index = 0
    while index < len(lines):
        group = _field_group(lines, index)
        names = {name for _, name in group}
        is_header = len(names) >= 2 and not names.isdisjoint(_TELLING_FIELDS)
        if is_header or (len(group) == 1 and _ADDRESS.search(lines[index].prose[:500])):
            firsts.append(index)
            for (first, name), (last, _) in pairwise([*group, (_end_of_group(lines, group), "")]):
                if name in _PEOPLE_FIELDS:
                    value = " ".join(line.prose.strip()[:400] for line in lines[first:last]).partition(":")[2].strip()
                    people.update(each.group("name") for each in _NAMES.finditer(value))
                _read_field(lines[first:last], name)
        index = _end_of_group(lines, group) if group else index + 1
    return firsts


def _field_name(line: Line) -> str:
    if line.kind is not Kind.PROSE:
        return ""
    found = _FIELD.match(line.prose.replace("*", "", 4)[:60])
    name = found.group(1).lower() if found else ""
    return name if name in _HEADER_FIELDS or name.startswith(_MACHINE_PREFIXES) else ""


def _field_group(lines: list[Line], start: int) -> list[tuple[int, str]]:
    """The header fields from line ``start`` on, as index and name; folded lines belong to the field above."""
    group: list[tuple[int, str]] = []
    for index in range(start, len(lines)):
        name = _field_name(lines[index])
        if name:
            group.append((index, name))
        elif not group or not _is_folded(lines[index]):
            break
    return group


def _end_of_group(lines: list[Line], group: list[tuple[int, str]]) -> int:
    end = group[-1][0] + 1
    while end < len(lines) and _is_folded(lines[end]):
        end += 1
    return end


def _is_folded(line: Line) -> bool:
    return line.kind is Kind.PROSE and line.indent > 0 and not line.after_page


def _read_field(lines: list[Line], name: str) -> None:
    """Blank a field's name, and its value too unless people read it."""
    if name not in _SPOKEN_FIELDS:
        for line in lines:
            line.kind = Kind.NOT_PROSE
        return
    first = lines[0]
    colon = first.prose.index(":")
    first.body += colon + 1
    if marks := _SUBJECT_MARKS.match(first.prose[:200]):
        first.body += marks.end()
    first.marked = True
    if not first.prose.strip():
        first.kind = Kind.NOT_PROSE


def _blank_attributions(lines: list[Line], people: set[str]) -> list[int]:
    """Blank "On Monday Anna wrote:" and "Original Message" lines; return their indices."""
    found = []
    for index, line in enumerate(lines):
        if line.kind is not Kind.PROSE or len(line.prose) > 200:
            continue
        if _SEPARATOR.match(line.prose):
            line.kind = Kind.NOT_PROSE
            found.append(index)
        elif _ATTRIBUTION.match(line.prose):
            following = lines[index + 1] if index + 1 < len(lines) else None
            if _ATTRIBUTION_END.search(line.prose):
                line.kind = Kind.NOT_PROSE
                found.append(index)
            elif (
                following is not None
                and following.kind is Kind.PROSE
                and len(following.prose) <= _NAMED_WIDTH
                and not ends_sentence(line.prose)
                and _ATTRIBUTION_END.search(following.prose)
            ):
                line.kind = following.kind = Kind.NOT_PROSE
                found.append(index)
                people.update(each.group("name") for each in _WRITER.finditer(f"{line.prose} {following.prose}"))
        if line.kind is Kind.NOT_PROSE:
            people.update(each.group("name") for each in _WRITER.finditer(line.prose))
    return found


def _blank_signatures(lines: list[Line], starts: list[int], people: set[str]) -> None:
    """Blank what stands below ``-- `` or a valediction, up to the end of the message."""
    ends = _message_ends(lines, starts)
    for index, line in enumerate(lines):
        if line.kind is not Kind.PROSE or len(line.prose) > 60:
            continue
        if _SIGNATURE.match(line.prose):
            below = _blank_below(lines, index, ends[index], _SIGNATURE_LINES, _SIGNATURE_WIDTH)
        elif _VALEDICTION.match(line.prose) and (index == 0 or not _is_listed(lines, index)):
            below = _blank_below(lines, index, ends[index], _NAME_LINES, _NAME_WIDTH)
        else:
            continue
        if below and (name := re.match(rf"\s*(?P<name>{_PERSON})\s*(?:,|\Z)", below[0].prose)):
            people.add(name.group("name"))


def _is_listed(lines: list[Line], index: int) -> bool:
    """Whether the lines before and after are as short: then a valediction may be a menu's entry or a verse."""
    before, after = lines[index - 1], lines[index + 1 : index + 2]
    short_before = before.kind is Kind.PROSE and len(before.prose) < 25 and not ends_sentence(before.prose)
    return short_before and bool(after) and after[0].kind is Kind.PROSE


def _message_ends(lines: list[Line], starts: list[int]) -> list[int]:
    """For every line the index at which its message ends: a header, an attribution, another depth of quotation."""
    first_lines = set(starts)
    ends = [len(lines)] * len(lines)
    end, below = len(lines), None
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line.kind is Kind.PROSE:
            if below is not None and below.depth != line.depth:
                end = index + 1
            below = line
        ends[index] = end
        if index in first_lines or line.after_page:
            end = index
    return ends


def _blank_below(lines: list[Line], index: int, end: int, most: int, width: int) -> list[Line]:
    """Blank a line and those below it, if they are few and short up to ``end``; return those below."""
    is_name = most == _NAME_LINES
    below: list[Line] = []
    for line in lines[index + 1 : min(end, index + 1 + _FARTHEST)]:
        if line.kind is not Kind.PROSE:
            continue
        if _POSTSCRIPT.match(line.prose) or (below and _SIGNATURE.match(line.prose)):
            break
        below.append(line)
        if len(below) > most or len(line.prose) > width or (is_name and _is_sentence(line.prose)):
            return []
    else:
        if end > index + 1 + _FARTHEST and any(line.kind is Kind.PROSE for line in lines[end - 1 : end]):
            return []
    for line in (lines[index], *below):
        line.kind = Kind.NOT_PROSE
    return below


def _is_sentence(content: str) -> bool:
    return reads_as_prose(content, 0.3) or (ends_sentence(content) and len(content.split()) > 3)

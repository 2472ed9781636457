"""Find what a mail quotes of earlier mails: it is what others wrote, and mostly about something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mderank.tagging.layout.mail_lines import is_attribution, match_quote_marks

_FEW_WORDS = 20  # of its own: without the quotes, there is not enough to tell what such a mail is about
_LONGEST_LINE = 200  # characters of a line that begins a quote
_FORWARDED = re.compile(r"\A\s*(?:fwd?|wg|tr|rv)\s?:", re.IGNORECASE)
_BEGINS_FORWARDED = re.compile(r"\W*(?:begin\s)?forwarded\s(?:message|by)\b", re.IGNORECASE)
_BEGINS_QUOTE = re.compile(r"\W*(?:original message|original-nachricht|ursprüngliche nachricht)\W*\Z", re.IGNORECASE)
# The header that mail programs write above a quote without marks.
_HEADER = tuple(
    re.compile(rf"\W{{0,5}}(?:{names})\W{{0,3}}:", re.IGNORECASE)
    for names in ("from|von|de", "sent|date|gesendet|datum|envoyé|enviado", "subject|betreff|objet|asunto|assunto")
)
_HEADER_LINES = 6
# Mail programs write when and by whom a mail was sent; people write "On 3 May the council wrote:" above a quotation.
_SENT = re.compile(r"\d\s?[:.h]\s?\d\d|@")
_SIGNATURE = re.compile(r"\s{0,3}--\s?\Z")


def blank_quotes(texts: Sequence[str], subject: str = "") -> list[str]:
    r"""Replace what a mail quotes by spaces. A forwarded mail is no quote.

    A quote is a line with a quote mark, or all that follows a line such as "On 3 May at 10:15 Ann wrote:", "Original
    Message" or the header of a mail. A mail that has hardly a word of its own keeps its quotes.

    Args:
        texts: the texts of the mail, in order, without its header.
        subject: the mail's subject, which tells whether it was forwarded.

    Returns:
        The texts, each of the same length.

    >>> own = "The harbour master reads the tide gauge of the harbour, and we read those of the river, twice a day."
    >>> blank_quotes([own + "\n> who reads them?"])[0] == own + "\n" + " " * 17
    True
    """
    if _FORWARDED.match(subject):
        return list(texts)
    blanked = []
    own = 0
    for text in texts:
        lines = text.split("\n")
        quoted = list(_quoted(lines))
        own += _count_own_words(lines, quoted)
        blanked.append(
            "\n".join(" " * len(line) if hidden else line for line, hidden in zip(lines, quoted, strict=True))
        )
    return blanked if own >= _FEW_WORDS else list(texts)


def _quoted(lines: Sequence[str]) -> Iterator[bool]:
    """Yield for each line whether it is part of a quote."""
    all_quoted = all_own = False
    for number, line in enumerate(lines):
        all_own = all_own or bool(_BEGINS_FORWARDED.match(line[:_LONGEST_LINE]))
        is_marked = match_quote_marks(line) is not None
        if not (all_own or all_quoted or is_marked) and _begins_quote(lines, number):
            below = next((each for each in lines[number + 1 : number + 5] if each.strip()), "")
            if match_quote_marks(below) is None:
                all_quoted = True
        yield all_quoted or (is_marked and not all_own)


def _begins_quote(lines: Sequence[str], number: int) -> bool:
    line = lines[number]
    if len(line) > _LONGEST_LINE:
        return False
    following = lines[number + 1][:_LONGEST_LINE] if number + 1 < len(lines) else ""
    if _BEGINS_QUOTE.match(line):
        return True
    if is_attribution(line, following):
        return bool(_SENT.search(line) or _SENT.search(following))
    first, *rest = _HEADER
    header = [each[:_LONGEST_LINE] for each in lines[number + 1 : number + _HEADER_LINES]]
    return bool(first.match(line)) and all(any(map(field.match, header)) for field in rest)


def _count_own_words(lines: Sequence[str], quoted: Sequence[bool]) -> int:
    """Count the words that are neither quoted nor part of a signature."""
    count = 0
    in_signature = False
    for line, hidden in zip(lines, quoted, strict=True):
        in_signature = not hidden and (in_signature or bool(_SIGNATURE.match(line)))
        count += 0 if hidden or in_signature else len(line.split())
    return count

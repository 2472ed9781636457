"""Labels before a colon: a form's field names, "Note:", "Results:", the speakers of a transcript."""

from __future__ import annotations

import re
from collections import Counter

from mderank.tagging.layout.lines import FUNCTION_WORDS, Kind, Line, is_mid_sentence

_LABEL = re.compile(
    r"\s*[*_]{0,2}(?P<name>[^\W\d_][\w'’.&/#()-]*(?:\s[\w'’.&/#()-]+){0,4}?)[*_]{0,2}"
    r"(?:\s?[\[(]\d{1,2}:\d{2}(?::\d{2})?[\])])?\s?[:：][*_]{0,2}(?=\s|\Z)"
)
_LONGEST_LABEL = 40
# Names of a form's, a contract's, a minute's and an abstract's parts. They say of a value what it is, not what it says.
_LABEL_NAMES = frozenset(
    """
    abstract absent action actions address aim aims amount answer answers apologies applicant approved assigned
    assignee attachments attendees attending author authors background birthdate borrower budget buyer bcc caller
    caption category caution cc chair chairperson chapter city client comment comments conclusion conclusions consultant
    contact contractor copyright cost country course currency customer date deadline decision decisions definition
    deliverables department description design director discussion doi due duration edit edited editor email employee
    employer end environment example examples exhibit expected actual experience fax figure findings from funding goal
    hint id importance important in-reply-to ingredients inputs institution instructions interpretation interventions
    interviewer interviewee introduction invoice isbn issn issue item job keyword keywords landlord language lender
    lessee lessor license licensee licensor limitations location main manager material materials measurements member
    members memo message method methods methodology mobile model moderator motivation name nationality next note notes
    objective objectives occupation office order organisation organization organizer outcome outcomes output outputs
    owner page participants party patient payment pages phone photo place position present presenter price
    priority procedure product profession project prompt ps publisher published purpose purchaser quantity question
    questions re recipient ref reference references regarding region regrets reporter reported requirements response
    result results reviewer role salary sample scope secretary section seller sender sent serves servings setting
    severity signature signed size skills source speaker sponsor staff start status step steps street student study
    subject subjects subtotal summary supervisor supplier table tags task teacher tel telephone tenant term terms time
    tip tips title to todo topic topics total type unit update updated url user vendor venue version via warning
    warranty website weight when where who witness work year yield zip
    """.split()
) | frozenset(
    (
        "q",
        "a",
        "channel",
        "guild",
        "p.s",
        "n.b",
        "nb",
        "e-mail",
        "data sources",
        "study design",
        "study selection",
        "prep time",
    )
)
# A longer name whose last word is one of these is a field's name too: "invoice number", "cooking time".
_LABEL_HEADS = frozenset(
    "address by code date dates email fax id law location measure measures name no no. number period phone price "
    "procedure rate ref sources status time times title total type points items".split()
)
_DIGITS = re.compile(r"\d+")


def read_labels(lines: list[Line]) -> set[str]:
    """Blank labels such as "Note:", the field names of a form, and the speakers of a transcript.

    A label is known by its name, or by being repeated at the beginning of lines. All labels of successive lines count
    if half of their names are known, or if one recurs. Any other word before a colon may be the subject of the line,
    and stays.

    Args:
        lines: The lines of the text, which are changed in place.

    Returns:
        The names of the speakers.
    """
    found = [_match_label(lines, index) for index in range(len(lines))]
    names = [_label_key(label) if label else "" for label in found]
    counts = Counter(name for name in names if name)
    repeated = {name for name, count in counts.items() if count > 1}
    spoken = Counter(label.group("name") for label in found if label)  # "Speaker 1" and "Speaker 2" are two
    is_dialogue = (
        sum(counts[name] for name in repeated) >= 4
        and sum(count > 1 for name, count in spoken.items() if _key_of(name) in repeated) > 1
    )
    is_label = [
        label is not None
        and (_is_label_name(name) or (_has_value(label) and (counts[name] > 2 or (is_dialogue and name in repeated))))
        for label, name in zip(found, names, strict=True)
    ]
    for first, last in _label_runs(lines, names):
        known = sum(_is_label_name(names[index]) for index in range(first, last))
        is_form = 2 * known >= last - first
        is_talk = len(set(names[first:last])) < last - first  # the same speaker twice
        if last - first > 2 and (is_form or is_talk):
            is_label[first:last] = [True] * (last - first)
    for index, (line, label) in enumerate(zip(lines, found, strict=True)):
        if label is None:
            continue
        is_speaker = is_dialogue and (_is_between_labels(is_label, names, index) or _is_capital_speaker(label))
        if is_label[index] or is_speaker:
            line.body += label.end()
            line.marked = True
            if not line.prose.strip():
                line.kind = Kind.NOT_PROSE
        elif _is_beside_label(found, index):
            line.marked = True
    return {name for name in repeated if is_dialogue and not _is_label_name(name)}


def _match_label(lines: list[Line], index: int) -> re.Match[str] | None:
    line = lines[index]
    if line.kind is not Kind.PROSE or line.alone:
        return None
    content = line.prose[:120]
    if ":" not in content and "：" not in content:
        return None
    label = _LABEL.match(content)
    if label is None or len(label.group("name")) > _LONGEST_LABEL:
        return None
    previous = lines[index - 1] if index else None
    if previous is None or previous.marked or line.marked or not is_mid_sentence(previous):
        return label
    # A wrapped line may begin with the last words before a colon.
    is_form = label.group("name")[0].isupper() and _LABEL.match(previous.prose[:120])
    return label if is_form else None


def _has_value(label: re.Match[str]) -> bool:
    return not label.string[label.end() :].isspace() and label.end() < len(label.string)


def _label_key(label: re.Match[str]) -> str:
    return _key_of(label.group("name"))


def _key_of(name: str) -> str:
    return _DIGITS.sub("0", name.casefold()).strip(" .*_")


def _is_capital_speaker(label: re.Match[str]) -> bool:
    """Whether a label is in capitals, as a speaker who speaks once in a dialogue may be."""
    name = label.group("name")
    return name.isupper() and len(name) > 1 and len(name.split()) <= 3 and _has_value(label)


def _is_label_name(name: str) -> bool:
    """Whether a label's name says what kind of text follows.

    >>> _is_label_name("results"), _is_label_name("invoice number"), _is_label_name("deep learning")
    (True, True, False)
    """
    if name in _LABEL_NAMES or (name.endswith(" 0") and name[:-2] in _LABEL_NAMES):
        return True
    first, *others = re.split(r"[\s/&]+", name)
    if not others:
        return False
    if others[-1] in _LABEL_HEADS:
        return True
    return all(word in _LABEL_NAMES or word in FUNCTION_WORDS for word in (first, *others)) and first in _LABEL_NAMES


def _label_runs(lines: list[Line], names: list[str]) -> list[tuple[int, int]]:
    """Stretches of lines that all begin with a label, without a blank line between them."""
    runs, first = [], None
    for index, name in enumerate([*names, ""]):
        if name and lines[index].kind is Kind.PROSE:
            first = index if first is None else first
        elif first is not None:
            runs.append((first, index))
            first = None
    return runs


def _is_between_labels(is_label: list[bool], names: list[str], index: int) -> bool:
    """Whether a label of at most two words stands directly between labels: a speaker who speaks once."""
    if len(names[index].split()) > 2:
        return False
    neighbours = [at for at in (index - 2, index - 1, index + 1, index + 2) if 0 <= at < len(names)]
    return any(is_label[at] for at in neighbours if at < index) and any(is_label[at] for at in neighbours if at > index)


def _is_beside_label(found: list[re.Match[str] | None], index: int) -> bool:
    """Whether the line before or after also begins with what looks like a label: then they are not one paragraph."""
    return (index > 0 and found[index - 1] is not None) or (index + 1 < len(found) and found[index + 1] is not None)

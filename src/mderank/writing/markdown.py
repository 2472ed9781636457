"""Markdown: a report with a section and a table per document, for GitHub, Obsidian and other readers of Markdown.

Ids, phrases and texts come from anybody. Everything in them that Markdown or HTML would read as markup is escaped, so
that they are shown as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from mderank.keyphrase import ConceptLabel, Keyphrase, Keyphrases
from mderank.util.format import escape_unprintable, format_count, format_number
from mderank.writing.base import DocumentResult, Writer, describe_language
from mderank.writing.explanation import (
    CONFIDENCE,
    MASKED,
    MEANINGS,
    RAW_SCORE,
    RELATED,
    Explainer,
    Explanation,
    OccurrenceContext,
    one_line,
)

_OCCURRENCES = 10  # occurrences per phrase that are shown; JSON and HTML have all
_NAMED = 10  # likewise, related and missing phrases

_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~$^&]|(?<=[=%])(?=[=%])|(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
# Begins a list, underlines a heading, or is the line below the names of a table's columns.
_BLOCK = re.compile(r"^(\s*\d{0,9})([-+=.)](?=[\s\-=:]|$)|(?<!\d):(?=-))")


def escape_markdown(text: str) -> str:
    r"""Escape text for a line, a heading or a table's cell of Markdown.

    GitHub makes a link of an e-mail address all the same.

    >>> print(escape_markdown("a|b `c` [d](e) <f> C#"))
    a\|b \`c\` \[d\](e) \<f\> C\#
    >>> print(escape_markdown("$x$ ==y== http://z"))
    \$x\$ =\=y=\= http\://z

    Args:
        text: Any text.

    Returns:
        Markdown in one line that shows the text. Control characters and lone surrogates are replaced.
    """
    return _BLOCK.sub(r"\1\\\2", _MARKUP.sub(r"\\\g<0>", one_line(text)))


class MarkdownWriter(Writer):
    """Writes a heading and a table per document. With ``explain``, a section per phrase follows."""

    def begin(self) -> None:
        self.stream.write("# Keyphrases\n")

    def write(self, result: DocumentResult) -> None:
        blocks = [f"## {escape_markdown(escape_unprintable(str(result.id)))}", *self._notes(result)]
        if result.keyphrases:
            blocks.append(_table(result.keyphrases))
        elif not result.keyphrases.error:
            blocks.append("No keyphrases.")
        if self.explain:
            explainer = Explainer(result.text)
            for number, each in enumerate(result.keyphrases, start=1):
                blocks += _explain(number, each, explainer.explain(each))
        self.stream.write("".join(f"\n{block}\n" for block in blocks))
        self.stream.flush()

    def _notes(self, result: DocumentResult) -> Iterator[str]:
        found = result.keyphrases
        if found.error:
            yield _callout("WARNING", f"Could not be read: {found.error}")
        if found.truncated:
            words = format_count(len(result.text[found.truncated.start :].split()), "word")
            yield _callout("NOTE", f"Not read: {words} after character {found.truncated.start:,}.")
        if found.missing_phrases:
            listed = found.missing_phrases[:_NAMED]
            count = format_count(found.missing_count, "listed phrase")
            yield _callout("NOTE", f"Not in the text: {count}: {_enumerate(listed, found.missing_count)}")
        if found.language is not None:
            yield from (_callout("NOTE", warning) for warning in found.language.warnings)
            if self.explain or found.language.code != "en":
                yield f"Read as: {escape_markdown(describe_language(found.language))}"


class _Column(NamedTuple):
    name: str
    align: str
    cells: Sequence[str]


def _table(found: Keyphrases) -> str:
    columns = [
        _Column("rank", "--:", [str(number) for number in range(1, len(found) + 1)]),
        _Column("keyphrase", ":--", [escape_markdown(each.text) for each in found]),
    ]
    if any(each.concept for each in found):
        columns.append(_Column("concept", ":--", [_concept(each.concept) for each in found]))
    columns.append(_Column("occurrences", "--:", [f"{len(each.spans):,}" for each in found]))
    if any(each.confidence is not None for each in found):
        cells = ["" if each.confidence is None else f"{each.confidence:.3f}" for each in found]
        columns.append(_Column("confidence", "--:", cells))
    columns.append(_Column("score", "--:", [f"{each.score:.4g}" for each in found]))
    return _rows(columns)


def _rows(columns: Sequence[_Column]) -> str:
    cells = zip(*(each.cells for each in columns), strict=True)
    rows = [[each.name for each in columns], [each.align for each in columns], *cells]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _concept(concept: ConceptLabel | None) -> str:
    """The label, with a link if the id is an address of the web; otherwise the id follows."""
    if concept is None:
        return ""
    label = escape_markdown(concept.label)
    if re.match(r"https?://", concept.id, re.IGNORECASE):
        return f"[{label}]({quote(one_line(concept.id), safe='/:?=&;,+@%#.-~')})"
    return label if concept.id in ("", concept.label) else f"{label} ({escape_markdown(concept.id)})"


def _explain(number: int, keyphrase: Keyphrase, why: Explanation) -> Iterator[str]:
    yield f"### {number}. {escape_markdown(keyphrase.text)}"
    if why.contributions:
        names = list(why.contributions)
        yield _rows(
            [
                _Column("term", ":--", list(map(escape_markdown, names))),
                _Column("contribution", "--:", [f"{value:+.4f}" for value in why.contributions.values()]),
                _Column(
                    "measured", "--:", [f"{why.features[name]:.4g}" if name in why.features else "" for name in names]
                ),
                _Column("meaning", ":--", [MEANINGS.get(name, "") for name in names]),
            ]
        )
    facts = []
    if not why.contributions:
        facts.append(f"Raw score: {format_number(keyphrase.raw_score)} ({RAW_SCORE})")
    if why.masked_similarity is not None:
        facts.append(f"Without it: {why.format_masked_similarity()} ({MASKED})")
    if keyphrase.confidence is not None:
        facts.append(f"Confidence: {keyphrase.confidence:.3f} ({CONFIDENCE})")
    if keyphrase.related:
        listed = _enumerate(keyphrase.related[:_NAMED], len(keyphrase.related))
        facts.append(f"Related: {escape_markdown(listed)} ({RELATED})")
    facts.append("Occurrences, by line and column:")
    for context in why.occurrences[:_OCCURRENCES]:
        facts.append(f"  {context.line}:{context.column} {_in_context(context)}")
    if len(why.occurrences) > _OCCURRENCES:
        facts.append(f"  and {len(why.occurrences) - _OCCURRENCES:,} more: -f html or -f json has all")
    yield "\n".join(f"  - {fact[2:]}" if fact.startswith("  ") else f"- {fact}" for fact in facts)


def _in_context(context: OccurrenceContext) -> str:
    """The occurrence in bold. Asterisks between a letter outside and a punctuation mark inside would not be read."""
    before, phrase, after = map(escape_markdown, (context.before, context.phrase, context.after))
    inside, outside = context.phrase[:1] + context.phrase[-1:], (context.before[-1:], context.after[:1])
    if any(_is_letter(near) and not _is_letter(edge) for edge, near in zip(inside, outside, strict=False)):
        return f"{before}<b>{phrase}</b>{after}"
    return f"{before}**{phrase}**{after}"


def _is_letter(character: str) -> bool:
    """Whether a character is neither white space nor punctuation, as CommonMark divides them."""
    return bool(character) and not character.isspace() and unicodedata.category(character)[0] not in "PS"


def _enumerate(listed: Sequence[str], count: int) -> str:
    more = f", and {count - len(listed):,} more" if count > len(listed) else ""
    return ", ".join(listed) + more


def _callout(kind: str, text: str) -> str:
    """A note that GitHub and Obsidian set off from the text; others show a quotation."""
    return f"> [!{kind}]\n> {escape_markdown(text)}"

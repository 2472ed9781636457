"""One entry for the variants of a phrase."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal

from mderank.document import Document, Span
from mderank.keyphrase import Candidate
from mderank.ranking.acronyms import find_acronyms
from mderank.text import comparable, stem_phrase
from mderank.variants import phrase_key, variant_key

Dedupe = Literal["none", "case", "variant", "stem"]
DEDUPES: tuple[Dedupe, ...] = ("none", "case", "variant", "stem")

_LONGEST_ACRONYM = 10  # characters

Entry = tuple[int, tuple[Span, ...]]


def merge(document: Document, candidates: list[Candidate], ranked: Iterable[int], by: Dedupe) -> list[Entry]:
    """Merge the variants of a phrase into one entry.

    Args:
        document: The tagged text.
        candidates: Its candidates.
        ranked: Indices of the candidates, the best first.
        by: ``none`` has an entry for every surface form, ``case`` one for forms that differ in case only, ``variant``
            one for inflections and spellings of a phrase, ``stem`` one for forms whose words have the same stems. All
            labels of a concept are one entry.

    Returns:
        The entries: the index of the best candidate of each, and the spans of all its occurrences.
    """
    entries: dict[str, tuple[int, list[Span]]] = {}
    key = form_key(document, by)
    for index in ranked:
        candidate = candidates[index]
        shared = _shared_key(document, candidate, by, key)
        for occurrence in candidate.occurrences:
            name = key(document.surface_form(occurrence.span)) if shared is None else shared
            _, spans = entries.setdefault(name, (index, []))
            spans.append(occurrence.span)
    return [(index, tuple(sorted(set(spans)))) for index, spans in entries.values()]


def _shared_key(document: Document, candidate: Candidate, by: Dedupe, key: Callable[[str], str]) -> str | None:
    """The key that all occurrences of a candidate share, however they read, if its source has grouped them."""
    if candidate.concept is not None:
        return f"\0{candidate.concept.id}"  # no form has this key
    if candidate.listed and by in ("variant", "stem"):
        return key(document.surface_form(candidate.occurrences[0].span))
    return None


def forms(document: Document, spans: Iterable[Span]) -> tuple[str, ...]:
    """Return the distinct surface forms of a phrase, the most frequent first; ties by first occurrence.

    An acronym comes after the forms that are written out.

    Args:
        document: The tagged text.
        spans: The occurrences of the phrase.

    Returns:
        The forms.
    """
    found = [form for form, _ in Counter(document.surface_form(span) for span in spans).most_common()]
    if len(found) > 1 and any(map(_is_short, found)):
        written_out = [form for form in found if not _is_short(form)]
        if written_out and max(map(len, written_out)) > 2 * max(len(form) for form in found if _is_short(form)):
            found = [*written_out, *filter(_is_short, found)]
    return tuple(found)


def _is_short(form: str) -> bool:
    return " " not in form and len(form) <= _LONGEST_ACRONYM and sum(letter.isupper() for letter in form) > 1


def form_key(document: Document, by: Dedupe) -> Callable[[str], str]:
    """Return the function from a surface form to the key that all forms of its entry share.

    Args:
        document: The tagged text, for acronyms that it introduces.
        by: Which forms are one entry; see `merge`.

    Returns:
        The function.
    """
    language = document.language
    if by == "none":
        return str
    if by == "case":
        return lambda form: comparable(form.lower(), language)
    if by == "stem":
        return lambda form: comparable(stem_phrase(form, language), language)
    long_forms = {variant_key(short, language): long for short, long in find_acronyms(document).items()}

    def variant(form: str) -> str:
        return phrase_key(long_forms.get(variant_key(form, language), form), language)

    return variant

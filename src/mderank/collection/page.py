"""The overview of a collection as one HTML page (``templates/collection.html``).

The page has no script. A link shows its card by CSS's ``:target``; the lists are chosen with radio buttons.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from mderank.collection.overview import CollectionPhrase, Overview
from mderank.util.html import render_page

_MAX_SPANS = 12  # spans per document that are listed


class _Entry(NamedTuple):
    text: str
    value: str
    share: float  # length of the bar


class _PhraseList(NamedTuple):
    name: str
    label: str
    entries: list[_Entry]


def collection_page(overview: Overview) -> str:
    """Write the page of an overview.

    Args:
        overview: the collection's phrases.

    Returns:
        A self-contained HTML page.
    """
    return render_page(
        "collection.html",
        overview=overview,
        lists=list(_sort_phrases(overview)),
        cards={phrase.text: f"p{number}" for number, phrase in enumerate(overview.phrases, start=1)},
        read=max(1, overview.documents - overview.failed),
        format_ratio=_format_ratio,
        max_spans=_MAX_SPANS,
    )


def _sort_phrases(overview: Overview) -> Iterator[_PhraseList]:
    """Yield the phrases in several orders, that of the overview first."""
    most = max((phrase.documents for phrase in overview.phrases), default=1)
    heaviest = max((phrase.weight for phrase in overview.phrases), default=1.0)

    def documents_entry(phrase: CollectionPhrase) -> _Entry:
        return _Entry(phrase.text, f"{phrase.documents:,}", phrase.documents / most)

    def weight_entry(phrase: CollectionPhrase) -> _Entry:
        return _Entry(phrase.text, f"{phrase.weight:.1f}", phrase.weight / heaviest)

    def keyness_entry(phrase: CollectionPhrase) -> _Entry:
        value = _format_ratio(phrase.keyness.ratio) if phrase.keyness is not None else ""
        return _Entry(phrase.text, value, phrase.documents / most)

    orders: dict[str, tuple[str, Callable[[CollectionPhrase], object], Callable[[CollectionPhrase], _Entry]]] = {
        "weight": ("by weight", lambda phrase: -phrase.weight, weight_entry),
        "documents": ("by documents", lambda phrase: -phrase.documents, documents_entry),
        "keyness": (
            "by keyness",
            lambda phrase: -phrase.keyness.log_likelihood if phrase.keyness is not None else 0.0,
            keyness_entry,
        ),
        "a-z": ("A to Z", lambda phrase: phrase.text.casefold(), documents_entry),
    }
    if not overview.against:
        del orders["keyness"]
    for name in sorted(orders, key=lambda name: name != overview.sort):
        label, key, entry = orders[name]
        yield _PhraseList(name, label, list(map(entry, sorted(overview.phrases, key=key))))  # type: ignore[arg-type]


def _format_ratio(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 10 else f"{ratio:.2g} ×"

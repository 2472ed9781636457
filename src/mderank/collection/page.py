"""The overview as one page to browse, which needs nothing else: phrases, where they stand, what stands beside them.

There is no script in the page. A link shows what it leads to, by CSS's ``:target``; lists are chosen by radio buttons.
All text is escaped, and a Content-Security-Policy forbids anything but the page's own style.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape

from mderank.collection.overview import DocumentPhrases, Overview, Phrase
from mderank.collection.style import STYLE

_SPANS = 12  # places in one document that are listed


def page(shown: Overview) -> str:
    """The whole page."""
    return "".join(_parts(shown))


def _parts(shown: Overview) -> Iterator[str]:
    title = f"What {_count(shown.documents, 'document')} {'is' if shown.documents == 1 else 'are'} about"
    lists = list(_lists(shown))
    chosen = "".join(f"body:has(#by-{name}:checked) #list-{name} {{ display: block; }}" for name, _, _ in lists)
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>{STYLE}{chosen}</style></head><body>\n<header><h1>{title}</h1><p>{_about(shown)}</p></header>\n<main>"
    )
    yield '<nav aria-label="Phrases"><fieldset><legend>Phrases</legend>'
    for number, (name, label, _) in enumerate(lists):
        checked = " checked" if number == 0 else ""
        yield f'<label><input type="radio" name="by" id="by-{name}"{checked}> {label}</label> '
    yield "</fieldset>\n"
    for name, _, items in lists:
        yield f'<ol id="list-{name}">{"".join(items)}</ol>\n'
    yield '</nav>\n<div class="cards">'
    yield _welcome(shown)
    cards = {phrase.text: f"p{number}" for number, phrase in enumerate(shown.phrases, start=1)}
    for phrase in shown.phrases:
        yield from _phrase_card(phrase, cards, shown)
    for document in shown.featured:
        yield from _document_card(document, cards)
    yield "</div></main></body></html>\n"


def _about(shown: Overview) -> str:
    parts = [
        safe(shown.name),
        f"{_count(shown.distinct, 'phrase')} in all, {len(shown.phrases):,} of them here",
        *([f"{_count(shown.failed, 'document')} could not be read"] if shown.failed else []),
        *([f"compared with {safe(shown.against)}, {_count(shown.against_documents or 0, 'document')}"]
          if shown.against else []),
    ]  # fmt: skip
    return " · ".join(parts)


def _lists(shown: Overview) -> Iterator[tuple[str, str, list[str]]]:
    """The same phrases in several orders, that of the overview first."""
    numbered = list(enumerate(shown.phrases, start=1))
    most = max((phrase.documents for phrase in shown.phrases), default=1)
    heaviest = max((phrase.weight for phrase in shown.phrases), default=1.0)
    orders: dict[str, tuple[str, Callable[[Phrase], object], Callable[[Phrase], tuple[str, float]]]] = {
        "weight": ("by weight", _by_weight, lambda each: (f"{each.weight:.1f}", each.weight / heaviest)),
        "documents": ("by documents", _by_documents, lambda each: (f"{each.documents:,}", each.documents / most)),
        "typical": ("typical", _by_surprise, lambda each: (_ratio(each), each.documents / most)),
        "a-z": ("A to Z", _by_letter, lambda each: (f"{each.documents:,}", each.documents / most)),
    }
    if not shown.against:
        del orders["typical"]
    for name in sorted(orders, key=lambda name: name != shown.order):
        label, key, value = orders[name]
        ordered = sorted(numbered, key=lambda each: (key(each[1]), each[0]))
        yield name, label, [_item(number, phrase, *value(phrase)) for number, phrase in ordered]


def _by_weight(phrase: Phrase) -> float:
    return -phrase.weight


def _by_documents(phrase: Phrase) -> int:
    return -phrase.documents


def _by_surprise(phrase: Phrase) -> float:
    return -phrase.typical.surprise if phrase.typical is not None else 0.0


def _by_letter(phrase: Phrase) -> str:
    return phrase.text.casefold()


def _ratio(phrase: Phrase) -> str:
    return _times(phrase.typical.ratio) if phrase.typical is not None else ""


def _item(number: int, phrase: Phrase, value: str, share: float) -> str:
    return (
        f'<li><a href="#p{number}"><span>{safe(phrase.text)}</span><span class="value">{value}</span>'
        f'<span class="bar" style="--width:{100 * share:.1f}%"></span></a></li>'
    )


def _welcome(shown: Overview) -> str:
    typical = (
        "<li><b>typical</b>: phrases that more documents have here than one would expect from the other collection, "
        "the least likely by chance first (log-likelihood ratio); the number is how many times as often</li>"
        if shown.against
        else ""
    )
    return (
        '<section class="welcome"><h2>Choose a phrase</h2><p>Its variants, the phrases beside it and the documents '
        "that it is most important in appear here; from each of them it goes on.</p><ul>"
        "<li><b>by documents</b>: how many documents have the phrase among their keyphrases</li>"
        "<li><b>by weight</b>: the same, but a first place counts 1, a third 0.5, a tenth 0.29</li>"
        f"{typical}</ul><p>Variants, such as singular and plural, are one phrase.</p></section>\n"
    )


def _phrase_card(phrase: Phrase, cards: dict[str, str], shown: Overview) -> Iterator[str]:
    read = max(1, shown.documents - shown.failed)
    yield f'<section class="card" id="{cards[phrase.text]}"><h2>{safe(phrase.text)}</h2><dl>'
    yield _fact("documents", f"{phrase.documents:,} <small>{100 * phrase.documents / read:.2g} %</small>")
    yield _fact("weight", f"{phrase.weight:.1f}")
    yield _fact("places in texts", f"{phrase.occurrences:,}")
    if phrase.typical is not None:
        there = f"{phrase.typical.documents:,} documents there"
        yield _fact("here as often", f"{_times(phrase.typical.ratio)} <small>{there}</small>")
        yield _fact("surprise (G²)", f"{phrase.typical.surprise:.1f}")
    yield "</dl>"
    if len(phrase.variants) > 1:
        yield '<h3>Variants</h3><ul class="variants">'
        yield from (f"<li>{safe(text)} <small>{count:,}</small></li>" for text, count in phrase.variants)
        yield "</ul>"
    if phrase.near:
        yield '<h3>Often together with</h3><ul class="variants">'
        for text, count in phrase.near:
            yield f'<li><a href="#{cards[text]}">{safe(text)}</a> <small>{count:,}</small></li>'
        yield "</ul>"
    if phrase.places:
        heading = "".join(f"<th>{name}</th>" for name in ("document", "rank", "characters"))
        yield f"<h3>Most important in</h3><table><thead><tr>{heading}</tr></thead>"
        for place in phrase.places:
            spans = ", ".join(f"{start}–{end}" for start, end in place.spans[:_SPANS])
            more = f" and {len(place.spans) - _SPANS} more" if len(place.spans) > _SPANS else ""
            yield (
                f'<tr><td><a href="#d{place.number}">{safe(str(place.id))}</a></td><td>{place.rank}</td>'
                f"<td>{spans}{more}</td></tr>"
            )
        yield "</table>"
    yield "</section>\n"


def _document_card(document: DocumentPhrases, cards: dict[str, str]) -> Iterator[str]:
    yield f'<section class="card" id="d{document.number}"><h2>{safe(str(document.id))}</h2>'
    yield '<h3>Its keyphrases</h3><ol class="ranked">'
    yield from _linked(document.phrases, cards)
    yield "</ol></section>\n"


def _linked(phrases: Iterable[str], cards: dict[str, str]) -> Iterator[str]:
    for text in phrases:
        yield f'<li><a href="#{cards[text]}">{safe(text)}</a></li>' if text in cards else f"<li>{safe(text)}</li>"


def _fact(name: str, value: str) -> str:
    return f"<div><dt>{name}</dt><dd>{value}</dd></div>"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f} ×" if ratio >= 10 else f"{ratio:.2g} ×"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def safe(text: str) -> str:
    """Text that is never markup; control characters, which HTML forbids, are shown as a replacement."""
    shown = "".join(character if character >= " " or character in "\n\t\r" else "\ufffd" for character in text)
    return escape(shown.encode("utf-8", "replace").decode("utf-8"))

"""The surroundings of a web page's prose: menus, buttons, cookie banners, footers, links to other pages.

Only texts with prose and with at least two items that no prose has, such as "Accept all", are taken for web pages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

from mderank.document import Span
from mderank.tagging.layout.lines import FUNCTION_WORDS, Kind, Line, ends_sentence, reads_as_prose, words_of

# Each of these, as a whole line or cell, is a button or link of a page.
_COMMANDS = frozenset(
    """
    accept|accept all|accept all cookies|accept cookies|reject all|decline|allow all|manage cookies
    cookie settings|cookie preferences|manage preferences|ok|got it|i agree|skip to main content|skip to content
    skip navigation|skip to navigation|jump to content|jump to navigation|menu|main menu|toggle navigation
    toggle menu|open menu|close menu|close|search|search our shop|search this site|search site|log in|login
    log out|logout|sign in|sign up|sign out|register|register now|subscribe|subscribe now|unsubscribe|my account
    your account|create account|basket|my basket|cart|my cart|shopping cart|shopping basket|view basket
    view cart|add to basket|add to cart|add to bag|add to wishlist|add to wish list|save for later|buy now
    shop now|order now|book now|book online|book a table|reserve|reserve now|check availability|check out
    checkout|enquire now|get a quote|request a quote|get started|try it free|start free trial|free trial
    request a demo|contact us|contact sales|get in touch|apply now|donate|donate now|join now|join us|read more
    learn more|find out more|see more|show more|show less|load more|view more|view all|see all|view details
    more info|more information|click here|back to top|back to home|go back home|go back|return to top
    previous page|next page|previous article|next article|share|share this|share this page|share this article
    tweet|share on facebook|share on twitter|print|print this page|e-mail this page|email this page|save|compare
    follow us|follow us on|leave a comment|leave a reply|post comment|reply|report abuse|submit|send message
    download pdf|download now|install app|get the app|download the app|add to favourites|add to favorites
    notify me|your e-mail|your email|your e-mail address|your email address|enter your email|all rights reserved
    choose options|select size|size guide|write a review|was this page helpful|was this helpful
    was this article helpful|log in/register|sign in/register|add to calendar|view map|get directions
    change language|select language|choose language|advertisement|sponsored|sponsored content|need help|loading
    """.replace("\n", "|")
    .replace("    ", "")
    .strip("|")
    .split("|")
)
# These are items of a menu or footer if they stand among others. Alone each may be a heading.
_MENU_WORDS = _COMMANDS | frozenset(
    """
    home|homepage|start|about|about us|who we are|our story|our team|team|our history|mission|contact|contacts
    find us|visit us|visit|location|locations|directions|opening hours|opening times|news|newsroom|blog|articles
    stories|events|what's on|calendar|gallery|photos|videos|video|podcast|podcasts|reviews|testimonials|deals
    offers|special offers|sale|how-to|how to|guides|tips|shop|store|stores|store locator|products|all products
    new in|new arrivals|bestsellers|brands|collections|services|solutions|features|pricing|prices|plans|rooms
    suites|restaurant|bookings|booking|menus|customers|partners|careers|jobs|work with us|press|media|investors
    investor relations|sustainability|community|forum|resources|docs|documentation|support|help|help centre
    help center|faq|faqs|customer service|live chat|feedback|account|profile|wishlist|wish list|favourites
    favorites|orders|track order|track my order|delivery|delivery information|shipping|shipping information
    delivery & returns|delivery and returns|shipping & returns|returns|returns policy|refunds|payment
    payment methods|gift cards|gift vouchers|vouchers|newsletter|rss|sitemap|site map|a-z|index|topics
    categories|tags|archive|archives|privacy|privacy policy|privacy notice|privacy statement|data protection
    cookies|cookie policy|legal|legal notice|imprint|impressum|datenschutz|agb|kontakt|terms|terms of use
    terms of service|terms and conditions|terms & conditions|conditions of use|disclaimer|accessibility
    accessibility statement|our policies|policies|modern slavery statement|copyright|masthead|advertise
    advertise with us|advertising|affiliates|facebook|twitter|x|instagram|linkedin|youtube|pinterest|tiktok
    whatsapp|telegram|mastodon|bluesky|threads|snapchat|english|deutsch|français|español|português|italiano
    nederlands|yes|no|more|next|previous|back|all|popular|latest|trending|local|world|politics|business|sport
    sports|culture|opinion|lifestyle|travel|weather|tv|radio|donate|membership|members|volunteer|login
    """.replace("\n", "|")
    .replace("    ", "")
    .strip("|")
    .split("|")
)
_LANGUAGES = frozenset(
    "en de es fr it pt nl pl cs sk da sv no fi hu ro bg el tr ru uk ar he ja zh ko ca eu gl cy ga et lv lt sl hr sr "
    "eng deu fra esp ger".split()
)
# Below one of these stand the titles of other pages.
_LINKS_HEADING = re.compile(
    r"\s*(?:related(?:\s(?:stories|articles|posts|products|pages|links|content|topics|reading|news))|"
    r"(?:more|most)\s(?:popular|read|viewed|commented|shared)|more\s(?:from|in|on|about|stories|articles|news)\b.{0,40}|"
    r"popular\s(?:posts|articles|now|stories)|trending(?:\snow)?|recommended(?:\s(?:for\syou|reading|articles|products))?|"
    r"you\s(?:may|might)\salso\s(?:like|enjoy|be\sinterested\sin)|(?:customers|people|others)\s(?:who\s.{0,40}\s)?also\s"
    r"(?:bought|viewed|liked|read)|frequently\sbought\stogether|recently\sviewed|read\s(?:next|this\snext)|"
    r"latest\s(?:news|posts|articles|stories)|editor['’]?s['’]?\s(?:picks|choice)|don['’]t\smiss|up\snext|"
    r"similar\s(?:products|items|articles)|other\sarticles)\s*:?\s*\Z",
    re.IGNORECASE,
)
# "You may also like: Ottoman Garden Tiles | Desert Nights"
_LINKS_LINE = re.compile(
    r"\s*(?:related|more|popular|recommended|read|you\s(?:may|might)|recently|latest|similar|other|see)\b[^:|·]{0,40}:\s"
    r"(?=[^|·•]{2,60}\s?[|·•])",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\W*[\d.,]*\W*[\d.,]+k?\s(?:comments?|reviews?|ratings?|likes?|shares?|views?|replies|votes|followers|"
    r"min(?:ute)?s?\sread|customer\sreviews)\W*\Z",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(r"\s*(?:copyright\s)?©|.{0,60}©\s?(?:19|20)\d\d", re.IGNORECASE)
_COOKIES = re.compile(
    r"\b(?:we|site|website|web\ssite|page|app)\b.{0,40}\b(?:use|store|set)s?\b.{0,30}\bcookies\b", re.IGNORECASE
)
_PLACEHOLDER = re.compile(
    r"[\w .'’-]{1,40}\s?\[(?:[dmyjDMYJhH]{1,4}(?:[/.:-][dmyjDMYJhH]{1,4}){1,2}\.?|_{1,20}|\s{0,20}|\.{2,})\]\Z"
)
_NUMBERED_FIELD = re.compile(r"[\w .'’-]{1,40}\s?\[(?:\d{1,3}|[^\[\]\W]{1,15})\s?[▾▼v]?\]\Z")
_DAY = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?s?"
_HOURS = re.compile(
    rf"\W*(?:open(?:ing)?(?:\s(?:hours|times))?\W{{1,3}})?(?:daily|weekdays|weekends|{_DAY})\b"
    rf"(?:[\s\d.:,;&|/–—-]|\b(?:{_DAY}|to|and|until|till|am|pm|a\.m\.|p\.m\.|noon|midnight|closed|daily|h|hrs)\b){{1,60}}\Z",
    re.IGNORECASE,
)
_DATED = re.compile(
    r"\W*(?:(?:page|article|this|last|next|first|content|story)\s){0,3}"
    r"(?:updated|reviewed|modified|published|posted|edited|revised|review|update|created|released)(?:\s(?:due|on|at|date))?"
    r"\s?:?\s.{0,6}\d[\w\s,.:/–-]{3,40}\Z|\W*(?:updated|published|posted)\s\w{3,9}\.?\s\d[\w\s,.:/-]{0,30}\Z",
    re.IGNORECASE,
)
_GAP = re.compile(r"\s{2,}")
_BUTTON = re.compile(r"\[\s?[^\w\[\]]{0,3}(?P<label>[^\[\]]{2,30}?)\s?\]")
_ORNAMENT = " \t\u00a0[](){}<>☰≡★☆✓✔✕✖×♥♡❤🔍🛒→←↑↓›»«‹▾▼▲•·|:!?.,…0123456789"

_MENU_STARTS = frozenset(("home", "menu", "main menu"))
_LONGEST_ITEM = 60
_SHORT_ITEM = 30
_FEWEST_COMMANDS = 2
_FEWEST_IN_MENU = 3
_FEWEST_IN_ROW = 4
_MOST_LINKS = 12


@dataclass(slots=True)
class _Item:
    """A line or table cell that may be an item of a menu.

    Attributes:
        index: number of its line.
        span: where it stands.
        name: its words in lower case, without ornaments.
    """

    index: int
    span: Span
    name: str


def blank_web_items(lines: list[Line]) -> None:
    """Blank menus, buttons, form fields, cookie banners and footers of a web page; its prose and headings stay.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    _blank_dated(lines)
    items = [item for index, line in enumerate(lines) for item in _items_of(index, line)]
    sure = {item.name for item in items if _is_command(item.name)}
    sure |= {"button" for line in lines if line.kind is Kind.PROSE and any(_buttons(line))}
    sure |= {"copyright" for line in lines if _is_copyright(line)}
    if len(sure) < _FEWEST_COMMANDS or not any(
        line.kind is Kind.PROSE and not line.cells and reads_as_prose(line.prose) and len(line.prose) > _LONGEST_ITEM
        for line in lines
    ):
        return
    for line in lines:
        if line.kind is Kind.PROSE:
            _blank_line(line)
    _blank_links(lines)
    for item in items:
        if _is_command(item.name):
            _blank_item(lines, item)
    prose = {
        word.casefold()
        for line in lines
        if line.kind is Kind.PROSE and not line.cells and len(line.prose) > _LONGEST_ITEM
        for word in words_of(line.prose)
    }
    for run in _runs(lines, items):
        _blank_run(lines, run)
        _blank_site_menu(lines, run, prose)
    for _, row in groupby(items, key=lambda item: item.index):
        _blank_menu_row(lines, list(row), prose)


def _blank_dated(lines: list[Line]) -> None:
    """Blank lines and cells that only say when a page was changed, or when a shop is open."""
    for line in lines:
        if line.kind is not Kind.PROSE or len(line.text) > 2 * _LONGEST_ITEM:
            continue
        if _DATED.match(line.prose) or _HOURS.match(line.prose):
            line.kind = Kind.NOT_PROSE


def _items_of(index: int, line: Line) -> list[_Item]:
    if line.kind is not Kind.PROSE:
        return []
    offset = line.end - len(line.text)
    spans = line.cells or [Span(line.body, line.end)]
    items = []
    for start, end in spans:
        content = line.text[start - offset : end - offset]
        if len(content.strip()) <= _LONGEST_ITEM:
            items.append(_Item(index, Span(start, end), " ".join(content.casefold().strip(_ORNAMENT).split())))
    return items


def _is_command(name: str) -> bool:
    return name in _COMMANDS


def _buttons(line: Line) -> list[re.Match[str]]:
    return [
        found
        for found in _BUTTON.finditer(line.prose[:400])
        if found.group("label").casefold().strip(_ORNAMENT) in _COMMANDS
    ]


def _is_copyright(line: Line) -> bool:
    return line.kind is Kind.PROSE and len(line.prose) <= 2 * _LONGEST_ITEM and bool(_COPYRIGHT.match(line.prose))


def _blank_line(line: Line) -> None:
    """Blank a line that is a footer, a cookie banner, a form or a language switch, and buttons inside a line."""
    content = line.prose.strip()
    offset = line.end - len(line.text)
    cells = [line.text[start - offset : end - offset].strip() for start, end in line.cells]
    is_banner = len(content) <= 300 and bool(_COOKIES.search(content))
    is_short = len(content) <= 2 * _LONGEST_ITEM
    is_switch = len(cells) > 2 and all(cell.casefold() in _LANGUAGES for cell in cells if any(map(str.isalpha, cell)))
    is_form = is_short and bool(_COUNT.match(content) or _is_form(cells or _GAP.split(content)))
    if is_banner or is_switch or is_form or _is_copyright(line):
        line.kind = Kind.NOT_PROSE
    else:
        for found in _buttons(line):
            line.blanks.append(Span(line.body + found.start(), line.body + found.end()))
        for cell, span in zip(cells, line.cells, strict=True):
            if len(cell) <= _LONGEST_ITEM and (_COUNT.match(cell) or _DATED.match(cell)):
                line.blanks.append(span)
        if len(cells) > 1 and cells[0].casefold() in ("home", "you are here", "you are here:"):  # breadcrumbs
            line.blanks.append(line.cells[0])


def _is_form(cells: list[str]) -> bool:
    """Whether all cells of a line are fields of a form, at least one of them with an empty value or a format."""
    filled = [cell for cell in cells if cell]
    return any(map(_PLACEHOLDER.match, filled)) and all(
        _PLACEHOLDER.match(cell) or _NUMBERED_FIELD.match(cell) for cell in filled
    )


def _blank_links(lines: list[Line]) -> None:
    """Blank the titles of other pages below a heading such as "Related stories"."""
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.kind is Kind.PROSE and _LINKS_LINE.match(line.prose[:120]) and not ends_sentence(line.prose):
            line.kind = Kind.NOT_PROSE
        if line.kind is not Kind.PROSE or len(line.prose) > _LONGEST_ITEM or not _LINKS_HEADING.match(line.prose):
            continue
        last = index
        while last < len(lines) and lines[last].kind is not Kind.BLANK and not _is_paragraph(lines[last]):
            last += 1
        if 0 < last - index <= _MOST_LINKS:
            for linked in lines[index - 1 : last]:
                linked.kind = Kind.NOT_PROSE
        index = last


def _is_paragraph(line: Line) -> bool:
    return len(line.prose) > 100 or (ends_sentence(line.prose) and len(line.prose.split()) > 12)


def _blank_item(lines: list[Line], item: _Item) -> None:
    line = lines[item.index]
    if line.cells:
        line.blanks.append(item.span)
    elif line.kind is Kind.PROSE:
        line.kind = Kind.NOT_PROSE


def _runs(lines: list[Line], items: list[_Item]) -> list[list[_Item]]:
    """Stretches of short items on successive lines, or in the cells of one line."""
    short = [item for item in items if len(item.name) <= _SHORT_ITEM]
    # Successive lines have a constant difference between their number and that of the items' distinct lines.
    numbers = {index: position for position, index in enumerate(sorted({item.index for item in short}))}
    return [list(run) for _, run in groupby(short, key=lambda item: item.index - numbers[item.index])]


def _blank_run(lines: list[Line], run: list[_Item]) -> None:
    """Blank the menu words of a run if at least three of its items, and half of them, are menu words."""
    listed = [item for item in run if item.name in _MENU_WORDS]
    if len(listed) >= _FEWEST_IN_MENU and 2 * len(listed) >= sum(bool(item.name) for item in run):
        for item in listed:
            _blank_item(lines, item)


def _blank_menu_row(lines: list[Line], row: list[_Item], prose: set[str]) -> None:
    """Blank a row of at least four short items, one of them a menu word, but for those whose words recur in prose."""
    named = [item for item in row if item.name]
    if len(named) < _FEWEST_IN_ROW or any(len(item.name) > _SHORT_ITEM for item in named):
        return
    if any(item.name in _MENU_WORDS for item in named):
        for item in named:
            if not prose.issuperset(word for word in words_of(item.name) if word not in FUNCTION_WORDS):
                _blank_item(lines, item)


def _blank_site_menu(lines: list[Line], run: list[_Item], prose: set[str]) -> None:
    """Blank the lines of a menu that begins with "Home", but for those whose words recur in the page's prose."""
    if run[0].name not in _MENU_STARTS or len({item.index for item in run}) < _FEWEST_IN_MENU + 1:
        return
    for item in run:
        words = [word for word in words_of(item.name) if word not in FUNCTION_WORDS]
        if not words or not prose.issuperset(words):
            _blank_item(lines, item)

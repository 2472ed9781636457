"""The page to browse: all links lead somewhere, and no text is ever markup."""

from __future__ import annotations

import re

import pytest
from tests.helpers import HtmlPage

from mderank.collection import build_overview
from mderank.collection.page import collection_page

from .test_overview import ROWS, row, write  # noqa: F401


@pytest.fixture
def shown(write):  # noqa: F811
    there = write([row(number, "fish", "harbour") for number in range(10)], "there.jsonl")
    return build_overview(write(ROWS), there)


def test_every_link_leads_to_a_card(shown):
    reader = HtmlPage(collection_page(shown))
    assert len(set(reader.ids)) == len(reader.ids)
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.ids)
    assert {"p1", "p2", "p3", "p4", "d0", "d1", "d2", "d4"} <= set(reader.ids)
    assert not set(reader.tags) & {"script", "img", "link", "iframe"}


def test_it_says_what_was_counted(shown):
    text = collection_page(shown)
    assert "<h1>What 5 documents are about</h1>" in text
    assert "1 document could not be read" in text
    assert "compared with" in text
    assert "<h2>Coral reef</h2><dl><div><dt>documents</dt><dd>3 <small>75 %</small></dd></div>" in text
    assert "15 ×" in text
    assert '<td><a href="#d0">a</a></td><td>1</td><td>0–11, 20–31</td>' in text


def test_lists_are_in_their_orders_that_of_the_overview_first(shown):
    text = collection_page(shown)
    names = re.findall(r'<ol id="list-([\w-]+)">(.*?)</ol>', text, re.DOTALL)
    assert [name for name, _ in names] == ["keyness", "weight", "documents", "a-z"]
    orders = {name: re.findall(r"<a href=\"#p\d\"><span>(.*?)</span>", items) for name, items in names}
    assert orders["keyness"] == ["Coral reef", "storm", "whale", "fish"]
    assert orders["weight"] == ["fish", "Coral reef", "storm", "whale"]
    assert orders["a-z"] == ["Coral reef", "fish", "storm", "whale"]
    for name in orders:
        assert f"body:has(#by-{name}:checked) #list-{name} {{ display: block; }}" in text


def test_without_another_collection_there_is_no_keyness(write):  # noqa: F811
    text = collection_page(build_overview(write(ROWS)))
    assert "keyness" not in text
    HtmlPage(text)


def test_no_text_is_markup(write):  # noqa: F811
    hostile = "<script>alert('x')</script>\"&\x07\udc80"
    text = collection_page(build_overview(write([row(hostile, hostile, "fish"), row("b", hostile, "fish")])))
    reader = HtmlPage(text)
    assert "script" not in reader.tags
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&#34;&amp;\ufffd?" in text
    assert "default-src 'none'; style-src 'unsafe-inline'" in text


def test_an_empty_collection(write):  # noqa: F811
    HtmlPage(collection_page(build_overview(write([]))))

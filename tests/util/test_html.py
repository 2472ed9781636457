"""Pages: text is never markup, a missing value is an error, and the templates are part of the package."""

from __future__ import annotations

from importlib.resources import files

import pytest
from jinja2 import Environment, UndefinedError

from mderank.util import html
from mderank.util.html import escape_text, macro, render_around, render_page


@pytest.fixture
def template(monkeypatch):
    """Put a template of one's own beside those of the package."""

    def make(name, source):
        from jinja2 import ChoiceLoader, DictLoader

        loader = ChoiceLoader([DictLoader({name: source}), environment.loader])
        monkeypatch.setattr(environment, "loader", loader)

    environment = html._environment()
    yield make
    environment.cache.clear()


def test_text_is_escaped_and_forbidden_characters_are_replaced(template):
    template("a.html", "<p title='{{ text }}'>{{ text }}</p>{{ number }}")
    shown = render_page("a.html", text="<b>'\"&\x07\ud800", number=3)
    assert shown == "<p title='&lt;b&gt;&#39;&#34;&amp;\ufffd?'>&lt;b&gt;&#39;&#34;&amp;\ufffd?</p>3"
    assert escape_text("<\x00>") == "&lt;\ufffd&gt;"


def test_a_value_that_is_not_given_is_an_error(template):
    template("b.html", "{{ nothing }}")
    with pytest.raises(UndefinedError):
        render_page("b.html")


def test_a_page_in_parts(template):
    template("c.html", "before {{ content }}, after {{ what }}")
    assert render_around("c.html", what="all") == ("before ", ", after all")
    template("d.html", "{% macro twice(text) %}{{ text }}{{ text }}{% endmacro %}")
    assert macro("d.html", "twice")("<") == "&lt;&lt;"


def test_every_page_extends_the_base_which_has_the_policy(template):
    template("e.html", '{% extends "base.html" %}{% block body %}<p>x</p>{% endblock %}')
    shown = render_page("e.html", title="<T>")
    assert shown.startswith("<!DOCTYPE html>\n")
    assert "content=\"default-src 'none'; style-src 'unsafe-inline'\"" in shown
    assert "<title>&lt;T&gt;</title>" in shown
    pages = [each for each in files("mderank").joinpath("templates").iterdir() if each.name.endswith(".html")]
    assert {each.name for each in pages} >= {
        "collection.html",
        "comparison.html",
        "highlight.html",
        "reproduction.html",
    }
    for page in pages:
        source = page.read_text(encoding="utf-8")
        assert "Content-Security-Policy" not in source or page.name == "base.html"
        assert "| safe" not in source
        assert isinstance(html._environment(), Environment)

"""HTML that is never closed: nothing is lost, and no character is looked for again and again."""

import pytest

from mderank.reading.html import _Page, html_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>one <!-- two <b>three</b>", "one <!-- two three"),
        ("<p>one <a href='two>three</p> four", "one three\n\nfour"),
        ("<p>one</p> two < three <", "one\n\ntwo < three <"),
        ("one <![CDATA[ two", "one <![CDATA[ two"),
        ("one <![if !IE]> two <![foo[ bar ]]> three", "one  two  three"),
        ("one <a title=\"a > b\">two</a> <img alt='>'/>three", "one two\n\nthree"),
        ("<svg/>one <svg class=a/>two</svg>three", "one three"),
        ("<svg><math></svg>one</math>", "one"),
        ("one<script>if (a </b> c) </script >two<style>p > q", "onetwo"),
        ("&lt;b&gt; &#" + "9" * 5_000 + "; &#x" + "f" * 5_000 + " &#65;", "<b> \ufffd \ufffd A"),
        ("<pre>a\n  b</pre>" + "<pre>" + " " * 10 + "</pre>", "a\nb"),
    ],
)
def test_what_is_never_closed_is_text(page, text):
    assert html_text(page) == text


MARKS = ("<", ">", "<a ", '<a b="', "<a b='", "c=", '"', "'", "/", "<!--", "-->", "<![CDATA[", "]]>", "<?", "&", "</p>",
         "<svg>", "<script>", "</script>", " ", "x")  # fmt: skip


@pytest.mark.parametrize("first", MARKS)
def test_no_character_is_looked_for_again(monkeypatch, first):
    """The stretches in which an end is looked for are together no longer than a few pages."""
    visited = 0
    after, end_of_tag = _Page._after, _Page._end_of_tag

    def count(look):
        def counted(page, *arguments):
            nonlocal visited
            found = look(page, *arguments)
            visited += found - arguments[-1] if found else 0
            return found

        return counted

    monkeypatch.setattr(_Page, "_after", count(after))
    monkeypatch.setattr(_Page, "_end_of_tag", count(end_of_tag))
    pages = [page for second in MARKS for page in ((first + second) * 100, first * 100 + second * 100)]
    for page in (*pages, *(f"{page}>" for page in pages)):
        visited = 0
        parts = list(_Page(page).parts())
        assert visited <= 4 * len(page)
        assert len(parts) <= 4 * len(page)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p><ruby>海<rp>(</rp><rt>うみ</rt><rp>)</rp></ruby>の<ruby>波<rt>なみ</rt></ruby>は高い", "海の波は高い"),
        ("<p><ruby>海<rt>う<i>み</i></ruby>の<ruby><rb>波<rt>なみ<rb>風<rt>かぜ</ruby>は", "海の波風は"),
        ("<p><ruby>海<rt>うみ<p>波", "海\n\n波"),
        ("<p><rt>うみ</rt>波", "波"),
    ],
)
def test_readings_of_ruby_annotations_are_left_out(page, text):
    assert html_text(page) == text


def test_soft_hyphens_are_left_out():
    assert html_text("<title>sur&shy;ges</title><p>Rain&shy;water, rain\xadwater, rain&#173;water") == (
        "surges\n\nRainwater, rainwater, rainwater"
    )

"""The Markdown report, as GitHub's own parser reads it."""

from __future__ import annotations

import io
import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mderank import FusionRank, InputError, Keyphrase, Keyphrases, LanguageInfo, Span
from mderank.keyphrase import ConceptLabel
from mderank.testing import FakeEncoder, FakeTagger
from mderank.writing import DocumentResult, make_writer
from mderank.writing.explanation import one_line
from mderank.writing.markdown import escape_markdown

cmarkgfm = pytest.importorskip("cmarkgfm", reason="needs pip install cmarkgfm")

HOSTILE = [
    "a|b||c",
    "`code` ``x``",
    "[link](javascript:alert(1)) ![image](http://e.example/x.png) [[wiki]] [^1]",
    "<script>alert(1)</script> <!-- <img src=x onerror=alert(2)> -->",
    "http://e.example/ https://www.e.example www.e.example ftp://e.example",
    "two\nlines\r\nand\u2028three\x85four",
    "# heading #tag C# ## ",
    "- [ ] task\n- item\n1. one\n> quote\n***\n---",
    "---",
    "===",
    "12) twelve",
    "**bold** _em_ ~~gone~~ ==marked== %%hidden%% $x^2$ ^id",
    "\\ \\| \\` back\\",
    "&lt; &amp; &#124; &copy;",
    "{.class} {{ liquid }} {% tag %}",
    "\x1b[31mred\x9b \x00 \ud800",
    "| --- | --- |",
    "  spaces\t",
]
TEXT = "The barn owl is near the sea.\n\nThe barn owl is old. A barn owl has a nest."


def phrase(text, *spans, score=1.0, **more):
    return Keyphrase(text, score, score, tuple(Span(*span) for span in spans) or (Span(0, 1),), (text,), **more)


def written(*results, explain=False):
    stream = io.StringIO()
    writer = make_writer("markdown", stream, explain=explain)
    writer.begin()
    for result in results:
        writer.write(result)
    writer.end()
    return stream.getvalue()


def rendered(markdown):
    """HTML, with whatever HTML the Markdown brings."""
    return cmarkgfm.github_flavored_markdown_to_html(
        markdown.encode("utf-8", "replace").decode(), cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE
    )


def tags(html):
    return set(re.findall(r"</?([a-z0-9]+)", html))


def cells(html, kind="td"):
    return [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(rf"<{kind}[^>]*>(.*?)</{kind}>", html)]


def test_a_heading_and_a_table_per_document():
    first = Keyphrases([phrase("storm surge", (0, 11), (20, 31), score=1.25), phrase("tide", score=-0.5)])
    report = written(DocumentResult("a.txt", TEXT, first), DocumentResult(7, "", Keyphrases()))
    assert report == (
        "# Keyphrases\n\n"
        "## a.txt\n\n"
        "| rank | keyphrase | occurrences | score |\n"
        "| --: | :-- | --: | --: |\n"
        "| 1 | storm surge | 2 | 1.25 |\n"
        "| 2 | tide | 1 | -0.5 |\n\n"
        "## 7\n\n"
        "No keyphrases.\n"
    )
    assert cells(rendered(report)) == ["1", "storm surge", "2", "1.25", "2", "tide", "1", "-0.5"]


def test_confidence_and_concept_have_columns_where_there_are_any():
    found = Keyphrases(
        [
            phrase("tides", confidence=0.98765, concept=ConceptLabel("http://e.example/t?a=1&b=(2)|x y", "Tide")),
            phrase("surge", concept=ConceptLabel("C-12|3", "Surges")),
            phrase("harbour"),
        ]
    )
    html = rendered(written(DocumentResult("a", TEXT, found)))
    assert cells(html, "th") == ["rank", "keyphrase", "concept", "occurrences", "confidence", "score"]
    assert cells(html)[2::6] == ["Tide", "Surges (C-12|3)", ""]
    assert cells(html)[4::6] == ["0.988", "", ""]
    assert re.findall(r'href="([^"]*)"', html) == ["http://e.example/t?a=1&amp;b=%282%29%7Cx%20y"]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("explain", [False, True])
def test_what_others_wrote_is_shown_and_not_read(text, explain):
    spans = ((0, len(text)),)
    found = Keyphrases(
        [phrase(text, *spans, related=(text,), concept=ConceptLabel(f"id {text}", text))],
        missing_phrases=(text,),
        language=LanguageInfo("fr", 0.5, text, text, (text,)),
    )
    failed = Keyphrases(error=InputError(text))
    html = rendered(written(DocumentResult(text, text, found), DocumentResult(text, text, failed), explain=explain))
    allowed = {"h1", "h2", "table", "thead", "tbody", "tr", "th", "td", "p", "blockquote"}
    assert tags(html) <= allowed | ({"h3", "ul", "li", "strong", "b"} if explain else set())
    shown = one_line(text).strip().encode("utf-8", "replace").decode()
    assert cells(html)[1] == shown
    assert html.count("<h2>") == 2
    assert html.count("<blockquote>") == 3
    assert f"[!WARNING]\nCould not be read: {shown}" in unescape(re.sub("<[^>]*>", "", html))


@example(":-")
@example("-:")
@example("3:-")
@given(st.text(st.sampled_from("\\`*_{}[]()<>#|~$^&=%!-+.:/@ \tawh1é\n")) | st.text())
def test_any_text_is_shown_as_it_is(text):
    shown = one_line(text).strip()
    escaped = escape_markdown(text)
    markdown = f"## x {escaped} x\n\n| a |\n| --- |\n| x {escaped} x |\n\n> x\n> {escaped}\n"
    html = rendered(markdown)
    mail = {"a"} if "@" in text else set()  # GitHub makes links of addresses of mail, also of escaped ones
    assert tags(html) <= {"h2", "table", "thead", "tbody", "tr", "th", "td", "blockquote", "p"} | mail
    assert html.count("<p>") == 1
    assert [" ".join(each.split()) for each in (*cells(html, "h2"), *cells(html))] == [
        " ".join(f"x {shown} x".split())
    ] * 2


def test_errors_and_notes():
    found = Keyphrases(
        [phrase("récif")],
        truncated=Span(1000, len("x " * 900)),
        missing_phrases=[f"phrase {number}" for number in range(12)],
        language=LanguageInfo("fr", 0.98765, "words of fr", "minilm-l6", ("no tags here",)),
    )
    report = written(DocumentResult("a", "x " * 900, found))
    assert "> [!NOTE]\n> Not read: 400 words after character 1,000.\n" in report
    listed = ", ".join(f"phrase {number}" for number in range(10))
    assert f"> [!NOTE]\n> Not in the text: 12 listed phrases: {listed}, and 2 more\n" in report
    assert "> [!NOTE]\n> no tags here\n" in report
    assert "\nRead as: fr (0.99), words of fr, minilm-l6\n" in report
    failed = written(DocumentResult("b", "", Keyphrases(error=InputError("b: it is no text"))))
    assert "> [!WARNING]\n> Could not be read: b: it is no text\n" in failed
    assert "No keyphrases" not in failed


def explained(text=TEXT, **options):
    found = FusionRank(FakeEncoder({"owl": 3.0}), tagger=FakeTagger(), **options).extract(text, top_k=None)
    return written(DocumentResult("it", text, found), explain=True)


def test_explain_has_a_section_per_phrase():
    report = explained()
    section = report[report.index("barn owl\n\n| term") :].partition("\n### ")[0]
    assert "| frequency | " in section
    assert " | 3 | occurrences in the text |\n" in section
    assert "\n- Without it: " in section
    assert "\n  - 1:5 The **barn owl** is near the sea. The barn owl is old. …\n" in section
    html = rendered(report)
    assert html.count("<h3>") == cells(html, "th").count("contribution") > 1
    assert "mask_effect" in cells(html)


def test_explain_says_how_many_occurrences_are_not_shown():
    assert "  - and 4 more: -f html or -f json has all\n" in explained("The owl is old. " * 14)
    assert "more: -f html" not in explained("The owl is old. " * 10)


@pytest.mark.parametrize(
    ("text", "spans", "shown"),
    [
        ("use C++11 now", (4, 7), "use <b>C++</b>11 now"),
        ("use C++ now", (4, 7), "use <strong>C++</strong> now"),
        ("in大珊瑚は", (3, 5), "in大<strong>珊瑚</strong>は"),
        ("a*b* c", (1, 4), "a<b>*b*</b> c"),
    ],
)
def test_occurrences_are_bold_wherever_they_stand(text, spans, shown):
    found = Keyphrases([phrase(text[slice(*spans)], spans)])
    html = rendered(written(DocumentResult("a", text, found), explain=True))
    assert shown in html

"""What a notebook shows of a result."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys

import pytest
from tests.browser import CONTRAST, chromium
from tests.helpers import HtmlPage

from mderank import InputError, Keyphrase, Keyphrases, MarkedUpText, MDERank, Span, Token
from mderank.document import Document, GuidedText
from mderank.testing import FakeEncoder, FakeTagger
from mderank.writing.notebook import SHOWN_CHARACTERS, SHOWN_PHRASES, notebook_html

TEXT = "Storm surge models: a storm surge model predicts a surge."


def keyphrase(text, *spans, score=1.0, **more):
    return Keyphrase(text, score, score, tuple(Span(*span) for span in spans), (text,), **more)


FOUND = Keyphrases(
    [keyphrase("storm surge", (0, 11), (22, 33), score=3.0), keyphrase("surge", (6, 11), (28, 33), (51, 56))],
    document_text=TEXT,
)


def read(found: Keyphrases) -> HtmlPage:
    return HtmlPage(notebook_html(found))


def test_the_text_is_there_once_with_every_occurrence_marked():
    page = read(FOUND)
    assert page.marked == ["Storm ", "surge", "storm ", "surge", "surge"]
    assert TEXT in page.text
    source = notebook_html(FOUND)
    assert source.count('title="1. storm surge; 2. surge"') == 2
    assert source.count('title="2. surge"') == 1


def test_the_list_has_scores_and_occurrences():
    source = notebook_html(FOUND)
    assert re.findall(r">([\d.]+ · \d+×)<", source) == ["3 · 2×", "1 · 3×"]
    assert re.findall(r";width:(\d+)%", source) == ["100", "33"]
    more = keyphrase("MRI", score=-1.0, confidence=0.5)
    source = notebook_html(Keyphrases([*FOUND, more], document_text=TEXT))
    assert 'title="confidence: 0.500"' in source
    assert re.findall(r";width:(-?\d+)%", source) == ["100", "33", "0"]


def test_it_changes_nothing_else_in_the_notebook():
    source = notebook_html(FOUND)
    assert not re.search(r"<(script|style|link|img|iframe)|\s(id|class|on\w+)=|url\(|https?:", source)


def test_hostile_texts_are_only_text():
    text = "<script>alert(1)</script> \"'><img src=x onerror=alert(1)> \x07 \ud800 </mark></div> reef"
    start = text.index("reef")
    hostile = '"><script>alert(1)</script>'
    found = Keyphrases(
        [keyphrase(hostile, (0, 8)), keyphrase("reef", (start, start + 4), confidence=0.1)],
        document_text=text,
        missing_phrases=(hostile,),
        truncated=Span(start, len(text)),
    )
    source = notebook_html(found)
    assert "<script" not in source
    assert "<img" not in source
    assert text.replace("\x07", "\ufffd").replace("\ud800", "\ufffd") in HtmlPage(source).text.replace("?", "\ufffd")
    source.encode("utf-8")
    assert "<script" not in notebook_html(Keyphrases(error=InputError(hostile)))


def long_result(characters: int, phrases: int = 1) -> Keyphrases:
    words = ("reef " * (characters // 5 + 1))[:characters]
    spans = [(start, start + 4) for start in range(0, characters - 4, 5)]
    return Keyphrases([keyphrase(f"reef {number}", *spans) for number in range(phrases)], document_text=words)


def test_a_long_text_is_shortened_and_the_page_says_so():
    assert "Shown:" not in notebook_html(long_result(SHOWN_CHARACTERS))
    source = notebook_html(long_result(100_000))
    shown = HtmlPage(source).marked
    assert set(shown) == {"reef"}
    assert f"of 100,000 characters; {20_000 - len(shown):,} occurrences of the listed keyphrases come later." in source
    assert len(source) < 400_000
    assert "Listed:" not in source


@pytest.mark.parametrize("width", [7, 300, SHOWN_CHARACTERS + 50])
def test_no_phrase_and_no_word_is_cut(width):
    text = "a" * (SHOWN_CHARACTERS - width // 2) + " " + "b" * width + " end"
    start = text.index("b")
    source = notebook_html(Keyphrases([keyphrase("b", (start, start + width))], document_text=text))
    assert "<mark" not in source
    assert "; 1 occurrence of the listed keyphrases comes later." in source
    assert re.search(r"pre-wrap[^>]*>a+ ?</div>", source)


def test_a_long_list_is_shortened_and_the_page_says_so():
    source = notebook_html(long_result(20, SHOWN_PHRASES + 3))
    assert f"Listed: the best {SHOWN_PHRASES} of {SHOWN_PHRASES + 3} keyphrases." in source
    assert source.count('role="listitem"') == SHOWN_PHRASES
    assert f"{SHOWN_PHRASES} keyphrases; scroll to see all" in source
    assert "scroll to see all" not in notebook_html(long_result(20, 10))


def test_what_is_not_in_order_is_said():
    assert "Error: no text" in read(Keyphrases(error=InputError("no text"))).text
    assert "No keyphrases." in read(Keyphrases(document_text="")).text
    found = Keyphrases(FOUND, document_text=TEXT, truncated=Span(56, 57), missing_phrases=("tide",))
    page = read(found)
    assert "Not in the text: tide" in page.text
    assert "Not read: what follows character 56." in page.text
    assert TEXT in page.text


@pytest.mark.parametrize("copied", [lambda each: pickle.loads(pickle.dumps(each)), copy.deepcopy])
def test_a_pickle_or_deep_copy_has_no_text_and_says_so(copied):
    made = copied(FOUND)
    assert (made, made.document_text) == (FOUND, None)
    page = read(made)
    assert "The text is not shown" in page.text
    assert page.marked == []
    assert "storm surge" in page.text
    made.document_text = TEXT
    assert read(made).text == read(FOUND).text


def test_a_pickle_shows_itself_where_no_method_was_loaded(tmp_path):
    file = tmp_path / "found.pickle"
    file.write_bytes(pickle.dumps(FOUND))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb'))._repr_html_())"
    shown = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True).stdout
    assert "The text is not shown" in shown
    assert FOUND[0].text in shown


def test_a_slice_shows_its_phrases_in_the_text():
    page = read(FOUND[:1])
    assert TEXT in page.text
    assert {each.lower() for each in page.marked} == {FOUND[0].text}


def test_the_result_of_an_extractor_shows_itself():
    extractor = MDERank(FakeEncoder(), tagger=FakeTagger())
    text = "The reef is near the old harbour."
    tagged = Document(text, (Token("reef", "NN", 4, 8),))
    for given in (text, MarkedUpText(text), MarkedUpText(text, text.replace("The", "   ")), tagged, GuidedText(text)):
        found = extractor.extract(given)
        assert found.document_text is text
        assert "<mark" in found._repr_html_()
    (found,) = extractor.extract_many([text])
    assert found.document_text is text
    limited = MDERank(FakeEncoder(), tagger=FakeTagger(), max_words=3).extract(text)
    assert limited.document_text is text
    assert text in read(limited).text


def test_a_part_of_a_text_with_markup_has_its_place():
    text = "# *Reefs* and harbours"
    found = MDERank(FakeEncoder(), tagger=FakeTagger()).extract(MarkedUpText(text, "   Reefs  and harbours"))
    page = read(found)
    assert text in page.text
    assert "Reefs" in page.marked


@pytest.mark.browser
@pytest.mark.parametrize(("paper", "ink"), [("#fff", "#000"), ("#111", "#fff"), ("#1e1e1e", "#d4d4d4")])
def test_it_can_be_read_in_light_and_dark_notebooks(paper, ink):
    strongest = notebook_html(Keyphrases(FOUND[:1], document_text=TEXT))
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.set_content(f'<body style="background:{paper};color:{ink}">{strongest}')
        for ratio, element in page.evaluate(CONTRAST, "mark, [role=listitem] span:nth-child(2)"):
            assert ratio >= 4.5, f"{ratio:.2f} {element}"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.close()

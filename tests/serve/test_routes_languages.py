"""Languages over HTTP, and on the page in a real browser."""

from __future__ import annotations

import pytest
from tests.browser import chromium
from tests.serve.conftest import running_server

from mderank.tagging import LanguageTagger, language_tagger

FRENCH = "Les récifs de corail souffrent de la chaleur, et les pêcheurs protègent les récifs de corail de la côte."
ARABIC = "تستخدم مستشفيات القاهرة الشبكات العصبية في تحليل صور الأشعة. تكشف الشبكات العصبية عن الأورام في وقت قصير."


@pytest.fixture(scope="module")
def server():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(language_tagger, "find_pipeline", lambda code: None)
        with running_server(make_tagger=LanguageTagger) as running:
            yield running


def test_the_answer_says_what_was_read(server):
    language = server.extract(FRENCH).json()["language"]
    assert (language["code"], language["tagger"]) == ("fr", "words of fr, without tags")
    assert language["certainty"] > 0.8
    assert any("fr_core_news_sm" in warning for warning in language["warnings"])


def test_the_language_of_a_request(server):
    language = server.extract("Flut Ebbe Hafen", language="german").json()["language"]
    assert (language["code"], language["certainty"]) == ("de", None)


def test_the_language_of_a_document_precedes_that_of_the_request(server):
    documents = [{"text": "Flut Ebbe Hafen", "language": "de"}, {"text": "zeilen havens"}]
    results = server.client.post("/v1/extract/batch", json={"documents": documents, "language": "nl"}).json()["results"]
    assert [each["language"]["code"] for each in results] == ["de", "nl"]


def test_an_unknown_language_is_an_error(server):
    assert server.code(server.extract(FRENCH, language="klingon"), 422) == "invalid_options"


def test_the_languages_are_listed(server):
    known = server.client.get("/v1/methods").json()["languages"]
    assert {"code": "fr", "name": "French"} in known


def test_a_server_with_a_tagger_has_its_language(shared):
    assert shared.code(shared.extract(FRENCH, language="fr"), 422) == "invalid_options"


@pytest.mark.browser
@pytest.mark.slow
def test_the_page_shows_texts_of_other_languages(server):
    playwright = pytest.importorskip("playwright.sync_api", reason="needs pip install playwright")
    expect = playwright.expect
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1100})  # lower ones fold the settings
        page.goto(server.url)
        page.fill("#text", ARABIC)
        expect(page.locator(".read-as")).to_contain_text("Read as Arabic", timeout=20_000)
        direction = "element => getComputedStyle(element).direction"
        assert page.eval_on_selector(".pane .text", direction) == "rtl"
        assert page.eval_on_selector("#text", direction) == "rtl"
        assert "الشبكات العصبية" in page.locator(".pane mark").all_inner_texts()
        page.fill("#text", FRENCH)
        expect(page.locator(".read-as")).to_contain_text("Read as French", timeout=20_000)
        assert "récifs de corail" in page.locator(".pane mark").all_inner_texts()
        assert page.eval_on_selector(".pane .text", direction) == "ltr"
        page.select_option("#language", "es")
        expect(page.locator(".read-as")).to_contain_text("Read as Spanish", timeout=20_000)
        assert "language=es" in page.url

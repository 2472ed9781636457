"""Files that the page decodes itself, and files that it refuses, in a real browser."""

from __future__ import annotations

import re

import pytest
from tests.serve.page import TEXT, expect, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]

DROP = """(names) => {
    const transfer = new DataTransfer();
    for (const name of names) transfer.items.add(new File(["The old reef"], name));
    document.querySelector("#text").dispatchEvent(
        new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be-sig"])
def test_encodings_that_a_file_tells(visit, tmp_path, encoding):
    text = "The café is near the old reef. Ω and 𝄞 are there."
    data = b"\xfe\xff" + text.encode("utf-16-be") if encoding == "utf-16-be-sig" else text.encode(encoding)
    (tmp_path / "note.txt").write_bytes(data)
    page = visit()
    page.set_input_files("#file", tmp_path / "note.txt")
    expect(page.locator("#text")).to_have_value(text)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("latin.txt", "Das alte Café".encode("latin-1"), "latin.txt is not a text in UTF-8. Save it as UTF-8"),
        ("binary.md", b"\0\1\2", "binary.md is not a text in UTF-8"),
        ("empty.txt", b" \n", "empty.txt has no text."),
        ("no_text.html", b"<p> </p>", "no_text.html has no text."),
        ("bad.docx", b"PK\3\4", "bad.docx: this file is damaged"),
        ("large.txt", b"x" * 1_500_001, "large.txt has 1.5 MB. This server takes 1 MB at most."),
        ("table.csv", b"a,b", "table.csv cannot be read here. This page reads files that end with .txt,"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_and_the_text_is_kept(visit, serve, tmp_path, name, data, told):
    page = visit(server=serve(max_file_bytes=1_000_000))
    before = page.locator("#text").input_value()
    (tmp_path / name).write_bytes(data)
    page.set_input_files("#file", tmp_path / name)
    expect(page.get_by_role("alert")).to_contain_text(told)
    expect(page.get_by_role("status")).to_have_text("Below are the keyphrases from before.")
    assert page.locator("#text").input_value() == before


def test_several_files_are_not_taken_for_one(visit):
    page = visit()
    before = page.locator("#text").input_value()
    page.evaluate(DROP, ["a.txt", "b.txt"])
    expect(page.get_by_role("alert")).to_have_text("This page shows one text: choose one file.")
    assert page.locator("#text").input_value() == before
    page.evaluate(DROP, ["a.txt"])
    expect(page.locator("#text")).to_have_value("The old reef")
    expect(page.get_by_role("alert")).to_have_text("")


def test_a_file_that_is_opened_while_the_page_loads_is_kept(visit, tmp_path):
    (tmp_path / "note.txt").write_text(TEXT, encoding="utf-8")
    page = visit("#top=3")
    held = []
    page.route("**/v1/methods", lambda route: held.append(route))  # noqa: PLW0108 - it wants a function of Python
    page.reload(wait_until="domcontentloaded")
    page.set_input_files("#file", tmp_path / "note.txt")
    expect(page.locator("#text")).to_have_value(TEXT)
    while not held:
        page.wait_for_timeout(20)
    held[0].fallback()
    shown(page)
    assert page.locator("#text").input_value() == TEXT
    expect(page.locator("#results .text")).to_have_text(TEXT, use_inner_text=False)
    assert re.search("top=3", page.url), "settings of the link are kept too"

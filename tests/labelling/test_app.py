"""The page's routes over HTTP: labels, what is learned, and what is refused."""

from __future__ import annotations

import json

import pytest
from tests.labelling.conftest import text_of
from tests.serve.conftest import until

from mderank.labelling import label_file
from mderank.research.tuning.labelled_files import load_labelled
from mderank.style import load_style

REEF = "coral reef"


def refused(page, path, status, code, body=None):
    path = f"/v1/{path}"
    response = page.client.get(path) if body is None else page.client.post(path, json=body)
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert error["code"] == code
    return error["message"]


def phrase(document, text):
    return next(each for each in document["phrases"] if each["text"] == text)


def test_all_documents_are_listed(page):
    overview = page.get("documents")
    assert overview["documents"][0] == {"id": "docs/00.txt", "state": "new"}
    assert (overview["labelled"], overview["total"], overview["file"]) == (0, 12, str(page.file))


def test_a_document_has_its_text_and_phrases(page):
    document = page.get("documents/3")
    text = text_of(3)
    assert (document["id"], document["text"], document["done"], document["error"]) == ("docs/03.txt", text, False, None)
    assert len(document["phrases"]) == 6
    for each in document["phrases"]:
        assert each["verdict"] is None
        assert all(text[start:end] in each["forms"] for start, end in each["spans"])


def test_looking_at_a_document_labels_nothing(page):
    page.get("documents/0")
    page.get("documents/1")
    assert page.lines() == {}
    assert page.get("documents")["labelled"] == 0


def test_a_tick_and_a_cross_are_saved_at_once(page):
    document = page.verdict(0, REEF, "right")
    assert phrase(document, REEF)["verdict"] == "right"
    assert page.lines()["docs/00.txt"] == {
        "id": "docs/00.txt", "text": text_of(0), "keyphrases": [REEF], "crossed_out": [], "done": False,
    }  # fmt: skip
    page.verdict(0, "storm surge", "wrong")
    page.verdict(0, REEF, None)
    line = page.lines()["docs/00.txt"]
    assert (line["keyphrases"], line["crossed_out"], line["done"]) == ([], ["storm surge"], False)
    assert page.get("documents")["documents"][0]["state"] == "started"


def test_a_document_is_labelled_when_the_user_says_so(page):
    page.verdict(0, REEF, "right")
    assert page.get("documents")["labelled"] == 0
    document = page.post("documents/0/done", done=True)
    assert (document["done"], document["labelled"]) == (True, 1)
    assert page.lines()["docs/00.txt"]["done"]
    page.post("documents/0/done", done=False)
    assert page.get("documents")["labelled"] == 0


def test_no_phrase_is_right(page):
    page.post("documents/4/done", done=True)
    assert page.get("documents")["labelled"] == 1
    assert page.lines()["docs/04.txt"]["keyphrases"] == []


def test_a_selection_is_added(page):
    text = text_of(2)
    start = text.index("water level")
    document = page.post("documents/2/selection", start=start + 2, end=start + 8)  # half words
    assert document["added"] == "water level"
    added = phrase(document, "water level")
    assert (added["verdict"], added["source"], added["spans"]) == ("right", "own", [[start, start + 11]])
    assert page.lines()["docs/02.txt"]["keyphrases"] == ["water level"]


def test_a_selection_of_a_listed_phrase_ticks_it(page):
    text = text_of(2)
    document = page.get("documents/2")
    listed = document["phrases"][0]
    start, end = listed["spans"][-1]
    assert page.post("documents/2/selection", start=start, end=end)["added"] == listed["text"]
    assert len(page.get("documents/2")["phrases"]) == len(document["phrases"])
    assert text[start:end].lower() == listed["text"].lower()


@pytest.mark.parametrize(("first", "last", "told"), [(3, 4, "no word"), (5, 5, "no word"), (0, 10**9, "words")])
def test_a_selection_that_is_no_phrase(page, first, last, told):
    assert told in refused(page, "documents/0/selection", 422, "unreadable", {"start": first, "end": last})
    assert page.lines() == {}


def test_two_tabs_do_not_undo_each_other(page):
    """Each click is about one phrase, so that a page that is behind takes nothing back."""
    one, other = page.get("documents/0"), page.get("documents/0")
    assert one == other
    page.verdict(0, REEF, "right")
    page.verdict(0, "storm surge", "right")
    page.verdict(1, REEF, "right")
    page.verdict(0, REEF, "right")
    assert page.lines()["docs/00.txt"]["keyphrases"] == [REEF, "storm surge"]
    assert page.lines()["docs/01.txt"]["keyphrases"] == [REEF]


@pytest.mark.slow
def test_starting_again_resumes(start, folder, tmp_path):
    from tests.labelling.conftest import labelling_server

    with labelling_server(folder) as first:
        first.label(range(3))
        first.verdict(3, "storm surge", "wrong")
    (folder / "zz.txt").write_text("A new document has come.")
    page = start(folder)
    overview = page.get("documents")
    assert [each["state"] for each in overview["documents"]] == ["done"] * 3 + ["started"] + ["new"] * 9
    assert phrase(page.get("documents/3"), "storm surge")["verdict"] == "wrong"


def test_tune_reads_the_labels(page):
    page.label(range(3))
    page.verdict(3, REEF, "right")
    page.post("documents/4/done", done=True)
    dataset = load_labelled(page.file)
    assert [(each.id, each.text, each.keyphrases) for each in dataset.documents] == [
        *((f"docs/0{number}.txt", text_of(number), (REEF,)) for number in range(3)),
        ("docs/04.txt", text_of(4), ()),
    ]
    assert any("not finished" in note for note in dataset.notes)


@pytest.mark.slow
def test_it_learns_from_ten_documents_on(page):
    assert page.get("style")["message"] == "Learning begins with 10 documents that have a right phrase: 10 to go."
    page.label(range(9))
    style = page.get("style")
    assert (style["status"], style["documents"]) == ("waiting", 9)
    assert page.get("documents/11")["learned"] is None
    page.label(range(9, 11))
    style = page.learned()
    assert (style["status"], style["documents"]) == ("learned", 11)
    assert style["message"].startswith("With 11 documents: about ")
    assert len(style["gain"]) == len(style["low"]) == len(style["high"]) == 3
    given = page.get("documents/11")["learned"]
    assert REEF in given["phrases"]
    assert not given["in_training"]
    assert page.get("documents/0")["learned"]["in_training"]


@pytest.mark.slow
def test_what_the_style_adds_can_be_ticked(page):
    page.label(range(11), "storm surge")
    page.learned()
    document = page.get("documents/11")
    listed = [each["text"] for each in document["phrases"]]
    assert set(document["learned"]["phrases"]) <= set(listed)
    assert len(listed) == len(set(listed))
    for each in document["learned"]["phrases"]:
        page.verdict(11, each, "right")


@pytest.mark.slow
def test_a_click_does_not_wait_for_learning(page, monkeypatch):
    import threading

    from mderank.labelling import learner

    gate, begun = threading.Event(), threading.Event()
    learn = learner.learn_from_documents

    def held(*arguments, **options):
        begun.set()
        assert gate.wait(30)
        return learn(*arguments, **options)

    monkeypatch.setattr(learner, "learn_from_documents", held)
    page.label(range(10))
    assert begun.wait(30)
    page.verdict(10, REEF, "right")
    assert page.lines()["docs/10.txt"]["keyphrases"] == [REEF]
    assert page.get("style")["message"] == "Learning from 10 documents …"
    gate.set()
    assert page.learned()["status"] == "learned"


def test_a_document_is_prepared_before_it_is_asked_for(page):
    page.get("documents/5")
    calls = page.encoder.calls
    until(lambda: page.session._features._found.get(text_of(6)) is not None)
    page.session._features.request(text_of(6)).result()
    before = len(calls)
    page.get("documents/6")
    until(lambda: page.session._features._found.get(text_of(7)) is not None)
    page.session._features.request(text_of(7)).result()
    assert len(calls) - before <= 2, "that of document 7 only"


@pytest.mark.slow
def test_the_style_is_saved(page):
    assert "nothing was learned yet" in refused(page, "style", 422, "unreadable", {})
    page.label(range(10))
    page.learned()
    answer = page.post("style")
    file = page.session.style_file
    assert (answer["file"], answer["command"]) == (str(file), f"mderank extract --style {file} FILE")
    certain = page.session.learner.learned.report.is_certain
    assert answer["note"] == ("" if certain else "It is not certain yet that it helps: label more documents.")
    style = load_style(file)
    assert (style.name, style.learned_from["documents"], style.learned_from["name"]) == ("mine", 10, "labels.jsonl")
    page.label(range(10, 12))
    page.learned()
    assert "save again to replace it" in refused(page, "style", 409, "conflict", {})
    page.post("style", overwrite=True)
    assert load_style(file).learned_from["documents"] == 12


@pytest.mark.slow
def test_a_style_that_cannot_be_written(start, folder, tmp_path):
    page = start(folder, style_file=tmp_path / "absent" / "mine.json")
    page.label(range(10))
    page.learned()
    assert "cannot be written" in refused(page, "style", 422, "unreadable", {})


@pytest.mark.slow
def test_labels_of_other_documents_count_too(start, folder, tmp_path):
    """Those of an earlier folder, which are in the file."""
    other = [{"id": f"x{number}", "text": text_of(number + 3), "keyphrases": [REEF]} for number in range(9)]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(each) + "\n" for each in other))
    page = start(folder)
    assert page.get("documents")["labelled"] == 0
    page.label(range(1))
    assert page.learned()["documents"] == 10
    assert len(page.lines()) == 10


def test_markdown_is_labelled_without_its_marks(start, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    text = "# The *old* reef\n\nThe **old** reef is near the [long wall](http://example.org/x)."
    (folder / "a.md").write_text(text)
    page = start(folder)
    document = page.get("documents/0")
    assert document["text"] == text
    where = text.index("long wall")
    page.post("documents/0/selection", start=where, end=where + 9)
    line = page.lines()["a.md" if "a.md" in page.lines() else "docs/a.md"]
    assert len(line["text"]) == len(text)
    assert "*" not in line["text"]
    assert "http" not in line["text"]
    assert line["keyphrases"] == ["long wall"]
    where = text.index("**old** reef")
    assert page.post("documents/0/selection", start=where, end=where + 12)["added"].lower() == "old reef"


def test_a_document_that_cannot_be_read(start, folder):
    (folder / "05.txt").write_bytes(b"\xff\xfe\xfd")
    page = start(folder)
    document = page.get("documents/5")
    assert "05.txt" in document["error"]
    assert document["phrases"] == []
    refused(page, "documents/5/done", 422, "unreadable", {"done": True})
    refused(page, "documents/5/verdict", 422, "unreadable", {"phrase": "reef", "verdict": "right"})
    assert page.get("documents/6")["error"] is None


def test_an_empty_document(start, folder):
    (folder / "05.txt").write_text(" \n")
    page = start(folder)
    document = page.get("documents/5")
    assert (document["error"], document["phrases"]) == (None, [])
    assert page.post("documents/5/done", done=True)["labelled"] == 1


def test_labels_that_cannot_be_saved_are_an_error(page, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(label_file, "atomic_write", full)
    body = {"phrase": REEF, "verdict": "right"}
    assert "No space left" in refused(page, "documents/0/verdict", 500, "internal", body)
    assert phrase(page.get("documents/0"), REEF)["verdict"] is None


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("documents/12", None, 404, "not_found"),
        ("documents/-1", None, 404, "not_found"),
        ("documents/x", None, 422, "invalid_request"),
        ("nothing", None, 404, "not_found"),
        ("documents/99/done", {"done": True}, 404, "not_found"),
        ("documents/0/done", {"done": "yes"}, 422, "invalid_request"),
        ("documents/0/done", {}, 422, "invalid_request"),
        ("documents/0/verdict", {"phrase": REEF, "verdict": "maybe"}, 422, "invalid_request"),
        ("documents/0/verdict", {"phrase": "", "verdict": "right"}, 422, "invalid_request"),
        ("documents/0/verdict", {"phrase": "elephant", "verdict": "right"}, 422, "unreadable"),
        ("documents/0/verdict", {"phrase": " ", "verdict": "right"}, 422, "unreadable"),
        ("documents/0/verdict", {"phrase": REEF, "verdict": "right", "more": 1}, 422, "invalid_request"),
        ("documents/0/selection", {"start": -1, "end": 3}, 422, "invalid_request"),
        ("documents/0/selection", {"start": "1", "end": 3}, 422, "invalid_request"),
        ("style", {"file": "/etc/passwd"}, 422, "invalid_request"),
    ],
)
def test_wrong_requests(page, path, body, status, code):
    refused(page, path, status, code, body)
    assert page.lines() == {}


def test_only_this_machine_and_only_json(page):
    assert page.client.get("/", headers={"host": "evil.example"}).status_code == 403
    body = json.dumps({"done": True})
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        response = page.client.post("/v1/documents/0/done", content=body, headers={"content-type": kind})
        assert response.status_code in (415, 422)
    assert page.lines() == {}
    policy = page.client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "access-control-allow-origin" not in page.client.get("/v1/documents", headers={"origin": "http://x"}).headers
    assert page.client.post("/v1/documents/0/done", content=b"x" * 3_000_000).status_code == 413


def test_all_files_of_the_page_are_there(page):
    import re

    html = page.client.get("/").text
    for name in re.findall(r'(?:src|href)="(page/[^"]+)"', html):
        response = page.client.get(f"/{name}")
        assert response.status_code == 200
        for inner in re.findall(r'from "\./([^"]+)"', response.text):
            assert page.client.get(f"/page/{inner}").status_code == 200
    assert "http://" not in html.replace("http://www.w3.org", "")

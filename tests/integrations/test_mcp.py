"""The tools of the MCP server, called by the client of the SDK in this process.

tests/cli/test_mcp.py runs the command.
"""

from __future__ import annotations

import asyncio
import os
import sys

import pytest
from mcp.client.client import Client
from tests.conftest import TEXT

from mderank import FusionRank, InputError, MissingExtraError, OptionError, Options, extract
from mderank.integrations.mcp import MAX_TEXT_CHARS, create_server

QUICK = Options(method="firstphrases")


def call(server, tool, **arguments):
    """The result of a tool."""

    async def run():
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


def answer(server, tool, **arguments):
    result = call(server, tool, **arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


def error(server, tool, **arguments):
    result = call(server, tool, **arguments)
    assert result.is_error
    assert result.structured_content is None
    return result.content[0].text


def listed(server):
    async def run():
        async with Client(server) as client:
            return {tool.name: tool for tool in (await client.list_tools()).tools}

    return asyncio.run(run())


def test_two_tools_with_their_schemas():
    tools = listed(create_server(QUICK))
    assert list(tools) == ["extract_keyphrases", "explain_keyphrase"]
    for tool in tools.values():
        assert tool.description
        assert "\n  " not in tool.description  # no indentation of the source
        assert tool.title
        assert tool.annotations.read_only_hint
        assert tool.input_schema["additionalProperties"] is False
        assert all("description" in each for each in tool.input_schema["properties"].values())
        assert "path" not in tool.input_schema["properties"]
        assert "text" in tool.input_schema["required"]
    assert tools["extract_keyphrases"].output_schema["required"] == ["keyphrases", "missing_phrases", "reading"]
    assert {"features", "contexts", "rank"} <= set(tools["explain_keyphrase"].output_schema["required"])


def test_files_are_offered_only_where_folders_are_allowed(tmp_path):
    for tool in listed(create_server(QUICK, folders=[tmp_path])).values():
        assert "path" in tool.input_schema["properties"]
        assert "text" not in tool.input_schema.get("required", ())


def test_extracted_phrases_are_those_of_the_library():
    found = answer(create_server(), "extract_keyphrases", text=TEXT, top_k=4)
    expected = FusionRank().extract(TEXT, 4)
    assert [(each["text"], each["score"], each["confidence"]) for each in found["keyphrases"]] == [
        (each.text, each.score, each.confidence) for each in expected
    ]
    for each in found["keyphrases"]:
        for span in each["occurrences"]:
            assert TEXT[span["start"] : span["end"]].lower().rstrip("s") == each["text"].lower().rstrip("s")
    assert found["reading"] == {
        "characters": len(TEXT),
        "language": "en",
        "certainty": pytest.approx(1, abs=0.01),
        "method": "fusion",
        "notes": [],
    }


def test_the_text_of_the_answer_is_its_data():
    result = call(create_server(QUICK), "extract_keyphrases", text=TEXT)
    assert '"Coral reefs"' in result.content[0].text


def test_choices_of_the_client():
    server = create_server(QUICK)
    assert len(answer(server, "extract_keyphrases", text=TEXT)["keyphrases"]) == len(
        extract(TEXT, method="firstphrases")
    )
    assert len(answer(server, "extract_keyphrases", text=TEXT, top_k=1)["keyphrases"]) == 1
    assert answer(server, "extract_keyphrases", text=TEXT, method="yake")["reading"]["method"] == "yake"
    german = answer(server, "extract_keyphrases", text="Das rote Haus steht.", language="German")
    assert (german["reading"]["language"], german["reading"]["certainty"]) == ("de", None)
    assert "German" in german["reading"]["notes"][0]  # the words have no tags
    listed_only = answer(server, "extract_keyphrases", text=TEXT, phrases=["marine reserve", "whale"])
    assert [each["text"] for each in listed_only["keyphrases"]] == ["Marine reserves"]
    assert listed_only["missing_phrases"] == ["whale"]
    fusion = create_server()
    plain, guided = (
        answer(fusion, "extract_keyphrases", text=TEXT, seeds=seeds)["keyphrases"] for seeds in (None, ["fishing"])
    )
    assert [each["text"] for each in plain] != [each["text"] for each in guided]


def test_options_of_the_server():
    server = create_server(Options(method="firstphrases", top_k=2, exclude=("coral reef",)))
    assert "Coral reefs" not in str(answer(server, "extract_keyphrases", text=TEXT))
    assert len(answer(server, "extract_keyphrases", text=TEXT)["keyphrases"]) == 2
    everything = create_server(Options(method="firstphrases", top_k=0))
    assert listed(everything)["extract_keyphrases"].input_schema["properties"]["top_k"]["default"] == 200


def test_a_text_that_happens_to_be_json_is_a_text():
    for text in ('{"about": "coral reefs"}', '["coral reefs"]', '"coral reefs"', "17"):
        found = answer(create_server(QUICK), "extract_keyphrases", text=text)
        assert found["reading"]["characters"] == len(text)


def test_explanation():
    found = answer(create_server(), "explain_keyphrase", text=TEXT, phrase="marine reserve", contexts=1)
    ranked = FusionRank(min_confidence=0.0).extract(TEXT, None)
    rank = ranked.texts.index("Marine reserves") + 1
    keyphrase = ranked[rank - 1]
    assert (found["rank"], found["ranked"]) == (rank, len(ranked))
    assert found["score"] == keyphrase.score
    assert found["better"] == ranked.texts[: rank - 1][-5:]
    assert {
        each["name"]: each["contribution"] for each in found["features"] if each["contribution"] is not None
    } == dict(keyphrase.contributions)
    assert sum(each["contribution"] or 0 for each in found["features"]) == pytest.approx(found["score"])
    assert all(each["meaning"] for each in found["features"])
    (context,) = found["contexts"]
    assert (context["line"], context["phrase"]) == (1, "Marine reserves")
    assert context["before"].endswith("lose their fish. ")
    assert context["after"].startswith(" let the reefs recover")
    assert found["occurrences"] == len(keyphrase.spans)


def test_explanation_of_a_method_that_sums_nothing():
    found = answer(create_server(Options(method="textrank")), "explain_keyphrase", text=TEXT, phrase="Coral reefs")
    assert found["reading"]["method"] == "textrank"
    assert all(each["contribution"] is None for each in found["features"])


@pytest.mark.parametrize(
    ("phrase", "message"),
    [
        ("whale", "'whale' does not occur in the text"),
        ("protect", "'protect' occurs in the text but is not one of its"),
    ],
)
def test_phrases_that_cannot_be_explained(phrase, message):
    assert message in error(create_server(QUICK), "explain_keyphrase", text=TEXT, phrase=phrase)


def test_a_phrase_that_overlaps_a_better_one():
    text = "The barn owl hunts. A barn owl nest is a nest of sticks. Young barn owls leave the nest."
    server = create_server(Options(overlap="none"))
    (related, *_) = answer(server, "explain_keyphrase", text=text, phrase="barn owl")["related"]
    message = error(server, "explain_keyphrase", text=text, phrase=related)
    assert "because it overlaps 'barn owl'" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "text"),
        ({"text": ""}, "text is empty"),
        ({"text": TEXT, "top_k": 0}, "greater than or equal to 1"),
        ({"text": TEXT, "top_k": 201}, "less than or equal to 200"),
        ({"text": TEXT, "topk": 3}, "topk"),
        ({"text": TEXT, "path": "file.txt"}, "path"),
        ({"text": TEXT, "model": "/etc"}, "model"),
        ({"text": TEXT, "method": "embedrank-vectors"}, "Input should be"),
        ({"text": TEXT, "method": "nothing"}, "Input should be"),
        ({"text": TEXT, "language": "klingon"}, "unknown language 'klingon'"),
        ({"text": TEXT, "seeds": ["reef"]}, "does not take seeds"),
        ({"text": 17}, "text"),
    ],
)
def test_wrong_arguments_are_errors_of_the_tool(arguments, message):
    assert message in error(create_server(QUICK), "extract_keyphrases", **arguments)


def test_length_of_a_text_is_limited():
    server = create_server(QUICK, max_text_chars=100)
    assert answer(server, "extract_keyphrases", text="reef " * 20)
    for tool, more in (("extract_keyphrases", {}), ("explain_keyphrase", {"phrase": "reef"})):
        message = error(server, tool, text="reef " * 21, **more)
        assert "the text has 105 characters, and the limit is 100" in message
        assert "--max-text-chars" in message
    assert MAX_TEXT_CHARS == 200_000
    with pytest.raises(OptionError, match="max_text_chars must be at least 1"):
        create_server(QUICK, max_text_chars=0)


def test_files_below_an_allowed_folder(tmp_path):
    folder = tmp_path / "papers"
    (folder / "old").mkdir(parents=True)
    (folder / "old" / "reefs.md").write_text(f"# Reefs\n\n{TEXT}", encoding="utf-8")
    server = create_server(QUICK, folders=[folder])
    for path in ("old/reefs.md", str(folder / "old" / "reefs.md"), "old/../old/reefs.md"):
        found = answer(server, "extract_keyphrases", path=path)
        assert "Coral reefs" in [each["text"] for each in found["keyphrases"]]
    assert answer(server, "explain_keyphrase", path="old/reefs.md", phrase="coral reef")["contexts"][0]["line"] == 3


def test_files_elsewhere_are_refused_whether_they_are_there_or_not(tmp_path):
    folder, other = tmp_path / "papers", tmp_path / "papers-secret"
    folder.mkdir()
    other.mkdir()
    (other / "key.txt").write_text("secret", encoding="utf-8")
    (folder / "link.txt").symlink_to(other / "key.txt")
    (folder / "link").symlink_to(other)
    server = create_server(QUICK, folders=[folder])
    for path in ("link.txt", "link/key.txt", "..", "~/.ssh/id_rsa", "old/~"):
        message = error(server, "extract_keyphrases", path=path)
        assert "is not below a folder that this server may read" in message or "is not a file below" in message
    for there, missing in (
        ("../papers-secret/key.txt", "../papers-secret/none.txt"),
        (str(other / "key.txt"), str(other / "none.txt")),
        ("link/key.txt", "link/none.txt"),
        ("/etc/passwd", "/etc/none"),
    ):
        first, second = (error(server, "extract_keyphrases", path=path) for path in (there, missing))
        assert first.replace(there, "") == second.replace(missing, "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_paths_that_are_no_documents(tmp_path):
    (tmp_path / "two.jsonl").write_text('{"text": "reef"}\n{"text": "tide"}\n', encoding="utf-8")
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (tmp_path / "broken.docx").write_bytes(b"PK nothing")
    (tmp_path / "long.txt").write_text("reef " * 100, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.txt")
    server = create_server(QUICK, folders=[tmp_path], max_text_chars=100)
    for path, message in {
        "two.jsonl": "has several documents",
        "empty.jsonl": "document",
        "broken.pdf": "broken.pdf",
        "broken.docx": "this file is damaged, or of another format",
        "long.txt": "long.txt",
        "pipe.txt": "is not a file",
        ".": "is not a file",
        "none.txt": "is not a file",
        "*.txt": "is not a file",
        "a\0b": "path",
        "x" * 5000: "path",
    }.items():
        assert message in error(server, "extract_keyphrases", path=path)
    assert "give one of them" in error(server, "extract_keyphrases", path="long.txt", text="reef")
    assert "give one of them" in error(server, "extract_keyphrases")


def test_folders_and_options_are_checked_at_the_start(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="is not a folder"):
        create_server(QUICK, folders=[tmp_path / "file"])
    with pytest.raises(InputError, match="none"):
        create_server(QUICK, folders=[tmp_path / "none"])
    with pytest.raises(OptionError, match="does not take"):
        create_server(Options(method="yake", style="tags"))


def test_calls_at_one_time():
    async def run():
        async with Client(create_server(QUICK)) as client:
            return await asyncio.gather(
                *(client.call_tool("extract_keyphrases", {"text": f"Reef{number} tide."}) for number in range(8))
            )

    texts = [result.structured_content["keyphrases"][0]["text"] for result in asyncio.run(run())]
    assert texts == [f"Reef{number} tide" for number in range(8)]


def test_without_the_sdk_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "mderank.integrations.mcp")
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[mcp\]'"):
        import mderank.integrations.mcp  # noqa: F401


def test_a_vocabulary_of_the_server_names_concepts(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("id,label,synonyms\nt3,storm surge,surge\nt9,harbour,\n")
    server = create_server(Options(method="firstphrases", vocabulary=str(file), match="case"))
    found = answer(server, "extract_keyphrases", text="A surge rises over the tide.")
    assert [(each["text"], each["concept"]) for each in found["keyphrases"]] == [
        ("surge", {"id": "t3", "label": "storm surge"})
    ]
    assert found["missing_phrases"] == []
    explained = answer(server, "explain_keyphrase", text="A surge rises over the tide.", phrase="storm surge")
    assert explained["text"] == "surge"
    chosen = answer(server, "extract_keyphrases", text="A surge rises over the tide.", phrases=["tide", "reef"])
    assert ([each["text"] for each in chosen["keyphrases"]], chosen["missing_phrases"]) == (["tide"], ["reef"])

"""``mderank mcp`` as a process, called by the client of the SDK, and by hand."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.conftest import ROOT, TEXT

import mderank

COMMAND = [sys.executable, "-c", "from mderank.cli import main; main()", "mcp"]
ENVIRONMENT = {"PYTHONPATH": str(ROOT / "src")}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}


def test_help(run):
    result = run("mcp", "--help")
    assert result.exit_code == 0
    assert "--allow FOLDER" in result.output
    assert "--max-text-chars" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--allow", "no/such/folder"], "no/such/folder"),
        (["--method", "yake", "--style", "tags"], "does not take"),
        (["--model", "no/such/model"], "no/such/model"),
    ],
)
def test_what_cannot_work_ends_the_command(run, arguments, message):
    result = run("mcp", *arguments)
    assert result.exit_code in (1, 2)
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.slow
def test_client_of_the_sdk(tmp_path):
    (tmp_path / "reefs.txt").write_text(TEXT, encoding="utf-8")
    server = StdioServerParameters(
        command=COMMAND[0], args=[*COMMAND[1:], "--allow", str(tmp_path), "-k", "3"], env=ENVIRONMENT
    )

    async def talk():
        async with Client(stdio_client(server)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            found = await client.call_tool("extract_keyphrases", {"path": "reefs.txt"})
            why = await client.call_tool("explain_keyphrase", {"text": TEXT, "phrase": "coral reef"})
            wrong = await client.call_tool("explain_keyphrase", {"text": TEXT, "phrase": "whale"})
            return client.server_info, tools, found, why, wrong

    info, tools, found, why, wrong = asyncio.run(talk())
    assert (info.name, info.version) == ("mderank", mderank.__version__)
    assert tools == ["extract_keyphrases", "explain_keyphrase"]
    expected = mderank.extract(TEXT, 3)
    assert [each["text"] for each in found.structured_content["keyphrases"]] == expected.texts
    assert why.structured_content["rank"] == 1
    assert wrong.is_error
    assert wrong.content[0].text.endswith("'whale' does not occur in the text")


def start():
    environment = {**os.environ, **ENVIRONMENT}
    pipe = subprocess.PIPE
    return subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, text=True)


@pytest.mark.slow
def test_nothing_but_protocol_on_standard_output():
    server = start()
    calls = [
        HELLO,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "extract_keyphrases", "arguments": {"text": "Das rote Haus steht.", "method": "yake"}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nothing", "arguments": {}}},
    ]  # fmt: skip
    answers = []
    for message in calls:
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        if "id" in message:
            answers.append(json.loads(server.stdout.readline()))
    server.stdin.write("no json\n")
    rest, errors = server.communicate(timeout=60)  # the end of its input ends the server
    assert server.returncode == 0, errors
    for line in rest.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert [each["id"] for each in answers] == [1, 2, 3]
    assert answers[0]["result"]["serverInfo"]["name"] == "mderank"
    assert answers[1]["result"]["structuredContent"]["keyphrases"]
    assert "Traceback" not in errors


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_the_server_at_once(number):
    server = start()
    server.stdin.write(json.dumps(HELLO) + "\n")
    server.stdin.flush()
    assert server.stdout.readline()
    server.send_signal(number)
    assert server.wait(timeout=60) == 0
    server.communicate()

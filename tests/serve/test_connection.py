"""Connections that keep the server waiting: slow headers, silence, answers that nobody reads, too many of them."""

from __future__ import annotations

import json
import re
import socket

import pytest
from tests.serve.conftest import PATIENCE, Running, until

from mderank.serve.connection import connection_of

SHORT = 3.0  # seconds: a busy machine sends a request in less
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(running: Running) -> socket.socket:
    return socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE)


def open_connections(running: Running) -> int:
    return len(running.server.config.http.open)


def answer(connection: socket.socket) -> bytes:
    """The head of a whole answer."""
    with connection.makefile("rb", buffering=0) as stream:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += stream.read(1)
        left = int(re.search(rb"content-length: (\d+)", head)[1])
        while left:
            left -= len(stream.read(left))
    return head


@pytest.mark.parametrize("sent", [b"", b"G", b"GET /healthz HTTP/1.1\r\nHost: local"])
def test_a_connection_without_a_whole_request_is_closed(serve, sent):
    running = serve(header_timeout_seconds=0.2)
    with connect(running) as connection:
        connection.sendall(sent)
        assert connection.recv(1) == b""
    until(lambda: open_connections(running) == 0)


@pytest.mark.slow
def test_a_second_request_may_not_be_slow_either(serve):
    running = serve(header_timeout_seconds=SHORT)
    with connect(running) as connection:
        connection.sendall(GET)
        assert answer(connection).startswith(b"HTTP/1.1 200 OK")
        connection.sendall(GET[:20])
        assert connection.recv(1) == b""


@pytest.mark.slow
def test_a_connection_is_kept_longer_between_requests(serve):
    running = serve(header_timeout_seconds=SHORT)
    with connect(running) as connection:
        for _ in range(2):
            connection.sendall(GET)
            assert answer(connection).startswith(b"HTTP/1.1 200 OK")
            with connect(running) as other:  # which takes longer than headers may
                assert other.recv(1) == b""


@pytest.mark.slow
def test_the_time_for_headers_does_not_bound_the_answer(serve):
    running = serve(header_timeout_seconds=SHORT)
    running.encoder.gate.clear()
    body = json.dumps({"text": "The coral reef is near the harbour."}).encode()
    with connect(running) as connection:
        connection.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
        connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        until(lambda: running.encoder.waiting)
        with connect(running) as other:
            assert other.recv(1) == b""
        running.encoder.gate.set()
        assert answer(connection).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.slow
def test_an_answer_that_nobody_reads_does_not_stay(serve):
    running = serve(write_timeout_seconds=0.3)
    with connect(running) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.settimeout(1.0)
        try:
            for _ in range(100_000):  # until nothing more is taken
                connection.sendall(GET.replace(b"/healthz", b"/openapi.json") * 10)
        except OSError:
            pass
        until(lambda: open_connections(running) == 0)
    until(lambda: running.service.metrics.registry.get_sample_value("mderank_requests_active") == 0)
    assert running.client.get("/healthz").status_code == 200


def test_connections_are_bounded(serve):
    running = serve(max_connections=3)
    held = [connect(running) for _ in range(3)]
    until(lambda: open_connections(running) == 3)
    with connect(running) as refused, refused.makefile("rb") as stream:
        head, _, body = stream.read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"Retry-After: 1" in head
    assert json.loads(body)["error"]["code"] == "busy"
    for connection in held:
        connection.close()
    until(lambda: open_connections(running) == 0)
    assert running.client.get("/healthz").status_code == 200


def test_another_server_has_no_such_connections():
    assert connection_of({"type": "http"}) is None
    assert connection_of({"type": "http", "state": {}}) is None

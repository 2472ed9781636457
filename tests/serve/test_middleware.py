"""Hostile and careless clients: each gets the right status, in the one form, and the server goes on."""

from __future__ import annotations

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.serve.conftest import HEAD, PATIENCE, REEFS, Running, until

JSON = {"content-type": "application/json"}
KEY = "k" * 24


def raw(running: Running, data: bytes) -> bytes:
    """What the server answers to these bytes before it closes the connection."""
    with socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer


def post(running: Running, body: bytes | str):
    return running.client.post("/v1/extract", content=body, headers=JSON)


def test_markup_is_text(shared: Running):
    text = "<script>alert('reef')</script> The <b>coral reef</b> & <img src=x onerror=alert(1)> are near."
    response = shared.extract(text, top_k=50, explain=True)
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"
    for each in response.json()["keyphrases"]:
        assert text[slice(*each["spans"][0])].split() == each["forms"][0].split()


def test_five_megabytes(shared: Running):
    assert shared.code(shared.extract("coral " * 900_000), 413) == "body_too_large"
    assert shared.code(shared.extract("coral " * 100_000), 413) == "text_too_long"
    assert shared.extract().status_code == 200


def test_five_megabytes_in_pieces_without_a_length(shared: Running):
    def pieces():
        for _ in range(100):
            yield b"x" * 50_000

    assert shared.code(post(shared, pieces()), 413) == "body_too_large"


def test_control_characters(shared: Running):
    text = "The coral\x00 reef\x1b[31m is\x07 near\u202e the\u2028 harbour.\r\n\x85\ufeff"
    response = shared.extract(text, explain=True)
    assert response.status_code == 200
    for each in response.json()["keyphrases"]:
        for start, end in each["spans"]:
            assert text[start:end].strip()


def test_lone_surrogates(shared: Running):
    response = post(shared, json.dumps({"text": "The coral\ud800reef is near.", "ngrams": "1-2", "explain": True}))
    assert response.status_code == 200
    assert json.loads(response.content)["keyphrases"]
    assert shared.code(post(shared, json.dumps({"text": "a", "phrases": ["\ud801"]})), 422) == "invalid_request"


def test_code_points_beyond_the_first_plane(shared: Running):
    text = "🌊🌊 The coral reef 🐟 is near. 𝒜 big coral reef."
    (reef, *_) = shared.extract(text).json()["keyphrases"]
    assert {text[start:end] for start, end in reef["spans"]} == {"coral reef"}


@pytest.mark.parametrize("text", ["", " \n\t ", "\u3002", "a", "." * 10_000, "x" * 100_000, "reef\n" * 10_000])
def test_odd_texts(shared: Running, text):
    assert shared.extract(text).status_code == 200


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"not json", b"\xff\xfe{}", b'{"text": "a"', b"[" * 200_000, b'{"a":' * 100_000,
     b'{"text": 1' + b"0" * 5_000 + b"}"],
)  # fmt: skip
def test_what_is_not_json(shared: Running, body):
    response = post(shared, body)
    assert response.status_code in (400, 422)
    assert shared.code(response, response.status_code) in ("invalid_json", "invalid_request")


@pytest.mark.parametrize("body", ["null", "[]", '"text"', "5", "NaN", '[{"text": "a"}]'])
def test_json_of_the_wrong_kind(shared: Running, body):
    assert shared.code(post(shared, body), 422) == "invalid_request"


def test_what_a_client_made_up_is_not_repeated(shared: Running):
    response = post(shared, json.dumps({"text": "a", "<script>" * 50: 1, "\ud800": 2}))
    assert shared.code(response, 422) == "invalid_request"
    assert len(response.content) < 2_000


def test_a_slow_body(serve):
    running = serve(body_timeout_seconds=0.2)
    answer = raw(running, HEAD % 100 + b'{"text": "The re')
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"slow_body"' in answer
    assert running.extract().status_code == 200


def test_slow_headers_hold_only_their_connection(serve):
    running = serve(body_timeout_seconds=0.2)
    begun = (b"", b"POST /v1/ext", b"GET /healthz HTTP/1.1\r\nHost: local")
    connections = [socket.create_connection(("127.0.0.1", running.port), timeout=PATIENCE) for _ in begun]
    for connection, head in zip(connections, begun, strict=True):
        connection.sendall(head)
    assert running.extract().status_code == 200
    running.server.should_exit = True
    assert [connection.recv(100) for connection in connections] == [b""] * 3, "the server stops all the same"
    for connection in connections:
        connection.close()


def test_the_time_for_a_body_does_not_bound_the_answer(serve):
    running = serve(body_timeout_seconds=0.1)
    with ThreadPoolExecutor(1) as pool:
        running.encoder.gate.clear()
        waiting = pool.submit(running.extract)
        until(lambda: running.encoder.waiting)
        time.sleep(0.3)
        running.encoder.gate.set()
        assert waiting.result().status_code == 200


def test_a_length_that_is_a_lie(shared: Running):
    answer = raw(shared, HEAD % 99_999_999_999)
    assert answer.startswith(b"HTTP/1.1 413 "), "before anything of the body was sent"


def test_what_is_not_http(shared: Running):
    assert raw(shared, b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert shared.extract().status_code == 200


def test_json_must_say_so(shared: Running):
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        response = shared.client.post("/v1/extract", content=b'{"text": "a"}', headers={"content-type": kind})
        assert shared.code(response, 415) == "unsupported_media_type"


def test_batches_that_are_too_large(shared: Running):
    documents = {"documents": [{"text": "a"}] * 65}
    assert shared.code(shared.client.post("/v1/extract/batch", json=documents), 413) == "batch_too_large"
    assert shared.code(shared.client.post("/v1/extract/batch", json={"documents": []}), 422) == "invalid_request"


def test_all_bodies_together_are_bounded(serve):
    running = serve(max_buffered_bytes=1_000)
    response = running.extract("reef " * 400)
    assert running.code(response, 503) == "busy"
    assert response.headers["retry-after"]
    assert running.extract().status_code == 200


@pytest.mark.slow
def test_a_key(serve):
    running = serve(api_key=KEY)
    for headers in ({}, {"Authorization": f"Bearer {KEY}x"}, {"Authorization": KEY}, {"X-API-Key": KEY[:-1]},
                    {"Authorization": "Bearer"}, {"X-API-Key": "\xff" * 24}):  # fmt: skip
        raw_headers = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        for path in ("/v1/methods", "/metrics", "/openapi.json"):
            response = running.client.get(path, headers=raw_headers)
            assert running.code(response, 401) == "unauthorized"
            assert response.headers["www-authenticate"] == "Bearer"
    for headers in ({"Authorization": f"Bearer {KEY}"}, {"authorization": f"bearer {KEY}"}, {"X-API-Key": KEY}):
        assert running.client.get("/v1/methods", headers=headers).status_code == 200
    assert running.client.post("/v1/extract", json={"text": REEFS}).status_code == 401
    for path in ("/", "/healthz", "/readyz"):
        assert running.client.get(path).status_code == 200
    described = running.client.get("/openapi.json", headers={"X-API-Key": KEY}).json()
    assert described["components"]["securitySchemes"]["HTTPBearer"]["scheme"] == "bearer"


@pytest.mark.slow
def test_without_a_key_a_body_is_not_even_read(serve):
    running = serve(api_key=KEY, body_timeout_seconds=PATIENCE)
    head = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\nConnection: close\r\n\r\n"
    assert raw(running, head).startswith(b"HTTP/1.1 401 ")


@pytest.mark.slow
def test_a_host_of_another_name(serve):
    running = serve(hosts=("localhost", "127.0.0.1", "::1"))
    for host in (
        "evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "]localhost[", "[localhost]", "[127.0.0.1]",
        "localhost]", "[::1", "::1", "localhost:80:80", "localhost:port", "localhost,evil.example", "user@localhost",
    ):  # fmt: skip
        assert running.code(running.client.get("/", headers={"host": host}), 403) == "unknown_host"
    for host in ("localhost", f"localhost:{running.port}", "LOCALHOST", "[::1]", "[::1]:80", "[0:0::1]", "127.0.0.1"):
        assert running.client.get("/", headers={"host": host}).status_code == 200


def test_other_sites_get_nothing_unless_they_are_named(serve, shared: Running):
    asking = {"origin": "https://example.org", "access-control-request-method": "POST",
              "access-control-request-headers": "content-type"}  # fmt: skip
    refused = shared.client.options("/v1/extract", headers=asking)
    assert "access-control-allow-origin" not in refused.headers
    running = serve(cors=("https://example.org",), api_key=KEY)
    allowed = running.client.options("/v1/extract", headers=asking)
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == "https://example.org"
    other = running.client.options("/v1/extract", headers={**asking, "origin": "https://evil.example"})
    assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize("path", ["/", "/page/app.js", "/v1/methods", "/nothing", "/openapi.json"])
def test_every_answer_has_a_strict_policy(shared: Running, path):
    headers = shared.client.get(path).headers
    policy = dict(each.strip().split(" ", 1) for each in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_fault_of_ours_is_told_in_the_same_form(serve, monkeypatch):
    running = serve()

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(running.service, "methods", fail)
    response = running.client.get("/v1/methods")
    assert running.code(response, 500) == "internal"
    assert "ZeroDivision" not in response.text

"""Parts of `serve.py`: memory over thousands of requests of new words, and clients that mean harm beside others."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from common import Figure
from serve import Load, Server, ready, request, shown

REQUESTS = 3_000
BOUND = 1_300  # MB, of all processes of a server with the default limits and the bundled encoder (docs/serve.md)
CLIENTS = 20
HARMFUL = 50  # clients of each kind
LIMITS = ("--header-timeout-seconds", "2", "--body-timeout-seconds", "2", "--write-timeout-seconds", "3")
POST = "POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"


def new_text(choose: random.Random, words: int = 40) -> str:
    """A text whose words no other text has."""
    letters = "bcdfghjklmnpqrstvwz"
    made = ("".join(choose.choice(letters) + choose.choice("aeiou") for _ in range(4)) for _ in range(words // 4))
    return " ".join(f"The {word} reef is near the old {word[::-1]}." for word in made)


def body(text: str, method: str = "fusion", **options: object) -> bytes:
    return json.dumps({"text": text, "method": method, **options}).encode()


# --- memory -----------------------------------------------------------------------------------------------------------


def new_words(quick: bool) -> Iterator[Figure]:
    count = 300 if quick else REQUESTS
    server = Server()
    try:
        memory, statuses = asyncio.run(_send_new_words(server, count))
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(120)
    finally:
        server.process.kill()
    settled = memory[len(memory) // 3]
    yield Figure("answers other than 200", count - statuses[200], "", f"{count} requests: {shown(statuses)}", at_most=0)
    yield Figure("memory of all processes, the most", max(memory), "MB",
                 f"{memory[0]:.0f} MB at the start, {settled:.0f} MB after a third, {memory[-1]:.0f} MB at the end; "
                 "1 of 20 by fusion, the others by yake; one text has 60,000 characters", at_most=BOUND)  # fmt: skip
    yield Figure("memory at the end ÷ after a third", memory[-1] / settled, "×",
                 "every request has new words, and options that no other has", at_most=1.1)  # fmt: skip


async def _send_new_words(server: Server, count: int) -> tuple[list[float], Counter[int]]:
    await ready(server)
    memory, statuses, left = [server.memory()], Counter[int](), iter(range(count))

    async def client() -> None:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        for number in left:
            text = new_text(random.Random(number))
            if number == count // 10:  # a long one, which has a process of its own
                text = " ".join(new_text(random.Random(f"{number} {part}")) for part in range(500))[:60_000]
            method = "yake" if number % 20 else "fusion"
            sent = body(text, method, min_score=number / 1e6)  # with options of its own
            status, _, _ = await request(reader, writer, "/v1/extract", sent)
            statuses[status] += 1
            if sum(statuses.values()) % max(1, count // 100) == 0:
                memory.append(server.memory())
        writer.close()

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    memory.append(server.memory())
    return memory, statuses


# --- abuse ------------------------------------------------------------------------------------------------------------


class Abuse:
    """Clients that mean harm, and what became of them."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.closed: Counter[str] = Counter()  # connections that the server closed
        self.statuses: Counter[str] = Counter()

    async def _until_closed(self, kind: str, sent: bytes, *, read: bool = True) -> None:
        reader, writer = await asyncio.open_connection(self.server.host, self.server.port, limit=1024)
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            writer.write(sent)
            if read:
                async with asyncio.timeout(60):
                    while await reader.read(1000):
                        pass
                self.closed[kind] += 1
            else:  # the kernel's buffers fill up; a closed connection shows when more is sent
                async with asyncio.timeout(60):
                    while not writer.transport.is_closing():
                        writer.write(sent[:100])
                        await asyncio.sleep(0.2)
                self.closed[kind] += 1
        writer.transport.abort()

    async def slow_head(self) -> None:
        await self._until_closed("slow head", b"GET /healthz HTTP/1.1\r\nHost: local")

    async def slow_body(self) -> None:
        head = POST.format("/v1/extract", "application/json", 1000).encode()
        await self._until_closed("slow body", head + b'{"text": "a ')

    async def idle(self) -> None:
        await self._until_closed("idle", b"")

    async def unread(self) -> None:
        get = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        await self._until_closed("unread answers", get * 500, read=False)

    async def crash(self) -> None:
        """A file whose reading process is killed meanwhile."""
        upload = self._answered("crashed upload", "/v1/read", "application/pdf", b"%PDF-1.4\n" + b"\x00" * 1_000_000)
        waiting = asyncio.ensure_future(upload)
        while not waiting.done():
            for pid in self.server.processes()[1:]:
                with contextlib.suppress(OSError):
                    if b"file_reader" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.05)

    async def marks(self, count: int) -> None:
        await self._answered(f"{count:,} marks", "/v1/extract", "application/json", body("([" * (count // 2)))

    async def _answered(self, kind: str, path: str, content: str, data: bytes) -> None:
        reader, writer = await asyncio.open_connection(self.server.host, self.server.port)
        writer.write(POST.format(path, content, len(data)).encode() + data)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            line = await reader.readline()
            self.statuses[f"{kind}: {line.split()[1].decode() if line else 'none'}"] += 1
        writer.close()


async def _probe(server: Server, times: list[float], load: Load) -> None:
    """Ask /healthz again and again."""
    while not load.stop:
        start = time.perf_counter()
        reader, writer = await asyncio.open_connection(server.host, server.port)
        status, _, _ = await request(reader, writer, "/healthz", b"")
        times.append(time.perf_counter() - start if status == 200 else float("inf"))
        writer.close()
        await asyncio.sleep(0.05)


async def _client_once(server: Server, text: str) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    await request(reader, writer, "/v1/extract", body(text))
    writer.close()


async def _client(server: Server, load: Load, number: int) -> None:
    choose = random.Random(number)
    while not load.stop:
        try:
            reader, writer = await asyncio.open_connection(server.host, server.port)
            status, headers, _ = await request(reader, writer, "/v1/extract", body(new_text(choose)))
        except (OSError, EOFError):
            load.lost += 1
            return
        load.statuses[status] += 1
        writer.close()
        if status != 200:
            await asyncio.sleep(float(headers.get(b"retry-after", b"1")))


async def _drive(server: Server, quick: bool) -> tuple[Abuse, Load, list[float], list[float], tuple[int, int], int]:
    await ready(server)
    abuse, load, times = Abuse(server), Load(), []
    await _client_once(server, "([" * 5_000)  # the process for long texts, with its two pipes, starts with the first
    await asyncio.sleep(1.0)  # until these connections are forgotten
    before = server.open_files()
    clients = [asyncio.create_task(_client(server, load, number)) for number in range(CLIENTS)]
    probing = asyncio.create_task(_probe(server, times, load))
    count = 5 if quick else HARMFUL
    kinds = (abuse.slow_head, abuse.slow_body, abuse.idle, abuse.unread)
    harmful = [asyncio.create_task(kind()) for kind in kinds for _ in range(count)]
    harmful += [asyncio.create_task(abuse.crash()) for _ in range(2)]
    harmful += [asyncio.create_task(abuse.marks(size)) for size in (150_000, 10_000)]
    memory = []
    while not all(task.done() for task in harmful):
        await asyncio.sleep(0.5)
        memory.append(server.memory())
    # The rest of the good clients' requests is under way at the signal, and so are new slow ones.
    load.stop = True
    await probing
    after = server.open_files
    harmful = [asyncio.create_task(kind()) for kind in (abuse.slow_head, abuse.slow_body) for _ in range(count)]
    await asyncio.sleep(0.2)
    under_way = sum(not each.done() for each in clients)
    await asyncio.gather(*clients)
    await asyncio.gather(*harmful)
    end = time.perf_counter() + 20
    while after() > before and time.perf_counter() < end:  # closed connections are forgotten a moment later
        await asyncio.sleep(0.2)
    files = before, after()
    # SIGTERM while a request waits for each client, among connections that never send theirs.
    load.stop = False
    clients = [asyncio.create_task(_client(server, load, 100 + number)) for number in range(CLIENTS)]
    harmful = [asyncio.create_task(kind()) for kind in (abuse.slow_head, abuse.idle) for _ in range(count)]
    await asyncio.sleep(2.0)
    load.stop = True
    answered = sum(load.statuses.values())
    server.process.send_signal(signal.SIGTERM)
    await asyncio.gather(*clients, *harmful)
    under_way = sum(load.statuses.values()) - answered
    return abuse, load, times, memory, files, under_way


def abuse(quick: bool) -> Iterator[Figure]:
    server = Server(*LIMITS)
    try:
        found, load, times, memory, files, under_way = asyncio.run(_drive(server, quick))
        ended = server.process.wait(120)
    finally:
        server.process.kill()
    count = 5 if quick else HARMFUL
    for kind in ("slow head", "slow body", "idle", "unread answers"):
        yield Figure(f"{kind}: connections that the server closed", found.closed[kind], "",
                     f"{count} at once, more before the signal", at_least=count)  # fmt: skip
    yield Figure("answers to harmful requests", sum(found.statuses.values()), "",
                 ", ".join(f"{kind} ({number})" for kind, number in sorted(found.statuses.items())),
                 at_least=4)  # fmt: skip
    yield Figure("/healthz meanwhile, the longest", max(times), "s",
                 f"{len(times)} times, median {statistics.median(times):.3f} s", at_most=2)  # fmt: skip
    others = sum(number for status, number in load.statuses.items() if status not in (200, 503))
    yield Figure("other clients: answers other than 200 and 503, or none", others + load.lost, "",
                 f"{CLIENTS} clients: {shown(load.statuses)}; lost: {load.lost}; {under_way} of them under way at "
                 f"SIGTERM; exit code {ended}", at_most=0)  # fmt: skip
    yield Figure("file descriptors afterwards, more than before", files[1] - files[0], "",
                 f"{files[0]} before, {files[1]} after", at_most=0)  # fmt: skip
    yield Figure("memory of all processes, the most", max(memory), "MB", "", at_most=BOUND)

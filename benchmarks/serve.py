"""``mderank serve``: 200 clients at once against the plain loop on the same abstracts, memory, and an end under load.

Clients are on this machine too, and send their next abstract when they have the answer to the last: the time of an
answer is then mostly that of the others before it, 200 divided by the documents a second. The plain loop and the
clients take turns, so that whatever else the machine does meets both.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from common import Figure, abstracts, main
from mderank import Extractor
from mderank.methods.registry import get_method

METHODS = ("fusion", "yake")  # the default; and one without an encoder, in which serving weighs most
PARTS = (*METHODS, "new_words", "abuse")
CLIENTS = 200
ROUNDS = 6
SECONDS = 10.0  # of the clients, a round
LOOP_SECONDS = 5.0  # of each of the two plain loops, a round
SETTLED = 10.0  # seconds after which memory is compared: until then caches and arenas fill


@dataclass
class Load:
    """What the clients saw."""

    start: float = field(default_factory=time.perf_counter)
    last: float = 0.0  # when the last answer came
    latencies: list[float] = field(default_factory=list)  # seconds, of answers
    statuses: Counter[int] = field(default_factory=Counter)
    lost: int = 0  # requests without an answer
    after: Counter[int] = field(default_factory=Counter)  # statuses after the signal
    stop: bool = False
    seconds: float = 0.0  # from the first request to the last answer

    def __add__(self, other: Load) -> Load:
        return Load(
            latencies=self.latencies + other.latencies,
            statuses=self.statuses + other.statuses,
            lost=self.lost + other.lost,
            after=self.after + other.after,
            seconds=self.seconds + other.seconds,
        )


class Server:
    """``mderank serve`` in a process of its own."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-c", "from mderank.cli import main; main()", "serve", "--port", "0", "--no-open"]
        self.process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if found := re.search(r"serving at http://([\d.]+):(\d+)", line):
                self.host, self.port = found[1], int(found[2])
                return
        sys.exit("mderank serve did not start")

    def processes(self) -> list[int]:
        """Its process, which speaks HTTP, and those that extract and read files (Linux only)."""
        found = [self.process.pid]
        for pid in found:
            with contextlib.suppress(OSError):
                for children in Path(f"/proc/{pid}/task").glob("*/children"):
                    found += map(int, children.read_text().split())
        return found

    def processor(self) -> tuple[float, float]:
        """Seconds that its own process has computed, and all others together."""
        used = [0.0, 0.0]
        for number, pid in enumerate(self.processes()):
            with contextlib.suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                used[min(number, 1)] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return used[0], used[1]

    def memory(self) -> float:
        """The resident sets of all its processes, in MB."""
        total = 0
        for pid in self.processes():
            with contextlib.suppress(OSError):
                found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
                total += int(found[1]) if found else 0
        return total * 1024 / 1e6

    def open_files(self) -> int:
        """File descriptors of its own process."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


async def request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes
) -> tuple[int, dict[bytes, bytes], bytes]:
    """One request on a connection that is kept: no library, so that clients cost as little as they can."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    )
    writer.write((head if body else f"GET {path} HTTP/1.1\r\nHost: localhost\r\n").encode() + b"\r\n" + body)
    await writer.drain()
    lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines[1:])}
    return int(lines[0].split()[1]), headers, await reader.readexactly(int(headers[b"content-length"]))


async def client(server: Server, bodies: Sequence[bytes], load: Load, number: int) -> None:
    choose = random.Random(number)
    reader, writer = await asyncio.open_connection(server.host, server.port)
    while not load.stop:
        start = time.perf_counter()
        try:
            status, headers, _ = await request(reader, writer, "/v1/extract", choose.choice(bodies))
        except (OSError, EOFError):
            load.lost += 1
            return
        load.statuses[status] += 1
        if status == 200:
            load.last = time.perf_counter()
            load.latencies.append(load.last - start)
        else:  # it comes back as it was told to, on a new connection: the old one may be closed by then
            writer.close()
            end = time.perf_counter() + float(headers.get(b"retry-after", b"1"))
            while time.perf_counter() < end and not load.stop:
                await asyncio.sleep(0.1)
            if load.stop:
                return
            reader, writer = await asyncio.open_connection(server.host, server.port)
    writer.close()


async def ready(server: Server) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    while (await request(reader, writer, "/readyz", b""))[0] != 200:
        await asyncio.sleep(0.2)
    writer.close()


async def drive(
    server: Server, bodies: Sequence[bytes], seconds: float, *, end: bool
) -> tuple[Load, list[float], tuple[float, float]]:
    """The clients for a while, the server's memory second by second, and its processor time; then perhaps SIGTERM."""
    await ready(server)
    used = server.processor()
    load = Load()
    clients = [asyncio.create_task(client(server, bodies, load, number)) for number in range(CLIENTS)]
    memory = []
    while time.perf_counter() - load.start < seconds:
        await asyncio.sleep(1)
        memory.append(server.memory())
    counted = Load(latencies=list(load.latencies), statuses=Counter(load.statuses), seconds=load.last - load.start)
    now = server.processor()
    used = now[0] - used[0], now[1] - used[1]
    load.stop = True  # nobody sends another; what was sent is on the server, and most of it waits
    await asyncio.sleep(0.3)
    before = Counter(load.statuses)
    if end:
        server.process.send_signal(signal.SIGTERM)
    await asyncio.gather(*clients)
    counted.lost = load.lost
    counted.after = load.statuses - before if end else Counter()
    return counted, memory, used


@dataclass(frozen=True)
class Run:
    """So many documents, in so much time, with so much of the processor."""

    documents: int
    seconds: float
    processor: float

    def __add__(self, other: Run) -> Run:
        return Run(self.documents + other.documents, self.seconds + other.seconds, self.processor + other.processor)

    @property
    def speed(self) -> float:
        return self.documents / self.seconds


def loop(extractor: Extractor, texts: Sequence[str], seconds: float, *, many: bool = False) -> Run:
    """The plain loop for about so many seconds."""
    start, used = time.perf_counter(), time.process_time()
    count = 0
    source = (texts[number % len(texts)] for number in range(10**9))
    results = extractor.extract_many(source) if many else (extractor.extract(text) for text in source)
    for count, _ in enumerate(results, start=1):
        if time.perf_counter() - start >= seconds and (not many or count % 64 == 0):  # whole chunks only
            break
    return Run(count, time.perf_counter() - start, time.process_time() - used)


def measure(quick: bool, methods: Sequence[str]) -> Iterator[Figure]:
    import serve_abuse

    for method in methods:
        parts = {"new_words": serve_abuse.new_words, "abuse": serve_abuse.abuse}
        for figure in parts[method](quick) if method in parts else compare(method, quick):
            yield replace(figure, what=f"{method}: {figure.what}")


def compare(method: str, quick: bool) -> Iterator[Figure]:
    texts = abstracts(20 if quick else 500)
    rounds, seconds, loop_seconds = (2, 4.0, 2.0) if quick else (ROUNDS, SECONDS, LOOP_SECONDS)
    bodies = [json.dumps({"text": text, "method": method}).encode() for text in texts]
    extractor = get_method(method).make()
    extractor.extract(texts[0])
    plain = many = served = Run(0, 0.0, 0.0)
    load, memory, used, ratios = Load(), [], (0.0, 0.0), []
    server = Server()
    try:
        for number in range(rounds):
            alone = loop(extractor, texts, loop_seconds)
            plain += alone
            many += loop(extractor, texts, loop_seconds, many=True)
            found, resident, spent = asyncio.run(drive(server, bodies, seconds, end=number == rounds - 1))
            run = Run(len(found.latencies), found.seconds, sum(spent))
            served, load = served + run, load + found
            memory += resident
            used = used[0] + spent[0], used[1] + spent[1]
            ratios.append(run.speed / alone.speed)
        ended = server.process.wait(120)
    finally:
        server.process.kill()
    who = f"{CLIENTS} clients, {served.seconds:.0f} s in {rounds} rounds"
    detail = (
        f"{who}: {served.speed:.1f}/s against {plain.speed:.1f}/s by extract(), one after the other; median of the "
        f"rounds {statistics.median(ratios):.2f} ({', '.join(f'{each:.2f}' for each in sorted(ratios))})"
    )
    yield Figure("documents/s served ÷ the plain loop's", served.speed / plain.speed, "×", detail, at_least=0.8)
    detail = f"{served.speed:.1f}/s against {many.speed:.1f}/s"
    yield Figure("documents/s served ÷ extract_many()", served.speed / many.speed, "×", detail)
    each = [1000 * run.processor / run.documents for run in (served, plain)]
    yield Figure("processor time a document, served ÷ the plain loop", each[0] / each[1], "×",
                 f"{each[0]:.1f} ms against {each[1]:.1f} ms, threads that wait for each other included")  # fmt: skip
    http, extracting = (1000 * seconds / served.documents for seconds in used)
    yield Figure("processor time a document, the plain loop ÷ the busier process of the server",
                 each[1] / max(http, extracting), "×", f"{each[1]:.1f} ms against {http:.1f} ms for HTTP and "
                 f"{extracting:.1f} ms to extract; with a core for each, the documents/s", at_least=0.8)  # fmt: skip
    ordered = sorted(load.latencies)
    yield Figure("time of an answer, median", statistics.median(ordered), "s", f"{who}, {len(ordered)} answers")
    yield Figure("time of an answer, 99 of 100", ordered[int(0.99 * (len(ordered) - 1))], "s",
                 f"largest {ordered[-1]:.2f} s")  # fmt: skip
    others = sum(number for status, number in load.statuses.items() if status not in (200, 503))
    yield Figure("answers other than 200 and 503", others, "", f"by status: {shown(load.statuses)}", at_most=0)
    settled = memory[min(int(SETTLED), len(memory) // 2) :]
    detail = f"{settled[0]:.0f} MB after {len(memory) - len(settled) + 1} s, {settled[-1]:.0f} MB at the end"
    yield Figure("memory at the end ÷ when it had settled", settled[-1] / settled[0], "×",
                 f"{detail}, most {max(memory):.0f} MB", at_most=1.1)  # fmt: skip
    unanswered = load.lost + sum(load.after.values()) - load.after[200]
    detail = f"under way at the signal, and answered after it: {shown(load.after)}; exit code {ended}"
    yield Figure("requests not answered at SIGTERM", unanswered, "", detail, at_most=0)


def shown(statuses: Counter[int]) -> str:
    return ", ".join(f"{status}: {number}" for status, number in sorted(statuses.items()))


if __name__ == "__main__":
    main(measure, __doc__, PARTS)

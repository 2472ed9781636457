"""Reads files that clients send in a process each: ``python -m mderank.serve.file_reader FORMAT MEMORY SECONDS``.

A hostile PDF may ask for any time and any memory. Here it costs a process, which is ended, and nothing else.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys

from mderank.reading import InputFormat, ReadOptions, Record, read_record
from mderank.serve.config import Settings
from mderank.serve.errors import ApiError

KINDS: dict[str, InputFormat] = {
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
}


def readable_kinds() -> list[str]:
    """Those that can be read with what is installed."""
    without = "pdf" if importlib.util.find_spec("pypdf") is None else None
    return [kind for kind, form in KINDS.items() if form != without]


class Readers:
    """A few processes at a time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._busy = 0

    async def read(self, data: bytes, content_type: str) -> str:
        """The text of a file."""
        kind = KINDS.get(content_type.partition(";")[0].strip().lower())
        if kind is None:
            raise ApiError("unsupported_media_type", f"files are {', '.join(KINDS)}: name one as Content-Type")
        if self._busy >= self._settings.readers:
            raise ApiError("busy", f"{self._busy} files are being read: try again", retry_after=2)
        self._busy += 1
        try:
            return await self._run(data, kind)
        finally:
            self._busy -= 1

    async def _run(self, data: bytes, kind: InputFormat) -> str:
        limits = (str(self._settings.reader_memory), str(int(self._settings.timeout) + 1))
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, kind, *limits,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            async with asyncio.timeout(self._settings.timeout):
                out, _ = await process.communicate(data)
        except TimeoutError:
            raise ApiError("timeout", "the file could not be read in time") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        try:
            answer = json.loads(out)
        except ValueError:
            raise ApiError("unreadable", "the file cannot be read: it takes too much memory or time") from None
        if "error" in answer:
            raise ApiError("unreadable", str(answer["error"]))
        text = str(answer["text"])
        if len(text) > self._settings.max_text:
            most = self._settings.max_text
            raise ApiError("text_too_long", f"the file has {len(text):,} characters, and at most {most:,} are taken")
        return text


def main(kind: InputFormat, memory: int, seconds: int) -> None:
    """Standard input to JSON on standard output."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; there the server's own time limit remains
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    source = read_record(Record("the file", sys.stdin.buffer.read(), kind), ReadOptions())
    answer = {"text": source.text} if source.error is None else {"error": str(source.error)}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))  # type: ignore[arg-type]

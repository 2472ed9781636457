"""Read files of clients, each in its own process: ``python -m mderank.serve.file_reader FORMAT MEMORY SECONDS LENGTH``.

A hostile PDF can take any time and memory. The system ends its process at the limits, and the server is unaffected.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import signal
import sys

from mderank.reading import InputFormat, ReadOptions, Record, read_record
from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError

KINDS: dict[str, InputFormat] = {
    "text/plain": "text",
    "text/markdown": "markdown",
    "text/html": "html",
    "application/xhtml+xml": "html",
    "application/pdf": "pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/epub+zip": "epub",
    "message/rfc822": "eml",
    "text/x-rst": "rst",
    "text/x-tex": "tex",
    "application/x-ipynb+json": "ipynb",
}


def readable_kinds() -> list[str]:
    """Return the media types that the installed packages can read."""
    without = "pdf" if importlib.util.find_spec("pypdf") is None else None
    return [kind for kind, form in KINDS.items() if form != without]


class FileReaderPool:
    """Reads files in a bounded number of processes.

    Args:
        config: The limits: processes, memory, time, and length of the text.
    """

    def __init__(self, config: ServerConfig) -> None:
        self._config = config
        self._busy = 0

    async def read(self, data: bytes, content_type: str) -> dict[str, str | None]:
        """Return the ``text`` of a file, and its ``prose``.

        Args:
            data: Content of the file.
            content_type: Its media type, one of `KINDS`.

        Raises:
            ApiError: If the type is unknown, all processes are busy, a limit is reached, or the file is broken.
        """
        kind = KINDS.get(content_type.partition(";")[0].strip().lower())
        if kind is None:
            raise ApiError(
                "unsupported_media_type", f"this Content-Type cannot be read: send one of {', '.join(readable_kinds())}"
            )
        if self._busy >= self._config.max_file_readers:
            raise ApiError("busy", f"{self._busy} files are being read: try again", retry_after=2)
        self._busy += 1
        try:
            return await self._run(data, kind)
        finally:
            self._busy -= 1

    async def _run(self, data: bytes, kind: InputFormat) -> dict[str, str | None]:
        most = self._config.max_text_chars
        limits = (str(self._config.reader_memory_bytes), str(int(self._config.timeout_seconds) + 1), str(most))
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, kind, *limits,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C at the terminal is for the server, which finishes what it accepted
        )  # fmt: skip
        try:
            async with asyncio.timeout(self._config.timeout_seconds):
                out, _ = await process.communicate(data)
        except TimeoutError:
            raise ApiError(
                "timeout", f"the file was not read within {self._config.timeout_seconds:g} seconds: send a smaller one"
            ) from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        try:
            answer = json.loads(out)
        except ValueError:
            raise ApiError("unreadable", "the file takes too much memory or time to read: send a smaller one") from None
        if "error" in answer:
            raise ApiError("unreadable", str(answer["error"]))
        if "length" in answer:
            raise ApiError("text_too_long", f"the file has {answer['length']:,} characters; the limit is {most:,}")
        return {"text": answer["text"], "prose": answer["prose"]}


def main(kind: InputFormat, memory: int, seconds: int, most: int) -> None:
    """Read a file from standard input and write its text, if it is not too long, as JSON to standard output."""
    for number in (signal.SIGINT, signal.SIGTERM):  # some systems send them to all processes of a service
        signal.signal(number, signal.SIG_IGN)
    try:
        import resource
    except ImportError:  # Windows has no such limits; the server's time limit remains
        pass
    else:
        for limit, value in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
            # Refused where a lower limit holds already, and for memory on macOS, where the time limit remains.
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(limit, (value, value))
    source = read_record(Record("the file", sys.stdin.buffer.read(), kind), ReadOptions())
    answer: dict[str, str | int | None]
    if source.error is not None:
        answer = {"error": str(source.error)}
    elif len(source.text) > most:
        answer = {"length": len(source.text)}
    else:
        answer = {"text": source.text, "prose": None if source.prose == source.text else source.prose}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))  # type: ignore[arg-type]

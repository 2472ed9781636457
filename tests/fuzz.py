"""Fuzz the readers: mutate small real files, read them, and print what raises anything but an error of ours.

    python tests/fuzz.py --inputs 10000              all readers
    python tests/fuzz.py --inputs 2000 pdf parquet   some of them
    python tests/fuzz.py --extract 200               also tag, extract and write 200 inputs per reader

Input number N of a reader is always the same for one --seed. Each reader runs in a process of its own, with limits on
its memory and on its processor time per input, so that a crash is found too. A failing input is made smaller, printed,
and saved.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import multiprocessing
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from mderank.errors import MDERankError
from mderank.reading import ReadOptions, SourceDocument, find_records, read_record, read_stream

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.fuzz_inputs import READERS, Reader

MAX_CHARS = 50_000  # small, so that inputs reach the limit
MEMORY_BYTES = 2 << 30  # more than the process has at its start
SECONDS_PER_INPUT = 10  # of processor time
IN_MEMORY = Path("/dev/shm")  # a file per input takes more time on a disk than its reading
_ERROR_CHARS = 2_000
_SHRINK_STEPS = 400

# --- what holds for every input ---------------------------------------------------------------------------------------


class FuzzError(AssertionError):
    """An input was read otherwise than the readers promise."""


def options_of(random: Random) -> ReadOptions:
    """Options of the readers: mostly the defaults, now and then other fields and encodings."""
    encoding = random.choice(("utf-8", "utf-8", "utf-8", "latin-1", "ascii", "utf-16", "shift_jis", "utf-7", "gb18030"))
    tokens_field = "tokens" if random.random() < 0.1 else None
    limit = random.choice((MAX_CHARS, MAX_CHARS, 100))
    other = tokens_field is None and random.random() < 0.3
    title_field = random.choice(("title", "title.b", "id", "tags.0", None)) if other else None
    carry = random.choice(((), ("all",), ("id=key", "all"), ("text=body",), ("map.k", "tags"))) if other else ()
    return ReadOptions(
        encoding=encoding, tokens_field=tokens_field, max_document_chars=limit, title_field=title_field, carry=carry
    )


def check(reader: Reader, data: bytes, options: ReadOptions, folder: Path) -> list[SourceDocument]:
    """Read an input, and check what holds for every input. Returns its documents."""
    if not reader.suffix:
        return [_checked(each, "<stdin>", options) for each in read_stream(io.BytesIO(data), "<stdin>", options)]
    file = folder / f"input{reader.suffix}"
    file.write_bytes(data)
    records = list(find_records(file, options))
    for number in {0, len(records) // 2, len(records) - 1} if records else ():
        position = records[number].position
        if position is not None and list(find_records(file, options, position)) != records[number:]:
            raise FuzzError(f"reading from record {number} on gives other records")
    return [_checked(read_record(record, options), str(file), options) for record in records]


def _checked(source: SourceDocument, name: str, options: ReadOptions) -> SourceDocument:
    if source.error is not None:
        message = str(source.error)
        if not isinstance(source.error, MDERankError) or not message.startswith(name):
            raise FuzzError(f"an error that does not name its file: {message[:200]!r}")
        if len(message) > _ERROR_CHARS or "memory" in message:
            raise FuzzError(f"an error of {len(message)} characters, or of memory: {message[:200]!r}")
    if len(source.text) > options.max_document_chars:
        raise FuzzError(f"a text of {len(source.text)} characters")
    if source.prose is not None and len(source.prose) != len(source.text):
        raise FuzzError("the text without markup has another length")
    return source


# --- extraction -------------------------------------------------------------------------------------------------------


def make_extraction() -> Callable[[list[SourceDocument]], None]:
    """Build an extractor, and return a function that extracts documents and writes them in every format."""
    from mderank.factory import build_extractor
    from mderank.options import Options
    from mderank.pipeline import extract_documents
    from mderank.writing import WRITERS, make_writer
    from mderank.writing.csv import unescape_cell

    extractor = build_extractor(Options(method="firstphrases"))

    def extract(sources: list[SourceDocument]) -> None:
        results = list(extract_documents(extractor, sources[:5], 5))
        for source, result in zip(sources, results, strict=False):
            for phrase in result.keyphrases:
                forms = {" ".join(source.text[start:end].split()) for start, end in phrase.spans}
                if source.prose is None and not forms & set(phrase.forms):
                    raise FuzzError(f"the spans of {phrase.text!r} are {forms}")
        for name in WRITERS:
            out = io.StringIO()
            writer = make_writer(name, out, explain=True)
            writer.begin()
            for result in results:
                writer.write(result)
            writer.end()
            written = out.getvalue().encode("utf-8", "backslashreplace").decode("utf-8")
            if name == "csv":
                ids = {
                    unescape_cell(row["document"]) for row in csv.DictReader(io.StringIO(out.getvalue(), newline=""))
                }
                written_ids = (str(result.id).encode("utf-8", "backslashreplace").decode() for result in results)
                if not ids <= set(written_ids):
                    raise FuzzError("the ids of CSV output do not read back")
            elif name == "json":
                json.loads(written)

    return extract


# --- runs, each in a process of its own -------------------------------------------------------------------------------


class _TimeLimitError(BaseException):
    pass


def _limit(seconds: int) -> None:
    """Raise in this process after so many seconds of processor time; 0 switches it off."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def _raise_time_limit(*_: Any) -> None:
    raise _TimeLimitError(f"more than {SECONDS_PER_INPUT} s of processor time")


def _input(name: str, seed: int, number: int, seeds: list[bytes]) -> tuple[bytes, ReadOptions]:
    random = Random(f"{seed} {name} {number}")
    return READERS[name].make_input(random, seeds), options_of(random)


def _attempt(
    name: str, data: bytes, options: ReadOptions, folder: Path, extract: Callable[[Any], None] | None
) -> str | None:
    """Read one input; returns what was raised, None if all is well."""
    try:
        _limit(SECONDS_PER_INPUT)
        sources = check(READERS[name], data, options, folder)
        if extract is not None:
            extract(sources)
    except (Exception, _TimeLimitError) as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    finally:
        _limit(0)
    return None


def shrink(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Remove parts of an input while it still fails."""
    size, steps = max(1, len(data) // 2), 0
    while size and steps < _SHRINK_STEPS:
        at = 0
        while at < len(data) and steps < _SHRINK_STEPS:
            steps += 1
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data


def _work(name: str, seed: int, numbers: range, extract_every: int, current: Any, failures: Any) -> None:
    signal.signal(signal.SIGPROF, _raise_time_limit)
    seeds = READERS[name].seeds()
    extract = make_extraction() if extract_every else None
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY_BYTES, used + MEMORY_BYTES))
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder:
        for number in numbers:
            current.value = number
            data, options = _input(name, seed, number, seeds)
            chosen = extract if extract_every and number % extract_every == 0 else None
            raised = _attempt(name, data, options, Path(folder), chosen)
            if raised is None:
                continue
            kind = raised.partition(":")[0]

            def fails(shorter: bytes, options: Any = options, chosen: Any = chosen, kind: str = kind) -> bool:
                return (_attempt(name, shorter, options, Path(folder), chosen) or "").partition(":")[0] == kind

            smallest = data if kind == _TimeLimitError.__name__ else shrink(data, fails)
            failures.put((number, raised, smallest, repr(options)))
    failures.put((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "", b"", ""))


def fuzz(name: str, seed: int, inputs: int, extract: int = 0) -> Iterator[tuple[int, str, bytes, str]]:
    """Run a reader on its inputs, and yield the failures: number, what was raised, smallest input, options.

    Args:
        name: the reader, one of `READERS`.
        seed: the seed of the mutations.
        inputs: number of inputs.
        extract: number of inputs that are extracted and written too.
    """
    context = multiprocessing.get_context("spawn")
    number, every = 0, inputs // extract if extract else 0
    while number < inputs:
        current, failures = context.Value("q", number), context.SimpleQueue()
        process = context.Process(target=_work, args=(name, seed, range(number, inputs), every, current, failures))
        process.start()
        while process.is_alive() or not failures.empty():
            if failures.empty():
                time.sleep(0.05)
                continue
            found = failures.get()
            yield found
            if not found[1]:
                process.join()
        if process.exitcode == 0:
            return
        number = current.value
        data, options = _input(name, seed, number, READERS[name].seeds())
        yield number, f"the process ended with code {process.exitcode}", data, repr(options)
        number += 1


def main() -> None:
    """Run the readers that the command line names."""
    parser = argparse.ArgumentParser(description="Fuzz the readers.")
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"one of {', '.join(READERS)}; all by default")
    parser.add_argument("--inputs", type=int, default=10_000, help="inputs per reader")
    parser.add_argument(
        "--extract", type=int, default=0, metavar="N", help="inputs that are also extracted and written"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the mutations")
    parser.add_argument("--save", type=Path, default=Path("fuzz-failures"), help="folder for failing inputs")
    arguments = parser.parse_args()
    unknown = set(arguments.readers) - set(READERS)
    if unknown:
        parser.error(f"unknown readers: {', '.join(sorted(unknown))}")
    failed = 0
    for name in arguments.readers or READERS:
        count, start, peak = 0, time.monotonic(), 0
        for number, raised, data, options in fuzz(name, arguments.seed, arguments.inputs, arguments.extract):
            if not raised:
                peak = number // 1024
                continue
            count += 1
            arguments.save.mkdir(parents=True, exist_ok=True)
            file = arguments.save / f"{name}-{arguments.seed}-{number}{READERS[name].suffix}"
            file.write_bytes(data)
            print(f"{name} input {number}: {raised}\n  {options}\n  {data[:300]!r}\n  saved as {file}", flush=True)
        seconds = time.monotonic() - start
        print(f"{name}: {arguments.inputs} inputs, {count} failures, peak {peak} MB, {seconds:.0f} s", flush=True)
        failed += count
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""Peak memory of reading compressed files that are far larger unpacked.

``python benchmarks/reading_memory.py`` makes files of a gigabyte of zeros, of one endless line, and of markup in a Word
document or an EPUB book. It reads each in a process of its own. Exits with 1 if one takes more than 300 MB.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MOST_MEGABYTES = 300
_GIGABYTE = 1 << 30
_PACKAGE = (
    "<package><manifest><item id='a' href='b.html' media-type='text/html'/></manifest>"
    "<spine><itemref idref='a'/></spine></package>"
)
_READ = """
import resource, sys
from pathlib import Path
from mderank.reading import ReadOptions, read_file
errors = [each.error for each in read_file(Path(sys.argv[1]), ReadOptions()) if each.error]
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000, len(errors))
"""


def main() -> None:
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for suffix, start, filler in (
            (".jsonl.gz", b"", b"\0"),
            (".txt.gz", b"", b"\0"),
            (".jsonl.gz", b'{"text": "', b"a"),
            (".csv.gz", b'text\n"', b"a"),
            (".txt.gz", b"", b"a"),
        ):
            file = Path(folder) / f"bomb{suffix}"
            with gzip.open(file, "wb", compresslevel=1) as stream:
                stream.write(start)
                for _ in range(64):
                    stream.write(filler * (_GIGABYTE // 64))
            worst = max(
                worst, measure(file, f"{suffix}, 1 GB of {'zeros' if filler == bytes(1) else 'one endless line'}")
            )
        for suffix, part, filler in (
            (".docx", "word/document.xml", b"<w:r/>"),
            (".docx", "word/document.xml", b"a"),
            (".docx", "word/document.xml", b"<a b='"),
            (".epub", "b.html", b"<p>"),
            (".epub", "b.html", b"a"),
        ):
            file = Path(folder) / f"bomb{suffix}"
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                archive.writestr("META-INF/container.xml", "<c><rootfile full-path='p.opf'/></c>")
                archive.writestr("p.opf", _PACKAGE)
                with archive.open(part, "w", force_zip64=True) as stream:
                    stream.write(b"<document><p><t>")
                    for _ in range(64):
                        stream.write(filler * (_GIGABYTE // 64 // len(filler)))
            worst = max(worst, measure(file, f"{suffix}, 1 GB of {filler.decode()!r}"))
    sys.exit(worst > MOST_MEGABYTES)


def measure(file: Path, what: str) -> int:
    """Read a file in a process, and return how many megabytes that took."""
    found = subprocess.run([sys.executable, "-c", _READ, str(file)], capture_output=True, text=True, check=True)
    megabytes, errors = map(int, found.stdout.split())
    print(f"{what}: {megabytes} MB at most, {errors} error(s)", flush=True)
    return megabytes


if __name__ == "__main__":
    main()

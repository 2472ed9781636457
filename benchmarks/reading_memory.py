"""Peak memory of reading compressed files that are far larger unpacked.

``python benchmarks/reading_memory.py`` makes files of a gigabyte of zeros, and of one endless line, and reads each in a
process of its own. Exits with 1 if one takes more than 300 MB.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_MEGABYTES = 300
_GIGABYTE = 1 << 30
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
            found = subprocess.run([sys.executable, "-c", _READ, str(file)], capture_output=True, text=True, check=True)
            megabytes, errors = map(int, found.stdout.split())
            worst = max(worst, megabytes)
            kind = "zeros" if filler == b"\0" else "one endless line"
            print(f"{suffix}, 1 GB of {kind}: {megabytes} MB at most, {errors} error(s)", flush=True)
    sys.exit(worst > MOST_MEGABYTES)


if __name__ == "__main__":
    main()

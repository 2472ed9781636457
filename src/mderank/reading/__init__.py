"""Files to texts: plain text, Markdown, HTML, PDF, JSON lines, CSV, Parquet; in files, folders, patterns, streams."""

from mderank.reading.base import FORMATS, InputFormat, ReadOptions, Source
from mderank.reading.files import find_files, find_records, read_file, read_record, read_stream, walk_files
from mderank.reading.records import START, Place, Record

__all__ = [
    "FORMATS",
    "START",
    "InputFormat",
    "Place",
    "ReadOptions",
    "Record",
    "Source",
    "find_files",
    "find_records",
    "read_file",
    "read_record",
    "read_stream",
    "walk_files",
]

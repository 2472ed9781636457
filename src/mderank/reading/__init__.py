"""Read documents from files: texts, pages, books, mails, notebooks, JSON and tables, in the formats of `FORMATS`.

`find_files` lists the files of paths, folders and patterns. `read_file` and `read_stream` return their documents.
`find_records` and `read_record` do the same in two steps: a record is one document, located but not yet parsed.
"""

from mderank.reading.base import (
    FORMATS,
    MAX_DOCUMENT_CHARS,
    OBJECT_FORMATS,
    START,
    InputFormat,
    ReadOptions,
    Record,
    RecordPosition,
    SourceDocument,
)
from mderank.reading.discovery import FoundFiles, find_files, walk_files
from mderank.reading.readers import find_records, read_file, read_record, read_stream

__all__ = [
    "FORMATS",
    "MAX_DOCUMENT_CHARS",
    "OBJECT_FORMATS",
    "START",
    "FoundFiles",
    "InputFormat",
    "ReadOptions",
    "Record",
    "RecordPosition",
    "SourceDocument",
    "find_files",
    "find_records",
    "read_file",
    "read_record",
    "read_stream",
    "walk_files",
]

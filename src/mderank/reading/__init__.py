"""Files to texts: plain text, Markdown, HTML, PDF and JSON lines, from files, folders, patterns and standard input."""

from mderank.reading.base import FORMATS, InputFormat, ReadOptions, Source
from mderank.reading.files import find_files, read_file, read_stream

__all__ = ["FORMATS", "InputFormat", "ReadOptions", "Source", "find_files", "read_file", "read_stream"]

"""A griffe extension: doctests of docstrings become code blocks of the reference."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_DOCTEST = re.compile(r"^([ \t]*)>>> .*(?:\n\1\S.*)*", re.MULTILINE)


class Doctests(Extension):
    """Puts each doctest into a fence, which Markdown would read as a quotation."""

    def on_object(self, *, obj: Any, **kwargs: Any) -> None:
        """Change the docstring of one class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """The docstring with a fence around every doctest."""
    return _DOCTEST.sub(lambda match: f"{match[1]}```pycon\n{match[0]}\n{match[1]}```", text)

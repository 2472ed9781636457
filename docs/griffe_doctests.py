"""Griffe extensions: doctests of docstrings become code blocks of the reference, and types are shown without ranges."""

from __future__ import annotations

import re
from typing import Any

from griffe import Expr, ExprSubscript, ExprTuple, Extension

_DOCTEST = re.compile(r"^([ \t]*)>>> .*(?:\n\1\S.*)*", re.MULTILINE)


class Doctests(Extension):
    """Puts each doctest into a fence, which Markdown would read as a quotation."""

    def on_object(self, *, obj: Any, **kwargs: Any) -> None:
        """Change the docstring of one class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


class PlainTypes(Extension):
    """Shows the type of ``Annotated[float, Param(ge=0)]``, which is float; the text of the parameter has the range."""

    def on_object(self, *, obj: Any, **kwargs: Any) -> None:
        """Change the annotations of one function, or of one attribute."""
        changed = obj.parameters if obj.is_function else [obj] if obj.is_attribute else []
        for each in changed:
            each.annotation = plain(each.annotation)


def plain(annotation: str | Expr | None) -> str | Expr | None:
    """The annotation without ``Annotated``."""
    if isinstance(annotation, ExprSubscript) and str(annotation.left) == "Annotated":
        assert isinstance(annotation.slice, ExprTuple)
        return plain(annotation.slice.elements[0])
    return annotation


def fenced(text: str) -> str:
    """The docstring with a fence around every doctest."""
    return _DOCTEST.sub(lambda match: f"{match[1]}```pycon\n{match[0]}\n{match[1]}```", text)

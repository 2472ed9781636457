"""HTML pages from the Jinja2 templates in ``mderank/templates``.

All pages are self-contained: no script, no image, no request. ``base.html`` holds the skeleton and the content security
policy, which allows nothing but the page's own style; ``style.css`` holds the palette, light and dark.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment

_SPLIT = "\0"


def render_page(template: str, **values: Any) -> str:
    """Fill a template.

    Args:
        template: file name in ``mderank/templates``.
        values: values for the template. Text is escaped, except ``markupsafe.Markup``.

    Returns:
        The page.

    Raises:
        jinja2.TemplateError: the template is missing, or uses a value that is not given.
    """
    return _environment().get_template(template).render(values)


def render_around(template: str, **values: Any) -> tuple[str, str]:
    """Fill a template that is written in parts, and return what comes before and after its ``content``.

    Args:
        template: file name in ``mderank/templates``. It prints the value ``content`` once.
        values: the other values for the template.

    Returns:
        The beginning and the end of the page.

    Raises:
        jinja2.TemplateError: the template is missing, or uses a value that is not given.
    """
    from markupsafe import Markup

    before, _, after = render_page(template, **values, content=Markup(_SPLIT)).partition(_SPLIT)
    return before, after


def macro(template: str, name: str) -> Callable[..., str]:
    """Return a macro of a template, for parts of a page.

    Args:
        template: file name in ``mderank/templates``.
        name: name of the macro.

    Returns:
        A function that returns the part as ``markupsafe.Markup``.

    Raises:
        jinja2.TemplateNotFound: there is no such template.
    """
    found: Callable[..., str] = getattr(_environment().get_template(template).module, name)
    return found


def escape_text(text: str) -> str:
    r"""Escape text for HTML and SVG.

    Args:
        text: any text.

    Returns:
        Markup that shows the text. Control characters and lone surrogates are replaced.

    >>> escape_text("a < b\x07")
    'a &lt; b�'
    """
    return escape(replace_forbidden(text))


def replace_forbidden(text: str) -> str:
    """Replace control characters and lone surrogates, which HTML and XML forbid.

    Args:
        text: any text.

    Returns:
        Text of the same length.
    """
    shown = "".join(character if character >= " " or character in "\n\t\r" else "\ufffd" for character in text)
    return shown.encode("utf-8", "replace").decode("utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mderank"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["count"] = _count
    environment.filters["thousands"] = "{:,}".format
    return environment


def _clean(value: Any) -> Any:
    """Replace forbidden characters in every printed text that is not markup already."""
    return replace_forbidden(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"

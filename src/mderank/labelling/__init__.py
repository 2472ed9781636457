"""Labelling one's own documents on a page: ``mderank label``.

    documents ─▶ session ─▶ routes ─▶ page
    label_file ◀─┤   ▲
                 ▼   │
               learner ─▶ style

`LabelSession` holds documents, labels and what was learned. `create_label_app` makes the ASGI application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mderank.labelling.app import create_label_app
    from mderank.labelling.session import LabelSession

__all__ = ["LabelSession", "create_label_app"]


def __getattr__(name: str) -> Any:
    """Import the application, and with it FastAPI, when it is first used."""
    if name == "create_label_app":
        from mderank.labelling.app import create_label_app

        return create_label_app
    if name == "LabelSession":
        from mderank.labelling.session import LabelSession

        return LabelSession
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

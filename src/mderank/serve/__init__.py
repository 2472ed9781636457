"""The HTTP API and the page of ``mderank serve``.

    request ─▶ middleware ─▶ routes ─▶ service ─▶ batch_queue ─▶ extractor ─▶ answer
               host, key,    schemas   limits     documents of
               body size               of texts   all clients

`create_app` creates the ASGI application; ``mderank serve`` runs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mderank.serve.config import ServerConfig

if TYPE_CHECKING:
    from mderank.serve.app import create_app

__all__ = ["ServerConfig", "create_app"]


def __getattr__(name: str) -> Any:
    """Import the application, and with it FastAPI, when it is first used."""
    if name == "create_app":
        from mderank.serve.app import create_app

        return create_app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The ASGI application of the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from mderank.errors import MDERankError, MissingExtraError

try:
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.middleware.cors import CORSMiddleware
except ImportError as error:
    raise MissingExtraError("mderank serve", "serve") from error

import mderank
from mderank.encoding import Encoder
from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.middleware import RequestLimitMiddleware
from mderank.serve.routes import PAGE, answer_error, api_routes, operation_routes, page_routes
from mderank.serve.service import Service
from mderank.tagging import Tagger

_log = logging.getLogger("mderank.serve")


def create_app(encoder: Encoder, make_tagger: Callable[[], Tagger], config: ServerConfig | None = None) -> FastAPI:
    """Create the ASGI application that extracts keyphrases with one encoder.

    Args:
        encoder: Encoder of all methods that need one.
        make_tagger: Called once for each of two threads, because taggers are not shared between threads.
        config: Limits of the server; the defaults if None.

    Returns:
        The application. It loads its models when its lifespan starts, and finishes accepted requests when it ends.
    """
    service = Service(encoder, make_tagger, config or ServerConfig())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.queues.start()
        loading = asyncio.ensure_future(asyncio.to_thread(service.load))
        loading.add_done_callback(_log_failed_load)
        try:
            yield
        finally:
            service.stopping = True
            await asyncio.to_thread(service.queues.close)
            await asyncio.wait((loading,))

    app = FastAPI(
        title="mderank",
        version=mderank.__version__,
        description="Keyphrases of texts, with their character offsets. All errors have one form: see `ErrorAnswer`.",
        docs_url=None,  # these load scripts from other hosts
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers={
            ApiError: answer_error,
            MDERankError: answer_error,
            RequestValidationError: answer_error,
            HTTPException: answer_error,
        },
    )
    for routes in (api_routes(service), operation_routes(service), page_routes()):
        app.include_router(routes)
    app.state.service = service
    paths = (*app.openapi()["paths"], *PAGE, "/openapi.json")
    app.add_middleware(RequestLimitMiddleware, config=service.config, metrics=service.metrics, paths=paths)
    if service.config.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(service.config.cors),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
            expose_headers=["Retry-After"],
        )
    return app


def _log_failed_load(loading: asyncio.Future[None]) -> None:
    if not loading.cancelled() and loading.exception() is not None:
        _log.error("loading failed, no request will be accepted: %s", loading.exception())

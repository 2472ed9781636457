"""The ASGI application of the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from mderank.errors import MDERankError, MissingExtraError, OptionError

try:
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.middleware.cors import CORSMiddleware
except ImportError as error:
    raise MissingExtraError("mderank serve", "serve") from error

import mderank
from mderank.encoding import BUNDLED_MODEL, Encoder, load_encoder
from mderank.options import Options
from mderank.serve.config import OPERATOR_OPTIONS, ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.middleware import RequestLimitMiddleware
from mderank.serve.routes import PAGE, answer_error, api_routes, operation_routes, page_routes
from mderank.serve.service import Service
from mderank.tagging import SpacyTagger, Tagger

_log = logging.getLogger("mderank.serve")


def create_app(
    options: Options | None = None,
    config: ServerConfig | None = None,
    *,
    encoder: Encoder | None = None,
    make_tagger: Callable[[], Tagger] | None = None,
) -> FastAPI:
    """Create the ASGI application that extracts keyphrases with one encoder.

    Args:
        options: Encoder and tagger of the server: ``model``, ``device``, ``dtype``, ``threads``, ``tagger`` and
            ``tokenizer``. Clients choose all other options.
        config: Limits of the server; the defaults if None.
        encoder: A loaded encoder, instead of the one that the options name.
        make_tagger: Makes a tagger, instead of the one that the options name. It is called once for each of two
            threads, because taggers are not shared between threads.

    Returns:
        The application. It prepares its methods when its lifespan starts, and finishes accepted requests when it ends.

    Raises:
        OptionError: If an option is given that clients choose, or that does not fit the encoder.
        ModelError: If the encoder cannot be loaded.
    """
    options = options or Options()
    if chosen := sorted(set(options.given()).difference(OPERATOR_OPTIONS)):
        raise OptionError(
            f"clients of the server choose {', '.join(chosen)}: leave out; "
            f"the server takes {', '.join(OPERATOR_OPTIONS)}"
        )
    if encoder is None:
        encoder = load_encoder(
            options.model or BUNDLED_MODEL, device=options.device, dtype=options.dtype, threads=options.threads
        )
    if make_tagger is None:
        make_tagger = partial(SpacyTagger, options.tagger, tokenizer=options.tokenizer)
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

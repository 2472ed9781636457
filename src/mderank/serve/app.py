"""The ASGI application of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

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
from mderank.serve.extractors import LocalExtractors
from mderank.serve.middleware import RequestLimitMiddleware
from mderank.serve.routes import PAGE, answer_error, api_routes, operation_routes, page_routes
from mderank.serve.service import Service
from mderank.style import Style, load_style
from mderank.tagging import Tagger, load_tagger


def create_app(
    options: Options | None = None,
    config: ServerConfig | None = None,
    *,
    encoder: Encoder | None = None,
    make_tagger: Callable[[], Tagger] | None = None,
    styles: Sequence[Style | str | Path] = (),
) -> FastAPI:
    """Create the ASGI application that extracts keyphrases with one encoder.

    The encoder runs in processes of its own, so that this one always answers, unless ``encoder`` or ``make_tagger`` is
    given.

    Args:
        options: Encoder and tagger of the server: ``model``, ``device``, ``dtype``, ``precision``, ``threads``,
            ``tagger`` and ``tokenizer``. Clients choose all other options.
        config: Limits of the server; the defaults if None.
        encoder: A loaded encoder, instead of the one that the options name.
        make_tagger: Makes a tagger, instead of the one that the options name. It is called once for each of two
            threads, because taggers are not shared between threads.
        styles: Styles that clients may name in a request: names, files or `Style` objects.

    Returns:
        The application. It prepares its methods when its lifespan starts, and finishes accepted requests when it ends.

    Raises:
        OptionError: If an option is given that clients choose, a style is unknown, or two have the same name.
        InputError: If a style cannot be read.
    """
    options = options or Options()
    if chosen := sorted(set(options.given()).difference(OPERATOR_OPTIONS)):
        raise OptionError(
            f"clients of the server choose {', '.join(chosen)}: leave out; "
            f"the server takes {', '.join(OPERATOR_OPTIONS)}"
        )
    loaded = [each if isinstance(each, Style) else load_style(each) for each in styles]
    local = None
    if encoder is not None or make_tagger is not None:
        encoder = encoder or load_encoder(
            options.model or BUNDLED_MODEL,
            device=options.device,
            dtype=options.dtype,
            threads=options.threads,
            precision=options.precision or "auto",
        )
        local = LocalExtractors(
            encoder, make_tagger or partial(load_tagger, options.tagger, tokenizer=options.tokenizer), loaded
        )
    service = Service(options, config or ServerConfig(), local, loaded)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.queues.start()
        loading = asyncio.ensure_future(asyncio.to_thread(service.load))
        try:
            yield
        finally:
            service.stopping = True
            await asyncio.wait((loading,))
            await asyncio.to_thread(service.close)

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

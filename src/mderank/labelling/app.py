"""The ASGI application of ``mderank label``: the page and its routes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Annotated, Any, Literal

from mderank.errors import MDERankError, MissingExtraError

try:
    from fastapi import APIRouter, Depends, FastAPI, Request
    from fastapi.exceptions import RequestValidationError
    from pydantic import BaseModel, ConfigDict, Field
    from starlette.exceptions import HTTPException
    from starlette.responses import Response
except ImportError as error:
    raise MissingExtraError("mderank label", "serve") from error

import mderank
from mderank.labelling.label_file import LabelsNotSavedError
from mderank.labelling.session import LabelSession
from mderank.serve.config import LOOPBACK, ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.metrics import Metrics
from mderank.serve.middleware import RequestLimitMiddleware
from mderank.serve.routes import answer_error, json_response

# Address, package and file of everything that the page loads.
PAGE = {
    "/": ("mderank.labelling", "label.html", "text/html; charset=utf-8"),
    "/page/label.js": ("mderank.labelling", "label.js", "text/javascript; charset=utf-8"),
    "/page/selection.js": ("mderank.labelling", "selection.js", "text/javascript; charset=utf-8"),
    "/page/label.css": ("mderank.labelling", "label.css", "text/css; charset=utf-8"),
    "/page/marks.js": ("mderank.serve", "marks.js", "text/javascript; charset=utf-8"),
    "/page/style.css": ("mderank.serve", "style.css", "text/css; charset=utf-8"),
    "/page/icon.svg": ("mderank.serve", "icon.svg", "image/svg+xml"),
}


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class VerdictRequest(_Request):
    """Request: the user's verdict on a phrase."""

    phrase: Annotated[str, Field(min_length=1, max_length=300)]
    verdict: Literal["right", "wrong"] | None


class SelectionRequest(_Request):
    """A place of the text, in code points."""

    start: Annotated[int, Field(strict=True, ge=0)]
    end: Annotated[int, Field(strict=True, ge=0)]


class DoneRequest(_Request):
    """Request: mark a document as labelled, or not."""

    done: Annotated[bool, Field(strict=True)]


class SaveRequest(_Request):
    """Request: save the style, with leave to replace a file."""

    overwrite: Annotated[bool, Field(strict=True)] = False


def create_label_app(session: LabelSession) -> FastAPI:
    """Create the ASGI application that labels documents. It is for this machine only.

    Args:
        session: Documents, labels and what is learned. It is closed when the application ends.

    Returns:
        The application.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            yield
        finally:
            session.close()

    app = FastAPI(
        title="mderank label",
        version=mderank.__version__,
        docs_url=None,  # these load scripts from other hosts
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers={
            ApiError: answer_error,
            LabelsNotSavedError: _answer_not_saved,
            MDERankError: answer_error,
            RequestValidationError: answer_error,
            HTTPException: answer_error,
        },
    )
    app.include_router(_api_routes(session))
    app.include_router(_page_routes())
    app.state.session = session
    config = ServerConfig(hosts=LOOPBACK)
    app.add_middleware(RequestLimitMiddleware, config=config, metrics=Metrics(), paths=PAGE)
    return app


def _api_routes(session: LabelSession) -> APIRouter:
    """Return the routes below ``/v1``. They are plain functions, which FastAPI runs in threads."""
    api = APIRouter(prefix="/v1", dependencies=[Depends(_require_json)])

    def check(number: int) -> None:
        if not 0 <= number < len(session.documents):
            raise ApiError("not_found", f"there is no document {number}: the last is {len(session.documents) - 1}")

    @api.get("/documents")
    def documents() -> Response:
        """All documents with their states."""
        return json_response(session.overview())

    @api.get("/documents/{number}")
    def document(number: int) -> Response:
        """A document with its phrases and labels."""
        check(number)
        answer = session.document(number)
        session.prepare(number + 1)
        return json_response(answer)

    @api.post("/documents/{number}/verdict")
    def verdict(number: int, request: VerdictRequest) -> Response:
        """Say whether a phrase is right or wrong."""
        check(number)
        return json_response(session.mark(number, request.phrase, request.verdict))

    @api.post("/documents/{number}/selection")
    def selection(number: int, request: SelectionRequest) -> Response:
        """Add the phrase at a place of the text."""
        check(number)
        return json_response(session.add(number, request.start, request.end))

    @api.post("/documents/{number}/done")
    def done(number: int, request: DoneRequest) -> Response:
        """Say that a document is labelled, or that it is not."""
        check(number)
        return json_response(session.finish(number, request.done))

    @api.get("/style")
    def style() -> Response:
        """The learned style, with its gain and certainty."""
        return json_response(session.style())

    @api.post("/style")
    def save(request: SaveRequest) -> Response:
        """Save what was learned as a style."""
        try:
            return json_response(session.save_style(overwrite=request.overwrite))
        except FileExistsError as error:
            raise _ConflictError(str(error)) from error

    return api


def _page_routes() -> APIRouter:
    """Return the routes of the page. Its files are read once, so that no address becomes a file path."""
    page = APIRouter(include_in_schema=False)
    for path, (package, name, kind) in PAGE.items():
        data = files(package).joinpath("static", name).read_bytes()
        page.add_api_route(path, _static_file(data, kind), methods=["GET", "HEAD"])
    return page


def _static_file(data: bytes, kind: str) -> Callable[[], Any]:
    async def answer() -> Response:
        return Response(data, headers={"content-type": kind})

    return answer


class _ConflictError(ApiError):
    """A file is in the way (409)."""

    def __init__(self, message: str) -> None:
        super().__init__("internal", message)
        self.code, self.status = "conflict", 409


def _require_json(request: Request) -> None:
    """Require the JSON media type of requests that change something: other sites' pages cannot send it (CSRF)."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if request.method == "POST" and kind != "application/json":
        raise ApiError("unsupported_media_type", "the body must be JSON: send it with Content-Type: application/json")


async def _answer_not_saved(request: Request, error: Exception) -> Response:
    return await answer_error(request, ApiError("internal", str(error)))

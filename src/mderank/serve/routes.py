"""The routes of the server: one function per address."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from fastapi import APIRouter, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.responses import Response

import mderank
from mderank.errors import InputError, MDERankError
from mderank.keyphrase import Keyphrases
from mderank.serve import schemas as schema
from mderank.serve.errors import CODES, ApiError
from mderank.serve.file_reader import KINDS
from mderank.serve.metrics import CONTENT_TYPE
from mderank.serve.service import Service
from mderank.writing import DocumentResult

_LARGE = 20_000  # characters; the answer for longer texts is written in a thread
_SCRIPTS = ("app.js", "dom.js", "explain.js", "flow.js", "marks.js", "progress.js", "words.js")
PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    **{f"/page/{name}": (name, "text/javascript; charset=utf-8") for name in _SCRIPTS},
    "/page/style.css": ("style.css", "text/css; charset=utf-8"),
    "/page/icon.svg": ("icon.svg", "image/svg+xml"),
    "/page/examples.json": ("examples.json", "application/json"),
}


def _error_responses(*codes: str) -> dict[int | str, dict[str, Any]]:
    """Describe the error responses of a route, for OpenAPI."""
    described: dict[int | str, dict[str, Any]] = {}
    for status in sorted({CODES[code][0] for code in codes}):
        named = [f"`{code}`: {CODES[code][1]}" for code in codes if CODES[code][0] == status]
        described[status] = {"model": schema.ErrorAnswer, "description": "; ".join(named)}
    return described


_ALWAYS = ("invalid_http", "unauthorized", "unknown_host", "slow_body", "body_too_large", "internal", "busy")
_COMPUTING = (*_ALWAYS, "invalid_json", "text_too_long", "unsupported_media_type", "invalid_request",
              "invalid_options", "unreadable", "stopping", "not_ready", "timeout")  # fmt: skip


def api_routes(service: Service) -> APIRouter:
    """Return the routes below ``/v1``."""
    locked = [Security(HTTPBearer(auto_error=False, description="The API key."))]
    api = APIRouter(prefix="/v1", tags=["keyphrases"], dependencies=locked if service.config.api_key else [])

    @api.post("/extract", response_model=schema.Answer, responses=_error_responses(*_COMPUTING), summary="One text")
    async def extract(request: schema.ExtractRequest) -> Response:
        """The keyphrases of one text, with the options of ``mderank extract``."""
        (found,) = await service.extract(request.to_options(), [request])
        if isinstance(found, MDERankError):
            raise found
        return await _write_answer([(None, request.text, found)], request, lambda results: results[0])

    @api.post(
        "/extract/batch",
        response_model=schema.BatchAnswer,
        responses=_error_responses(*_COMPUTING, "batch_too_large"),
        summary="Several texts",
    )
    async def batch(request: schema.BatchRequest) -> Response:
        """The keyphrases of several texts. A text that fails has an `error`; the others have their keyphrases."""
        if len(request.documents) > service.config.max_request_documents:
            most = service.config.max_request_documents
            raise ApiError(
                "batch_too_large",
                f"the request has {len(request.documents)} documents; the limit is {most}: send several requests",
            )
        made = await service.extract(request.to_options(), request.documents)
        named = [
            (each.id if each.id is not None else number, each.text, _with_error(found))
            for number, (each, found) in enumerate(zip(request.documents, made, strict=True))
        ]
        return await _write_answer(named, request, lambda results: {"results": results})

    @api.get("/methods", response_model=schema.MethodsAnswer, responses=_error_responses(*_ALWAYS, "not_ready"),
             summary="Methods and limits")  # fmt: skip
    async def methods() -> Response:
        """The methods with their options, the labels of score terms, and the limits of the server."""
        service.check_ready()
        return json_response(service.methods())

    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in KINDS}

    @api.post("/read", response_model=schema.ReadAnswer, summary="The text of a file",
              responses=_error_responses(*_ALWAYS, "text_too_long", "unsupported_media_type", "unreadable", "timeout"),
              openapi_extra={"requestBody": {"required": True, "content": content}})  # fmt: skip
    async def read(request: Request) -> Response:
        """The text of a file in one of these formats, which is the request body. The server does not store it."""
        return json_response(await service.readers.read(await request.body(), request.headers.get("content-type", "")))

    return api


def operation_routes(service: Service) -> APIRouter:
    """Return the routes for probes and metrics."""
    operations = APIRouter(tags=["operation"])

    @operations.get("/healthz", response_model=schema.Health, summary="Liveness", responses=_error_responses(*_ALWAYS))
    async def healthz() -> Response:
        """Liveness probe: the process answers."""
        return json_response({"status": "ok", "version": mderank.__version__})

    @operations.get("/readyz", response_model=schema.Ready, summary="Readiness",
                    responses=_error_responses(*_ALWAYS, "not_ready"))  # fmt: skip
    async def readyz() -> Response:
        """Readiness probe: 503 while the server is loading, stopping or full."""
        waiting = len(service.queues)
        if not service.ready or service.stopping or waiting >= service.config.max_queue_documents:
            state = "stopping" if service.stopping else "full" if service.ready else "loading"
            raise ApiError("not_ready", f"the server is {state}", retry_after=2)
        return json_response({"status": "ready", "waiting": waiting})

    plain: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

    @operations.get("/metrics", summary="Prometheus metrics", response_class=Response,
                    responses={**plain, **_error_responses(*_ALWAYS)})  # fmt: skip
    async def metrics() -> Response:
        """Counts and times of requests, documents and batches, queue length and memory."""
        return Response(service.metrics.text(), media_type=CONTENT_TYPE)

    return operations


def page_routes() -> APIRouter:
    """Return the routes of the page. Its files are read once, so that no address becomes a file path."""
    page = APIRouter(include_in_schema=False)
    folder = files("mderank.serve").joinpath("static")
    for path, (name, kind) in PAGE.items():
        page.add_api_route(path, _static_file(folder.joinpath(name).read_bytes(), kind), methods=["GET", "HEAD"])
    return page


def _static_file(data: bytes, kind: str) -> Callable[[], Any]:
    async def answer() -> Response:
        return Response(data, headers={"content-type": kind})

    return answer


async def _write_answer(
    documents: Sequence[tuple[str | int | None, str, Keyphrases]],
    options: schema.OptionsRequest,
    whole: Callable[[Any], Any],
) -> Response:
    def write() -> Response:
        return json_response(whole([_describe_result(*each, options) for each in documents]))

    large = sum(len(text) for _, text, _ in documents) > _LARGE
    return await asyncio.to_thread(write) if large else write()


def _describe_result(
    name: str | int | None, text: str, found: Keyphrases, options: schema.OptionsRequest
) -> dict[str, Any]:
    made = DocumentResult(0, text, found).as_dict(explain=options.explain)
    return {**made, "id": name, "method": options.method}


def _with_error(found: Keyphrases | MDERankError) -> Keyphrases:
    return Keyphrases(error=found) if isinstance(found, MDERankError) else found


def json_response(answer: Any) -> Response:
    """Return a JSON response.

    Raises:
        ApiError: If the answer has numbers that are not finite, which JSON cannot hold.
    """
    try:
        body = json.dumps(answer, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate in the text: JSON can escape it, UTF-8 cannot encode it
        body = json.dumps(answer, allow_nan=False).encode("ascii")
    except ValueError as error:
        raise ApiError(
            "invalid_options", "these options give scores that are not finite numbers; use smaller weights"
        ) from error
    return Response(body, media_type="application/json")


async def answer_error(_: Request, error: Exception) -> Response:
    """Answer with an error in the documented form. The message never repeats what the client sent."""
    api_error = _as_api_error(error)
    return Response(api_error.body(), api_error.status, {**api_error.headers, "content-type": "application/json"})


def _as_api_error(error: Exception) -> ApiError:
    if isinstance(error, ApiError):
        return error
    if isinstance(error, RequestValidationError):
        return _as_invalid_request(error)
    if isinstance(error, InputError):
        return ApiError("unreadable", str(error))
    if isinstance(error, MDERankError):
        return ApiError("invalid_options", str(error))
    if isinstance(error, HTTPException):
        known = {404: "not_found", 405: "method_not_allowed", 400: "invalid_json"}
        code = known.get(error.status_code, "internal")
        return ApiError(code, CODES[code][1], headers=dict(error.headers or {}))
    return ApiError("internal", CODES["internal"][1])


def _as_invalid_request(error: RequestValidationError) -> ApiError:
    problems = error.errors()
    if any(each["type"] == "json_invalid" for each in problems):
        return ApiError("invalid_json", CODES["invalid_json"][1])
    details = [
        # Our own messages have a prefix of the library that checks bodies.
        {"where": _format_location(each["loc"]), "problem": str(each["msg"]).removeprefix("Value error, ")}
        for each in problems[:20]
    ]
    first = f"{details[0]['where']}: {details[0]['problem']}" if details else CODES["invalid_request"][1]
    return ApiError("invalid_request", first, details=details)


def _format_location(place: Sequence[str | int]) -> str:
    """Return the path of a field in the body, with long names shortened: clients can make them up."""
    return ".".join(str(part)[:60] for part in place)

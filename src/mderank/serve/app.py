"""The application: what each address does."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

from mderank.errors import InputError, MDERankError, MissingExtraError

try:
    from fastapi import APIRouter, FastAPI, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.security import HTTPBearer
    from starlette.exceptions import HTTPException
    from starlette.middleware.cors import CORSMiddleware
    from starlette.responses import Response
except ImportError as error:
    raise MissingExtraError("mderank serve", "serve") from error

from fastapi import Security

import mderank
from mderank.encoding import Encoder
from mderank.keyphrase import Keyphrases
from mderank.methods.base import BaseExtractor
from mderank.methods.registry import METHODS
from mderank.serve import schemas as schema
from mderank.serve.batch_queue import Job, Lanes, computed
from mderank.serve.config import Settings
from mderank.serve.errors import CODES, ApiError
from mderank.serve.extractor_cache import Workshop, own_settings, taken_options, weight
from mderank.serve.file_reader import KINDS, Readers, readable_kinds
from mderank.serve.metrics import CONTENT_TYPE, Metrics
from mderank.serve.middleware import Gate
from mderank.tagging import Tagger
from mderank.writing import DocumentResult

_log = logging.getLogger("mderank.serve")
_LARGE = 20_000  # characters of a text whose answer is written in a thread
_WARM_UP = "A cold engine starts slowly. The warm engine of a new car starts at once, whatever the weather is. " * 10
_MASKING = ("fusion", "mderank")
PAGE = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page/app.js": ("app.js", "text/javascript; charset=utf-8"),
    "/page/marks.js": ("marks.js", "text/javascript; charset=utf-8"),
    "/page/style.css": ("style.css", "text/css; charset=utf-8"),
    "/page/icon.svg": ("icon.svg", "image/svg+xml"),
    "/page/examples.json": ("examples.json", "application/json"),
}


def create_app(encoder: Encoder, make_tagger: Callable[[], Tagger], settings: Settings | None = None) -> FastAPI:
    """An ASGI application that extracts with this encoder.

    ``make_tagger`` is called once for each of two threads: taggers are not shared between threads.
    """
    service = Service(encoder, make_tagger, settings or Settings())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.lanes.start()
        loading = asyncio.ensure_future(asyncio.to_thread(service.load))
        loading.add_done_callback(_say_if_failed)
        try:
            yield
        finally:
            service.stopping = True
            await asyncio.to_thread(service.lanes.close)
            await asyncio.wait((loading,))

    app = FastAPI(
        title="mderank",
        version=mderank.__version__,
        description="Keyphrases of texts, each with its places. Errors have one form: see `ErrorAnswer`.",
        docs_url=None,  # these load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers={
            ApiError: _answer_error,
            MDERankError: _answer_error,
            RequestValidationError: _answer_error,
            HTTPException: _answer_error,
        },
    )
    app.include_router(_api(service))
    app.include_router(_operations(service))
    app.include_router(_page())
    app.state.service = service
    paths = (*app.openapi()["paths"], *PAGE, "/openapi.json")
    app.add_middleware(Gate, settings=service.settings, metrics=service.metrics, paths=paths)
    if service.settings.cors:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(service.settings.cors),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
            expose_headers=["Retry-After"],
        )
    return app


class Service:
    """What the addresses share."""

    def __init__(self, encoder: Encoder, make_tagger: Callable[[], Tagger], settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.lanes = Lanes(settings, self.metrics)
        self.metrics.watch(lambda: float(len(self.lanes)))
        self.readers = Readers(settings)
        self.model = encoder.spec.name
        self.stopping = False
        self.ready = False
        self._workshops = {name: Workshop(encoder, make_tagger()) for name in ("short", "long")}
        self._offered: list[dict[str, Any]] = []

    def load(self) -> None:
        """Load what is loaded when it is first used, and find out which methods work."""
        offered = self._workshops["short"].offers()
        for lane in (self.lanes.short, self.lanes.long):
            extractor = self._workshops[lane.name].get(schema.Options())
            extractor.extract(_WARM_UP)
            lane.measure(extractor, [_WARM_UP] * 4)
        self._offered = [_described(name, kind) for name, kind in offered.items()]
        self.ready = True

    def methods(self) -> dict[str, Any]:
        """What the server offers."""
        limits = ("max_body", "max_file", "max_text", "max_batch", "timeout")
        return {
            "version": mderank.__version__,
            "default": schema.Options().method,
            "model": self.model,
            "methods": self._offered,
            "limits": {name: getattr(self.settings, name) for name in limits},
            "reads": readable_kinds(),
        }

    async def extract(
        self, options: schema.Options, documents: Sequence[schema.InputDocument | schema.ExtractRequest]
    ) -> list[Keyphrases | MDERankError]:
        """The keyphrases of some documents of one request."""
        self.check_ready()
        sizes = [len(each.text) * weight(options) for each in documents]
        self._check_sizes(sizes, options)
        lane = self.lanes.of(sum(sizes))
        extractor = self._workshops[lane.name].get(options)
        jobs = [
            Job(extractor, each.text, options.top, max(1, size), each.format == "markdown")
            for each, size in zip(documents, sizes, strict=True)
        ]
        return await computed(lane, jobs, self.settings.timeout)

    def check_ready(self) -> None:
        """Refuse while the server is loading."""
        if not self.ready:
            raise ApiError("not_ready", "the server is still loading: try again", retry_after=2)

    def _check_sizes(self, sizes: Sequence[int], options: schema.Options) -> None:
        most = self.settings.max_text
        if max(sizes) > most:
            times = weight(options)
            why = f" ({times} times as costly with these options, which count)" if times > 1 else ""
            raise ApiError(
                "text_too_long", f"a text has {max(sizes) // times:,} characters{why}, and at most {most:,} are taken"
            )
        if sum(sizes) > self.settings.max_queued_text:
            most = self.settings.max_queued_text
            raise ApiError("batch_too_large", f"the texts have more than {most:,} characters in all: send fewer")


def _described(name: str, kind: type[BaseExtractor]) -> dict[str, Any]:
    method = METHODS[name]
    own = own_settings(method).values()
    return {
        "name": name,
        "kind": method.kind,
        "summary": method.summary,
        "options": taken_options(method),
        "settings": [{"name": each.name, "type": each.describe(), "default": each.shown()} for each in own],
        "diverse": "diversity" in method.options,
        "overlap": kind.default_overlap,
        "masks": name in _MASKING,
    }


def _errors(*codes: str) -> dict[int | str, dict[str, Any]]:
    """What an address may answer besides, for its description."""
    described: dict[int | str, dict[str, Any]] = {}
    for status in sorted({CODES[code][0] for code in codes}):
        named = [f"`{code}`: {CODES[code][1]}" for code in codes if CODES[code][0] == status]
        described[status] = {"model": schema.ErrorAnswer, "description": "; ".join(named)}
    return described


_ALWAYS = ("invalid_http", "unauthorized", "unknown_host", "slow_body", "body_too_large", "internal", "busy")
_COMPUTING = (*_ALWAYS, "invalid_json", "text_too_long", "unsupported_media_type", "invalid_request",
              "invalid_options", "unreadable", "stopping", "not_ready", "timeout")  # fmt: skip


def _api(service: Service) -> APIRouter:
    locked = [Security(HTTPBearer(auto_error=False, description="The API key."))]
    api = APIRouter(prefix="/v1", tags=["keyphrases"], dependencies=locked if service.settings.api_key else [])

    @api.post("/extract", response_model=schema.Answer, responses=_errors(*_COMPUTING), summary="One text")
    async def extract(request: schema.ExtractRequest) -> Response:
        """The keyphrases of one text, with the options of ``mderank extract``."""
        (found,) = await service.extract(request, [request])
        if isinstance(found, MDERankError):
            raise found
        return await _written([(None, request.text, found)], request, lambda results: results[0])

    @api.post(
        "/extract/batch",
        response_model=schema.BatchAnswer,
        responses=_errors(*_COMPUTING, "batch_too_large"),
        summary="Several texts",
    )
    async def batch(request: schema.BatchRequest) -> Response:
        """The keyphrases of several texts. One that fails has an error in its place, and the others their answer."""
        if len(request.documents) > service.settings.max_batch:
            most = service.settings.max_batch
            raise ApiError("batch_too_large", f"{len(request.documents)} documents, and at most {most} are taken")
        made = await service.extract(request, request.documents)
        named = [
            (each.id if each.id is not None else number, each.text, _failed(found))
            for number, (each, found) in enumerate(zip(request.documents, made, strict=True))
        ]
        return await _written(named, request, lambda results: {"results": results})

    @api.get("/methods", response_model=schema.MethodsAnswer, responses=_errors(*_ALWAYS, "not_ready"),
             summary="What is offered")  # fmt: skip
    async def methods() -> Response:
        """The methods with the options that each takes, and the server's limits."""
        service.check_ready()
        return _json(service.methods())

    content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in KINDS}

    @api.post("/read", response_model=schema.ReadAnswer, summary="The text of a file",
              responses=_errors(*_ALWAYS, "text_too_long", "unsupported_media_type", "unreadable", "timeout"),
              openapi_extra={"requestBody": {"required": True, "content": content}})  # fmt: skip
    async def read(request: Request) -> Response:
        """The text of a PDF, an HTML page, or a text file, which is the body. Nothing of it is kept."""
        text = await service.readers.read(await request.body(), request.headers.get("content-type", ""))
        return _json({"text": text})

    return api


def _operations(service: Service) -> APIRouter:
    operations = APIRouter(tags=["operation"])

    @operations.get("/healthz", response_model=schema.Health, summary="Does it live?", responses=_errors(*_ALWAYS))
    async def healthz() -> Response:
        """For whoever restarts what is dead."""
        return _json({"status": "ok", "version": mderank.__version__})

    @operations.get("/readyz", response_model=schema.Ready, summary="Does it take requests?",
                    responses=_errors(*_ALWAYS, "not_ready"))  # fmt: skip
    async def readyz() -> Response:
        """For whoever sends requests where they are taken: not while loading, stopping, or full."""
        waiting = len(service.lanes)
        if not service.ready or service.stopping or waiting >= service.settings.max_queue:
            state = "stopping" if service.stopping else "full" if service.ready else "loading"
            raise ApiError("not_ready", f"the server is {state}", retry_after=2)
        return _json({"status": "ready", "waiting": waiting})

    plain: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}

    @operations.get("/metrics", summary="For Prometheus", response_class=Response,
                    responses={**plain, **_errors(*_ALWAYS)})  # fmt: skip
    async def metrics() -> Response:
        """Requests, documents, the queue, batches, memory."""
        return Response(service.metrics.text(), media_type=CONTENT_TYPE)

    return operations


def _page() -> APIRouter:
    """The page's files, read once: no address is ever made into a path."""
    page = APIRouter(include_in_schema=False)
    folder = files("mderank.serve").joinpath("static")
    for path, (name, kind) in PAGE.items():
        page.add_api_route(path, _file(folder.joinpath(name).read_bytes(), kind), methods=["GET", "HEAD"])
    return page


def _file(data: bytes, kind: str) -> Callable[[], Any]:
    async def answer() -> Response:
        return Response(data, headers={"content-type": kind})

    return answer


async def _written(
    documents: Sequence[tuple[str | int | None, str, Keyphrases]], options: schema.Options, whole: Callable[[Any], Any]
) -> Response:
    def write() -> Response:
        return _json(whole([_result(*each, options) for each in documents]))

    large = sum(len(text) for _, text, _ in documents) > _LARGE
    return await asyncio.to_thread(write) if large else write()


def _result(name: str | int | None, text: str, found: Keyphrases, options: schema.Options) -> dict[str, Any]:
    made = DocumentResult(0, text, found).as_dict(explain=options.explain)
    return {**made, "id": name, "method": options.method}


def _failed(found: Keyphrases | MDERankError) -> Keyphrases:
    return Keyphrases(error=found) if isinstance(found, MDERankError) else found


def _json(answer: Any) -> Response:
    try:
        body = json.dumps(answer, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:  # a lone surrogate of the client's own, which UTF-8 cannot have and JSON's escapes can
        body = json.dumps(answer, allow_nan=False).encode("ascii")
    except ValueError as error:
        raise ApiError("invalid_options", "with these options scores are no numbers any more") from error
    return Response(body, media_type="application/json")


def _say_if_failed(loading: asyncio.Future[None]) -> None:
    if not loading.cancelled() and loading.exception() is not None:
        _log.error("loading failed, no request will be taken: %s", loading.exception())


async def _answer_error(_: Request, error: Exception) -> Response:
    """Every error in the documented form. What a client sent is never repeated: it may be anything."""
    told = _told(error)
    return Response(told.body(), told.status, {**told.headers, "content-type": "application/json"})


def _told(error: Exception) -> ApiError:
    if isinstance(error, ApiError):
        return error
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, InputError):
        return ApiError("unreadable", str(error))
    if isinstance(error, MDERankError):
        return ApiError("invalid_options", str(error))
    if isinstance(error, HTTPException):
        known = {404: "not_found", 405: "method_not_allowed", 400: "invalid_json"}
        code = known.get(error.status_code, "internal")
        return ApiError(code, CODES[code][1], headers=dict(error.headers or {}))
    return ApiError("internal", CODES["internal"][1])


def _invalid(error: RequestValidationError) -> ApiError:
    problems = error.errors()
    if any(each["type"] == "json_invalid" for each in problems):
        return ApiError("invalid_json", CODES["invalid_json"][1])
    details = [{"where": _where(each["loc"]), "problem": str(each["msg"])} for each in problems[:20]]
    first = f"{details[0]['where']}: {details[0]['problem']}" if details else CODES["invalid_request"][1]
    return ApiError("invalid_request", first, details=details)


def _where(place: Sequence[str | int]) -> str:
    """A place in the body; a name that the client made up is cut short."""
    return ".".join(str(part)[:60] for part in place)

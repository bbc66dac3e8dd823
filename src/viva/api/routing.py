"""How a route is declared: its method, its path, its errors and its kind of response."""

from collections.abc import Callable
from typing import Any

from litestar import Request
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, ExceptionHandlersMap, Receive, Scope, Send

from viva.api.json import JsonResponse
from viva.api.route_handlers import RequestHandler, read_handler, respond, stream_handler, write_handler
from viva.api.route_spec import (
    Complete,
    Function,
    Prepare,
    ReadAgain,
    ResponseKind,
    RouteCall,
    RouteSpec,
    Together,
)
from viva.kit.errors import VivaError

RouteDecorator = Callable[[Function], HTTPRouteHandler]


async def respond_json(call: RouteCall, value: Any) -> JsonResponse:
    return await respond(200, value)


JSON = ResponseKind(("application/json",), respond_json)


class ApiRoute(HTTPRouteHandler):
    """A route with its specification, for the OpenAPI document.

    Litestar finds it, and our handler answers as a middleware. Litestar's own call of a handler also looks for
    dependencies, guards and hooks, which these routes do not have. It took a tenth of the time of a post."""

    def __init__(self, path: str, spec: RouteSpec, handler: RequestHandler) -> None:
        super().__init__(
            path, http_method=HttpMethod(spec.method), status_code=200, middleware=[lambda app: answering(handler)]
        )
        self.spec = spec
        self._resolved: ExceptionHandlersMap | None = None
        self(handler)

    def resolve_exception_handlers(self) -> ExceptionHandlersMap:
        """Litestar asks for them at every request and would walk up its routers each time."""
        if self._resolved is None:
            self._resolved = super().resolve_exception_handlers()
        return self._resolved


def answering(handler: RequestHandler) -> ASGIApp:
    """The ASGI app of a handler."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request: Request = Request(scope, receive, send)
        response = await handler(request)
        await response.to_asgi_response(None, request)(scope, receive, send)

    return answer


def get(
    path: str,
    *raises: type[VivaError],
    response: ResponseKind = JSON,
    writes: bool = False,
    is_slow: bool = False,
    may_be_slow: bool = False,
) -> RouteDecorator:
    """A slow read, such as one that writes a large document, has a thread. One that may be slow finds out by itself."""
    slowness = {"is_slow": is_slow, "may_be_slow": may_be_slow}
    return declare(path, "GET", 200, raises, response=response, writes=writes, **slowness)


def post(
    path: str,
    *raises: type[VivaError],
    status: int = 201,
    other_status: int | None = None,
    read_again: ReadAgain | None = None,
    together: Together | None = None,
    complete: Complete | None = None,
    prepare: Prepare | None = None,
    **reference: Any,
) -> RouteDecorator:
    """`read_again` is for answers that may be large. It reads the answer again if a request is repeated.

    `complete` is for what follows the commit. It runs for a repeated request too, so that a stop before it does no harm.
    `prepare` is for long work before the transaction, in which other writes would wait for it.
    `reference` is for the API reference alone: forms of the body, and examples."""
    return declare(
        path,
        "POST",
        status,
        raises,
        other_status=other_status,
        read_again=read_again,
        together=together,
        complete=complete,
        prepare=prepare,
        **reference,
    )


def post_stream(path: str, *raises: type[VivaError], body_media_types: tuple[str, ...], status: int) -> RouteDecorator:
    """A POST whose asynchronous function reads the body itself, as `incoming`. It runs in no transaction."""

    def decorate(function: Function) -> HTTPRouteHandler:
        spec = RouteSpec.of(function, "POST", status, raises, JSON, body_media_types=body_media_types)
        return ApiRoute(path, spec, stream_handler(spec))

    return decorate


def patch(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return declare(path, "PATCH", 200, raises)


def put(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return declare(path, "PUT", 200, raises)


def delete(path: str, *raises: type[VivaError], admits_suspended: bool = False) -> RouteDecorator:
    return declare(path, "DELETE", 204, raises, admits_suspended=admits_suspended)


def declare(
    path: str,
    method: str,
    status: int,
    raises: tuple[type[VivaError], ...],
    response: ResponseKind = JSON,
    **options: Any,
) -> RouteDecorator:
    """Make a route from a function that takes dependencies (see DEPENDENCIES) and parameters of the request.

    The options are the last fields of RouteSpec."""

    def decorate(function: Function) -> HTTPRouteHandler:
        spec = RouteSpec.of(function, method, status, raises, response, **options)
        return ApiRoute(path, spec, read_handler(spec) if method == "GET" else write_handler(spec))

    return decorate

"""How a route runs: a plain function that is given a connection, in one transaction, with its caller recognised."""

from collections.abc import Callable
from typing import Any

import msgspec
from litestar import Request
from litestar.handlers import HTTPRouteHandler

from viva.agents import access
from viva.api.hub import Hub, hub_of
from viva.api.json import JsonAnswer
from viva.api.reading import body_of, header, read_body, read_words
from viva.api.shape import Answer, Shape
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized, VivaError
from viva.kit.limits import subject_of
from viva.kit.replays import KeptAnswer, Replay

SMALL = 64 * 1024  # bytes of a body that anybody may make us keep; a larger one only who has a key
ANY_OBJECT = msgspec.json.Decoder(dict[str, Any])
Function = Callable[..., Any]
RouteDecorator = Callable[[Function], HTTPRouteHandler]


def get(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return route("GET", path, 200, raises)


def post(
    path: str,
    *raises: type[VivaError],
    status: int = 201,
    also: int | None = None,
    together: Callable[..., Any] | None = None,
) -> RouteDecorator:
    """`together` is tried first, without a unit of its own; it answers None where the function has to run."""
    return route("POST", path, status, raises, also, together)


def patch(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return route("PATCH", path, 200, raises)


def delete(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return route("DELETE", path, 204, raises)


def route(
    method: str,
    path: str,
    status: int,
    raises: tuple[type[VivaError], ...],
    also: int | None = None,
    together: Callable[..., Any] | None = None,
) -> RouteDecorator:
    """Make a route of a function that takes `db`, `caller` and the like (see GIVEN), and parts of the request."""

    def decorate(function: Function) -> HTTPRouteHandler:
        shape = Shape.of(function, status, raises, also)
        handler = reading(function, shape) if method == "GET" else writing(function, shape, together)
        handler.shape = shape  # type: ignore[attr-defined]  # for the OpenAPI document
        return HTTPRouteHandler(path, http_method=method, status_code=200)(handler)  # type: ignore[arg-type]

    return decorate


def reading(function: Function, shape: Shape) -> Function:
    async def handler(request: Request) -> JsonAnswer:
        hub = hub_of(request)
        key = await admitted(request, hub, shape.needs_key)
        words = read_words(request, shape)
        answer = await hub.database.read(lambda db: function(**words, **shape.given(db, key, hub)))
        return JsonAnswer(shape.status, msgspec.json.encode(answer))

    return handler


def writing(function: Function, shape: Shape, together: Callable[..., Any] | None = None) -> Function:
    async def handler(request: Request) -> JsonAnswer:
        hub = hub_of(request)
        key = await admitted(request, hub, shape.needs_key)
        if hub.rate_limits and not shape.needs_key:
            await hub.rate_limits.nameless.take(hub.database, subject_of(address(request)))
        words = read_words(request, shape)
        if shape.needs_key and "key" not in shape.wants and may_be_large(request):
            await hub.database.read(lambda db: access.caller(db, key or ""))
        body = await body_of(request, hub.body_bytes if shape.needs_key else min(SMALL, hub.body_bytes))
        if shape.body is not None:
            words["data"] = read_body(body or b"{}", shape.body)  # what is missing is then told by its name
        elif body:
            read_body(body, ANY_OBJECT)  # of no use to the route, but who sends it wrong wants to know
        replay = replay_of(request, hub, key, body)
        if together and not replay:
            answer = await together(hub, key or "", **words)
            if answer is not None:
                return JsonAnswer(shape.status, msgspec.json.encode(answer))

        def unit(db: Connection) -> KeptAnswer:
            kept = replay and replay.begin(db)
            if kept:
                if shape.needs_key and "key" not in shape.wants:  # whoever repeats a rotation has the old key
                    access.caller(db, key or "")
                return kept
            answer = function(**words, **shape.given(db, key, hub))
            status, answer = (answer.status, answer.body) if isinstance(answer, Answer) else (shape.status, answer)
            kept = KeptAnswer(status, b"" if answer is None else msgspec.json.encode(answer))
            if replay:
                replay.keep(db, kept)
            return kept

        return JsonAnswer(*await hub.database.write(unit, lane=words.get("session_id")))

    return handler


async def admitted(request: Request, hub: Hub, needs_key: bool) -> str | None:
    """The key that was sent, if any, once the caller has been found not to call too often."""
    key = bearer(header(request, b"authorization"))
    if needs_key and key is None:
        raise Unauthorized()
    if hub.rate_limits:
        await hub.rate_limits.admit(hub.database, access.Key(key).hash if key else None, address(request))
    return key


def may_be_large(request: Request) -> bool:
    length = header(request, b"content-length")
    return header(request, b"transfer-encoding") is not None or (length is not None and int(length) > SMALL)


def bearer(authorization: str | None) -> str | None:
    scheme, _, key = (authorization or "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def replay_of(request: Request, hub: Hub, key: str | None, body: bytes) -> Replay | None:
    idempotency_key = header(request, b"idempotency-key")
    if idempotency_key is None or request.method != "POST":
        return None
    caller = access.Key(key).hash if key else f"address {address(request)}"
    return Replay(caller, idempotency_key, f"{request.scope['path']}\n".encode() + body, hub.secret)

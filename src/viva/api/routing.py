"""How a route runs: a plain function that is given a connection, in one transaction, with its caller recognised."""

import inspect
import re
from collections.abc import Callable
from typing import Any, get_type_hints

import msgspec
from litestar import Request, Response
from litestar.connection import ASGIConnection
from litestar.handlers import HTTPRouteHandler
from litestar.handlers.base import BaseRouteHandler

from viva.agents import access
from viva.agents.model import Agent
from viva.api.hub import Hub, hub_of
from viva.kit.db import Connection
from viva.kit.errors import Fault, Invalid, Unauthorized, VivaError
from viva.kit.replays import KeptAnswer, Replay

Function = Callable[..., Any]
RouteDecorator = Callable[[Function], HTTPRouteHandler]

# Parameters of a route that do not come from the request's words.
GIVEN = ("db", "caller", "viewer", "key", "hub")


class NullCharacter(Invalid):
    """Text may not contain the null character."""


class Answer(msgspec.Struct, frozen=True):
    """A body with a status other than the route's usual one."""

    status: int
    body: Any


def get(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return route("GET", path, 200, raises)


def post(path: str, *raises: type[VivaError], status: int = 201) -> RouteDecorator:
    return route("POST", path, status, raises)


def patch(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return route("PATCH", path, 200, raises)


def delete(path: str, *raises: type[VivaError]) -> RouteDecorator:
    return route("DELETE", path, 204, raises)


def route(method: str, path: str, status: int, raises: tuple[type[VivaError], ...]) -> RouteDecorator:
    """Make a route of a function that takes `db`, whichever others of GIVEN it names, and parts of the request."""

    def decorate(function: Function) -> HTTPRouteHandler:
        wants = [name for name in GIVEN if name in inspect.signature(function).parameters]
        handler = reading(function, wants) if method == "GET" else writing(function, wants, status)
        return HTTPRouteHandler(
            path,
            http_method=method,  # type: ignore[arg-type]
            status_code=status,
            guards=[has_key] if "caller" in wants else None,
            opt={"raises": raises, "needs_key": "caller" in wants},
        )(signed_like(handler, function))

    return decorate


def reading(function: Function, wants: list[str]) -> Function:
    async def handler(request: Request, **words: Any) -> Any:  # type: ignore[type-arg]
        hub = hub_of(request)
        key = await admitted(request, hub)
        return await hub.database.read(lambda db: function(**words, **given(db, wants, key, hub)))

    return handler


def writing(function: Function, wants: list[str], status: int) -> Function:
    async def handler(request: Request, **words: Any) -> Any:  # type: ignore[type-arg]
        hub = hub_of(request)
        key = await admitted(request, hub)
        body = await request.body()
        check_no_null_character(body)
        replay = replay_of(request, hub, key, body)

        def unit(db: Connection) -> Any:
            kept = replay and replay.begin(db)
            if kept:
                return kept
            answer = function(**words, **given(db, wants, key, hub))
            if not isinstance(answer, Answer):
                answer = Answer(status, answer)
            kept = KeptAnswer(answer.status, b"" if answer.body is None else msgspec.json.encode(answer.body))
            if replay:
                replay.keep(db, kept)
            return kept

        kept = await hub.database.write(unit)
        return Response(kept.body, status_code=kept.status, media_type="application/json")

    return handler


def signed_like(handler: Function, function: Function) -> Function:
    """Give the handler the function's name, docstring and those parameters that Litestar is to fill in."""
    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in signature.parameters.items()
        if name not in GIVEN
    ]
    request = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
    handler.__signature__ = signature.replace(parameters=[request, *parameters], return_annotation=hints["return"])  # type: ignore[attr-defined]
    handler.__annotations__ = {p.name: p.annotation for p in [request, *parameters]} | {"return": hints["return"]}
    handler.__name__, handler.__doc__, handler.__module__ = function.__name__, function.__doc__, function.__module__
    handler.__qualname__ = function.__qualname__
    return handler


def given(db: Connection, wants: list[str], key: str | None, hub: Hub) -> dict[str, Any]:
    values: dict[str, Any] = {"db": db, "key": key, "hub": hub}
    if "caller" in wants:
        values["caller"] = access.caller(db, key or "")
    if "viewer" in wants:
        values["viewer"] = viewer(db, key)
    return {name: values[name] for name in wants}


def viewer(db: Connection, key: str | None) -> Agent | None:
    """Who looks, on routes that need nobody to be signed in."""
    return access.caller(db, key) if key else None


async def admitted(request: Request, hub: Hub) -> str | None:  # type: ignore[type-arg]
    """The caller's key, if one was sent, once the caller has been found not to call too often."""
    key = bearer(request)
    if hub.rate_limits:
        if key:
            await hub.rate_limits.key.take(hub.database, access.Key(key).hash[:32])
        await hub.rate_limits.address.take(hub.database, address(request))
    return key


def bearer(connection: ASGIConnection) -> str | None:  # type: ignore[type-arg]
    scheme, _, key = connection.headers.get("authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


def address(connection: ASGIConnection) -> str:  # type: ignore[type-arg]
    return connection.client.host if connection.client else "unknown"


def has_key(connection: ASGIConnection, _: BaseRouteHandler) -> None:  # type: ignore[type-arg]
    """Refuse a request without a key before its body is read."""
    if bearer(connection) is None:
        raise Unauthorized()


def replay_of(request: Request, hub: Hub, key: str | None, body: bytes) -> Replay | None:  # type: ignore[type-arg]
    idempotency_key = request.headers.get("idempotency-key")
    if idempotency_key is None or request.method != "POST":
        return None
    caller = access.Key(key).hash if key else f"address {address(request)}"
    return Replay(caller, idempotency_key, f"{request.method} {request.url.path}\n".encode() + body, hub.secret)


def check_no_null_character(body: bytes) -> None:
    """PostgreSQL keeps no null characters; an even number of backslashes before `u0000` is not an escape."""
    if b"u0000" in body and re.search(rb"(?<!\\)(?:\\\\)*\\u0000", body):
        raise NullCharacter(faults=(Fault("body", "null_character", NullCharacter.__doc__ or ""),))

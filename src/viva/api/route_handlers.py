"""How a route runs: the caller is recognised, the request is read, and the function runs in one transaction."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
from litestar import Request
from litestar.response import Response

from viva.agents import access
from viva.api.json import JsonResponse, encode, encode_small
from viva.api.reading import header, read_json, read_parameters
from viva.api.route_spec import RouteCall, RouteSpec, StatusAnswer
from viva.context import HubContext, address_of, hub_of, note_account
from viva.kit.bodies import read_body
from viva.kit.db import Connection
from viva.kit.errors import Unauthorized
from viva.kit.events import actor_at
from viva.kit.idempotency import IdempotentRequest, IdempotentResponse
from viva.kit.limits import subject_of

NAMELESS_BODY_BYTES = 64 * 1024  # that anybody may make us keep; a larger body is only for who has a key
KEPT_ANSWER_BYTES = 4 * 1024  # of an answer that can be read again; most have a few hundred
LARGE_REQUEST_BYTES = 256 * 1024  # whose digest takes a millisecond
ANY_OBJECT = msgspec.json.Decoder(dict[str, Any])
T = TypeVar("T")
RequestHandler = Callable[[Request], Awaitable[Response[Any]]]


class Written(NamedTuple):
    """What a write answers; its JSON where that was needed already."""

    status: int
    value: Any
    body: bytes | None


def read_handler(spec: RouteSpec) -> RequestHandler:
    async def handler(request: Request) -> Response[Any]:
        hub = hub_of(request)
        key = await admit(request, hub, spec.needs_key)
        parameters = read_parameters(request, spec)
        call = RouteCall(request, hub, act_for(request, hub, lambda db: spec.run(db, key, hub, parameters)))
        return await spec.response.respond(call, await hub.database.read(call.run))

    return handler


def write_handler(spec: RouteSpec) -> RequestHandler:
    decoder = msgspec.json.Decoder(spec.body_type) if spec.body_type else None
    keeps_key = spec.needs_key and "key" not in spec.dependencies  # who repeats a rotation has the old key

    async def handler(request: Request) -> Response[Any]:
        hub = hub_of(request)
        key = await admit(request, hub, spec.needs_key)
        if hub.rate_limits and not spec.needs_key:
            await hub.rate_limits.anonymous.take(hub.database, subject_of(address_of(request)))
        arguments = read_parameters(request, spec)
        if keeps_key and may_be_large(request):
            await hub.database.read(lambda db: access.caller(db, key or ""))
        max_bytes = hub.body_bytes if spec.needs_key else min(NAMELESS_BODY_BYTES, hub.body_bytes)
        body = await read_body(request.receive, max_bytes)
        if decoder is not None:
            arguments["data"] = read_json(body or b"{}", decoder)  # what is missing is then named
        elif body:
            read_json(body, ANY_OBJECT)  # of no use to the route, but who sends it wrong wants to know
        repeatable = await idempotent_request(request, hub, key, body)
        if spec.together and repeatable is None:
            value = await spec.together(request, hub, key or "", **arguments)
            if value is not None:
                return JsonResponse(spec.status, *await encode(value))

        def unit(db: Connection) -> Written:
            kept = repeatable.begin(db) if repeatable else None
            if kept is None:
                return keep(db, spec, repeatable, spec.run(db, key, hub, arguments))
            if keeps_key:
                access.caller(db, key or "")
            if kept.body is not None:
                return Written(kept.status, None, kept.body)
            again = arguments | {"reference": kept.reference}
            return Written(kept.status, spec.run_again(db, key, hub, again), None)

        lane = arguments.get("session_id")
        status, value, encoded = await hub.database.write(act_for(request, hub, unit), lane)
        return JsonResponse(status, *(await encode(value) if encoded is None else [encoded]))

    return handler


def act_for(request: Request, hub: HubContext, unit: Callable[[Connection], T]) -> Callable[[Connection], T]:
    """The unit in the name of the caller; the request's log line says who that was found to be."""

    def run(db: Connection) -> T:
        db.actor = actor_at("api", hub.secret, address_of(request))
        try:
            return unit(db)
        finally:
            note_account(request, db.actor.account_id)

    return run


def keep(db: Connection, spec: RouteSpec, repeatable: IdempotentRequest | None, value: Any) -> Written:
    """Keep the answer for whoever repeats the request: a small one whole, a large one by its reference."""
    status, value = (value.status, value.body) if isinstance(value, StatusAnswer) else (spec.status, value)
    if value is None:
        body: bytes | None = b""
    elif repeatable is None:
        return Written(status, value, None)
    else:
        body = encode_small(value, KEPT_ANSWER_BYTES) if spec.read_again else msgspec.json.encode(value)
    if repeatable:
        reference = spec.read_again.reference(value) if spec.read_again and body is None else ""
        repeatable.keep(db, IdempotentResponse(status, body, reference))
    return Written(status, value, body)


async def admit(request: Request, hub: HubContext, needs_key: bool) -> str | None:
    """The key that was sent, if any, once the caller has been found not to call too often."""
    key = bearer(header(request, b"authorization"))
    if needs_key and key is None:
        raise Unauthorized()
    await hub.admit(access.ApiKey(key).hash if key else None, address_of(request))
    return key


def may_be_large(request: Request) -> bool:
    length = header(request, b"content-length")
    return header(request, b"transfer-encoding") is not None or (
        length is not None and int(length) > NAMELESS_BODY_BYTES
    )


def bearer(authorization: str | None) -> str | None:
    scheme, _, key = (authorization or "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


async def idempotent_request(
    request: Request, hub: HubContext, key: str | None, body: bytes
) -> IdempotentRequest | None:
    idempotency_key = header(request, b"idempotency-key")
    if idempotency_key is None or request.method != "POST":
        return None
    caller = access.ApiKey(key).hash if key else f"address {subject_of(address_of(request))}"
    whole = f"{request.scope['path']}\n".encode() + body
    if len(whole) > LARGE_REQUEST_BYTES:
        return await asyncio.to_thread(IdempotentRequest, caller, idempotency_key, whole, hub.secret)
    return IdempotentRequest(caller, idempotency_key, whole, hub.secret)

"""How a route runs: it identifies the caller, reads the request, and calls the function in one transaction."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import msgspec
from litestar import Request
from litestar.response import Response

from viva.agents import access
from viva.api.json import JsonResponse, encode, encode_small, long_lists
from viva.api.reading import header, read_json, read_parameters
from viva.api.route_spec import EncodedAnswer, RouteCall, RouteSpec, StatusAnswer, resolve
from viva.context import HubContext, address_of, hub_of, note_account, read_slowly
from viva.kit.bodies import read_body
from viva.kit.db import Connection, NeedsThread
from viva.kit.errors import Unauthorized, VivaError
from viva.kit.events import actor_at
from viva.kit.idempotency import IdempotentRequest, IdempotentResponse
from viva.kit.limits import subject_of

MAX_BODY_BYTES_WITHOUT_KEY = 64 * 1024  # a larger body needs a valid key before it is read into memory
MAX_STORED_ANSWER_BYTES = 4 * 1024  # a larger answer is stored as a reference; most have a few hundred bytes
LARGE_REQUEST_BYTES = 256 * 1024  # a digest of this takes a millisecond
OBJECT_DECODER = msgspec.json.Decoder(dict[str, Any])
T = TypeVar("T")
RequestHandler = Callable[[Request], Awaitable[Response[Any]]]


class WriteAnswer(NamedTuple):
    """The answer of a write, and its JSON if that is encoded already."""

    status: int
    value: Any
    body: bytes | None


def read_handler(spec: RouteSpec) -> RequestHandler:
    async def handler(request: Request) -> Response[Any]:
        hub = hub_of(request)
        key = await admit(request, hub, spec.needs_key)
        parameters = read_parameters(request, spec)

        def unit(db: Connection) -> Any:
            try:
                return spec.run(db, key, hub, parameters)
            finally:
                note_account(request, db.actor.account_id)

        call = RouteCall(request, hub, unit)
        if spec.writes:
            return await spec.response.respond(call, await hub.database.write(act_for(request, hub, call.run)))
        return await spec.response.respond(call, await read_for(spec, call, parameters))

    return handler


async def read_for(spec: RouteSpec, call: RouteCall, parameters: dict[str, Any]) -> Any:
    """Read in a thread what takes long, and anything else where the database reads."""
    database = call.hub.database
    if spec.is_slow or (database.reads_on_loop and spec.is_long(parameters)):
        return await read_slowly(database, call.run)
    try:
        return await database.read(call.run)
    except NeedsThread:
        return await read_slowly(database, call.run)


def write_handler(spec: RouteSpec) -> RequestHandler:
    route = WriteRoute(spec)

    async def handler(request: Request) -> Response[Any]:
        return await route.handle(request)

    return handler


class IncomingBody(NamedTuple):
    """A body that its route reads itself, and the caller who sends it."""

    request: Request
    hub: HubContext
    key: str

    def header(self, name: bytes) -> str:
        return header(self.request, name) or ""

    async def write(self, unit: Callable[[Connection], T]) -> T:
        """Run the unit as the caller. It is refused if the key was revoked meanwhile."""

        def run(db: Connection) -> T:
            access.caller(db, self.key)
            return unit(db)

        return await self.hub.database.write(act_for(self.request, self.hub, run))


def stream_handler(spec: RouteSpec) -> RequestHandler:
    async def handler(request: Request) -> Response[Any]:
        hub = hub_of(request)
        key = await admit(request, hub, needs_key=True) or ""
        parameters = read_parameters(request, spec)
        dependencies = await hub.database.read(lambda db: resolve(spec.dependencies, db, key, hub))
        note_account(request, dependencies["caller"].id)
        value = await spec.function(IncomingBody(request, hub, key), **dependencies, **parameters)
        return await respond(spec.status, value)

    return handler


async def respond(status: int, value: Any) -> JsonResponse:
    if isinstance(value, EncodedAnswer):
        return JsonResponse(status, value.body, media_type=value.media_type)
    return JsonResponse(status, *await encode(value))


class SentWrite(NamedTuple):
    """A write as it was sent. `idempotent` is None without an Idempotency-Key."""

    request: Request
    hub: HubContext
    key: str | None
    checks_key: bool
    arguments: dict[str, Any]
    idempotent: IdempotentRequest | None


class WriteRoute:
    """How a route that writes is called: read the request, write in one transaction, answer."""

    def __init__(self, spec: RouteSpec) -> None:
        self._spec = spec
        self._decoder = msgspec.json.Decoder(spec.body_type) if spec.body_type else None
        self._takes_key = spec.needs_key or "visitor" in spec.dependencies
        self._is_key_checked = "key" not in spec.dependencies  # a repeated rotation still sends the old key

    async def handle(self, request: Request) -> Response[Any]:
        spec, sent = self._spec, await self._read(request)
        if spec.together and sent.idempotent is None:
            value = await spec.together(request, sent.hub, sent.key or "", **sent.arguments)
            if value is not None:
                return JsonResponse(spec.status, *await encode(value))
        if spec.prepare:
            await spec.prepare(sent.hub, sent.key, sent.arguments)
        unit = act_for(request, sent.hub, partial(self._run, sent), spec.admits_suspended)
        return await self._respond(sent.hub, await sent.hub.database.write(unit, sent.arguments.get("session_id")))

    async def _read(self, request: Request) -> SentWrite:
        """Check the limits, then the key, before the body is read."""
        spec, hub = self._spec, hub_of(request)
        key = await admit(request, hub, spec.needs_key)
        has_key = self._takes_key and key is not None
        checks_key = has_key and self._is_key_checked
        if hub.rate_limits and not has_key:
            await hub.rate_limits.anonymous.take(hub.database, subject_of(address_of(request)))
        arguments = read_parameters(request, spec)
        if checks_key and may_be_large(request):
            await hub.database.read(lambda db: spec.check_key(db, key or ""))
        max_bytes = hub.body_bytes if has_key else min(MAX_BODY_BYTES_WITHOUT_KEY, hub.body_bytes)
        body = await read_body(request.receive, max_bytes)
        self._read_data(body, arguments)
        idempotency_key = header(request, b"idempotency-key") if spec.method == "POST" else None
        idempotent = None
        if idempotency_key is not None:
            idempotent = await idempotent_request(request, hub, key, idempotency_key, body)
        return SentWrite(request, hub, key, checks_key, arguments, idempotent)

    def _read_data(self, body: bytes, arguments: dict[str, Any]) -> None:
        if self._decoder is not None:
            arguments["data"] = read_json(body or b"{}", self._decoder)  # an empty body gets an error for each field
        elif body:
            read_json(body, OBJECT_DECODER)  # the route ignores the body, but a malformed one is still an error

    def _run(self, sent: SentWrite, db: Connection) -> WriteAnswer:
        """Call the function, or find the answer to a repeated request. It runs in the transaction."""
        spec, stored = self._spec, sent.idempotent.begin(db) if sent.idempotent else None
        if stored is None:
            return store_answer(db, spec, sent.idempotent, spec.run(db, sent.key, sent.hub, sent.arguments))
        if sent.checks_key:
            spec.check_key(db, sent.key or "")
        if stored.body is not None:
            return WriteAnswer(stored.status, None, stored.body)
        with_reference = sent.arguments | {"reference": stored.reference}
        return WriteAnswer(stored.status, spec.run_again(db, sent.key, sent.hub, with_reference), None)

    async def _respond(self, hub: HubContext, answer: WriteAnswer) -> Response[Any]:
        status, value, encoded = answer
        if isinstance(value, VivaError):
            raise value
        if self._spec.complete and value is not None:
            value = await self._spec.complete(hub, value)
        if encoded is None and not long_lists(value):  # most answers: nothing to do in pieces
            encoded = msgspec.json.encode(value)
        return JsonResponse(status, *(await encode(value) if encoded is None else [encoded]))


def act_for(
    request: Request, hub: HubContext, unit: Callable[[Connection], T], admits_suspended: bool = False
) -> Callable[[Connection], T]:
    """Run the unit as the caller, and note the caller's account for the log line of the request."""

    def run(db: Connection) -> T:
        db.actor = actor_at("api", hub.secret, address_of(request), admits_suspended)
        try:
            return unit(db)
        finally:
            note_account(request, db.actor.account_id)

    return run


def store_answer(db: Connection, spec: RouteSpec, idempotent: IdempotentRequest | None, value: Any) -> WriteAnswer:
    """Store the answer for a repeated request: a small one whole, a large one as a reference.

    A route may return an error instead of raising it. What it wrote is then kept, and a repeated request runs again."""
    if isinstance(value, VivaError):
        if idempotent:
            idempotent.forget(db)
        return WriteAnswer(value.status, value, None)
    status, value = (value.status, value.body) if isinstance(value, StatusAnswer) else (spec.status, value)
    if value is None:
        body: bytes | None = b""
    elif idempotent is None:
        return WriteAnswer(status, value, None)
    elif spec.complete:
        body = None  # what follows the commit changes the answer, so a repeated request reads it again
    else:
        body = encode_small(value, MAX_STORED_ANSWER_BYTES) if spec.read_again else msgspec.json.encode(value)
    if idempotent:
        reference = spec.read_again.reference(value) if spec.read_again and body is None else ""
        idempotent.keep(db, IdempotentResponse(status, body, reference))
    return WriteAnswer(status, value, body)


async def admit(request: Request, hub: HubContext, needs_key: bool) -> str | None:
    """Count the request against its rate limits and return its key, if it has one."""
    key = bearer(header(request, b"authorization"))
    if needs_key and key is None:
        raise Unauthorized()
    if hub.rate_limits:
        await hub.rate_limits.admit(hub.database, access.ApiKey(key).hash if key else None, address_of(request))
    return key


def may_be_large(request: Request) -> bool:
    length = header(request, b"content-length")
    return header(request, b"transfer-encoding") is not None or (
        length is not None and int(length) > MAX_BODY_BYTES_WITHOUT_KEY
    )


def bearer(authorization: str | None) -> str | None:
    scheme, _, key = (authorization or "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None


async def idempotent_request(
    request: Request, hub: HubContext, key: str | None, idempotency_key: str, body: bytes
) -> IdempotentRequest:
    caller = access.ApiKey(key).hash if key else f"address {subject_of(address_of(request))}"
    content = f"{request.scope['path']}\n".encode() + body
    if len(content) > LARGE_REQUEST_BYTES:
        return await asyncio.to_thread(IdempotentRequest, caller, idempotency_key, content, hub.secret)
    return IdempotentRequest(caller, idempotency_key, content, hub.secret)

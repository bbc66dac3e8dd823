"""The routes of A2A: the card of the hub, and the messages that other agents send to it."""

from typing import Any

import msgspec
from litestar import Request, Response, get, post

from viva.context import headers_in, hub_of
from viva.kit.bodies import read_body
from viva.kit.errors import WrongMediaType
from viva.protocols.admission import admit_message

JSON_TYPE = b"application/json"


@get("/.well-known/agent-card.json")
async def show_card(request: Request) -> Response[bytes]:
    from viva.protocols.a2a_card import agent_card  # imported here because it loads an HTTP client

    return json_response(agent_card(hub_of(request).base_url))


@post("/a2a", status_code=200)
async def answer_a2a(request: Request) -> Response[bytes]:
    """Answer one message of A2A, as its caller."""
    from viva.protocols.a2a_answers import answer_rpc

    if headers_in(request.scope).get(b"content-type", b"").split(b";")[0].strip().lower() != JSON_TYPE:
        raise WrongMediaType()
    hub = await admit_message(request)
    body = await read_body(request.receive, hub.body_bytes)
    return json_response(await answer_rpc(body, request.scope))  # type: ignore[arg-type]


def json_response(value: Any) -> Response[bytes]:
    return Response(msgspec.json.encode(value), media_type=JSON_TYPE.decode())

"""The answer to one message of A2A: a skill is carried out as its caller, or the sender is told what there is."""

from typing import Any

import msgspec

from viva.protocols.a2a_messages import PARSE_ERROR, BadRpc, ReceivedMessage, answer_message, read_rpc
from viva.protocols.a2a_skills import SKILLS, find_skill, help_text
from viva.protocols.action_errors import failure_of
from viva.protocols.inner_transport import OwnScope, open_inner_client


async def answer_rpc(body: bytes, scope: OwnScope) -> dict[str, Any]:
    """The answer as JSON-RPC. Whatever was sent, there is one."""
    request_id = None
    try:
        document = decode_rpc(body)
        request_id = document.get("id") if isinstance(document, dict) else None
        result = await answer_received(read_rpc(document), scope)
    except BadRpc as error:
        return {"jsonrpc": "2.0", "id": request_id, "error": {"code": error.code, "message": str(error)}}
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def decode_rpc(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise BadRpc(PARSE_ERROR, "The body is not JSON.") from None


async def answer_received(received: ReceivedMessage, scope: OwnScope) -> dict[str, Any]:
    asked = find_skill(received.texts, received.data)
    skill = SKILLS.get(asked.name) if asked else None
    if asked is None or skill is None:
        return answer_message(received, help_text(), {"skills": list(SKILLS)})
    try:
        async with open_inner_client(scope) as hub:
            answer = await skill.run(hub, asked.arguments)
    except Exception as error:
        failure = failure_of(error)
        if failure is None:
            raise
        return answer_message(received, failure.text, {"error": {"code": failure.code, "detail": failure.sentence}})
    return answer_message(received, msgspec.json.encode(answer).decode(), answer)

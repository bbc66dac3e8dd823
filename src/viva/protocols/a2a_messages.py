"""Messages of A2A in both forms that are in use: 0.3, and 1.0 with other names for methods, roles and parts."""

import secrets
from typing import Any, NamedTuple

MAX_PARTS = 20
MAX_CONTEXT_CHARACTERS = 200
TASK_METHODS = frozenset({"tasks/get", "tasks/cancel", "GetTask", "CancelTask"})
SEND_METHODS = {"message/send": "0.3", "SendMessage": "1.0"}  # with the version whose form the answer has

RpcCode = int
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
TASK_NOT_FOUND = -32001


class BadRpc(Exception):
    """The message is not one that this hub understands."""

    def __init__(self, code: RpcCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class ReceivedMessage(NamedTuple):
    """What a message says. `context_id` is the conversation that the other side sees in it."""

    version: str
    context_id: str
    texts: list[str]
    data: list[dict[str, Any]]


def read_rpc(document: Any) -> ReceivedMessage:
    """The message in a JSON-RPC request."""
    if (
        not isinstance(document, dict)
        or document.get("jsonrpc") != "2.0"
        or not isinstance(document.get("method"), str)
    ):
        raise BadRpc(INVALID_REQUEST, "This is not a request of JSON-RPC 2.0.")
    method = document["method"]
    if method in TASK_METHODS:
        raise BadRpc(TASK_NOT_FOUND, "There are no tasks here: every message is answered at once.")
    if method not in SEND_METHODS:
        raise BadRpc(METHOD_NOT_FOUND, "This hub takes message/send and SendMessage.")
    params = document.get("params")
    message = params.get("message") if isinstance(params, dict) else None
    parts = message.get("parts") if isinstance(message, dict) else None
    if not isinstance(message, dict) or not isinstance(parts, list) or not 0 < len(parts) <= MAX_PARTS:
        raise BadRpc(INVALID_PARAMS, f"A message has from 1 to {MAX_PARTS} parts.")
    return ReceivedMessage(
        SEND_METHODS[method],
        str(message.get("contextId") or secrets.token_hex(16))[:MAX_CONTEXT_CHARACTERS],
        [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)],
        [part["data"] for part in parts if isinstance(part, dict) and isinstance(part.get("data"), dict)],
    )


def answer_message(received: ReceivedMessage, text: str, data: dict[str, Any] | None) -> dict[str, Any]:
    """The result of the request, in the form of its version."""
    same = {"messageId": secrets.token_hex(16), "contextId": received.context_id}
    if received.version == "1.0":
        parts = [{"text": text}, *([{"data": data}] if data is not None else [])]
        return {"message": {**same, "role": "ROLE_AGENT", "parts": parts}}
    old_parts = [{"kind": "text", "text": text}, *([{"kind": "data", "data": data}] if data is not None else [])]
    return {**same, "kind": "message", "role": "agent", "parts": old_parts}

"""Reads messages of Pydantic AI: requests and responses, each with parts, as `ModelMessagesTypeAdapter` dumps them."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, first_value, objects
from viva.engine.intake.times import overall_ms
from viva.engine.model import Trace

KINDS = ("request", "response")
SUCCESS = "success"  # the outcome of a call; others are "retried", "failed" and "denied"
RETRY_KIND = "retry-prompt"  # tells a model what was wrong with a call, or with its answer


def recognise(document: object) -> bool:
    """Whether this is a list of messages, or an object with one."""
    first = next(iter(find_messages(document)), None)
    return isinstance(first, dict) and first.get("kind") in KINDS and isinstance(first.get("parts"), list)


def find_messages(document: object) -> list[Any]:
    return as_list(first_value(document, "messages", "all_messages") if isinstance(document, dict) else document)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of the messages."""
    if not recognise(document):
        refuse("", "missing", "has no messages of Pydantic AI")
    known = objects(find_messages(document))
    parts = [part for message in known for part in objects(message.get("parts"))]
    told = [message["instructions"] for message in known if isinstance(message.get("instructions"), str)]
    facts = {
        "messages": [made for message in known for made in as_chats(message)],
        "system": told[0] if told else None,
        "total_latency_ms": overall_ms(part.get("timestamp") for part in (*known, *parts)),
    }
    return chat.read(facts, name, limits)


def as_chats(message: dict[str, Any]) -> list[Any]:
    """The messages of a request, one for each part; or the only one of a response."""
    parts = objects(message.get("parts"))
    if message.get("kind") == "response":
        return [{"role": "assistant", "content": [as_response_part(part) for part in parts]}]
    return [as_request(part) for part in parts]


def as_request(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a request: the program's instructions, the user's words, or what a tool gave back."""
    kind, said = part.get("part_kind"), part.get("content")
    if kind == "system-prompt":
        return {"role": "system", "content": said}
    if kind == "user-prompt":
        return {"role": "user", "content": [as_media(piece) for piece in said] if isinstance(said, list) else said}
    result = {"type": "tool_result", "id": part.get("tool_call_id"), "name": part.get("tool_name")}
    if kind == RETRY_KIND and not part.get("tool_name"):
        return {"role": "environment", "content": retry_text(said)}
    is_failed = kind == RETRY_KIND or part.get("outcome", SUCCESS) != SUCCESS
    failed = {"error": retry_text(said)} if is_failed else {}
    return {"role": "tool", "content": [result | {"content": None if failed else said} | failed]}


def retry_text(said: Any) -> str:
    """What was wrong: a text, or the errors of a schema."""
    if isinstance(said, str):
        return said
    return "; ".join(str(error.get("msg")) for error in objects(said)) or "must be tried again"


def as_media(piece: Any) -> Any:
    """A picture or a file beside the user's words is named by its kind, as in `image-url`."""
    kind = str(piece.get("kind", "")).split("-")[0] if isinstance(piece, dict) else ""
    return {"type": "file" if kind == "binary" else kind, "url": piece.get("url")} if kind else piece


def as_response_part(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a response, with the type that other libraries give it."""
    kind = str(part.get("part_kind")).removeprefix("builtin-").replace("-", "_")
    known = {key: value for key, value in part.items() if key != "part_kind"}
    return known | {"type": "tool_result" if kind == "tool_return" else kind}

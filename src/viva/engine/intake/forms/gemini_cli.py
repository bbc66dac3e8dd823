"""Reads sessions of Gemini CLI, as its folder of chats has them."""

from collections.abc import Iterator
from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.forms import gemini
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, first_value, inner_object, objects
from viva.engine.intake.times import overall_ms
from viva.engine.model import Trace

AGENT = "gemini"
ROLES = {"user": "user", AGENT: "assistant"}  # by the type of a message; others are notes of the program
FAILED_STATUSES = ("error", "cancelled")


def recognise(document: object) -> bool:
    """Whether this is a session by its project and its messages."""
    return isinstance(document, dict) and "projectHash" in document and isinstance(document.get("messages"), list)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a session."""
    if not recognise(document):
        refuse("messages", "missing", "has no messages")
    messages = objects(document["messages"])
    facts = {
        "session_id": document.get("sessionId"),
        "messages": [made for message in messages for made in as_chats(message)],
        "total_latency_ms": overall_ms(message.get("timestamp") for message in messages),
    }
    return chat.read(facts, name, limits)


def as_chats(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the user or the model says, and its calls, which have their results."""
    if str(message.get("type")) not in ROLES:
        return
    thoughts = [
        {
            "type": "thinking",
            "thinking": ": ".join(str(part[key]) for key in ("subject", "description") if part.get(key)),
        }
        for part in objects(message.get("thoughts"))
    ]
    said = message.get("content")
    words = said if isinstance(said, list) else [{"type": "text", "text": said}] if said else []
    calls = objects(message.get("toolCalls"))
    if thoughts or words or calls:
        made = [
            {"type": "tool_call", "id": c.get("id"), "name": c.get("name"), "arguments": c.get("args")} for c in calls
        ]
        name = {"name": AGENT} if message["type"] == AGENT else {}
        yield {"role": ROLES[message["type"]], "content": [*thoughts, *words, *made]} | name
    if calls:
        yield {"role": "tool", "content": [as_result(call) for call in calls]}


def as_result(call: dict[str, Any]) -> dict[str, Any]:
    """The result of a call: the response of its function, or what the program showed."""
    answered = next((inner_object(part, "functionResponse") for part in objects(as_list(call.get("result")))), {})
    made = gemini.make_result(answered) if answered else {"type": "tool_result"}
    shown = first_value(made, "content") or call.get("resultDisplay")
    failed = {"error": str(shown or call["status"])} if call.get("status") in FAILED_STATUSES else {}
    return made | {"id": call.get("id"), "content": shown} | failed

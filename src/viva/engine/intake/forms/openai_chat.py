"""Reads what OpenAI's chat API gives back: a completion, alone or with its request, and the messages of a thread."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import as_list, inner_object, objects
from viva.engine.model import Trace

THREAD_MESSAGE = "thread.message"
BODY_KEYS = ("response", "body")  # a batch puts a completion into the body of a response


def recognise(document: object) -> bool:
    """Whether this has a completion, or is a list of a thread's messages."""
    return bool(thread(document)) or bool(answer(document))


def thread(document: object) -> list[dict[str, Any]]:
    """The messages of a thread in the order of time. The API lists the last one first."""
    found = objects(document.get("data") if isinstance(document, dict) else document)
    known = [part for part in found if part.get("object") == THREAD_MESSAGE]
    return sorted(known, key=lambda part: part["created_at"] if isinstance(part.get("created_at"), int) else 0)


def answer(document: object) -> dict[str, Any]:
    """The message of the first choice; empty if this has no completion."""
    for path in ((), BODY_KEYS[:1], BODY_KEYS):
        choices = objects(inner_object(document, *path).get("choices"))
        if choices and (found := inner_object(choices[0], "message")):
            return found
    return {}


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a completion or a thread."""
    if not recognise(document):
        refuse("choices", "missing", "has no completion")
    if messages := thread(document):
        return chat.read({"messages": [as_chat(part) for part in messages]}, name, limits)
    request = inner_object(document, "request", "body") or inner_object(document, "request") or document
    asked = as_list(request.get("messages"))
    return chat.read(request | {"id": document.get("id"), "messages": [*asked, answer(document)]}, name, limits)


def as_chat(message: dict[str, Any]) -> dict[str, Any]:
    """A message of a thread. Its texts are objects with a value."""
    parts = [
        part | {"text": inner_object(part, "text").get("value", part.get("text"))}
        if part.get("type") == "text"
        else part
        for part in objects(message.get("content"))
    ]
    return {"role": message.get("role"), "content": parts}

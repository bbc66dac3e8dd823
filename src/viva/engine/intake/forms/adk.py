"""Reads events of Google's Agent Development Kit: a session, or a list of its events."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.forms import gemini
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import first_value, inner_object
from viva.engine.model import Trace

USER_AUTHOR = "user"
INVOCATION_KEYS = ("invocationId", "invocation_id")
ERROR_KEYS = ("errorMessage", "error_message", "errorCode", "error_code")
NODE_KEYS = ("nodeInfo", "node_info")  # events have them since version 2
MILLISECONDS_PER_SECOND = 1000


def recognise(document: object) -> bool:
    """Whether this is a session with events, or a list of events."""
    events = document.get("events") if isinstance(document, dict) else document
    return isinstance(events, list) and bool(events) and is_event(events[0])


def is_event(value: object) -> bool:
    return isinstance(value, dict) and "author" in value and any(key in value for key in INVOCATION_KEYS)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a session. A streamed piece is left out, because a whole event follows."""
    if not recognise(document):
        refuse("events", "missing", "has no events")
    session = document if isinstance(document, dict) else {"events": document}
    events = [event for event in session["events"] if inner_object(event).get("partial") is not True]
    known = [event for event in events if isinstance(event, dict)]
    facts = {
        "id": session.get("id"),
        "messages": [as_chat(event) for event in events if says_something(event)],
        "total_latency_ms": duration(known),
        "form_version": "2" if any(key in event for event in known for key in NODE_KEYS) else "1",
    }
    return chat.read(facts, name, limits)


def says_something(event: Any) -> bool:
    """Whether an event has more than a change of the session's state."""
    return not is_event(event) or bool(parts_of(event)) or first_value(event, *ERROR_KEYS) is not None


def parts_of(event: dict[str, Any]) -> list[Any]:
    found = inner_object(event, "content").get("parts")
    return [part for part in found if part] if isinstance(found, list) else []


def as_chat(event: Any) -> Any:
    """An event as a message of its author. Results of functions stand in the user's role, but have an agent as author."""
    if not is_event(event):
        return event  # the reader of chats says what is wrong
    parts = parts_of(event) or [{"text": str(first_value(event, *ERROR_KEYS))}]
    answers = [first_value(inner_object(part), *gemini.RESULT_KEYS) for part in parts]
    role = "user" if event["author"] == USER_AUTHOR else "function" if all(answers) else "model"
    return gemini.as_chat({"role": role, "parts": parts}, str(event["author"]))


def duration(events: list[dict[str, Any]]) -> float | None:
    """The time from the first event to the last."""
    times = [event["timestamp"] for event in events if isinstance(event.get("timestamp"), int | float)]
    return (max(times) - min(times)) * MILLISECONDS_PER_SECOND if len(times) > 1 else None

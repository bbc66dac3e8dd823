"""Reads ReAsk's data sets: `{"dataset": {"conversations": […]}}`. Each conversation is a list of messages."""

from typing import Any

from viva.engine.intake import chat, native
from viva.engine.intake.faults import refuse
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.model import Trace


def recognise(document: object) -> bool:
    """Whether this is a data set of conversations, with or without the wrapper."""
    return conversations(document) is not None


def conversations(document: object) -> list[Any] | None:
    if not isinstance(document, dict):
        return None
    dataset = document.get("dataset")
    found = (dataset if isinstance(dataset, dict) else document).get("conversations")
    return found if isinstance(found, list) and not (found and chat.is_message(found[0])) else None


def parts(document: Any) -> list[Any]:
    """Each conversation as a separate document."""
    found = conversations(document) or []
    return [{"dataset": {"conversations": [conversation]}} for conversation in found]


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    """The trace of a data set with one conversation."""
    found = conversations(document) or []
    if len(found) != 1 or not isinstance(found[0], dict):
        refuse("dataset.conversations", "wrong_type", "expected one conversation, an object with messages")
    if "turns" in found[0]:
        return native.read_plain(found[0], name, limits)
    return chat.read({"messages": None} | found[0], name, limits)

"""Reads runs of AutoGen: chat histories of version 0.2, messages and task results of version 0.4 and later."""

from typing import Any

from viva.engine.intake import chat
from viva.engine.intake.faults import refuse
from viva.engine.intake.forms import autogen_state, autogen_team
from viva.engine.intake.forms.autogen_team import failure_text, is_message
from viva.engine.intake.limits import LIMITS, Limits
from viva.engine.intake.plain import first_value
from viva.engine.model import Trace

SWAPPED_ROLES: dict[object, str] = {"user": "assistant", "assistant": "user"}
OLD_VERSION, NEW_VERSION = "0.2", "0.4"


def recognise(document: object) -> bool:
    """Whether this is a chat's result, a task's result, or a list of messages."""
    if isinstance(document, dict) and isinstance(document.get("chat_history"), list):
        return is_named_chat(document["chat_history"])
    messages = messages_of(document)
    if not isinstance(messages, list) or not messages:
        return False
    return is_message(messages[0]) or any(isinstance(part, dict) and "tool_responses" in part for part in messages)


def messages_of(document: object) -> Any:
    """The messages of a result, of a list, or of a saved state."""
    if not isinstance(document, dict):
        return document
    return first_value(document, "messages", "chat_history") or autogen_state.find_messages(document)


def is_named_chat(messages: list[Any]) -> bool:
    return bool(messages) and all(isinstance(part, dict) and "role" in part and "content" in part for part in messages)


def read(document: Any, name: str | None = None, limits: Limits = LIMITS) -> Trace:
    if not recognise(document):
        refuse("messages", "missing", "has no messages of AutoGen")
    whole = document if isinstance(document, dict) else {"messages": document}
    found = messages_of(document)
    is_new = any(map(is_message, found[:1]))
    facts = autogen_team.read(found) if is_new else read_chat(found)
    spent = total_cost(whole.get("cost"))
    return chat.read(
        facts | {"total_cost": spent, "form_version": NEW_VERSION if is_new else OLD_VERSION}, name, limits
    )


def read_chat(messages: list[Any]) -> dict[str, Any]:
    """The messages of version 0.2, with the errors of tools marked. Without names, what its owner says is an assistant's."""
    known = [message for message in messages if isinstance(message, dict)]
    is_owners = bool(known) and known[0].get("role") == "assistant" and not any("name" in part for part in known)
    turned = [swap_roles(message) for message in messages] if is_owners else messages
    return {"messages": [mark_failure(message) for message in turned]}


def swap_roles(message: Any) -> Any:
    role = message.get("role") if isinstance(message, dict) else None
    return message | {"role": SWAPPED_ROLES[role]} if isinstance(role, str) and role in SWAPPED_ROLES else message


def mark_failure(message: Any) -> Any:
    """A tool's message whose text says that the tool raised has an error."""
    if not isinstance(message, dict):
        return message
    several = message.get("tool_responses")
    inner = {"tool_responses": [mark_failure(part) for part in several]} if isinstance(several, list) else {}
    failed = failure_text(message.get("content")) if message.get("role") in ("tool", "function") else None
    return message | inner | ({"error": failed} if failed else {})


def total_cost(cost: object) -> float | None:
    """The cost that version 0.2 has counted."""
    used = cost.get("usage_including_cached_inference") if isinstance(cost, dict) else None
    total = used.get("total_cost") if isinstance(used, dict) else None
    return float(total) if isinstance(total, int | float) and total >= 0 else None

"""What an A2A agent has answered: the state of its task and the text of its reply."""

from typing import Any

import msgspec

from viva.adapters.model import AgentFault, shorten

UNFINISHED_STATES = frozenset({"submitted", "working"})
FAILED_STATES = frozenset({"failed", "canceled", "rejected", "auth-required", "unknown"})
STATE_PREFIX = "TASK_STATE_"  # of version 1.0


def read_object(data: bytes) -> dict[str, Any]:
    try:
        answer = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise AgentFault(f"The agent's answer is no JSON-RPC: {shorten(data)}")
    return answer


def state_of(answer: dict[str, Any]) -> str | None:
    """The state of a task, in the words of 0.3; None for a message."""
    status = answer.get("status")
    if not isinstance(status, dict):
        return None
    return str(status.get("state")).removeprefix(STATE_PREFIX).lower().replace("_", "-")


def text_of(answer: dict[str, Any]) -> str:
    """The text of a message or of a task: its artifacts, or the message of its status."""
    status = answer.get("status")
    last = status.get("message") if isinstance(status, dict) else None
    holders = [answer, *list_in(answer, "artifacts")]
    texts = [text for holder in holders for text in part_texts(holder)]
    return "\n\n".join(texts or part_texts(last))


def part_texts(holder: Any) -> list[str]:
    parts = list_in(holder, "parts") if isinstance(holder, dict) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def list_in(holder: dict[str, Any], key: str) -> list[Any]:
    found = holder.get(key)
    return found if isinstance(found, list) else []

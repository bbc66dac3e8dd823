"""Tells user and agents apart in a chat whose messages have names."""

from typing import Any, NamedTuple

from viva.engine.intake.messages import MessageRole

HUMAN_NAMES = ("user", "human", "admin", "customer")  # a name that contains one of these is the user's
EXECUTION_PREFIX = "exitcode: "  # AutoGen begins the output of executed code with this


class Speakers(NamedTuple):
    """In a group chat the roles depend on who recorded it. So names decide, and the first message is the task."""

    first: dict[str, Any] | None = None  # None where roles can be trusted

    def role(self, role: MessageRole, message: dict[str, Any]) -> MessageRole:
        if self.first is None or role in ("system", "tool"):
            return role
        if str(message.get("content"))[: len(EXECUTION_PREFIX)] == EXECUTION_PREFIX:
            return "tool"
        is_same_user = is_person(self.first["name"]) and message["name"] == self.first["name"]
        return "user" if message is self.first or is_same_user else "assistant"

    def agent(self, message: dict[str, Any]) -> str | None:
        name = message.get("name")
        return name if isinstance(name, str) and name else None


def find(messages: list[Any]) -> Speakers:
    """In a group chat several named speakers occur, and their roles do not tell them apart."""
    spoken = [m for m in messages if isinstance(m, dict) and m.get("role") in ("user", "assistant")]
    if not spoken or not all(isinstance(m.get("name"), str) and m["name"] for m in spoken):
        return Speakers()
    users = {m["name"] for m in spoken if m["role"] == "user"}
    assistants = {m["name"] for m in spoken if m["role"] == "assistant"}
    is_ambiguous = not assistants or users & assistants
    is_reversed = users and spoken[0]["role"] == "assistant" and is_person(spoken[0]["name"])
    return Speakers(spoken[0]) if len(users | assistants) > 1 and (is_ambiguous or is_reversed) else Speakers()


def is_person(name: str) -> bool:
    return any(word in name.lower() for word in HUMAN_NAMES)

"""The messages of a session, as the API gives them and as an agent is asked with them."""

from collections.abc import Sequence

import msgspec

from viva.adapters.model import ChatMessage
from viva.sittings.accounts import HubAccount

MESSAGES_PER_REQUEST = 200


class SessionMessage(msgspec.Struct, frozen=True):
    """The part of a message that is read."""

    sender_agent_id: str
    role: str
    content: str
    sequence: int
    prompt_id: str | None = None


def read_messages(account: HubAccount, path: str, since: int = 0) -> list[SessionMessage]:
    """All messages of the session after this sequence number."""
    found: list[SessionMessage] = []
    while True:
        page = account.get(f"{path}/messages", since=str(since), limit=MESSAGES_PER_REQUEST)
        found += msgspec.convert(page["messages"], list[SessionMessage])
        if not page["next_cursor"]:
            return found
        since = int(page["next_cursor"])


def as_conversation(
    messages: Sequence[SessionMessage], own_role: str | None = None, own_id: str | None = None
) -> list[ChatMessage]:
    """The messages as a chat, one by one: those of its own role or id are the assistant's."""
    return [ChatMessage("assistant" if is_own(each, own_role, own_id) else "user", each.content) for each in messages]


def is_own(message: SessionMessage, own_role: str | None, own_id: str | None) -> bool:
    return message.role == own_role or message.sender_agent_id == own_id

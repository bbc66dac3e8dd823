"""What an agent is asked, what it may answer, and whose fault it is if it does not."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from viva.kit.errors import Invalid, VivaError

REPLY_TIMEOUT_SECONDS = 120.0  # for one reply, to its last byte
MAX_REPLY_BYTES = 64 * 1024  # of the text; a hub takes no longer message
MAX_ENVELOPE_BYTES = 1024 * 1024  # of the JSON around the text
MAX_FAULT_CHARACTERS = 500  # of what an agent wrote, in an error


class BadAgentName(Invalid):
    """An agent is openai:MODEL, command:PROGRAM ARGS, http:URL, a2a:URL or python:MODULE:FUNCTION."""


class NoAgentNamed(BadAgentName):
    """This names no agent."""


class AgentFault(VivaError):
    """The agent gave no answer that can be used."""

    title = "The agent failed"


class ChatMessage(msgspec.Struct, frozen=True):
    """One message of a conversation. The agent writes as `assistant`."""

    role: str
    content: str


class AskedConversation(msgspec.Struct, frozen=True):
    """What an agent is asked: all messages so far. The last one is not its own.

    Messages that were sent one by one stand one by one, so that an agent with a memory gets each of them once."""

    messages: list[ChatMessage]
    evaluation: str
    session_id: str  # the same for all questions of one conversation

    def in_turns(self) -> "AskedConversation":
        """The same for an agent without a memory."""
        return AskedConversation(join_turns(self.messages), self.evaluation, self.session_id)


def join_turns(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The messages with those of one side in a row as one, because models want the sides to take turns."""
    turns: list[ChatMessage] = []
    for message in messages:
        if turns and turns[-1].role == message.role:
            turns[-1] = ChatMessage(message.role, f"{turns[-1].content}\n\n{message.content}")
        else:
            turns.append(message)
    return turns


class AgentReply(msgspec.Struct):
    """The answer of a program or an address."""

    content: str


class AskedAgent(Protocol):
    """The port to an agent."""

    name: str

    def reply(self, conversation: AskedConversation) -> str:
        """The next message of the agent, or AgentFault. An empty text is a reply."""

    def close(self) -> None:
        """End what the agent needed."""


class ReplyLimits(NamedTuple):
    """How long and how large a reply may be."""

    seconds: float = REPLY_TIMEOUT_SECONDS
    text_bytes: int = MAX_REPLY_BYTES
    envelope_bytes: int = MAX_ENVELOPE_BYTES


def check_text(text: str, limits: ReplyLimits) -> str:
    """The text, if a hub can take it."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise AgentFault("The agent's answer has characters that are no text.") from None
    if size > limits.text_bytes:
        raise AgentFault(f"The agent's answer has {size:,} bytes; at most {limits.text_bytes:,} are allowed.")
    if "\0" in text:
        raise AgentFault("The agent's answer has a null character.")
    return text


def read_reply(data: bytes, limits: ReplyLimits) -> str:
    """The text in an answer of the form {"content": "…"}."""
    try:
        reply = msgspec.json.decode(data, type=AgentReply)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        message = 'The agent\'s answer is not JSON of the form {"content": "…"}: '
        raise AgentFault(message + (shorten(data) or "it is empty.")) from None
    return check_text(reply.content, limits)


def shorten(said: bytes | str) -> str:
    """The end of what an agent wrote, on one line, for an error. Errors of programs stand at the end."""
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= MAX_FAULT_CHARACTERS else f"…{line[-MAX_FAULT_CHARACTERS:]}"

"""The turns of a hosted conversation: what was asked, and the messages that answered it."""

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar


class RoleMessage(Protocol):
    @property
    def role(self) -> str: ...


AnyMessage = TypeVar("AnyMessage", bound=RoleMessage)


class HostedTurn(NamedTuple, Generic[AnyMessage]):
    asked: list[AnyMessage]
    answers: list[AnyMessage]


def split_turns(messages: Iterable[AnyMessage], answering_role: str) -> list[HostedTurn[AnyMessage]]:
    """A turn begins with the first message of another role after an answer. There is always at least one turn."""
    turns = [HostedTurn[AnyMessage]([], [])]
    for message in messages:
        if message.role == answering_role:
            turns[-1].answers.append(message)
        elif turns[-1].answers:
            turns.append(HostedTurn([message], []))
        else:
            turns[-1].asked.append(message)
    return turns

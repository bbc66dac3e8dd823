"""Steps of a program that talks to a hub, written once as generators. A runner carries them out, waiting or awaiting."""

from collections.abc import Generator
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

import httpx

from viva.client.calls import Call, ItemType

T = TypeVar("T")


class SendCall(NamedTuple):
    """Send a request and read the whole answer. The step's value is the response, or the error of the transport."""

    call: Call[Any]


class Listen(NamedTuple):
    """Open a stream; an open one is closed first. The step's value is the response, or the error of the transport."""

    call: Call[Any]


class Hear(NamedTuple):
    """Read on in the open stream. The step's value is bytes: none if the stream has ended or broken."""


class Pause(NamedTuple):
    """Wait so many seconds."""

    seconds: float


class UseKey(NamedTuple):
    """Send this key with all further requests."""

    key: str


class Emit(NamedTuple):
    """Hand an item to whoever iterates."""

    item: Any


Reply: TypeAlias = httpx.Response | httpx.TransportError
Step: TypeAlias = SendCall | Listen | Hear | Pause | UseKey | Emit
Steps: TypeAlias = Generator[Step, Any, T]  # they end with a value


class Items(NamedTuple, Generic[ItemType]):
    """Steps that emit items of one type."""

    steps: Steps[None]

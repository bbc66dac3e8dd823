"""Calls of the API as values: what is sent, and the type of the answer. Nothing here talks to a hub."""

from collections.abc import Callable
from typing import Any, Generic, Literal, NamedTuple, TypeVar
from urllib.parse import quote

from msgspec import UNSET, Struct

T = TypeVar("T")
PageType = TypeVar("PageType")
ItemType = TypeVar("ItemType")


class Call(Struct, Generic[T], frozen=True):
    """One request. The answer is decoded as `answer_type`; `bytes` keeps it as it is."""

    method: str
    path: str
    answer_type: type[T]
    query: dict[str, Any] = {}
    body: Any = UNSET  # a JSON value, or bytes with a media type
    media_type: str = ""
    headers: dict[str, str] = {}
    idempotency_key: str = ""  # of a POST; a new one if it is empty


class PagedCall(NamedTuple, Generic[PageType, ItemType]):
    """A call for one page of a list. `field` holds the items, and the parameter `by` asks for the next page."""

    call: Call[PageType]
    field: str
    by: Literal["cursor", "offset"] = "cursor"


class StreamEvent(NamedTuple):
    """One server-sent event. `data` is its JSON."""

    id: str
    name: str
    data: bytes


class StreamCall(NamedTuple, Generic[ItemType]):
    """A stream of events until its event `end`. `read` makes an item of an event; None leaves the event out."""

    call: Call[bytes]
    read: Callable[[StreamEvent], ItemType | None]


def in_path(value: object) -> str:
    """A value as one part of a path, whatever characters it has."""
    return quote(str(value), safe="")


def given_fields(fields: dict[str, Any], nullable: tuple[str, ...] = ()) -> dict[str, Any]:
    """A body with the fields that were given. None is left out, except where null says something of its own."""
    return {
        name: value for name, value in fields.items() if value is not UNSET and (value is not None or name in nullable)
    }


def given_headers(headers: dict[str, str | None]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if value is not None}

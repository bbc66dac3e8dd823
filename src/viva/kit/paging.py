"""Pages of lists. A page is bounded in items and bytes; its cursor says where the next one begins."""

import base64
import binascii
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from viva.kit.errors import Fault, Invalid

DEFAULT_PAGE_ITEMS = 50
MAX_PAGE_ITEMS = 200
# Of the items in JSON. The hub holds a slow reader's answer in memory, and encoding a large one delays others.
MAX_PAGE_BYTES = 1024 * 1024

PageItem = TypeVar("PageItem")


class BadCursor(Invalid):
    """This cursor is not one that the hub gave out for this list."""

    def __init__(self) -> None:
        super().__init__(faults=(Fault("cursor", "bad_cursor", self.__doc__ or ""),))


class Page(NamedTuple, Generic[PageItem]):
    items: list[PageItem]
    next_cursor: str | None


def page(rows: list[PageItem], limit: int, key: Callable[[PageItem], tuple[Any, ...]]) -> Page[PageItem]:
    """A page of at most `limit` rows, fewer if they are large.

    The caller selects one row more than `limit`, which shows whether others follow."""
    items = take_fitting(rows[:limit])
    return Page(items, cursor_at(key(items[-1])) if len(items) < len(rows) else None)


def encoded_size(item: Any) -> int:
    """The bytes of the item in JSON."""
    return len(msgspec.json.encode(item))


def take_fitting(
    items: Iterable[PageItem], size: Callable[[PageItem], int] = encoded_size, max_size: int = MAX_PAGE_BYTES
) -> list[PageItem]:
    """The first items that fit on one page, and at least one. It reads no items beyond the page."""
    fitting: list[PageItem] = []
    for item in items:
        max_size -= size(item)
        if max_size < 0 and fitting:
            break
        fitting.append(item)
    return fitting


def cursor_at(key: tuple[Any, ...]) -> str:
    return base64.urlsafe_b64encode(msgspec.json.encode(key)).decode().rstrip("=")


SortKey = TypeVar("SortKey", bound=tuple[Any, ...])


def read_cursor(cursor: str, key: type[SortKey]) -> SortKey:
    """The key of the last row of the page before."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        values: SortKey = msgspec.json.decode(base64.b64decode(padded, altchars="-_", validate=True), type=key)
    except (binascii.Error, msgspec.MsgspecError, ValueError) as error:
        raise BadCursor() from error
    if not all(map(is_valid_value, values)):
        raise BadCursor()
    return values


def is_valid_value(value: str | float | datetime) -> bool:
    """Whether both databases accept it: no null character, a time that UTC can express, a 64-bit number."""
    if isinstance(value, str):
        return "\0" not in value
    if isinstance(value, datetime):
        return value.tzinfo is not None and 1 < value.year < 9999
    return abs(value) < 2**63

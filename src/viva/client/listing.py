"""All items of a list, over as many pages as there are."""

from typing import Any

from msgspec.structs import replace

from viva.client.calls import ItemType, PagedCall, PageType
from viva.client.retrying import fetch
from viva.client.steps import Emit, Items, Steps


def list_all(first: PagedCall[PageType, ItemType]) -> Items[ItemType]:
    """Each item of the list. A further page is fetched when its items are needed."""
    return Items(turn_pages(first))


def turn_pages(first: PagedCall[Any, Any]) -> Steps[None]:
    call, next_place = first.call, first.call.query.get(first.by)
    while True:
        page = yield from fetch(replace(call, query={**call.query, first.by: next_place}))
        items = getattr(page, first.field)
        for item in items:
            yield Emit(item)
        next_place = page.next_cursor if first.by == "cursor" else (next_place or 0) + len(items)
        if next_place is None or (first.by == "offset" and not items):
            return

"""Parameters that all lists share."""

from typing import Annotated

from msgspec import Meta

from viva.kit.paging import MAX_PAGE_ITEMS

MAX_OFFSET = 100_000  # the database reads and drops every row before the page

LimitParameter = Annotated[
    int, Meta(ge=1, le=MAX_PAGE_ITEMS, description=f"The size of a page, at most {MAX_PAGE_ITEMS}.")
]
OffsetParameter = Annotated[
    int, Meta(ge=0, le=MAX_OFFSET, description="How many items of the list come before the page.")
]
CursorParameter = Annotated[str, Meta(max_length=1000, description="The `next_cursor` of the previous page.")] | None
SearchText = Annotated[str, Meta(max_length=200)] | None

"""The parameters that every list takes."""

from typing import Annotated

from msgspec import Meta

from viva.kit.paging import MOST

Limit = Annotated[int, Meta(ge=1, le=MOST, description=f"How many at most, up to {MOST}.")]
Cursor = Annotated[str, Meta(max_length=1000, description="The `next_cursor` of the page before.")] | None
Words = Annotated[str, Meta(max_length=200)] | None

"""The parameters that every list takes."""

from typing import Annotated

from litestar.params import Parameter

from viva.kit.paging import MOST

Limit = Annotated[int, Parameter(ge=1, le=MOST, description=f"How many at most, up to {MOST}.")]
Cursor = Annotated[str | None, Parameter(max_length=1000, description="The `next_cursor` of the page before.")]
Words = Annotated[str | None, Parameter(max_length=200)]

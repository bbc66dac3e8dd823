"""Files of results on their way out: so many for each address, and one at work at a time."""

import asyncio
from collections.abc import AsyncGenerator
from typing import NamedTuple

from viva.kit.db import Database
from viva.kit.errors import TooMany
from viva.kit.limits import OpenCounter
from viva.results.export import ResultReader
from viva.results.export_formats import EXPORT_FORMATS, FormatName

MAX_EXPORTS = 4  # of one address in one process
RETRY_AFTER_SECONDS = 30  # in which 100,000 results have gone out


class TooManyExports(TooMany):
    """Too many exports are under way to this address; wait until one has ended."""


class Export(NamedTuple):
    """What is to be exported, and how."""

    reading: ResultReader
    format: FormatName


class Exports:
    """The exports under way in this process."""

    def __init__(self) -> None:
        self.open = OpenCounter()
        self._turn = asyncio.Lock()

    def check_room(self, address: str) -> None:
        if self.open.count(address) >= MAX_EXPORTS:
            raise TooManyExports(retry_after=RETRY_AFTER_SECONDS)

    async def pieces(self, database: Database, export: Export) -> AsyncGenerator[bytes, None]:
        encoder = EXPORT_FORMATS[export.format].encoder()
        yield encoder.begin()
        while not export.reading.is_done:
            async with self._turn:  # however many exports there are, a request waits for one piece of one of them
                rows = await database.read(export.reading.next)
                piece = await asyncio.to_thread(encoder.add, rows)
            if piece:
                yield piece
        yield await asyncio.to_thread(encoder.end)

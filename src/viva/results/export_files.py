"""Sending exported files: a limit for each address, and one batch at a time for the whole process."""

import asyncio
from collections.abc import AsyncGenerator
from typing import NamedTuple

from viva.kit.db import Database
from viva.kit.errors import TooMany
from viva.kit.limits import OpenCounter
from viva.results.export import ResultReader
from viva.results.export_formats import EXPORT_FORMATS, FormatName

MAX_EXPORTS_PER_ADDRESS = 4  # in one process
RETRY_AFTER_SECONDS = 30  # an export of 100,000 results takes no longer


class TooManyExports(TooMany):
    """Too many exports are running for this address. Wait until one has ended."""


class Export(NamedTuple):
    """What to export, and in which format."""

    reader: ResultReader
    format: FormatName


class Exports:
    """The running exports of this process."""

    def __init__(self) -> None:
        self.open = OpenCounter()
        self._turn = asyncio.Lock()

    def check_room(self, address: str) -> None:
        if self.open.count(address) >= MAX_EXPORTS_PER_ADDRESS:
            raise TooManyExports(retry_after=RETRY_AFTER_SECONDS)

    async def pieces(self, database: Database, export: Export) -> AsyncGenerator[bytes, None]:
        encoder = EXPORT_FORMATS[export.format].encoder()
        yield encoder.begin()
        while not export.reader.is_done:
            async with self._turn:  # with many exports, a request still waits for one batch only
                rows = await database.read(export.reader.next)
                piece = await asyncio.to_thread(encoder.add, rows)
            if piece:
                yield piece
        yield await asyncio.to_thread(encoder.end)

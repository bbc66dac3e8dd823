"""Sending files that are made piece by piece: a limit for each address, and one batch at a time for the whole process."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any, NamedTuple, Protocol

from viva.kit.db import Connection, Database
from viva.kit.errors import TooMany
from viva.kit.limits import OpenCounter
from viva.results.export import ResultReader, file_name
from viva.results.export_formats import EXPORT_FORMATS, Encoder, FormatName

MAX_EXPORTS_PER_ADDRESS = 4  # in one process
RETRY_AFTER_SECONDS = 30  # an export of 100,000 results takes no longer


class TooManyExports(TooMany):
    """Too many exports are running for this address. Wait until one has ended."""


class BatchReader(Protocol):
    """Reads the rows of a file. Each batch is one read."""

    is_done: bool

    def next(self, db: Connection) -> Sequence[Any]: ...


class SentFile(Protocol):
    """A file that is read and sent in pieces."""

    @property
    def reader(self) -> BatchReader: ...

    @property
    def name(self) -> str: ...

    @property
    def media_type(self) -> str: ...

    def encoder(self) -> Encoder: ...


class Export(NamedTuple):
    """What to export, and in which format."""

    reader: ResultReader
    format: FormatName

    @property
    def name(self) -> str:
        return file_name(self.reader.evaluation_id, self.reader.version, self.reader.until, self.format)

    @property
    def media_type(self) -> str:
        return EXPORT_FORMATS[self.format].media_type

    def encoder(self) -> Encoder:
        return EXPORT_FORMATS[self.format].encoder()


class Exports:
    """The files that this process is sending."""

    def __init__(self) -> None:
        self.open = OpenCounter()
        self._turn = asyncio.Lock()

    def check_room(self, address: str) -> None:
        if self.open.count(address) >= MAX_EXPORTS_PER_ADDRESS:
            raise TooManyExports(retry_after=RETRY_AFTER_SECONDS)

    async def pieces(self, database: Database, file: SentFile) -> AsyncGenerator[bytes, None]:
        encoder = file.encoder()
        yield encoder.begin()
        while not file.reader.is_done:
            async with self._turn:  # with many exports, a request still waits for one batch only
                rows = await database.read(file.reader.next)
                piece = await asyncio.to_thread(encoder.add, rows)
            if piece:
                yield piece
        yield await asyncio.to_thread(encoder.end)

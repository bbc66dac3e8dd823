"""Tables as Parquet files, written piece by piece: flat typed columns, one gzip page for each in every row group."""

import zlib
from collections.abc import Callable, Sequence
from struct import Struct, pack
from typing import Any, NamedTuple

from viva.kit.thrift_compact import I32, TRUE, ThriftValue, encode_list, i32, i64, struct, text, varint

MAGIC = b"PAR1"
PARQUET_VERSION = 2  # of the format's types
PLAIN, RLE, GZIP, DATA_PAGE = 0, 3, 2, 0
REQUIRED, OPTIONAL = 0, 1
GZIP_LEVEL = 3  # of zlib: twice as fast as its usual 6 for a tenth more bytes
GZIP_BITS = 31  # a window of 2 to the 15 in gzip's own wrapping
LENGTH_PREFIX = Struct("<I")
DIGITS = bytes.maketrans(b"\x00\x01", b"01")


def as_they_are(data: bytearray) -> bytes:
    return bytes(data)


def bits(flags: bytearray) -> bytes:
    """Eight of these zeros and ones to a byte, the first one lowest."""
    digits = flags[::-1].translate(DIGITS)
    return int(digits, 2).to_bytes((len(flags) + 7) // 8, "little") if flags else b""


def texts(values: Sequence[str]) -> bytes:
    encoded = [value.encode() for value in values]
    return b"".join([part for data in encoded for part in (LENGTH_PREFIX.pack(len(data)), data)])


def integers(values: Sequence[int]) -> bytes:
    return pack(f"<{len(values)}q", *values)


def doubles(values: Sequence[float]) -> bytes:
    return pack(f"<{len(values)}d", *values)


class ColumnType(NamedTuple):
    """A column's type as the format names it, and how its values are written: each batch, then all of a page."""

    physical: int
    plain: Callable[[Sequence[Any]], bytes]
    whole: Callable[[bytearray], bytes]
    meaning: dict[int, ThriftValue]  # fields of the schema that say what the bytes stand for


BOOLEAN = ColumnType(0, bytes, bits, {})
INTEGER = ColumnType(2, integers, as_they_are, {})
DOUBLE = ColumnType(5, doubles, as_they_are, {})
# Each meaning twice, for readers from before and after 2019. A moment is in microseconds since 1970, in UTC.
STRING = ColumnType(6, texts, as_they_are, {6: i32(0), 10: struct({1: struct({})})})
TIMESTAMP = ColumnType(
    2, integers, as_they_are, {6: i32(10), 10: struct({8: struct({1: TRUE, 2: struct({2: struct({})})})})}
)


class Column(NamedTuple):
    name: str
    kind: ColumnType
    is_nullable: bool


class ColumnBuffer:
    """What has come for a column since the last row group."""

    def __init__(self) -> None:
        self.given = bytearray()  # for each value of a nullable column whether there is one
        self.plain = bytearray()

    def add(self, column: Column, values: Sequence[Any]) -> None:
        if column.is_nullable:
            self.given += bytes([value is not None for value in values])
            values = [value for value in values if value is not None]
        self.plain += column.kind.plain(values)


class ParquetWriter:
    """Gives the bytes of a file one after the other; keeps what the next row group is made of, and where pages stand."""

    def __init__(self, columns: Sequence[Column], made_by: str) -> None:
        self.columns = columns
        self.made_by = made_by
        self.place = 0
        self.rows = 0
        self.groups: list[ThriftValue] = []
        self._clear()

    def begin(self) -> bytes:
        return self._count_bytes(MAGIC)

    def add(self, table: Sequence[Sequence[Any]]) -> None:
        """As many values for each column, in the columns' order."""
        for column, pile, values in zip(self.columns, self.piles, table, strict=True):
            pile.add(column, values)
        self.waiting += len(table[0])

    @property
    def waiting_bytes(self) -> int:
        return sum(len(pile.plain) for pile in self.piles)

    def group(self) -> bytes:
        """A row group of all that has been added since the last one."""
        pages, chunks, size = bytearray(), [], 0
        for column, pile in zip(self.columns, self.piles, strict=True):
            page, whole = data_page(column, pile, self.waiting)
            chunks.append(chunk(column, self.place + len(pages), self.waiting, len(page), whole))
            pages += page
            size += whole
        self.groups.append(struct({1: encode_list(chunks), 2: i64(size), 3: i64(self.waiting)}))
        self.rows += self.waiting
        self._clear()
        return self._count_bytes(bytes(pages))

    def end(self) -> bytes:
        root = struct({4: text("schema"), 5: i32(len(self.columns))})
        footer = struct(
            {
                1: i32(PARQUET_VERSION),
                2: encode_list([root, *map(describe_column, self.columns)]),
                3: i64(self.rows),
                4: encode_list(self.groups),
                6: text(self.made_by),
            }
        ).data
        return footer + LENGTH_PREFIX.pack(len(footer)) + MAGIC

    def _clear(self) -> None:
        self.waiting = 0
        self.piles = [ColumnBuffer() for _ in self.columns]

    def _count_bytes(self, data: bytes) -> bytes:
        self.place += len(data)
        return data


def describe_column(column: Column) -> ThriftValue:
    repetition = OPTIONAL if column.is_nullable else REQUIRED
    return struct(
        {1: i32(column.kind.physical), 3: i32(repetition), 4: text(column.name), **column.kind.meaning},
    )


def data_page(column: Column, pile: ColumnBuffer, rows: int) -> tuple[bytes, int]:
    """The page with its head, and how long it would be if it were not packed."""
    plain = (levels(pile.given) if column.is_nullable else b"") + column.kind.whole(pile.plain)
    packer = zlib.compressobj(GZIP_LEVEL, wbits=GZIP_BITS)
    packed = packer.compress(plain) + packer.flush()
    about = struct({1: i32(rows), 2: i32(PLAIN), 3: i32(RLE), 4: i32(RLE)})
    head = struct({1: i32(DATA_PAGE), 2: i32(len(plain)), 3: i32(len(packed)), 5: about}).data
    return head + packed, len(head) + len(plain)


def levels(given: bytearray) -> bytes:
    """Which values there are: one run where all are alike, else a bit for each."""
    if len(set(given)) == 1:
        run = varint(len(given) << 1) + given[:1]
    else:
        packed = bits(given)
        run = varint(len(packed) << 1 | 1) + packed
    return LENGTH_PREFIX.pack(len(run)) + run


def chunk(column: Column, place: int, rows: int, packed: int, whole: int) -> ThriftValue:
    about = struct(
        {
            1: i32(column.kind.physical),
            2: encode_list([i32(PLAIN), i32(RLE)], I32),
            3: encode_list([text(column.name)], text("").kind),
            4: i32(GZIP),
            5: i64(rows),
            6: i64(whole),
            7: i64(packed),
            9: i64(place),
        }
    )
    return struct({2: i64(place), 3: about})

"""Writes Parquet files piece by piece: flat typed columns, with one gzip page per column and row group."""

import zlib
from collections.abc import Callable, Sequence
from struct import Struct, pack
from typing import Any, NamedTuple

from viva.kit.thrift_compact import I32, TRUE, ThriftValue, encode_list, i32, i64, struct, text, varint

MAGIC = b"PAR1"
PARQUET_VERSION = 2  # of the format
PLAIN, RLE, GZIP, DATA_PAGE = 0, 3, 2, 0
REQUIRED, OPTIONAL = 0, 1
GZIP_LEVEL = 3  # of zlib: twice as fast as the default 6 for a tenth more bytes
GZIP_BITS = 31  # a window of 2 to the power of 15, with a gzip header
LENGTH_PREFIX = Struct("<I")
DIGITS = bytes.maketrans(b"\x00\x01", b"01")


def keep_bytes(data: bytearray) -> bytearray:
    return data


def pack_bits(flags: bytearray) -> bytes:
    """Pack eight flags into a byte, the first one in the lowest bit."""
    digits = flags[::-1].translate(DIGITS)
    return int(digits, 2).to_bytes((len(flags) + 7) // 8, "little") if flags else b""


def encode_texts(values: Sequence[str]) -> bytes:
    """Each text after its length. Ids are all as long, and then one length goes between all of them."""
    encoded = [value.encode() for value in values]
    lengths = set(map(len, encoded))
    if len(lengths) == 1:
        length = LENGTH_PREFIX.pack(*lengths)
        return length + length.join(encoded)
    return b"".join([part for data in encoded for part in (LENGTH_PREFIX.pack(len(data)), data)])


def encode_integers(values: Sequence[int]) -> bytes:
    return pack(f"<{len(values)}q", *values)


def encode_doubles(values: Sequence[float]) -> bytes:
    return pack(f"<{len(values)}d", *values)


class ColumnType(NamedTuple):
    """A column's type in the format, and two encoders: one for each batch, one for a whole page."""

    physical: int
    encode_values: Callable[[Sequence[Any]], bytes]
    encode_page: Callable[[bytearray], bytes | bytearray]
    logical: dict[int, ThriftValue]  # fields of the schema for the logical type


BOOLEAN = ColumnType(0, bytes, pack_bits, {})
INTEGER = ColumnType(2, encode_integers, keep_bytes, {})
DOUBLE = ColumnType(5, encode_doubles, keep_bytes, {})
# Each logical type is written twice, for readers from before and after 2019. Times are microseconds since 1970 in UTC.
STRING = ColumnType(6, encode_texts, keep_bytes, {6: i32(0), 10: struct({1: struct({})})})
TIMESTAMP = ColumnType(
    2, encode_integers, keep_bytes, {6: i32(10), 10: struct({8: struct({1: TRUE, 2: struct({2: struct({})})})})}
)


class Column(NamedTuple):
    name: str
    kind: ColumnType
    is_nullable: bool


class ColumnBuffer:
    """The values of a column since the last row group."""

    def __init__(self) -> None:
        self.present = bytearray()  # for each value of a nullable column, whether it is not null
        self.encoded = bytearray()

    def add(self, column: Column, values: Sequence[Any]) -> None:
        if column.is_nullable:
            known = [value for value in values if value is not None]
            is_mixed = 0 < len(known) < len(values)
            self.present += bytes([value is not None for value in values] if is_mixed else [bool(known)] * len(values))
            values = known
        self.encoded += column.kind.encode_values(values)


class ParquetWriter:
    """Returns the bytes of a file piece by piece. It buffers the next row group and the offsets of the pages."""

    def __init__(self, columns: Sequence[Column], made_by: str) -> None:
        self.columns = columns
        self.made_by = made_by
        self.offset = 0
        self.rows = 0
        self.groups: list[ThriftValue] = []
        self._clear()

    def begin(self) -> bytes:
        return self._count_bytes(MAGIC)

    def add(self, table: Sequence[Sequence[Any]]) -> None:
        """Add the same number of values to each column, in the order of the columns."""
        for column, buffer, values in zip(self.columns, self.buffers, table, strict=True):
            buffer.add(column, values)
        self.waiting += len(table[0])

    @property
    def waiting_bytes(self) -> int:
        return sum(len(buffer.encoded) for buffer in self.buffers)

    def end_group(self) -> bytes:
        """A row group of everything added since the last one."""
        pages, chunks, size = bytearray(), [], 0
        for column, buffer in zip(self.columns, self.buffers, strict=True):
            page, uncompressed = encode_page(column, buffer, self.waiting)
            chunks.append(describe_chunk(column, self.offset + len(pages), self.waiting, len(page), uncompressed))
            pages += page
            size += uncompressed
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
        self.buffers = [ColumnBuffer() for _ in self.columns]

    def _count_bytes(self, data: bytes) -> bytes:
        self.offset += len(data)
        return data


def describe_column(column: Column) -> ThriftValue:
    repetition = OPTIONAL if column.is_nullable else REQUIRED
    return struct(
        {1: i32(column.kind.physical), 3: i32(repetition), 4: text(column.name), **column.kind.logical},
    )


def encode_page(column: Column, buffer: ColumnBuffer, rows: int) -> tuple[bytes, int]:
    """The page with its header, and its size without compression."""
    levels = encode_levels(buffer.present) if column.is_nullable else b""
    plain = levels + column.kind.encode_page(buffer.encoded)
    compressor = zlib.compressobj(GZIP_LEVEL, wbits=GZIP_BITS)
    compressed = compressor.compress(plain) + compressor.flush()
    page_info = struct({1: i32(rows), 2: i32(PLAIN), 3: i32(RLE), 4: i32(RLE)})
    header = struct({1: i32(DATA_PAGE), 2: i32(len(plain)), 3: i32(len(compressed)), 5: page_info}).data
    return header + compressed, len(header) + len(plain)


def encode_levels(present: bytearray) -> bytes:
    """The definition levels: one run if all are equal, otherwise a bit for each value."""
    if len(set(present)) == 1:
        run = varint(len(present) << 1) + present[:1]
    else:
        packed = pack_bits(present)
        run = varint(len(packed) << 1 | 1) + packed
    return LENGTH_PREFIX.pack(len(run)) + run


def describe_chunk(column: Column, offset: int, rows: int, compressed: int, uncompressed: int) -> ThriftValue:
    metadata = struct(
        {
            1: i32(column.kind.physical),
            2: encode_list([i32(PLAIN), i32(RLE)], I32),
            3: encode_list([text(column.name)], text("").kind),
            4: i32(GZIP),
            5: i64(rows),
            6: i64(uncompressed),
            7: i64(compressed),
            9: i64(offset),
        }
    )
    return struct({2: i64(offset), 3: metadata})

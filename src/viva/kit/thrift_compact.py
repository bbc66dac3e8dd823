"""Values written in Thrift's compact protocol, as much of it as the footer of a Parquet file needs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class ThriftValue(NamedTuple):
    """A value's type in the protocol, and its bytes."""

    kind: int
    data: bytes


TRUE = ThriftValue(1, b"")  # in a struct the type says it already
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
SHORT_LIST_ITEMS = 15  # from here on a list's length follows in bytes of its own


def varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)


def i32(number: int) -> ThriftValue:
    return ThriftValue(I32, varint(number * 2))  # zigzag, of numbers that are never negative here


def i64(number: int) -> ThriftValue:
    return ThriftValue(I64, varint(number * 2))


def text(words: str) -> ThriftValue:
    data = words.encode()
    return ThriftValue(BINARY, varint(len(data)) + data)


def encode_list(items: Sequence[ThriftValue], kind: int = STRUCT) -> ThriftValue:
    head = (
        bytes([len(items) << 4 | kind]) if len(items) < SHORT_LIST_ITEMS else bytes([0xF0 | kind]) + varint(len(items))
    )
    return ThriftValue(LIST, head + b"".join(item.data for item in items))


def struct(fields: Mapping[int, ThriftValue]) -> ThriftValue:
    """Fields by their numbers, upwards; each is told by its distance from the one before."""
    data, last = bytearray(), 0
    for number, value in fields.items():
        data.append((number - last) << 4 | value.kind)
        data += value.data
        last = number
    data.append(0)
    return ThriftValue(STRUCT, bytes(data))

"""The part of Thrift's compact protocol that the metadata of a Parquet file needs."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class ThriftValue(NamedTuple):
    """A value's type in the protocol, and its bytes."""

    kind: int
    data: bytes


TRUE = ThriftValue(1, b"")  # in a struct the type alone encodes it
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
LONG_LIST_ITEMS = 15  # from here on a list's length has its own bytes


def varint(number: int) -> bytes:
    """Seven bits per byte, the lowest first. The eighth bit says that more bytes follow."""
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)


def i32(number: int) -> ThriftValue:
    return ThriftValue(I32, varint(number * 2))  # zigzag encoding of a number that is never negative here


def i64(number: int) -> ThriftValue:
    return ThriftValue(I64, varint(number * 2))


def text(value: str) -> ThriftValue:
    data = value.encode()
    return ThriftValue(BINARY, varint(len(data)) + data)


def encode_list(items: Sequence[ThriftValue], kind: int = STRUCT) -> ThriftValue:
    head = (
        bytes([len(items) << 4 | kind]) if len(items) < LONG_LIST_ITEMS else bytes([0xF0 | kind]) + varint(len(items))
    )
    return ThriftValue(LIST, head + b"".join(item.data for item in items))


def struct(fields: Mapping[int, ThriftValue]) -> ThriftValue:
    """Fields in ascending order of their numbers. Each is encoded by its distance from the one before."""
    data, last = bytearray(), 0
    for number, value in fields.items():
        data.append((number - last) << 4 | value.kind)
        data += value.data
        last = number
    data.append(0)
    return ThriftValue(STRUCT, bytes(data))

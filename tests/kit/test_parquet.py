"""Parquet as another program reads it: every value where it was, whatever the values and however they are cut up."""

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from viva.kit import parquet
from viva.kit.parquet import BOOLEAN, DOUBLE, INTEGER, STRING, TIMESTAMP, Column, ParquetWriter

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
KINDS = {"text": STRING, "truth": BOOLEAN, "ratio": DOUBLE, "count": INTEGER, "at": TIMESTAMP}
COLUMNS = [
    *(Column(name, kind, False) for name, kind in KINDS.items()),
    *(Column(f"{name}_or_null", kind, True) for name, kind in KINDS.items()),
]
whole = st.integers(-(2**63), 2**63 - 1)
micros = st.integers(-(10**15), 10**16)
values = [st.text(), st.booleans(), st.floats(allow_nan=False), whole, micros]
rows = st.tuples(*values, *(st.none() | value for value in values))


def written(groups: list[list[list[tuple[Any, ...]]]]) -> bytes:
    """A file of row groups, each of batches of rows."""
    writer = ParquetWriter(COLUMNS, "viva version 1.0.0")
    parts = [writer.begin()]
    for batches in groups:
        for batch in batches:
            writer.add(list(zip(*batch, strict=True)))
        parts.append(writer.end_group())
    return b"".join([*parts, writer.end()])


def shown(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The row with its moments as moments."""
    first, second = row[4], row[9]
    return *row[:4], moment(first), *row[5:9], None if second is None else moment(second)


def moment(number: int) -> datetime:
    return BEGINNING + timedelta(microseconds=number)


def row(number: int, is_null: bool = False) -> tuple[Any, ...]:
    some = (f"ça va {number}", number % 3 == 0, number / 7, number, number)
    return *some, *([None] * 5 if is_null else some)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.lists(rows, min_size=1, max_size=12), min_size=1, max_size=3), max_size=3))
def test_what_is_written_is_read_whatever_it_is(groups):
    table = pq.read_table(io.BytesIO(written(groups)))

    table.validate(full=True)
    read = [tuple(one.values()) for one in table.to_pylist()]
    assert read == [shown(one) for batches in groups for batch in batches for one in batch]


def test_columns_have_their_types_and_say_which_may_be_null():
    schema = pq.read_schema(io.BytesIO(written([[[row(1)]]])))

    kinds = [pa.string(), pa.bool_(), pa.float64(), pa.int64(), pa.timestamp("us", "UTC")]
    assert schema.types == kinds * 2
    assert [field.nullable for field in schema] == [False] * 5 + [True] * 5


@pytest.mark.parametrize("nulls", ["none", "all", "some"])
def test_two_readers_agree_over_many_row_groups(nulls: str):
    numbers = [range(first, first + 1_001) for first in range(0, 7_007, 1_001)]
    is_null = {"none": lambda n: False, "all": lambda n: True, "some": lambda n: n % 5 < 2}[nulls]
    file = written([[[row(n, is_null(n)) for n in group]] for group in numbers])

    by_arrow = pq.read_table(io.BytesIO(file)).to_pylist()
    by_polars = polars.read_parquet(io.BytesIO(file)).to_dicts()

    assert pq.read_metadata(io.BytesIO(file)).num_row_groups == 7
    assert by_arrow == by_polars
    assert [one["count"] for one in by_arrow] == list(range(7_007))
    assert [one["text_or_null"] is None for one in by_arrow] == [is_null(n) for n in range(7_007)]


def test_a_table_without_rows_still_has_its_columns():
    file = written([])

    assert pq.read_table(io.BytesIO(file)).num_rows == 0
    assert polars.read_parquet(io.BytesIO(file)).columns == [column.name for column in COLUMNS]


def test_a_huge_text_and_an_empty_one_come_back():
    huge = "é" * 3_000_000
    texts = [huge, "", "\n", "a\0b"]

    table = pq.read_table(io.BytesIO(written([[[(text, *row(1)[1:5], text, *row(1)[6:]) for text in texts]]])))

    assert table["text"].to_pylist() == texts
    assert table["text_or_null"].to_pylist() == texts


def test_pages_are_packed():
    file = written([[[row(1)] * 5_000]])

    about = pq.read_metadata(io.BytesIO(file)).row_group(0)

    assert {about.column(n).compression for n in range(len(COLUMNS))} == {"GZIP"}
    assert len(file) < about.total_byte_size / 20
    assert about.total_byte_size == sum(about.column(n).total_uncompressed_size for n in range(len(COLUMNS)))


def test_a_column_that_was_given_too_few_values_is_refused():
    writer = ParquetWriter(COLUMNS[:2], "viva version 1.0.0")

    with pytest.raises(ValueError, match="shorter"):
        writer.add([["a"]])


def test_bits_are_eight_to_a_byte_the_first_one_lowest():
    assert parquet.pack_bits(bytearray([1, 0, 1, 1, 0, 0, 0, 0, 1])) == bytes([0b00001101, 1])

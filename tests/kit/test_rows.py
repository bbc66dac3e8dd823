"""Rows become the same models on both databases."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import msgspec
import pytest

from tests.values import require
from viva.kit.rows import find, many


class Thing(msgspec.Struct, frozen=True):
    id: str
    at: datetime
    later: datetime | None
    is_good: bool
    is_known: bool | None
    amount: float | None
    data: dict[str, Any] | None
    names: list[str]


@pytest.fixture
def things(db):
    db.execute(
        """
        CREATE TABLE things (id TEXT, at TIMESTAMPTZ, later TIMESTAMPTZ, is_good BOOLEAN, is_known BOOLEAN,
            amount DOUBLE PRECISION, data JSONB, names JSONB)
        """
    )

    def add(*values: object) -> None:
        db.execute("INSERT INTO things VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    return add


HALF_PAST_NINE = datetime(2026, 11, 15, 9, 30, 0, 123456, UTC)


def test_values_of_every_kind_come_back_as_they_went_in(db, things):
    data = '{"marks": {"hot": 1.5, "on time": null}, "note": "ça va", "ok": true}'
    things("a", HALF_PAST_NINE, HALF_PAST_NINE, True, False, 10, data, '["x", "5"]')

    thing = find(Thing, db.execute("SELECT * FROM things"))

    assert thing == Thing(
        "a",
        HALF_PAST_NINE,
        HALF_PAST_NINE,
        True,
        False,
        10.0,
        {"marks": {"hot": 1.5, "on time": None}, "note": "ça va", "ok": True},
        ["x", "5"],
    )
    assert thing.is_good is True
    assert thing.is_known is False
    assert type(thing.amount) is float


def test_none_stays_none(db, things):
    things("a", HALF_PAST_NINE, None, False, None, None, None, "[]")

    thing = require(find(Thing, db.execute("SELECT * FROM things")))

    assert (thing.later, thing.is_known, thing.amount, thing.data, thing.names) == (None, None, None, None, [])


def test_a_time_is_written_in_utc_whatever_zone_it_came_from(db, things):
    in_berlin = datetime(2026, 11, 15, 10, 30, tzinfo=timezone(timedelta(hours=1)))
    things("a", in_berlin, HALF_PAST_NINE, True, True, 1.5, "{}", "[]")

    thing = find(Thing, db.execute("SELECT * FROM things"))

    assert msgspec.json.encode(thing) == (
        b'{"id":"a","at":"2026-11-15T09:30:00Z","later":"2026-11-15T09:30:00.123456Z","is_good":true,"is_known":true,'
        b'"amount":1.5,"data":{},"names":[]}'
    )


def test_times_compare_as_moments(db, things):
    for name, moment in {
        "whole": HALF_PAST_NINE.replace(microsecond=0),
        "first": HALF_PAST_NINE - timedelta(microseconds=1),
        "exact": HALF_PAST_NINE,
        "after": HALF_PAST_NINE + timedelta(microseconds=1),
    }.items():
        things(name, moment, None, True, None, None, None, "[]")
    in_berlin = HALF_PAST_NINE.astimezone(timezone(timedelta(hours=1)))

    rows = db.execute("SELECT id FROM things WHERE at <= ? ORDER BY at", [in_berlin]).fetchall()

    assert [name for (name,) in rows] == ["whole", "first", "exact"]


def test_columns_may_come_in_another_order(db, things):
    things("a", HALF_PAST_NINE, None, True, None, 2, None, '["x"]')

    thing = find(Thing, db.execute("SELECT names, data, amount, is_known, is_good, later, at, id FROM things"))

    assert thing == Thing("a", HALF_PAST_NINE, None, True, None, 2.0, None, ["x"])


def test_no_row_is_none_and_no_rows_are_an_empty_list(db, things):
    assert find(Thing, db.execute("SELECT * FROM things")) is None
    assert many(Thing, db.execute("SELECT * FROM things")) == []


def test_parameters_go_by_place_or_by_name_and_signs_in_texts_are_left_alone(db):
    by_place = db.execute("SELECT ?, ? || '100%'", ["a ? b :c %s", "x"]).fetchone()
    by_name = db.execute(
        "SELECT :first || ' ' || :second || ' ' || :first", {"first": "a:b", "second": "%(x)s"}
    ).fetchone()

    assert tuple(by_place) == ("a ? b :c %s", "x100%")
    assert tuple(by_name) == ("a:b %(x)s a:b",)

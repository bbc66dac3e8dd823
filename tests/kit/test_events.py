"""The event log: kept with its unit, added to and never changed, read by page."""

import pytest

from tests import make
from viva.kit.actors import HUB, Actor
from viva.kit.db import Connection, Violation
from viva.kit.events import (
    MAX_EVENT_DATA_BYTES,
    Event,
    EventTooLarge,
    act_as,
    actor_at,
    hash_address,
    list_events,
    record,
)

SECRET = b"the secret of a hub in tests"


def record_one(db: Connection, number: int = 1) -> None:
    record(db, "key.made", "agent", f"agent_{number}", number=number)


def events_in(db: Connection) -> list[Event]:
    return list_events(db, 200, None).items


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET action = 'nothing.done'",
        "UPDATE events SET data = data",
        "DELETE FROM events",
    ],
)
def test_an_event_is_neither_changed_nor_removed(db, change):
    record_one(db)
    before = events_in(db)

    with pytest.raises(Violation) as refused, make.unit(db):
        db.execute(change)

    assert refused.value.constraint == "events_are_append_only"
    assert events_in(db) == before


@pytest.mark.parametrize("db", ["sqlite"], indirect=True)
def test_an_event_is_not_replaced_on_sqlite(db):
    record_one(db)
    before = events_in(db)

    with pytest.raises(Violation) as refused:
        db.execute("INSERT OR REPLACE INTO events SELECT * FROM events")

    assert refused.value.constraint == "events_are_append_only"
    assert events_in(db) == before


@pytest.mark.parametrize("db", ["postgresql"], indirect=True)
def test_events_are_not_truncated_on_postgresql(db):
    record_one(db)
    db.execute("SET CONSTRAINTS ALL IMMEDIATE")

    with pytest.raises(Violation) as refused, make.unit(db):
        db.execute("TRUNCATE events")

    assert refused.value.constraint == "events_are_append_only"
    assert len(events_in(db)) == 1


def test_a_unit_that_fails_leaves_no_event(database):
    def fail(db: Connection) -> None:
        record_one(db)
        raise RuntimeError("after the event")

    with pytest.raises(RuntimeError):
        database.write_now(fail)
    database.write_now(lambda db: record_one(db, 2))

    assert [event.data for event in database.read_now(events_in)] == [{"number": 2}]


def test_events_are_in_the_order_of_their_ids_newest_first(database):
    for number in (1, 2, 3):
        database.write_now(lambda db, number=number: record_one(db, number))

    first = database.read_now(lambda db: list_events(db, 2, None))
    second = database.read_now(lambda db: list_events(db, 2, first.next_cursor))

    assert [event.data["number"] for event in first.items] == [3, 2]
    assert [event.data["number"] for event in second.items] == [1]
    assert second.next_cursor is None
    ids = [event.id for event in first.items + second.items]
    assert ids == [ids[0], ids[0] - 1, ids[0] - 2]


def test_an_event_is_in_the_name_of_the_units_actor(db):
    ada = Actor("api", "agent_ada", "viva_abcdef", "f00d")

    record_one(db)
    act_as(ada, record_one)(db)

    hers, nobodys = events_in(db)
    assert (hers.via, hers.account_id, hers.key_prefix, hers.address_hash) == (
        "api",
        "agent_ada",
        "viva_abcdef",
        "f00d",
    )
    assert Actor(nobodys.via, nobodys.account_id, nobodys.key_prefix, nobodys.address_hash) == HUB


def test_the_actor_of_one_unit_is_not_the_actor_of_the_next(database):
    database.write_now(act_as(Actor("api", "agent_ada"), record_one))
    database.write_now(record_one)

    assert [event.account_id for event in database.read_now(events_in)] == [None, "agent_ada"]


@pytest.mark.parametrize("text", ["x", "é"])
def test_data_has_a_limit_in_bytes(db, text):
    room = (MAX_EVENT_DATA_BYTES - len(b'{"text":""}')) // len(text.encode())

    record(db, "key.made", "agent", "agent_1", text=text * room)
    with pytest.raises(EventTooLarge):
        record(db, "key.made", "agent", "agent_1", text=text * (room + 1))

    assert len(events_in(db)) == 1


def test_the_schema_holds_the_limit_too(db):
    sql = """
        INSERT INTO events (at, action, via, subject_type, subject_id, data)
        VALUES ('2026-11-15T00:00:00.000000Z', 'key.made', 'hub', 'agent', 'agent_1', ?)
    """

    with pytest.raises(Violation) as refused:
        db.execute(sql, ["é" * (MAX_EVENT_DATA_BYTES // 2 + 1)])

    assert refused.value.constraint == "events_data"


def test_an_address_is_kept_as_a_keyed_hash():
    hashed = hash_address(SECRET, "192.0.2.7")

    assert hashed == hash_address(SECRET, "192.0.2.7")
    assert hashed not in (hash_address(SECRET, "192.0.2.8"), hash_address(b"another secret", "192.0.2.7"))
    assert len(hashed) == 32
    assert actor_at("api", SECRET, "192.0.2.7") == Actor("api", address_hash=hashed)


def test_addresses_of_one_subscriber_have_one_hash():
    one, other = actor_at("api", SECRET, "2001:db8::1"), actor_at("api", SECRET, "2001:db8::2")

    assert one == other
    assert one != actor_at("api", SECRET, "2001:db8:1::1")

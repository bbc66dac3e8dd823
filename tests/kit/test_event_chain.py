"""The chain of events: linked in the order of commits on both databases, append-only, and signed."""

import pytest

from tests import make
from viva.kit import event_chain, signing_keys
from viva.kit.db import Connection, Database, Violation
from viva.kit.event_chain import LINKED_COLUMNS, hash_event, is_genuine, read_head, sign_head
from viva.kit.events import record
from viva.kit.hashing import NO_HASH


def check_whole(db: Connection, count: int) -> None:
    columns = ", ".join(f"e.{name}" for name in LINKED_COLUMNS)
    rows = db.execute(
        f"SELECT c.position, c.hash, {columns} FROM event_chain c JOIN events e ON e.id = c.event_id ORDER BY c.position"
    ).fetchall()
    head = NO_HASH
    for position, hash_, *event in rows:
        head = hash_event(head, event)
        assert hash_ == head, f"event {position}"
    assert [row[0] for row in rows] == list(range(1, count + 1))
    assert read_head(db).hash == head


def record_some(db: Connection, name: str, count: int = 3) -> None:
    for number in range(count):
        record(db, "key.made", "agent", f"agent_{name}", number=number, word="Grüße \n 🍵")


def test_events_of_many_writers_at_once_form_one_chain(database: Database):
    works = [lambda n=n: database.write_now(lambda db: record_some(db, str(n))) for n in range(8)]

    assert make.together(*works) == [None] * 8

    database.read_now(lambda db: check_whole(db, 24))


def test_a_unit_that_fails_leaves_no_link(database: Database):
    def fail(db: Connection) -> None:
        record_some(db, "x")
        raise RuntimeError

    database.write_now(lambda db: record_some(db, "a"))
    with pytest.raises(RuntimeError):
        database.write_now(fail)
    database.write_now(lambda db: record_some(db, "b"))

    database.read_now(lambda db: check_whole(db, 6))


@pytest.mark.parametrize("change", ["UPDATE event_chain SET hash = hash", "DELETE FROM event_chain"])
def test_a_link_is_neither_changed_nor_removed(database: Database, change: str):
    database.write_now(lambda db: record_some(db, "a"))

    with pytest.raises(Violation) as refused:
        database.write_now(lambda db: db.execute(change))

    assert refused.value.constraint == "event_chain_append_only"


def test_a_head_is_signed(database: Database):
    database.write_now(signing_keys.ensure_current)
    database.write_now(lambda db: record_some(db, "a", 1))
    head = database.read_now(lambda db: sign_head(db, signing_keys.get_current(db)))

    assert head.position == 2  # after the event of the key itself
    assert is_genuine(head)
    assert not is_genuine(event_chain.SignedHead(3, head.hash, head.at, head.key_id, head.signature))

"""Attempts that somebody changed in the database: `viva check` compares how they ended with the log and the results."""

import pytest

from tests import make
from tests.checking.halls import check, fill, found, one, tamper
from viva.exams import registering
from viva.kit.db import Connection, Database


def withdraw(db: Connection) -> None:
    """Carl leaves an exam that has begun, which is a try, and later one that has not."""
    carl, pia = make.agent(db, "carl"), make.agent(db, "pia")
    _, claim = make.claim(db, carl, pia)
    make.talk(db, claim.session, pia)
    assert registering.cancel(db, "good-manners", carl).is_try
    make.registration(db, carl, "tea-making")
    assert not registering.cancel(db, "tea-making", carl).is_try


@pytest.fixture
def hall(database: Database) -> Database:
    database.write_now(fill)
    database.write_now(withdraw)
    return database


def other(name: str) -> tuple[str, str]:
    return "attempt", f"The {name} of the attempt is not as it was recorded."


WITHDRAWN = "status = 'cancelled' AND evaluation_id = 'good-manners'"
LATER = "'2999-01-01T00:00:00.000000Z'"
CHANGES = {
    f"UPDATE evaluation_registrations SET is_try = FALSE WHERE {WITHDRAWN}": {other("is_try")},
    "UPDATE evaluation_registrations SET is_try = TRUE WHERE evaluation_id = 'tea-making'": {other("is_try")},
    f"UPDATE evaluation_registrations SET is_practice = TRUE WHERE {WITHDRAWN}": {other("is_practice")},
    f"UPDATE evaluation_registrations SET status = 'in_progress', completed_at = NULL WHERE {WITHDRAWN}": {
        other("status"),
    },
    f"UPDATE evaluation_registrations SET agent_id = (SELECT id FROM agents WHERE name = 'pia') WHERE {WITHDRAWN}": {
        other("agent_id"),
    },
    "DELETE FROM evaluation_registrations WHERE evaluation_id = 'tea-making'": {
        ("attempt", "The attempt is missing."),
    },
    "UPDATE evaluation_registrations SET is_try = FALSE WHERE status = 'failed'": {other("is_try")},
    "UPDATE evaluation_registrations SET status = 'completed' WHERE status = 'failed'": {
        ("attempt", "The status of the attempt is not that of its result."),
    },
    f"UPDATE evaluation_registrations SET status = 'completed', completed_at = {LATER} WHERE status = 'in_progress'": {
        ("attempt", "The attempt has no result."),
    },
    f"UPDATE evaluation_registrations SET status = 'cancelled', completed_at = {LATER} WHERE status = 'in_progress'": {
        ("attempt", "The log does not say that the attempt ended."),
    },
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_attempt_that_was_changed_by_hand_is_named(hall: Database, change: str):
    assert check(hall).findings == []

    tamper(hall, change)

    assert found(check(hall)) == CHANGES[change]


def test_the_attempt_is_named_with_both_values(hall: Database):
    tamper(hall, f"UPDATE evaluation_registrations SET is_try = FALSE WHERE {WITHDRAWN}")

    (finding,) = check(hall).findings
    assert finding.id == one(hall, f"SELECT id FROM evaluation_registrations WHERE {WITHDRAWN}")
    assert (finding.expected, finding.found) == (True, False)


def test_attempts_from_before_the_log_raise_no_alarm(hall: Database):
    tamper(hall, "DELETE FROM event_chain", "DELETE FROM events")

    assert [finding for finding in check(hall).findings if finding.subject == "attempt"] == []

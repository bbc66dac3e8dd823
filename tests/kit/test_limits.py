"""How often somebody may call, over all processes."""

import asyncio
import time

import pytest

from viva.kit import limits
from viva.kit.errors import TooMany
from viva.kit.limits import RateLimit

LONG = 1_000_000_000  # seconds: the period ends in 2033, so that none ends in the middle of a test


def taken(database, limit: RateLimit, subject: str, times: int) -> int:
    """How many of so many calls in a row are let through."""

    async def calls() -> int:
        let_through = 0
        for _ in range(times):
            try:
                await limit.take(database, subject)
            except TooMany:
                continue
            let_through += 1
        return let_through

    return asyncio.run(calls())


@pytest.mark.parametrize("most", [1, 3, 20, 60])
def test_so_many_calls_are_let_through_and_no_more(database, most):
    assert taken(database, RateLimit("calls", most, LONG), "ada", most + 10) == most


def test_a_limit_holds_over_two_processes(database):
    one, other = RateLimit("calls", 10, LONG), RateLimit("calls", 10, LONG)

    let_through = [taken(database, process, "ada", 1) for process in (one, other) * 10]

    assert let_through == [1] * 10 + [0] * 10


def test_a_process_gets_only_what_the_others_have_left(database):
    taken(database, RateLimit("calls", 40, LONG), "ada", 30)

    assert taken(database, RateLimit("calls", 40, LONG), "ada", 40) == 10


def test_calls_in_parallel_count_as_many_as_they_are(database):
    limit = RateLimit("calls", 100, LONG)

    async def ten_at_once():
        await asyncio.gather(*(limit.take(database, "ada") for _ in range(10)))

    asyncio.run(ten_at_once())

    assert taken(database, limit, "ada", 100) == 90


def test_other_subjects_and_other_limits_are_not_affected(database):
    limit = RateLimit("calls", 2, LONG)
    taken(database, limit, "ada", 3)

    assert taken(database, limit, "paul", 2) == 2
    assert taken(database, RateLimit("registrations", 2, LONG), "ada", 2) == 2


def test_who_calls_too_often_is_told_when_to_come_again(database, monkeypatch):
    limit = RateLimit("calls", 1, LONG)
    monkeypatch.setattr(time, "time", lambda: 1_999_999_958.5)
    taken(database, limit, "ada", 1)

    with pytest.raises(TooMany) as refused:
        asyncio.run(limit.take(database, "ada"))

    assert refused.value.status == 429
    assert refused.value.retry_after == 42
    assert "1 requests in 1000000000 seconds" in str(refused.value)


def test_a_new_period_begins_at_zero(database, monkeypatch):
    limit = RateLimit("calls", 1, 60)

    monkeypatch.setattr(time, "time", lambda: 1_800_000_059.9)
    in_the_first = taken(database, limit, "ada", 3)
    monkeypatch.setattr(time, "time", lambda: 1_800_000_060.0)
    in_the_second = taken(database, limit, "ada", 3)

    assert (in_the_first, in_the_second) == (1, 1)


def test_counters_of_past_periods_are_forgotten(db):
    limits.grant(db, "past", int(time.time()) - 1, 1, 10)
    limits.grant(db, "present", int(time.time()) + 60, 1, 10)

    assert limits.forget_past(db) == 1

    assert [tuple(row) for row in db.execute("SELECT subject, used FROM limit_counters").fetchall()] == [("present", 1)]


@pytest.mark.parametrize(
    ("host", "subject"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2::7", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::7", "2001:db8:1:3::/64"),
        ("unknown", "unknown"),
        ("x" * 60_000, "x" * 45),
    ],
)
def test_an_address_stands_for_who_holds_it(host, subject):
    assert limits.subject_of(host) == subject

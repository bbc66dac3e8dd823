"""The order of the queue between accounts: the many jobs of one leave room for the few of another."""

from datetime import datetime, timedelta

import pytest

from viva.jobs import queue
from viva.jobs.fairness import HEAD_START, QUEUE_DISTANCE
from viva.kit.clock import now
from viva.kit.db import Connection

MANY = 200


@pytest.fixture
def clock(monkeypatch) -> list[datetime]:
    """The time that it is for the queue: the last of the list."""
    times = [now()]
    monkeypatch.setattr(queue, "now", lambda: times[-1])
    return times


def put(db: Connection, account: str | None, count: int = 1, pause: timedelta = queue.NO_PAUSE) -> None:
    for _ in range(count):
        queue.put(db, "analyse", {"account": account}, pause, "processes", account)


def taken(db: Connection, count: int) -> list[str]:
    """The accounts of the next jobs."""
    jobs = sorted(queue.take_batch(db, 3600, count), key=lambda job: job.id)
    return [job.data["account"] for job in jobs]


def test_a_single_job_goes_before_the_many_of_another_account(db, clock):
    put(db, "ada", MANY)
    clock.append(clock[0] + timedelta(seconds=10))
    put(db, "bob")

    before = 10 / QUEUE_DISTANCE.total_seconds()  # as many of ada's stand before it after ten seconds

    assert "bob" in taken(db, int(before) + 2)
    assert taken(db, MANY) == ["ada"] * (MANY - int(before) - 1)


def test_large_uploads_that_come_together_share_the_workers(db, clock):
    put(db, "ada", MANY)
    put(db, "bob", MANY)

    first = taken(db, MANY)

    assert abs(first.count("ada") - first.count("bob")) <= 1


def test_an_account_keeps_the_order_of_its_jobs(db, clock):
    for number in range(5):
        queue.put(db, "analyse", {"number": number}, pool="processes", account_id="ada")

    assert [queue.take_batch(db, 30, 1)[0].data["number"] for _ in range(5)] == list(range(5))


def test_nobody_is_overtaken_for_longer_than_the_head_start(db, clock):
    """A new account for each job gains an hour and no more."""
    put(db, "ada", MANY)
    clock.append(clock[0] + HEAD_START + MANY * QUEUE_DISTANCE)
    put(db, "bob", MANY)

    assert taken(db, MANY) == ["ada"] * MANY


def test_no_job_stands_later_than_its_arrival(db, clock):
    put(db, "ada")
    db.execute("UPDATE jobs SET queued_at = ?", [clock[0]])
    put(db, "ada")

    assert len({row[0] for row in db.execute("SELECT queued_at FROM jobs").fetchall()}) == 1


def test_a_pause_keeps_the_place_in_the_queue(db, clock):
    """Spans that wait for the rest of their trace do not wait once more behind an upload."""
    put(db, "ada", MANY)
    put(db, "bob", pause=timedelta(seconds=2))
    assert "bob" not in taken(db, 5)

    clock.append(clock[0] + timedelta(seconds=2))

    assert taken(db, 1) == ["bob"]

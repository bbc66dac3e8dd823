"""What the queue promises: a job is one worker's at a time, is tried again, and ends once."""

from datetime import datetime, timedelta

import pytest

from tests import make
from tests.values import require
from viva.jobs import queue
from viva.jobs.model import Job
from viva.jobs.queue import LeaseLost, NoSuchJob, NotFailed
from viva.kit.clock import now
from viva.kit.db import Connection, Violation
from viva.kit.paging import BadCursor


def taken(db: Connection) -> Job:
    job = queue.take(db, 30)
    assert job is not None
    return job


def let_it_be_due(db: Connection, job: Job) -> None:
    """Let the pause or the lease of the job be over."""
    db.execute("UPDATE jobs SET due_at = ? WHERE id = ?", [now() - timedelta(seconds=1), job.id])


@pytest.fixture
def moment(monkeypatch) -> datetime:
    """The time that it is for the queue throughout the test."""
    at = now()
    monkeypatch.setattr(queue, "now", lambda: at)
    return at


def failed(db: Connection) -> Job:
    queue.put(db, "count sheep", {})
    return queue.fail(db, taken(db), "No sheep.")


# Putting and taking


def test_a_job_is_kept_as_it_was_put(db):
    job = queue.put(db, "count sheep", {"field": "north", "sheep": [1, 2]})

    assert queue.get(db, job.id) == job
    assert job.id.startswith("job_")
    assert (job.work, job.data, job.status, job.tries) == (
        "count sheep",
        {"field": "north", "sheep": [1, 2]},
        "waiting",
        0,
    )


def test_a_job_is_taken_back_with_the_transaction_that_put_it(database):
    def put_and_fail(db: Connection) -> None:
        queue.put(db, "count sheep", {})
        raise OSError("the flock has fled")

    with pytest.raises(OSError, match="fled"):
        database.write_now(put_and_fail)

    assert database.write_now(lambda db: queue.take(db, 30)) is None


def test_taking_counts_a_try_and_gives_a_lease(db, moment):
    put = queue.put(db, "count sheep", {})

    job = taken(db)

    assert (job.id, job.status, job.tries) == (put.id, "running", 1)
    assert job.due_at == moment + timedelta(seconds=30)
    assert queue.take(db, 30) is None


def test_jobs_of_nobody_are_taken_in_the_order_in_which_they_become_due(db, moment, monkeypatch):
    late = queue.put(db, "count sheep", {}, timedelta(seconds=2))
    first, second = (queue.put(db, "count sheep", {"number": number}, timedelta(seconds=number)) for number in range(2))
    assert (taken(db).id, queue.take(db, 30)) == (first.id, None)

    monkeypatch.setattr(queue, "now", lambda: moment + timedelta(seconds=3))

    assert [taken(db).id for _ in range(2)] == [second.id, late.id]


def test_a_lease_is_never_given_twice(db):
    for _ in range(3):
        queue.put(db, "count sheep", {})

    assert len({taken(db).lease for _ in range(3)}) == 3


def test_of_twenty_who_take_at_once_each_gets_another_job(database):
    for _ in range(15):
        database.write_now(lambda db: queue.put(db, "count sheep", {}))

    outcomes = make.together(*[lambda: database.write_now(lambda db: queue.take(db, 30))] * 20)

    jobs = [outcome for outcome in outcomes if outcome is not None]
    assert [outcome for outcome in jobs if not isinstance(outcome, Job)] == []
    assert len({job.id for job in jobs}) == len(jobs) == 15


def test_of_twenty_who_take_one_expired_job_at_once_one_gets_it(database):
    database.write_now(lambda db: queue.put(db, "count sheep", {}))
    job = database.write_now(taken)
    database.write_now(lambda db: let_it_be_due(db, job))

    outcomes = make.together(*[lambda: database.write_now(lambda db: queue.take(db, 30))] * 20)

    assert [outcome.tries for outcome in outcomes if outcome is not None] == [2]


# Leases


def test_a_job_whose_lease_has_ended_is_another_workers(db):
    queue.put(db, "count sheep", {})
    first = taken(db)
    let_it_be_due(db, first)

    second = taken(db)

    assert (second.id, second.tries) == (first.id, 2)
    for end in (
        queue.finish,
        lambda db, job: queue.retry_later(db, job, "x"),
        lambda db, job: queue.fail(db, job, "x"),
    ):
        with pytest.raises(LeaseLost):
            end(db, first)
    assert queue.renew(db, first, 30) is False
    assert queue.finish(db, second).status == "done"


def test_what_was_written_with_a_lost_lease_is_taken_back(database):
    database.write_now(lambda db: db.execute("CREATE TABLE sheep_counted (sheep INTEGER)"))
    database.write_now(lambda db: queue.put(db, "count sheep", {}))
    slow = database.write_now(taken)
    database.write_now(lambda db: let_it_be_due(db, slow))
    fast = database.write_now(taken)

    def count_and_finish(db: Connection, job: Job) -> None:
        db.execute("INSERT INTO sheep_counted VALUES (12)")
        queue.finish(db, job)

    outcomes = make.together(
        *(lambda job=job: database.write_now(lambda db: count_and_finish(db, job)) for job in (slow, fast))
    )

    assert [type(outcome) for outcome in outcomes] == [LeaseLost, type(None)]
    assert database.read_now(lambda db: db.execute("SELECT count(*) FROM sheep_counted").fetchone()[0]) == 1


def test_a_renewed_lease_goes_on(db, moment):
    queue.put(db, "count sheep", {})
    job = taken(db)
    let_it_be_due(db, job)

    assert queue.renew(db, job, 60) is True

    assert queue.take(db, 30) is None
    assert queue.get(db, job.id).due_at == moment + timedelta(seconds=60)


def test_a_job_can_be_finished_late_as_long_as_nobody_else_has_taken_it(db):
    queue.put(db, "count sheep", {})
    job = taken(db)
    let_it_be_due(db, job)

    assert queue.finish(db, job).status == "done"


def test_a_job_is_finished_once(db):
    queue.put(db, "count sheep", {})
    job = taken(db)
    done = queue.finish(db, job)

    with pytest.raises(LeaseLost):
        queue.finish(db, job)

    assert (done.due_at, done.lease, done.reason) == (None, None, None)
    assert done.finished_at is not None
    assert queue.take(db, 30) is None


# Trying again


def test_a_job_is_put_off_for_longer_each_time_and_then_fails(db, moment):
    job = queue.put(db, "count sheep", {})
    pauses = []

    for _ in range(4):
        job = queue.retry_later(db, taken(db), "The sheep sleep.")
        pauses.append((require(job.due_at) - moment).total_seconds())
        assert (job.status, job.lease, job.reason) == ("waiting", None, "The sheep sleep.")
        assert queue.take(db, 30) is None
        let_it_be_due(db, job)
    job = queue.retry_later(db, taken(db), "The sheep are gone.")

    for pause, wanted in zip(pauses, [1, 4, 16, 64], strict=True):
        assert wanted <= pause <= wanted * 1.1
    assert (job.status, job.tries, job.due_at, job.reason) == ("failed", 5, None, "The sheep are gone.")
    assert queue.take(db, 30) is None


def test_a_reason_of_any_length_and_with_any_character_can_be_kept(db):
    queue.put(db, "count sheep", {})

    job = queue.retry_later(db, taken(db), "\0\ud800" + "x" * 1_000)

    assert job.reason == "\N{REPLACEMENT CHARACTER}?" + "x" * 498


def test_a_failed_job_can_wait_again_with_all_its_tries(db):
    job = failed(db)

    waiting = queue.restart(db, job.id)

    assert (waiting.status, waiting.tries, waiting.reason, waiting.finished_at) == ("waiting", 0, None, None)
    assert taken(db).tries == 1


def test_only_a_failed_job_waits_again(db):
    job = queue.put(db, "count sheep", {})

    with pytest.raises(NotFailed):
        queue.restart(db, job.id)
    queue.finish(db, taken(db))
    with pytest.raises(NotFailed):
        queue.restart(db, job.id)
    with pytest.raises(NoSuchJob):
        queue.restart(db, "job_x")


# Looking


def test_a_job_that_is_not_there_is_not_found(db):
    with pytest.raises(NoSuchJob):
        queue.get(db, "job_x")


def test_jobs_are_listed_newest_first_by_page_and_status(db):
    bad = failed(db)
    put = [queue.put(db, "count sheep", {"n": n}) for n in range(3)]
    put.sort(key=lambda job: job.id, reverse=True)  # those of one millisecond are in no order of their own

    first = queue.list_jobs(db, None, 2, None)
    second = queue.list_jobs(db, None, 2, first.next_cursor)

    assert [*first.items, *second.items] == sorted([*put, bad], key=lambda job: job.id, reverse=True)
    assert second.next_cursor is None
    assert queue.list_jobs(db, "failed", 50, None).items == [bad]
    assert queue.list_jobs(db, "waiting", 2, None).items == put[:2]
    assert queue.list_jobs(db, "done", 50, None).items == []
    with pytest.raises(BadCursor):
        queue.list_jobs(db, None, 2, "x")


def test_jobs_are_counted_by_status(db):
    failed(db)
    queue.put(db, "count sheep", {})
    queue.put(db, "count sheep", {})
    taken(db)

    assert queue.tally(db) == {"waiting": 1, "running": 1, "done": 0, "failed": 1}


def test_counting_stops_where_it_would_take_long(db, monkeypatch):
    for _ in range(3):
        queue.put(db, "count sheep", {})
    monkeypatch.setattr(queue, "MAX_JOBS_COUNTED", 2)

    assert queue.tally(db)["waiting"] == 2


def test_jobs_done_long_ago_are_forgotten(db):
    jobs = [queue.put(db, "count sheep", {}) for _ in range(2)]
    for _ in jobs:
        queue.finish(db, taken(db))
    bad = failed(db)
    long_ago = now() - timedelta(days=31)
    db.execute("UPDATE jobs SET finished_at = ? WHERE id IN (?, ?)", [long_ago, jobs[0].id, bad.id])

    assert (queue.forget_done(db), queue.forget_done(db), queue.forget_failed(db)) == (1, 0, 0)

    assert {job.id for job in queue.list_jobs(db, None, 50, None).items} == {jobs[1].id, bad.id}


def test_failed_jobs_stay_for_a_year(db):
    old, young = failed(db), failed(db)
    for job, days in ((old, 366), (young, 364)):
        db.execute("UPDATE jobs SET finished_at = ? WHERE id = ?", [now() - timedelta(days=days), job.id])

    assert queue.forget_failed(db) == 1

    assert [job.id for job in queue.list_jobs(db, None, 50, None).items] == [young.id]


def test_a_sweep_deletes_a_bounded_number_of_jobs(db, monkeypatch):
    monkeypatch.setattr(queue, "JOBS_DELETED_PER_SWEEP", 2)
    for _ in range(3):
        queue.put(db, "count sheep", {})
        queue.finish(db, taken(db))
    db.execute("UPDATE jobs SET finished_at = ?", [now() - timedelta(days=31)])

    assert [queue.forget_done(db) for _ in range(3)] == [2, 1, 0]


# What the schema refuses


@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("status = 'lost', due_at = NULL, lease = NULL", "jobs_status"),
        ("tries = -1", "jobs_tries"),
        ("due_at = NULL", "jobs_due_until_finished"),
        ("finished_at = created_at", "jobs_finished_in_the_end"),
        ("lease = NULL", "jobs_leased_while_running"),
        ("status = 'waiting'", "jobs_leased_while_running"),
        ("status = 'done', due_at = NULL, finished_at = created_at", "jobs_leased_while_running"),
        ("status = 'failed', lease = NULL, due_at = NULL, finished_at = created_at", "jobs_failed_for_a_reason"),
    ],
)
def test_the_schema_refuses_a_running_job_in_a_state_that_there_is_not(db, change, constraint):
    queue.put(db, "count sheep", {})
    taken(db)

    with pytest.raises(Violation) as refused, make.unit(db):
        db.execute(f"UPDATE jobs SET {change}")

    assert refused.value.constraint == constraint

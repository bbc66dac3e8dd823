"""The job queue. One guarded statement puts a job, takes it under a lease, ends it or lets it be tried later."""

import random
import secrets
from datetime import datetime, timedelta
from typing import Any

import msgspec

from viva.jobs.fairness import find_queue_time
from viva.jobs.model import JOB_STATUSES, MAX_JOB_TRIES, Job, JobPool, JobStatus
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many, one

JOB_COLUMNS = ", ".join(Job.__struct_fields__)
JOB_TOPICS: dict[JobPool, str] = {"threads": "jobs", "processes": "jobs in processes"}
NO_PAUSE = timedelta()
BATCH_JOBS = 16  # for one process at a time; few, so that all processes finish at about the same time
MAX_JOB_REASON_CHARACTERS = 500
MAX_JOBS_COUNTED = 10_000  # of one status; a monitor needs no larger number
DONE_JOB_LIFETIME = timedelta(days=30)
FAILED_JOB_LIFETIME = timedelta(days=365)  # time enough for a maintainer to look at it
JOBS_DELETED_PER_SWEEP = 1_000  # keeps the locks of a sweep short
BROKEN_OFF = "Broken off: "  # before an exception's text, which may reveal internals of the hub
WORKERS_DIED = f"It was started {MAX_JOB_TRIES} times, and each time its worker died before the end."


class NoSuchJob(NotFound):
    """There is no job with this id."""


class NotFailed(Conflict):
    """Only a failed job can be tried again."""


class LeaseLost(Conflict):
    """Another worker has taken over this job."""


def put(
    db: Connection,
    work: str,
    data: dict[str, Any],
    pause: timedelta = NO_PAUSE,
    pool: JobPool = "threads",
    account_id: str | None = None,
) -> Job:
    """Add a job, due after the pause. Workers see it once the caller's transaction is committed.

    The jobs of accounts stand in a fair order. A job of nobody stands where its time is."""
    at = now()
    queued_at = find_queue_time(db, account_id, pool, at) if account_id else at + pause
    job = Job(new_id("job"), work, data, "waiting", 0, at + pause, None, None, at, None)
    db.execute(
        """
        INSERT INTO jobs (id, work, data, status, tries, due_at, created_at, pool, queued_at, account_id)
        VALUES (?, ?, ?, 'waiting', 0, ?, ?, ?, ?, ?)
        """,
        [job.id, work, msgspec.json.encode(data).decode(), job.due_at, at, pool, queued_at, account_id],
    )
    db.notify(JOB_TOPICS[pool])
    return job


def take(db: Connection, lease_seconds: float) -> Job | None:
    """Take the job for a thread that stands first, under a lease."""
    return next(iter(take_due(db, lease_seconds, "threads", 1)), None)


def take_batch(db: Connection, lease_seconds: float, size: int = BATCH_JOBS) -> list[Job]:
    """Take the job for a process that stands first, and the next ones of the same work, all under one lease."""
    return take_due(db, lease_seconds, "processes", size)


def take_due(db: Connection, lease_seconds: float, pool: JobPool, limit: int) -> list[Job]:
    """Take jobs of the pool that are due, in the order of the queue. It is the only statement of its unit."""
    at = now()
    due = "FROM jobs WHERE pool = :pool AND due_at <= :at"
    of_one_work = f"AND work = (SELECT work {due} ORDER BY queued_at LIMIT 1)" if limit > 1 else ""
    rows = db.execute_whole(
        f"""
        WITH due AS MATERIALIZED (SELECT id {due} {of_one_work} ORDER BY queued_at LIMIT :limit {db.skip_locked})
        UPDATE jobs SET status = 'running', tries = tries + 1, lease = :lease, due_at = :until
        WHERE id IN (SELECT id FROM due) AND due_at <= :at
        RETURNING {JOB_COLUMNS}
        """,
        {
            "lease": secrets.token_hex(16),
            "until": at + timedelta(seconds=lease_seconds),
            "at": at,
            "pool": pool,
            "limit": limit,
        },
    )
    return many(Job, rows)


def renew(db: Connection, job: Job, lease_seconds: float) -> bool:
    """Extend the lease. False if the caller no longer has it."""
    until = now() + timedelta(seconds=lease_seconds)
    return db.execute("UPDATE jobs SET due_at = ? WHERE id = ? AND lease = ?", [until, job.id, job.lease]).rowcount == 1


def finish(db: Connection, job: Job) -> Job:
    return end_lease(db, job, "done", None, None)


def fail(db: Connection, job: Job, reason: str) -> Job:
    return end_lease(db, job, "failed", None, reason)


def retry_later(db: Connection, job: Job, reason: str) -> Job:
    """Let the job wait for another try, longer each time. After the last try it fails."""
    if job.is_at_last_try:
        return fail(db, job, reason)
    return end_lease(db, job, "waiting", now() + pause_after(job.tries), reason)


def pause_after(tries: int) -> timedelta:
    """1, 4, 16 or 64 seconds plus up to a tenth, so that jobs that failed together do not return together."""
    return timedelta(seconds=4 ** (tries - 1) * (1 + random.random() / 10))  # noqa: S311 - not a secret


def end_lease(db: Connection, job: Job, status: JobStatus, due_at: datetime | None, reason: str | None) -> Job:
    """End the lease, as the last statement of the unit. LeaseLost, if another worker has it, rolls back the whole unit."""
    db.notify(job.id)
    return one(
        Job,
        db.execute_whole(
            f"""
            UPDATE jobs SET status = ?, due_at = ?, lease = NULL, reason = ?, finished_at = ?
            WHERE id = ? AND lease = ? RETURNING {JOB_COLUMNS}
            """,
            [status, due_at, reason and clean_reason(reason), None if due_at else now(), job.id, job.lease],
        ),
        LeaseLost,
    )


def clean_reason(reason: str) -> str:
    """The reason with a length and characters that both databases accept."""
    return (
        reason[:MAX_JOB_REASON_CHARACTERS].replace("\0", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()
    )


def get(db: Connection, job_id: str) -> Job:
    return one(Job, db.execute(f"SELECT {JOB_COLUMNS} FROM jobs WHERE id = ?", [job_id]), NoSuchJob)


def restart(db: Connection, job_id: str) -> Job:
    """Let a failed job wait again, with all its tries."""
    job = find(
        Job,
        db.execute(
            f"""
            UPDATE jobs SET status = 'waiting', tries = 0, due_at = ?, reason = NULL, finished_at = NULL
            WHERE id = ? AND status = 'failed' RETURNING {JOB_COLUMNS}
            """,
            [now(), job_id],
        ),
    )
    if job is None:
        get(db, job_id)
        raise NotFailed()
    for topic in JOB_TOPICS.values():
        db.notify(topic)
    return job


def list_jobs(db: Connection, status: JobStatus | None, limit: int, cursor: str | None) -> Page[Job]:
    """Jobs, newest first."""
    conditions = ["TRUE"]
    values: dict[str, object] = {"limit": limit + 1}
    if status:
        conditions.append("status = :status")
        values["status"] = status
    if cursor:
        (values["after"],) = read_cursor(cursor, tuple[str])
        conditions.append("id < :after")
    rows = db.execute(
        f"SELECT {JOB_COLUMNS} FROM jobs WHERE {' AND '.join(conditions)} ORDER BY id DESC LIMIT :limit", values
    )
    return page(many(Job, rows), limit, lambda job: (job.id,))


def tally(db: Connection) -> dict[JobStatus, int]:
    """The number of jobs of each status, counted up to 10,000."""
    sql = "SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = ? LIMIT ?) AS found"
    return {status: db.execute(sql, [status, MAX_JOBS_COUNTED]).fetchone()[0] for status in JOB_STATUSES}


def find_oldest_waiting(db: Connection) -> Job | None:
    """The waiting job that was added first; ids sort by time."""
    return find(Job, db.execute(f"SELECT {JOB_COLUMNS} FROM jobs WHERE status = 'waiting' ORDER BY id LIMIT 1"))


def forget_done(db: Connection) -> int:
    """Delete jobs that were done long ago. Returns how many, since there may be more."""
    return db.execute(
        "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE status = 'done' AND finished_at < ? LIMIT ?)",
        [now() - DONE_JOB_LIFETIME, JOBS_DELETED_PER_SWEEP],
    ).rowcount


def forget_failed(db: Connection) -> int:
    """Delete failed jobs that nobody has tried again for a year. The oldest come first, since ids sort by time."""
    return db.execute(
        """
        DELETE FROM jobs WHERE id IN
            (SELECT id FROM (SELECT id, finished_at FROM jobs WHERE status = 'failed' ORDER BY id LIMIT ?) AS oldest
            WHERE finished_at < ?)
        """,
        [JOBS_DELETED_PER_SWEEP, now() - FAILED_JOB_LIFETIME],
    ).rowcount

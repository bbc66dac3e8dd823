"""A job, and a kind of work in its three steps."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from viva.kit.db import Connection

JobStatus = Literal["waiting", "running", "done", "failed"]
JOB_STATUSES: tuple[JobStatus, ...] = ("waiting", "running", "done", "failed")
JobPool = Literal["threads", "processes"]
MAX_JOB_TRIES = 5


class Job(Struct, frozen=True):
    id: str
    work: str
    data: dict[str, Any]
    status: JobStatus
    tries: int  # how often a worker took it
    due_at: datetime | None  # the next try of a waiting job, or the end of a running job's lease
    lease: str | None
    reason: str | None  # why it failed, or why it will be tried again
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_at_last_try(self) -> bool:
        return self.tries >= MAX_JOB_TRIES


class Work(NamedTuple):
    """One kind of background work in three steps, and perhaps notes of its progress.

    Each step may run more than once. Only what `keep` writes together with the end of the job is committed."""

    # Reads what the work needs, from the job's data; in a read transaction.
    read: Callable[[Connection, dict[str, Any]], Any]
    # Works on what was read; in a thread or process of the job's pool, without a transaction; may take minutes.
    think: Callable[[Any], Any]
    # Writes the result, from what was read, the thought, and whether this is the last try. It returns None when done,
    # or the reason to commit what it wrote and to try the job again later.
    keep: Callable[[Connection, Any, Any, bool], str | None]
    # Writes what `think` reports on its way with `report_progress`, in a transaction of its own.
    note: Callable[[Connection, Any], None] | None = None

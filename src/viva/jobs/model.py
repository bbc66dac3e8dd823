"""What a job is, and what a kind of work consists of."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from viva.kit.db import Connection

JobStatus = Literal["waiting", "running", "done", "failed"]
JOB_STATUSES: tuple[JobStatus, ...] = ("waiting", "running", "done", "failed")
MAX_JOB_TRIES = 5


class Job(Struct, frozen=True):
    id: str
    work: str
    data: dict[str, Any]
    status: JobStatus
    tries: int  # how often it was taken
    due_at: datetime | None  # not before that, while it waits; the end of its lease, while it runs
    lease: str | None
    reason: str | None  # why it failed, or why it waits once more
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_at_last_try(self) -> bool:
        return self.tries >= MAX_JOB_TRIES


class Work(NamedTuple):
    """One kind of background work, in three steps; any of them may happen more than once, only what `keep` wrote
    together with the end of the job stays."""

    # What it needs, from the job's data; in a read transaction.
    read: Callable[[Connection, dict[str, Any]], Any]
    # Takes what was read; in a thread, with no transaction open; may take minutes.
    think: Callable[[Any], Any]
    # Takes what was read, what was thought, and whether no try is left, so that it has to make do. None: done.
    # A text: what was written stays, and the job is tried again later for this reason.
    keep: Callable[[Connection, Any, Any, bool], str | None]

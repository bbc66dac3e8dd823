"""The order of the queue between accounts: the jobs of one stand apart, so that those of others come in between."""

from datetime import datetime, timedelta

from msgspec import Struct

from viva.jobs.model import JobPool
from viva.kit.db import Connection
from viva.kit.rows import find

# A job without others of its account goes before whatever came in the last hour, except for the first jobs of others.
HEAD_START = timedelta(hours=1)
# Between two jobs of one account. It is longer than most analyses take, so a large upload leaves room for small ones.
QUEUE_DISTANCE = timedelta(seconds=0.25)


class LastInQueue(Struct, frozen=True):
    """The last of an account's jobs that wait."""

    queued_at: datetime


def find_queue_time(db: Connection, account_id: str, pool: JobPool, at: datetime) -> datetime:
    """Where the account's next job stands: behind its last one that waits, and never later than its arrival.

    Two requests at once may find the same time, which does no harm."""
    first = at - HEAD_START
    rows = db.execute(
        """
        SELECT queued_at FROM jobs WHERE account_id = ? AND pool = ? AND status = 'waiting'
        ORDER BY queued_at DESC LIMIT 1
        """,
        [account_id, pool],
    )
    last = find(LastInQueue, rows)
    return min(at, max(first, last.queued_at + QUEUE_DISTANCE)) if last else first

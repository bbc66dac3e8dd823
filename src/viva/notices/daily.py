"""Daily limits of what the hub sends to one place."""

import time

from viva.kit import limits
from viva.kit.db import Connection

SECONDS_PER_DAY = 86_400


def grant_today(db: Connection, subject: str, max_per_day: int) -> bool:
    """Count one for the subject. False if it has had as many today as it may get."""
    until = (int(time.time()) // SECONDS_PER_DAY + 1) * SECONDS_PER_DAY
    return limits.grant(db, subject, until, 1, max_per_day)

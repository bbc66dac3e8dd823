"""The current time in UTC, and the text form of times."""

from datetime import UTC, datetime
from functools import lru_cache


def now() -> datetime:
    return datetime.now(UTC)


@lru_cache(256)  # the time of a message is written into its hash, its row and its session
def format_time(moment: datetime) -> str:
    """RFC 3339 in UTC with microseconds, so that the texts sort by time."""
    in_utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return in_utc.isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"

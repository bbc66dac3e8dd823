"""What time it is, in UTC, and how times are written."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def format_time(moment: datetime) -> str:
    """RFC 3339 in UTC with microseconds, so that text sorts as time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

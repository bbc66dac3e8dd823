"""What time it is, in UTC, and how times are written."""

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)


def written(moment: datetime) -> str:
    """RFC 3339 with microseconds, so that text sorts as time does."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

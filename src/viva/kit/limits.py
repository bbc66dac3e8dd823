"""Rate limits, counted in the database for all processes, and counts of what is open in one process."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from viva.kit.db import Connection, Database
from viva.kit.errors import TooMany

MAX_ADDRESS_CHARACTERS = 45  # the longest form of an IPv6 address
IPV6_SUBSCRIBER_BITS = 64  # of an IPv6 address; the subscriber chooses the other bits
COUNTERS_DELETED_PER_SWEEP = 1_000  # keeps the locks of a sweep short
MINUTE_SECONDS = 60
DAY_SECONDS = 24 * 3600
NEVER = 2**62  # the end of a period that does not end
ALLOWANCE_PARTS = 20  # a process reserves a twentieth of the limit at a time, so it rarely asks the database


class RateLimit:
    """At most `max_calls` for each subject in each period of `seconds`."""

    def __init__(self, name: str, max_calls: int, seconds: int) -> None:
        self.name = name
        self.max_calls = max_calls
        self.seconds = seconds
        self._share = max(1, max_calls // ALLOWANCE_PARTS)
        self._until = 0
        self._left: dict[str, int] = {}  # calls that this process may still allow; -1 once the limit is reached

    async def take(self, database: Database, subject: str) -> None:
        until = end_of_period(self.seconds)
        if until != self._until:
            self._until, self._left = until, {}
        if not self._left.get(subject):
            granted = await database.write(
                lambda db: grant(db, f"{self.name}:{subject}", until, self._share, self.max_calls)
            )
            if until != self._until:  # the period ended during the write
                await self.take(database, subject)
                return
            # Parallel calls may each get a share, so this one is added to theirs.
            left = self._left.get(subject, 0)
            self._left[subject] = max(left, 0) + self._share if granted else left or -1
        if self._left[subject] < 0:
            raise TooMany(
                f"That is more than {self.max_calls} requests in {self.seconds} seconds; try again later.",
                retry_after=seconds_until(until),
            )
        self._left[subject] -= 1


class RateLimits(NamedTuple):
    """Limits for one key, for one address, and for writes of an address without a key."""

    key: RateLimit
    address: RateLimit
    anonymous: RateLimit

    async def admit(self, database: Database, key_hash: str | None, address: str) -> None:
        # The address goes first, since a caller can invent keys and each would get its own row.
        await self.address.take(database, subject_of(address))
        if key_hash:
            await self.key.take(database, key_hash[:32])


class OpenCounter:
    """Counts what each address has open in this process, such as streams."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def count(self, address: str) -> int:
        return self._open[subject_of(address)]

    @contextmanager
    def track(self, address: str) -> Iterator[None]:
        subject = subject_of(address)
        self._open[subject] += 1
        try:
            yield
        finally:
            self._open[subject] -= 1
            if not self._open[subject]:
                del self._open[subject]


@lru_cache(4096)  # asked at every request
def subject_of(host: str) -> str:
    """The subject that an address counts for. All addresses of one IPv6 subscriber count as one."""
    try:
        address = ip_address(host)
    except ValueError:  # a proxy may send any text
        return host[:MAX_ADDRESS_CHARACTERS]
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((address, IPV6_SUBSCRIBER_BITS), strict=False))
    return str(address)


def end_of_period(seconds: int) -> int:
    """When the present period of so many seconds ends, in Unix time. It is the same in all processes."""
    return (int(time.time()) // seconds + 1) * seconds


def seconds_until(end: int) -> int:
    return max(1, end - int(time.time()))


def grant_today(db: Connection, subject: str, max_per_day: int) -> bool:
    """Count one for the subject. False if it has had as many today as it may get."""
    return grant(db, subject, end_of_period(DAY_SECONDS), 1, max_per_day)


def grant(db: Connection, subject: str, until: int, share: int, max_used: int) -> bool:
    """Add the share to what the subject used, unless that exceeds the maximum."""
    row = db.execute(
        """
        INSERT INTO limit_counters (subject, until, used) VALUES (:subject, :until, :share)
        ON CONFLICT (subject, until) DO UPDATE SET used = limit_counters.used + :share
        WHERE limit_counters.used + :share <= :max_used RETURNING used
        """,
        {"subject": subject, "until": until, "share": share, "max_used": max_used},
    ).fetchone()
    return row is not None


def hold(db: Connection, subject: str) -> None:
    """Lock the subject until the unit ends, so that units that count the same rows run one after the other."""
    db.execute(
        """
        INSERT INTO limit_counters (subject, until, used) VALUES (?, ?, 0)
        ON CONFLICT (subject, until) DO UPDATE SET used = limit_counters.used
        """,
        [subject, NEVER],
    )


def note_readiness(db: Connection) -> None:
    """Count a readiness check. This small write shows whether the database takes writes."""
    db.execute(
        """
        INSERT INTO limit_counters (subject, until, used) VALUES ('readyz', ?, 1)
        ON CONFLICT (subject, until) DO UPDATE SET used = limit_counters.used + 1
        """,
        [end_of_period(MINUTE_SECONDS)],
    )


def forget_past(db: Connection) -> int:
    """Delete counters of past periods. Returns how many, since there may be more."""
    return db.execute(
        """
        DELETE FROM limit_counters WHERE (subject, until) IN
            (SELECT subject, until FROM limit_counters WHERE until < ? LIMIT ?)
        """,
        [int(time.time()), COUNTERS_DELETED_PER_SWEEP],
    ).rowcount

"""How often somebody may call, counted in the database, so that it holds over all processes; and how much at once in one."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from viva.kit.db import Connection, Database
from viva.kit.errors import TooMany

MAX_ADDRESS_CHARACTERS = 45  # characters of an IPv6 address
IPV6_HOLDER_BITS = 64  # bits of an IPv6 address that stand for whoever has it; the others are that holder's to choose
MINUTE = 60
ALLOWANCE_PARTS = 20  # a process takes a twentieth of the limit at a time, so that it seldom asks the database


class RateLimit:
    """At most `most` calls for each subject in each period of `seconds`."""

    def __init__(self, name: str, most: int, seconds: int) -> None:
        self.name = name
        self.most = most
        self.seconds = seconds
        self._share = max(1, most // ALLOWANCE_PARTS)
        self._until = 0
        self._left: dict[str, int] = {}  # what this process may still let through; -1 where the limit is reached

    async def take(self, database: Database, subject: str) -> None:
        until = (int(time.time()) // self.seconds + 1) * self.seconds
        if until != self._until:
            self._until, self._left = until, {}
        if not self._left.get(subject):
            granted = await database.write(
                lambda db: grant(db, f"{self.name}:{subject}", until, self._share, self.most)
            )
            if until != self._until:  # the period ended meanwhile
                await self.take(database, subject)
                return
            # Calls in parallel ask together: what the others were granted stays beside this.
            left = self._left.get(subject, 0)
            self._left[subject] = max(left, 0) + self._share if granted else left or -1
        if self._left[subject] < 0:
            raise TooMany(
                f"That is more than {self.most} requests in {self.seconds} seconds; try again later.",
                retry_after=max(1, until - int(time.time())),
            )
        self._left[subject] -= 1


class RateLimits(NamedTuple):
    """How often one key and one address may call, and how often an address may write without a key."""

    key: RateLimit
    address: RateLimit
    nameless: RateLimit

    async def admit(self, database: Database, key_hash: str | None, address: str) -> None:
        # The address first: keys can be made up, and each would be counted in a row of its own.
        await self.address.take(database, subject_of(address))
        if key_hash:
            await self.key.take(database, key_hash[:32])


class AtOnce:
    """How many of something each address has open in this process."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def of(self, address: str) -> int:
        return self._open[subject_of(address)]

    @contextmanager
    def one_more(self, address: str) -> Iterator[None]:
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
    """Whom an address stands for: all of an IPv6 network that one subscriber is given count as one."""
    try:
        address = ip_address(host)
    except ValueError:  # a proxy may name its caller as it likes
        return host[:MAX_ADDRESS_CHARACTERS]
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Network((address, IPV6_HOLDER_BITS), strict=False))
    return str(address)


def grant(db: Connection, subject: str, until: int, share: int, most: int) -> bool:
    row = db.execute(
        """
        INSERT INTO limit_counters (subject, until, used) VALUES (:subject, :until, :share)
        ON CONFLICT (subject, until) DO UPDATE SET used = limit_counters.used + :share
        WHERE limit_counters.used + :share <= :most RETURNING used
        """,
        {"subject": subject, "until": until, "share": share, "most": most},
    ).fetchone()
    return row is not None


def note_readiness(db: Connection) -> None:
    """Count that somebody asked whether the hub is ready: a small write, to find out whether one is possible."""
    until = int(time.time()) // MINUTE * MINUTE + MINUTE
    db.execute(
        """
        INSERT INTO limit_counters (subject, until, used) VALUES ('readyz', ?, 1)
        ON CONFLICT (subject, until) DO UPDATE SET used = limit_counters.used + 1
        """,
        [until],
    )


def forget_past(db: Connection) -> None:
    db.execute("DELETE FROM limit_counters WHERE until < ?", [int(time.time())])

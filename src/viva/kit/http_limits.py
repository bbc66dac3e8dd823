"""Limits on a client before its request reaches the app, and counts of connections."""

from collections import Counter
from typing import NamedTuple

from viva.kit.proxies import Proxies


class HttpLimits(NamedTuple):
    """What one client may send, for how long, and over how many connections."""

    header_bytes: int
    request_seconds: float
    connections: int  # of one address with an unfinished request
    proxies: Proxies


class ConnectionCounts:
    """The connections of this process: open ones, unfinished ones by address, refused ones by status."""

    def __init__(self) -> None:
        self.open = 0
        self.unfinished: Counter[str] = Counter()
        self.refused: Counter[int] = Counter()

    def move(self, before: str | None, after: str | None) -> None:
        """Count a connection under another address, or no longer."""
        if after is not None:
            self.unfinished[after] += 1
        if before is not None:
            self.unfinished[before] -= 1
            if not self.unfinished[before]:
                del self.unfinished[before]


COUNTS = ConnectionCounts()

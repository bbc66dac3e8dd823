"""Limits on what a client may send before a request reaches the app, and counts of connections."""

from collections import Counter
from typing import NamedTuple

from viva.kit.proxies import Proxies


class HttpLimits(NamedTuple):
    """What one client may send, for how long, and over how many connections at once."""

    header_bytes: int
    request_seconds: float
    connections: int  # of one address that have a request under way which is not whole yet
    proxies: Proxies


class ConnectionCounts:
    """The connections of this process: how many are open, unfinished by address, and refused by status."""

    def __init__(self) -> None:
        self.open = 0
        self.unfinished: Counter[str] = Counter()
        self.refused: Counter[int] = Counter()

    def move(self, before: str | None, after: str | None) -> None:
        """Count a connection under another address, or under none."""
        if after is not None:
            self.unfinished[after] += 1
        if before is not None:
            self.unfinished[before] -= 1
            if not self.unfinished[before]:
                del self.unfinished[before]


COUNTS = ConnectionCounts()

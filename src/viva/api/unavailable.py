"""The log of 503 answers: one line for each error and interval, because an outage affects every request."""

import logging
import time

from viva.kit.errors import Unavailable

LOG_INTERVAL_SECONDS = 10

log = logging.getLogger("viva")


class UnavailableLog:
    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def add(self, error: Unavailable) -> None:
        code, now = error.code(), time.monotonic()
        if now < self._next.get(code, 0):
            self._left_out[code] = self._left_out.get(code, 0) + 1
            return
        self._next[code] = now + LOG_INTERVAL_SECONDS
        left_out = self._left_out.pop(code, 0)
        cause = f" ({str(error.__cause__).strip()})" if error.__cause__ else ""
        more = f" {left_out} more answers like this since the last line." if left_out else ""
        log.error("Unavailable, %s: %s%s%s", code, error, " ".join(cause.split("\n")), more)

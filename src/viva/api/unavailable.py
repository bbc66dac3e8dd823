"""The log of answers that could not be given: one line for each kind and moment, since an outage meets every request."""

import logging
import time

from viva.kit.errors import Unavailable

MOMENT_SECONDS = 10

log = logging.getLogger("viva")


class UnavailableLog:
    def __init__(self) -> None:
        self._next: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def add(self, error: Unavailable) -> None:
        code, moment = error.code(), time.monotonic()
        if moment < self._next.get(code, 0):
            self._left_out[code] = self._left_out.get(code, 0) + 1
            return
        self._next[code] = moment + MOMENT_SECONDS
        before = self._left_out.pop(code, 0)
        cause = f" ({str(error.__cause__).strip()})" if error.__cause__ else ""
        more = f" {before} more answers like this since the last line." if before else ""
        log.error("Unavailable, %s: %s%s%s", code, error, " ".join(cause.split("\n")), more)

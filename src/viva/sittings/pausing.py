"""Waiting for others: short pauses at first, then longer ones."""

import time
from collections.abc import Iterator
from threading import Event

FIRST_PAUSE_SECONDS = 0.02
MAX_PAUSE_SECONDS = 2.0


class Pauses:
    """Steps with a pause after each, until the time is over or `stop` is set. Without a time it never is."""

    def __init__(self, seconds: float | None = None, stop: Event | None = None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds
        self._stop = stop or Event()
        self._pause = FIRST_PAUSE_SECONDS

    def __iter__(self) -> Iterator[None]:
        while self._until is None or time.monotonic() < self._until:
            yield
            if self._stop.wait(self._pause):
                return
            self._pause = min(1.5 * self._pause, MAX_PAUSE_SECONDS)

    def shorten(self) -> None:
        """Begin with short pauses again, because something has happened."""
        self._pause = FIRST_PAUSE_SECONDS

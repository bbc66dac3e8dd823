"""How long a program waits for others."""

import time


class WaitedTooLong(Exception):
    """What was waited for has not happened in time. It may happen later."""


class Deadline:
    """An end of waiting. Without a timeout there is none."""

    def __init__(self, timeout: float | None, subject: str) -> None:
        self.timeout = timeout
        self.subject = subject
        self.until = None if timeout is None else time.monotonic() + timeout

    def check(self, seconds: float) -> float:
        """The seconds, or fewer if the deadline is sooner. It is an error if the deadline has passed."""
        if self.until is None:
            return seconds
        left = self.until - time.monotonic()
        if left <= 0:
            raise WaitedTooLong(f"{self.subject} is not done after {self.timeout:g} seconds.")
        return min(seconds, left)

    def limit(self, seconds: int) -> int:
        """The same in whole seconds, at least one, as the hub takes them."""
        return max(1, int(self.check(seconds)))

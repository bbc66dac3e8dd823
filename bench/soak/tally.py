"""What a soak counts: the time of every request, and every error by its kind."""

from collections import Counter, defaultdict
from statistics import quantiles
from typing import NamedTuple

import httpx

# Every kind of error that a client may see while processes are killed, and why.
EXPLANATIONS = {
    "not connected": "the process had just been killed, or was starting; nothing was sent",
    "connection broken": "the process was killed before it answered; the same Idempotency-Key brings the answer or runs the request",
    "503 database_down": "the database was restarting; nothing was written",
    "503 database_busy": "too many requests waited for connections, mostly just after a restart; nothing was written",
    "503 row_locked": "another request, mostly one whose process was killed, still held a row; nothing was written",
    "503 on a page": "the same for a person, who sees a page that says so",
    "503 took_too_long": "the statement waited longer than the hub allows; nothing was written",
}
CONNECT_ERRORS = (httpx.ConnectError, httpx.ConnectTimeout)
MIN_TIMES_FOR_PERCENTILE = 2


class OperationTimes(NamedTuple):
    """Seconds of each answered try, and of each request from its first try to its answer."""

    answered: list[float]
    whole: list[float]


class Tally:
    def __init__(self) -> None:
        self.times: dict[str, OperationTimes] = defaultdict(lambda: OperationTimes([], []))
        self.errors: Counter[tuple[str, str]] = Counter()  # by kind and operation

    def add(self, operation: str, answered: float, whole: float) -> None:
        self.times[operation].answered.append(answered)
        self.times[operation].whole.append(whole)

    def add_error(self, operation: str, kind: str) -> None:
        self.errors[kind, operation] += 1

    @property
    def requests(self) -> int:
        return sum(len(times.answered) for times in self.times.values())

    @property
    def unexplained(self) -> list[str]:
        return sorted({kind for kind, _ in self.errors} - EXPLANATIONS.keys())


def kind_of(error: httpx.TransportError) -> str:
    if isinstance(error, CONNECT_ERRORS):
        return "not connected"
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    return "connection broken"


def percentile(times: list[float], share: int) -> float:
    """The time within which `share` percent are done."""
    return quantiles(times, n=100)[share - 1] if len(times) >= MIN_TIMES_FOR_PERCENTILE else max(times, default=0.0)

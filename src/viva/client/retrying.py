"""Sending a call until the hub answers: retries that do nothing twice, bounded in number and time."""

import random
import time
from secrets import token_hex
from typing import Any, TypeGuard, TypeVar, cast

import httpx
import msgspec
from msgspec.structs import replace

from viva.client.calls import Call
from viva.client.steps import Pause, Reply, SendCall, Steps
from viva.kit.errors import without_number

MAX_TRIES = 12
RETRY_SECONDS = 60.0  # from the first failure to the last try; a hub restarts in less
FIRST_PAUSE_SECONDS = 0.25  # doubled after each try, unless the hub says how long to wait
MAX_PAUSE_SECONDS = 8.0
# The hub has done nothing: the request was not whole, came too early, too often, or in an outage.
REFUSED_STATUSES = frozenset({408, 425, 429, 503})
# A proxy has no answer. The hub may have done what was asked.
UNKNOWN_STATUSES = frozenset({502, 504})
# The request has not reached the hub.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
T = TypeVar("T")


class HubError(Exception):
    """The hub refused a request. `code` and `errors` are those of its answer."""

    def __init__(self, status: int, code: str, detail: str, errors: list[dict[str, Any]]) -> None:
        super().__init__(f"{status} {code}: {detail}" if code else f"{status}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors


class HubUnreachable(Exception):
    """The hub did not answer."""


class StreamBroken(Exception):
    """The stream broke off again and again. What came so far is complete."""


class StrangeAnswer(Exception):
    """The hub's answer has another form than this client knows. One of the two may be too old."""


class Retries:
    """The tries of one request, or of one stream until it moves on."""

    def __init__(self) -> None:
        self.count = 0
        self.until = 0.0

    def next_pause(self, wanted: str | None = None) -> float | None:
        """The seconds until the next try; None if there is none. `wanted` is the Retry-After of the hub."""
        now = time.monotonic()
        self.until = self.until or now + RETRY_SECONDS
        self.count += 1
        seconds = read_seconds(wanted)
        if seconds is None:  # all clients of a hub that was away should not come back at once
            longest = min(FIRST_PAUSE_SECONDS * 2 ** (self.count - 1), MAX_PAUSE_SECONDS)
            seconds = longest * random.uniform(0.5, 1.0)  # noqa: S311
        return seconds if self.count < MAX_TRIES and now + seconds <= self.until else None


def fetch(call: Call[T]) -> Steps[T]:
    """Send a call and decode its answer. Every try of a POST has the same Idempotency-Key."""
    if call.method == "POST" and not call.idempotency_key:
        call = replace(call, idempotency_key=token_hex(16))
    retries = Retries()
    while True:
        reply: Reply = yield SendCall(call)
        if is_success(reply):
            return decode(call, reply)
        pause = retries.next_pause(retry_after(reply)) if may_try_again(call, reply) else None
        if pause is None:
            raise error_of(reply)
        yield Pause(pause)


def is_success(reply: Reply) -> TypeGuard[httpx.Response]:
    return isinstance(reply, httpx.Response) and reply.is_success


def may_try_again(call: Call[Any], reply: Reply) -> bool:
    """Whether a second request cannot do what the first may have done.

    A GET changes nothing, and a POST carries an Idempotency-Key. Other methods are sent again only if the hub has
    certainly done nothing."""
    is_repeatable = call.method in ("GET", "POST")
    if isinstance(reply, httpx.TransportError):
        return is_repeatable or isinstance(reply, NOT_SENT)
    return reply.status_code in REFUSED_STATUSES or (is_repeatable and reply.status_code in UNKNOWN_STATUSES)


def retry_after(reply: Reply) -> str | None:
    return reply.headers.get("Retry-After") if isinstance(reply, httpx.Response) else None


def read_seconds(text: str | None) -> float | None:
    return float(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def decode(call: Call[T], response: httpx.Response) -> T:
    if call.answer_type is bytes:
        return cast(T, response.content)
    if call.answer_type is type(None):
        return None
    try:
        return msgspec.json.decode(response.content, type=call.answer_type)
    except msgspec.DecodeError as error:
        raise StrangeAnswer(f"{call.method} {call.path}: {error}") from error


def error_of(reply: Reply) -> HubError | HubUnreachable:
    if isinstance(reply, httpx.TransportError):
        url = reply.request.url.copy_with(path="/", query=None)
        return HubUnreachable(f"{url} does not answer: {without_number(reply)}")
    try:
        problem = msgspec.json.decode(reply.content)
    except (msgspec.DecodeError, UnicodeDecodeError):  # a proxy answered, not the hub
        problem = {}
    problem = problem if isinstance(problem, dict) else {}
    detail = problem.get("detail") or problem.get("title") or reply.reason_phrase
    return HubError(reply.status_code, problem.get("code", ""), detail, problem.get("errors", []))

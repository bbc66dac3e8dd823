"""Requests to a hub: the key in the header, errors as exceptions, and retries that make nothing twice."""

import time
from secrets import token_hex
from typing import Any

import httpx

REQUEST_TIMEOUT_SECONDS = 60.0
MAX_TRIES = 5
FIRST_PAUSE_SECONDS = 0.5  # doubled after each try, unless the hub says how long to wait
MAX_PAUSE_SECONDS = 30.0
RETRYABLE_STATUSES = frozenset({408, 425, 429, 502, 503, 504})


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


class Transport:
    """A connection to one hub."""

    def __init__(self, url: str, key: str | None) -> None:
        headers = {"User-Agent": "viva-client"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._http = httpx.Client(base_url=url, headers=headers, timeout=REQUEST_TIMEOUT_SECONDS)

    def close(self) -> None:
        self._http.close()

    def send(
        self, method: str, path: str, *, query: dict[str, Any] | None = None, body: bytes = b"", media_type: str = ""
    ) -> bytes:
        """The body of the answer. A request that found no answer, or a busy hub, is sent again under the same key."""
        headers = {"Content-Type": media_type or "application/json"} if body else {}
        if method == "POST":
            headers["Idempotency-Key"] = token_hex(16)
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        for attempt in range(1, MAX_TRIES + 1):
            is_last = attempt == MAX_TRIES
            try:
                answer = self._http.request(method, path, params=parameters, content=body, headers=headers)
            except httpx.TransportError as error:
                if is_last:
                    raise HubUnreachable(f"{self._http.base_url} does not answer: {error}") from None
                time.sleep(pause_after(attempt))
                continue
            if answer.status_code not in RETRYABLE_STATUSES or is_last:
                break
            time.sleep(pause_after(attempt, answer.headers.get("Retry-After")))
        if answer.is_success:
            return answer.content
        raise error_of(answer)


def pause_after(attempt: int, wanted: str | None = None) -> float:
    """The seconds to wait before the next try."""
    seconds = (
        float(wanted) if wanted and wanted.isascii() and wanted.isdigit() else FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)
    )
    return min(seconds, MAX_PAUSE_SECONDS)


def error_of(answer: httpx.Response) -> HubError:
    try:
        problem = answer.json()
    except ValueError:  # a proxy answered, not the hub
        problem = {}
    problem = problem if isinstance(problem, dict) else {}
    detail = problem.get("detail") or problem.get("title") or answer.reason_phrase
    return HubError(answer.status_code, problem.get("code", ""), detail, problem.get("errors", []))

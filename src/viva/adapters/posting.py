"""One POST to an agent's address, within a time and a size. Redirects are not followed."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import httpx
import msgspec

from viva.adapters.model import AgentFault, ReplyLimits, shorten
from viva.kit.certificates import trusted_certificates
from viva.kit.errors import without_number

RETRYABLE_POST_STATUSES = frozenset({408, 425, 429, 502, 503, 504})
MAX_POST_TRIES = 3
FIRST_POST_PAUSE_SECONDS = 1.0
MAX_POST_PAUSE_SECONDS = 20.0


class PostedAnswer(NamedTuple):
    status: int
    retry_after: str
    body: bytes


def make_http_client() -> httpx.Client:
    """Compression is declined: unpacking an answer could fill the memory."""
    headers = {"Accept-Encoding": "identity", "User-Agent": "viva"}
    return httpx.Client(headers=headers, follow_redirects=False, verify=trusted_certificates())


def post_json(
    client: httpx.Client, url: str, body: Any, limits: ReplyLimits, headers: Mapping[str, str] | None = None
) -> bytes:
    """The body of a successful answer. A busy address is asked again while there is time."""
    until = time.monotonic() + limits.seconds
    content = msgspec.json.encode(body)
    for attempt in range(1, MAX_POST_TRIES + 1):
        answer = send_post(client, url, content, headers or {}, limits, until)
        pause = pause_before_retry(attempt, answer)
        if attempt == MAX_POST_TRIES or pause is None or time.monotonic() + pause > until:
            break
        time.sleep(pause)
    if answer.status != httpx.codes.OK:
        said = f": {shorten(answer.body)}" if answer.body.strip() else ""
        raise AgentFault(f"The agent at {url} answered with HTTP status {answer.status}{said}")
    return answer.body


def pause_before_retry(attempt: int, answer: PostedAnswer) -> float | None:
    if answer.status not in RETRYABLE_POST_STATUSES:
        return None
    wanted = answer.retry_after
    seconds = (
        float(wanted) if wanted.isascii() and wanted.isdecimal() else FIRST_POST_PAUSE_SECONDS * 2 ** (attempt - 1)
    )
    return min(seconds, MAX_POST_PAUSE_SECONDS)


def send_post(
    client: httpx.Client, url: str, content: bytes, headers: Mapping[str, str], limits: ReplyLimits, until: float
) -> PostedAnswer:
    seconds = max(0.001, until - time.monotonic())
    sent_headers = {"Content-Type": "application/json", "Accept": "application/json", **headers}
    try:
        with client.stream("POST", url, content=content, headers=sent_headers, timeout=seconds) as response:
            body = read_body(response, url, limits, until)
            return PostedAnswer(response.status_code, response.headers.get("retry-after", ""), body)
    except httpx.TimeoutException:
        raise late_agent(url, limits) from None
    except (httpx.TransportError, httpx.InvalidURL, httpx.StreamError) as error:
        raise AgentFault(f"The agent at {url} does not answer: {without_number(error)}") from None


def read_body(response: httpx.Response, url: str, limits: ReplyLimits, until: float) -> bytes:
    body = bytearray()
    for part in response.iter_raw():
        body += part
        if len(body) > limits.envelope_bytes:
            raise AgentFault(f"The agent at {url} answers with more than {limits.envelope_bytes:,} bytes.")
        if time.monotonic() > until:  # the timeout of the client is that of one part
            raise late_agent(url, limits)
    return bytes(body)


def late_agent(url: str, limits: ReplyLimits) -> AgentFault:
    return AgentFault(f"The agent at {url} gave no whole answer within {limits.seconds:g} seconds.")

"""Around every request: an id for it, one line in the log, and a refusal of what no route should see."""

import asyncio
import re
import sys
import time

from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from viva.api import metrics
from viva.api.problems import answer
from viva.kit.errors import NotFound, VivaError, WrongMediaType
from viva.kit.ids import new_id

GIVEN_ID = re.compile(rb"[A-Za-z0-9_.-]{1,64}")
FLUSH_SECONDS = 0.2


class Requests:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.log = Log()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self.app(scope, receive, send)
            self.log.flush()  # the lifespan ends here, and with it the process
            return
        method = scope["method"]
        is_head = method == "HEAD" and not scope["path"].endswith("/stream")
        if is_head:  # answered as GET is, without the body
            scope = {**scope, "method": HttpMethod.GET}
            scope["is_head"] = True  # type: ignore[typeddict-unknown-key]  # for answers that are work to make
        headers = dict(scope["headers"])
        request_id = request_id_of(headers)
        scope["request_id"] = request_id  # type: ignore[typeddict-unknown-key]
        began = time.perf_counter()
        status = 0

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            elif is_head:
                message = {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        refusal = refusal_of(scope, headers)
        if refusal:
            await answer(refusal, request_id)(scope, receive, send_with_id)
        else:
            await self.app(scope, receive, send_with_id)
        took = time.perf_counter() - began
        metrics.note(method, status, took)
        self.log.add(f"{method} {scope['path']!a} {status} {took * 1000:.1f} ms {request_id}")


class Log:
    """Lines to standard error, several at a time: a write for each would cost more than many a request."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, line: str) -> None:
        if not self.lines:
            asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)
        self.lines.append(line)

    def flush(self) -> None:
        moment = time.strftime("%Y-%m-%d %H:%M:%S")
        sys.stderr.write("".join(f"{moment} {line}\n" for line in self.lines))
        sys.stderr.flush()
        self.lines.clear()


def request_id_of(headers: dict[bytes, bytes]) -> str:
    """The caller's own id if it can be written to a log, else a new one."""
    given = headers.get(b"x-request-id", b"")
    return given.decode() if GIVEN_ID.fullmatch(given) else new_id("req")


def refusal_of(scope: Scope, headers: dict[bytes, bytes]) -> VivaError | None:
    if b"%00" in scope["raw_path"] or b"%00" in scope["query_string"]:
        return NotFound("No address has a null character in it.")
    if scope["path"].startswith("/api/") and has_body(headers) and not is_json(headers):
        return WrongMediaType()
    return None


def has_body(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers


def is_json(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"content-type", b"").split(b";")[0].strip().lower() == b"application/json"

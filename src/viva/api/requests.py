"""What happens around every request: it gets an id and a log line, and a malformed one is refused."""

import re
import time
from typing import Any, cast

from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from viva.api import metrics
from viva.api.problems import answer
from viva.context import headers_in, set_in_scope
from viva.kit.errors import NotFound, VivaError, WrongMediaType
from viva.kit.ids import new_id
from viva.kit.logs import LogSettings, RequestLine, RequestLog

TRACES_PATH = "/api/v1/traces"  # the only one that takes JSON lines
JSON_LINES_TYPES = ("application/x-ndjson", "application/jsonl", "application/x-jsonlines")
REQUEST_ID_PATTERN = re.compile(rb"[A-Za-z0-9_.-]{1,64}")


class Requests:
    def __init__(self, app: ASGIApp, log: LogSettings) -> None:
        self.app = app
        self.log = RequestLog(log)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != ScopeType.HTTP:
            await self.app(scope, receive, send)
            self.log.flush()  # the lifespan ends here, and the process with it
            return
        method = scope["method"]
        is_head = method == "HEAD" and not scope["path"].endswith("/stream")
        if is_head:  # answered like GET, without the body
            scope = {**scope, "method": HttpMethod.GET}
            set_in_scope(scope, "is_head", True)  # for responses that are expensive to make
        headers = headers_in(scope)
        request_id = request_id_of(headers)
        set_in_scope(scope, "request_id", request_id)
        started = time.perf_counter()
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
        self.note(scope, method, status, time.perf_counter() - started, request_id)

    def note(self, scope: Scope, method: str, status: int, seconds: float, request_id: str) -> None:
        """Count and log a request. The server itself may have refused it while the app waited for the body."""
        values = cast(dict[str, Any], scope)
        status = values.get("refused_status", status)
        metrics.note(method, values.get("path_template", ""), status, seconds)
        client, account = scope["client"], values.get("account", "-")
        host = client[0] if client else "-"
        self.log.add(RequestLine(method, scope["path"], status, seconds * 1000, account, host, request_id))


def request_id_of(headers: dict[bytes, bytes]) -> str:
    """The client's own id if it is safe in a log, else a new one."""
    client_id = headers.get(b"x-request-id", b"")
    return client_id.decode() if REQUEST_ID_PATTERN.fullmatch(client_id) else new_id("req")


def refusal_of(scope: Scope, headers: dict[bytes, bytes]) -> VivaError | None:
    if b"%00" in scope["raw_path"] or b"%00" in scope["query_string"]:
        return NotFound("An address cannot contain a null character.")
    if scope["path"].startswith("/api/") and has_body(headers) and not is_json(headers):
        return None if scope["path"] == TRACES_PATH and has_lines(headers) else WrongMediaType()
    return None


def has_body(headers: dict[bytes, bytes]) -> bool:
    return headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers


def is_json(headers: dict[bytes, bytes]) -> bool:
    return media_type_of(headers) == b"application/json"


def has_lines(headers: dict[bytes, bytes]) -> bool:
    """Whether the body is JSON lines."""
    return media_type_of(headers).decode("latin-1") in JSON_LINES_TYPES


def media_type_of(headers: dict[bytes, bytes]) -> bytes:
    return headers.get(b"content-type", b"").split(b";")[0].strip().lower()

"""The server's HTTP protocol with limits on what a client sends.

It extends uvicorn's protocol and relies on these of its attributes: `parser`, `cycle`, `pipeline`, `scope`, `headers`,
`url`, `client`, `flow`, `transport`, `loop`, `server_state` and the callbacks of httptools.
"""

from collections.abc import MutableMapping
from typing import Any, Literal

import httptools
import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from viva.kit.errors import AddressTooLong, HeadersTooLarge, MalformedRequest, RequestTimeout, VivaError
from viva.kit.http_limits import COUNTS, HttpLimits
from viva.kit.joined_answer import JoinedAnswer
from viva.kit.limits import subject_of

CROWDED_REQUEST_SECONDS = 1.0  # an honest request is complete within this time, even among many connections
BURST_FACTOR = 16  # times the allowed connections: 2,048 by default, the length of the system's queue
MAX_PIPELINED_REQUESTS = 16  # behind the one that is being answered; browsers and proxies send none
LINGER_SECONDS = 1.0  # for the client to read the refusal; closing at once may destroy it


def time_body_by_silence(scope: MutableMapping[str, Any]) -> None:
    """Let the body of this request take any time while bytes keep arriving."""
    start = scope.get("time_by_silence")
    if start:
        start()


class LimitedProtocol(HttpToolsProtocol):
    """One connection. `awaiting` is the next part of a request, or None between requests."""

    def __init__(self, *args: Any, limits: HttpLimits, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.limits = limits
        self.awaiting: Literal["head", "body"] | None = "head"
        self.is_timed_by_silence = False
        self.has_sent_bytes = False
        self.is_refused = False
        self.is_crowded = False
        self.overhead = 0  # bytes since the part began, or since the last bytes of a body
        self.has_advanced = False
        self.must_rearm = True
        self.timer: Any = None
        self.url = b""
        self.subject = ""  # that an unfinished request counts for
        self.counted_under: str | None = None

    # Connection

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        COUNTS.open += 1
        self.peer = self.client[0] if self.client else "unknown"
        self.peer_is_proxy = self.limits.proxies.include(self.peer)
        self.subject = self.peer_subject = subject_of(self.peer)
        self.watch()
        if COUNTS.unfinished[self.subject] > BURST_FACTOR * self.limits.connections:
            self.is_refused = True
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        COUNTS.open -= 1
        self.awaiting = None
        self.is_refused = True
        self.rearm()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.is_refused:
            return
        self._unset_keepalive_if_required()
        self.has_sent_bytes = True
        if self.awaiting is None:
            self.expect("head")
        begin = 0
        while begin < len(data) and not self.is_refused:
            part = data[begin : begin + self.limits.header_bytes - self.overhead]
            begin += len(part)
            self.feed(part)
        self.watch()

    def feed(self, part: bytes) -> None:
        """Parse a part. It is never longer than the header bytes that are still allowed."""
        self.has_advanced = False
        try:
            self.parser.feed_data(part)
        except httptools.HttpParserUpgrade:
            self.cycle.keep_alive = False  # the request is answered without the upgrade, and the parser stops
        except httptools.HttpParserError:
            if not self.is_refused:
                self.refuse(MalformedRequest())
            return
        self.overhead = 0 if self.has_advanced else self.overhead + len(part)
        if self.overhead >= self.limits.header_bytes:
            is_address = self.awaiting == "head" and 2 * len(self.url) > self.overhead
            self.refuse(AddressTooLong() if is_address else HeadersTooLarge())

    # Callbacks of the parser

    def on_message_begin(self) -> None:
        if self.awaiting is None:  # pipelined after another request
            self.expect("head")
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self.awaiting == "head":  # trailers are dropped, since the app has already read the headers
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_PIPELINED_REQUESTS:
            self.end_after_answers()
            raise MalformedRequest  # stops the parser
        self.expect("body")
        self.is_timed_by_silence = False
        if self.peer_is_proxy:
            self.believe_proxy()
        self.scope["time_by_silence"] = self.time_by_silence  # type: ignore[typeddict-unknown-key]
        super().on_headers_complete()
        if self.scope["method"] != "HEAD":  # whose answer announces a body and has none
            self.cycle.transport = JoinedAnswer(self.transport)  # type: ignore[assignment]

    def on_body(self, body: bytes) -> None:
        self.has_advanced = True
        self.must_rearm = self.must_rearm or self.is_timed_by_silence
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.expect(None)
        super().on_message_complete()

    def expect(self, part: Literal["head", "body"] | None) -> None:
        self.awaiting = part
        self.overhead = 0
        self.has_advanced = True
        self.must_rearm = True
        if part == "head":
            self.url = b""
            self.subject = self.peer_subject

    def believe_proxy(self) -> None:
        """Take the client's address from the proxy's header, and count the request as the client's."""
        values = [value for name, value in self.headers if name == b"x-forwarded-for"]
        if values:
            client = self.limits.proxies.find_client(self.peer, b",".join(values).decode("latin-1"))
            self.scope["client"] = (client, 0)
            self.subject = subject_of(client)

    def time_by_silence(self) -> None:
        self.is_timed_by_silence = True

    # Time

    def watch(self) -> None:
        if self.must_rearm:
            self.rearm()

    def rearm(self) -> None:
        """Count the connection while it awaits a part, and start the timer for that part."""
        self.must_rearm = False
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        counted = self.subject if self.awaiting else None
        if counted != self.counted_under:
            COUNTS.move(self.counted_under, counted)
            self.counted_under = counted
            self.is_crowded = COUNTS.unfinished[self.subject] > self.limits.connections
        if self.awaiting and not self.is_refused:
            seconds = self.limits.request_seconds
            self.timer = self.loop.call_later(
                min(CROWDED_REQUEST_SECONDS, seconds) if self.is_crowded else seconds, self.end_wait
            )

    def end_wait(self) -> None:
        self.timer = None
        if self.flow.read_paused:  # the app is slow to read, which is not the client's fault
            self.rearm()
        elif self.is_crowded or not self.has_sent_bytes:
            self.is_refused = True
            self.transport.close()
        else:
            self.refuse(RequestTimeout())
            self.watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.check_reader(0)

    def check_reader(self, unread: int) -> None:
        """Drop a client that reads nothing of its answer within the time of a request."""
        now_unread = self.transport.get_write_buffer_size()
        if now_unread and now_unread == unread:
            self.transport.abort()
        elif now_unread:
            self.loop.call_later(self.limits.request_seconds, self.check_reader, now_unread)

    # Refusals

    def refuse(self, error: VivaError) -> None:
        """Answer with the error if the client can match it to its request; then close."""
        self.is_refused = True
        COUNTS.refused[error.status] += 1
        self.logger.info("Refused a request from %s with %d.", self.scope_client(), error.status)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if self.awaiting == "head" and is_answering:
            self.end_after_answers()
        elif self.awaiting == "head" or (is_answering and not self.cycle.response_started and not self.pipeline):
            self.answer(error)
        else:
            self.transport.close()

    def scope_client(self) -> str:
        client = self.scope and self.scope["client"]
        return client[0] if client else self.peer

    def end_after_answers(self) -> None:
        """Stop reading. The connection closes after the pending answers."""
        self.is_refused = True
        self.awaiting = None
        self.must_rearm = True
        self.flow.pause_reading()
        self.cycle.keep_alive = False

    def answer(self, error: VivaError) -> None:
        if self.cycle is not None:
            self.cycle.scope["refused_status"] = error.status  # type: ignore[typeddict-unknown-key]  # for the log
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self.flow.pause_reading()
        self.transport.write(render_refusal(error, self.server_state.default_headers))
        self.transport.write_eof()
        self.loop.call_later(LINGER_SECONDS, self.transport.close)

    def send_400_response(self, msg: str) -> None:
        self.refuse(MalformedRequest())


def render_refusal(error: VivaError, headers: list[tuple[bytes, bytes]]) -> bytes:
    """A complete HTTP answer with a problem document (RFC 9457)."""
    code = error.code()
    body = msgspec.json.encode(
        {
            "type": f"/api/docs#{code}",
            "title": error.title,
            "status": error.status,
            "detail": str(error),
            "code": code,
        }
    )
    body_headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", b"%d" % len(body)),
        (b"connection", b"close"),
    ]
    lines = b"".join(b"%s: %s\r\n" % header for header in [*headers, *body_headers])
    return STATUS_LINE[error.status] + lines + b"\r\n" + body

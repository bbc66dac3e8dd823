"""A real HTTP server that answers from a script, and notes what it was asked."""

import contextlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Reply(NamedTuple):
    """What the server answers. A cut reply ends without its last bytes; without a status there is no answer at all."""

    status: int | None
    body: bytes = b"{}"
    headers: dict[str, str] = {}  # noqa: RUF012
    is_cut: bool = False


class Request(NamedTuple):
    """What the server was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ScriptedHub:
    """A server with a list of replies; the last one is given again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[Request] = []
        self.url = ""

    def take(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@contextlib.contextmanager
def scripted(*replies: Reply) -> Iterator[ScriptedHub]:
    hub = ScriptedHub(*replies)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            hub.requests.append(Request(self.command, self.path, dict(self.headers.items()), body))
            reply = hub.take()
            self.close_connection = True
            if reply.status is None:
                return
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if not reply.headers.get("Content-Type", "").startswith("text/event-stream"):
                self.send_header("Content-Length", str(len(reply.body) + reply.is_cut))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = answer  # noqa: N815 - names of the standard library

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()

"""A judge's endpoint on this machine: speaks the protocol of chat completions and answers from a script."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import MappingProxyType
from typing import Any, NamedTuple


class Reply(NamedTuple):
    """What the endpoint sends: text, bytes, bytes in parts as they come, or anything else as JSON."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})

    @property
    def parts(self) -> Iterable[bytes]:
        if isinstance(self.body, Iterator):
            return self.body
        body = self.body if isinstance(self.body, str | bytes) else json.dumps(self.body)
        return [body.encode() if isinstance(body, str) else body]


class Endpoint(ThreadingHTTPServer):
    """Keeps every request it got, and how many were under way at once."""

    daemon_threads = True

    def __init__(self, script: Callable[[dict[str, Any]], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Message] = []
        self.under_way = self.most_at_once = 0
        self.lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(asked)
            self.server.headers.append(self.headers)
            self.server.under_way += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.under_way)
        reply = self.server.script(asked)
        with self.server.lock:
            self.server.under_way -= 1
        self.send_response(reply.status if self.path == "/v1/chat/completions" else 404)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # the client may have timed out
            for part in reply.parts:  # the end of the connection is the end of the body
                self.wfile.write(part)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print what they want to say themselves."""


def completion(content: Any, tokens: int = 10) -> Reply:
    """A chat completion with this content."""
    text = content if isinstance(content, str) else json.dumps(content)
    return Reply({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": {"total_tokens": tokens}})


def ruled(answer: str = "yes", confidence: Any = 0.9, reason: str = "It does.") -> Reply:
    return completion({"answer": answer, "confidence": confidence, "reason": reason})


def graded(mark: Any = 4, reason: str = "It is kind.", quote: str = "") -> Reply:
    return completion({"mark": mark, "reason": reason, "quote": quote})


@contextmanager
def endpoint(script: Callable[[dict[str, Any]], Reply]) -> Iterator[Endpoint]:
    server = Endpoint(script)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()

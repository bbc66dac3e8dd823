"""A judge's endpoint on this machine: speaks the protocol of chat completions and answers from a script."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import MappingProxyType
from typing import Any, NamedTuple


class Reply(NamedTuple):
    """What the endpoint sends; a body that is not text is sent as JSON."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = MappingProxyType({})


class Endpoint(ThreadingHTTPServer):
    """Keeps every request it got, and how many were under way at once."""

    daemon_threads = True

    def __init__(self, script: Callable[[dict[str, Any]], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
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
            self.server.keys.append(self.headers["Authorization"])
            self.server.under_way += 1
            self.server.most_at_once = max(self.server.most_at_once, self.server.under_way)
        reply = self.server.script(asked)
        with self.server.lock:
            self.server.under_way -= 1
        body = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        self.send_response(reply.status if self.path == "/v1/chat/completions" else 404)
        for name, value in ({**reply.headers, "Content-Length": str(len(body.encode()))}).items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError):  # who asked may have lost patience
            self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print what they want to say themselves."""


def completion(content: Any, tokens: int = 10) -> Reply:
    """A chat completion with this content."""
    text = content if isinstance(content, str) else json.dumps(content)
    return Reply({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": {"total_tokens": tokens}})


def ruled(answer: str = "yes", confidence: Any = 0.9, reason: str = "It does.") -> Reply:
    return completion({"answer": answer, "confidence": confidence, "reason": reason})


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

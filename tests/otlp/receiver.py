"""A local HTTP server that decodes what OpenTelemetry's SDKs send, as a hub does."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from viva.engine.intake import otlp


class SpanReceiver(ThreadingHTTPServer):
    """Keeps the documents and the headers of all requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), SpanRoute)
        self.documents: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class SpanRoute(BaseHTTPRequestHandler):
    server: SpanReceiver
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = b"".join(self.chunks())
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.documents.append(otlp.decode(body, self.headers["Content-Type"]))
        self.server.headers.append({"path": self.path} | {key.lower(): value for key, value in self.headers.items()})
        self.send_response(200)
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.send_header("Content-Length", "0")
        self.end_headers()

    def chunks(self) -> Iterator[bytes]:
        """The body, which the SDK for JavaScript sends in chunks."""
        if "Content-Length" in self.headers:
            yield self.rfile.read(int(self.headers["Content-Length"]))
            return
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def log_message(self, *parts: object) -> None:
        """Print nothing."""


@contextmanager
def serve() -> Iterator[SpanReceiver]:
    with SpanReceiver() as receiver:
        receiver.daemon_threads = True  # a connection that is kept open does not hold up the test
        thread = threading.Thread(target=receiver.serve_forever)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.shutdown()
            thread.join()

"""A real web server on this machine, whose pages a test writes; use it as a context."""

import ssl
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Page = Callable[[BaseHTTPRequestHandler], None]


class Pages:
    """`pages` gives for each path a text, a status, or a function that answers as it likes; `seen` is what was asked."""

    def __init__(self, pages: dict[str, str | int | Page], trust: ssl.SSLContext | None = None) -> None:
        self.pages = pages
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.posted: list[bytes] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(self))
        self.server.daemon_threads = True
        self.server.block_on_close = False
        if trust:
            self.server.socket = trust.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.host = f"127.0.0.1:{self.port}"

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def handler_for(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            answer(self, pages.pages.get(self.path, 404))

        def do_POST(self) -> None:
            pages.posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def answer(handler: BaseHTTPRequestHandler, page: str | int | Page) -> None:
    if callable(page):
        page(handler)
        return
    text = page if isinstance(page, str) else f"status {page}"
    handler.send_response(200 if isinstance(page, str) else page)
    handler.send_header("Location", "/moved")
    handler.send_header("Content-Length", str(len(text.encode())))
    handler.end_headers()
    handler.wfile.write(text.encode())

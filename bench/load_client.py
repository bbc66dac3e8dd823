"""Sends requests on one connection that stays open, with little work of its own: what is measured is the server's."""

import socket
from typing import NamedTuple, Self

import httptools

READ_BYTES = 256 * 1024
TIMEOUT_SECONDS = 60


class LoadAnswer(NamedTuple):
    status: int
    body: bytes


class LoadClient:
    """Use it as a context. The headers are sent with every request."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        self.port = port
        self.headers = headers or {}

    def __enter__(self) -> Self:
        self.socket = socket.create_connection(("127.0.0.1", self.port), TIMEOUT_SECONDS)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def get(self, path: str) -> LoadAnswer:
        return self.send(f"GET {path}", b"")

    def post(self, path: str, body: bytes, media_type: str) -> LoadAnswer:
        return self.send(f"POST {path}", body, {"Content-Type": media_type, "Content-Length": str(len(body))})

    def send(self, what: str, body: bytes, headers: dict[str, str] | None = None) -> LoadAnswer:
        named = {"Host": f"127.0.0.1:{self.port}", **self.headers, **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        self.socket.sendall(f"{what} HTTP/1.1\r\n{head}\r\n".encode() + body)
        return self.receive()

    def receive(self) -> LoadAnswer:
        answer = IncomingAnswer()
        parser = httptools.HttpResponseParser(answer)
        while not answer.is_whole:
            part = self.socket.recv(READ_BYTES)
            if not part:
                raise ConnectionError("The server closed the connection before its answer was whole.")
            parser.feed_data(part)
        return LoadAnswer(parser.get_status_code(), b"".join(answer.parts))


class IncomingAnswer:
    """What the parser has read of an answer."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.is_whole = False

    def on_body(self, part: bytes) -> None:
        self.parts.append(part)

    def on_message_complete(self) -> None:
        self.is_whole = True

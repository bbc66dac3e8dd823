"""What a small app is given by the protocol: a body timed by silence, which no route takes yet, and no trailers."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import uvicorn

from tests.hub import free_port, until
from viva.kit.http_limits import COUNTS, HttpLimits
from viva.kit.http_protocol import LimitedProtocol, time_body_by_silence
from viva.kit.proxies import Proxies

pytestmark = pytest.mark.slow

REQUEST_SECONDS = 0.4
LARGE_BYTES = 50_000_000  # far more than the system takes for a client that does not read


async def count_bytes(scope: Any, receive: Any, send: Any) -> None:
    """Answer how many bytes the body has; at some addresses, do something else first."""
    if scope["path"] != "/total":
        time_body_by_silence(scope)
    if scope["path"] == "/busy":
        time.sleep(2 * REQUEST_SECONDS)
    if scope["path"] == "/slow":
        await asyncio.sleep(2 * REQUEST_SECONDS)
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        size, more = size + len(message["body"]), message["more_body"]
    body = b"%d" % (size if scope["path"] != "/headers" else len(scope["headers"]))
    if scope["path"] == "/large":
        body = bytes(LARGE_BYTES)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    limits = HttpLimits(4096, REQUEST_SECONDS, 100, Proxies())
    config = uvicorn.Config(
        count_bytes,
        port=free_port(),
        loop="uvloop",
        http=partial(LimitedProtocol, limits=limits),  # type: ignore[arg-type]
        lifespan="off",
        log_config=None,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield config.port
    server.should_exit = True
    thread.join()


def post(port: int, path: str, pieces: list[bytes], pause: float) -> bytes:
    size = sum(map(len, pieces)) if path != "/short" else 1000
    with socket.create_connection(("127.0.0.1", port), timeout=20) as opened:
        opened.sendall(f"POST {path} HTTP/1.1\r\nHost: hub\r\nContent-Length: {size}\r\n\r\n".encode())
        with contextlib.suppress(ConnectionError):
            for piece in pieces:
                time.sleep(pause)
                opened.sendall(piece)
        return opened.recv(65536)


def test_a_body_that_keeps_coming_takes_longer_than_a_request_may(port: int):
    assert post(port, "/silence", [b"a"] * 8, REQUEST_SECONDS / 4).endswith(b"\r\n\r\n8")


def test_a_plain_body_does_not(port: int):
    assert post(port, "/total", [b"a"] * 8, REQUEST_SECONDS / 4).startswith(b"HTTP/1.1 408")


def test_bytes_that_came_while_the_process_was_busy_are_in_time(port: int):
    assert post(port, "/busy", [b"a"] * 3, REQUEST_SECONDS / 4).endswith(b"\r\n\r\n3")


def test_a_body_that_falls_silent_is_refused(port: int):
    assert post(port, "/short", [b"a"] * 3, REQUEST_SECONDS / 4).startswith(b"HTTP/1.1 408")


def test_a_client_that_does_not_read_its_answer_is_dropped(port: int):
    until(lambda: COUNTS.open == 0)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as opened:
        opened.sendall(b"GET /large HTTP/1.1\r\nHost: hub\r\n\r\n")
        assert opened.recv(12) == b"HTTP/1.1 200"

        until(lambda: COUNTS.open == 0)


def test_a_client_that_reads_slowly_gets_all_of_its_answer(port: int):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as opened:
        opened.sendall(b"GET /large HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
        size = 0
        while part := opened.recv(2_000_000):
            size += len(part)
            time.sleep(REQUEST_SECONDS / 50)

    assert size > LARGE_BYTES


def test_trailers_are_not_added_to_the_headers(port: int):
    chunks = b"1\r\na\r\n0\r\nAuthorization: Bearer late\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as opened:
        opened.sendall(b"POST /headers HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)

        assert opened.recv(65536).endswith(b"\r\n\r\n2")


def test_a_client_is_not_blamed_for_an_app_that_does_not_read(port: int):
    assert post(port, "/slow", [b"a" * 65536] * 100, 0).endswith(b"\r\n\r\n6553600")

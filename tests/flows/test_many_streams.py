"""One address holds so many streams and no more, so that there is room for others."""

import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from tests.hub import EVALUATION, Hub
from viva.sessions.feed import MAX_STREAMS_PER_ADDRESS


def test_one_address_holds_so_many_streams_and_no_more(tmp_path: Path):
    with Hub(f"sqlite:///{tmp_path}/viva.db", tmp_path, VIVA_RATE_LIMIT="6000") as hub, ExitStack() as stack:
        ada, paul = hub.agent("ada"), hub.agent("paul")
        path = f"/api/v1/evaluations/{EVALUATION}/sessions/{paul.claim(ada.start())}/messages/stream"
        follow = follower(hub, f"GET {path} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer {ada.key}\r\n\r\n", stack)

        streams = [follow() for _ in range(MAX_STREAMS_PER_ADDRESS)]

        assert {head for _, head in streams} == {"HTTP/1.1 200 OK"}
        assert follow()[1] == "HTTP/1.1 429 Too Many Requests"
        streams[0][0].close()
        assert any(follow()[1] == "HTTP/1.1 200 OK" for _ in range(1000))


def follower(hub: Hub, request: str, stack: ExitStack) -> Callable[[], tuple[socket.socket, str]]:
    """A function that opens one more stream, and gives its connection and the first line of the answer."""

    def follow() -> tuple[socket.socket, str]:
        connection = stack.enter_context(socket.create_connection(("127.0.0.1", hub.port), timeout=10))
        connection.sendall(request.encode())
        answer = b""
        while b": listening" not in answer and b"too_many_streams" not in answer:
            answer += connection.recv(4096)
        return connection, answer.partition(b"\r\n")[0].decode()

    return follow

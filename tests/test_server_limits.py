"""What the server refuses before a request reaches the app, over real connections."""

import contextlib
import json
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import psutil
import pytest

from tests.hub import EVALUATION, Hub

HEADER_BYTES = 4096
REQUEST_SECONDS = 1
CONNECTIONS = 4
OTHER_ADDRESS = "127.0.0.2"  # loopback as well, but no proxy
GET = b"GET /healthz HTTP/1.1\r\nHost: hub\r\n"
POST = b"POST /api/v1/agents/register HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    folder = tmp_path_factory.mktemp("hub")
    settings: Any = {
        "VIVA_HEADER_BYTES": str(HEADER_BYTES),
        "VIVA_REQUEST_SECONDS": str(REQUEST_SECONDS),
        "VIVA_CONNECTIONS": str(CONNECTIONS),
        "VIVA_BASE_URL": "https://viva.example",
    }
    with Hub(f"sqlite:///{folder}/viva.db", folder, **settings) as hub:
        yield hub


class Heard(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> Any:
        return json.loads(self.body)


@contextlib.contextmanager
def connection(hub: Hub, source: str = OTHER_ADDRESS) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", hub.port), timeout=20, source_address=(source, 0)) as opened:
        yield opened


def send(opened: socket.socket, data: bytes, pieces: int = 1) -> None:
    """Send the data again and again; a server that has closed is no fault here."""
    with contextlib.suppress(ConnectionError):
        for _ in range(pieces):
            opened.sendall(data)


def hear(opened: socket.socket) -> bytes:
    """Everything until the connection ends."""
    heard = b""
    with contextlib.suppress(ConnectionError):
        while more := opened.recv(65536):
            heard += more
    return heard


def answer_in(heard: bytes) -> Heard:
    head, _, body = heard.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    return Heard(int(status.split()[1]), headers, body)


def hear_answer(opened: socket.socket) -> Heard:
    """One answer with a length, on a connection that stays open."""
    heard = b""
    while b"\r\n\r\n" not in heard:
        heard += opened.recv(65536)
    found = answer_in(heard)
    while len(found.body) < int(found.headers["content-length"]):
        found = found._replace(body=found.body + opened.recv(65536))
    return found


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 15
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def unfinished(hub: Hub) -> int:
    """How many connections have sent a part of a request, or nothing yet."""
    lines = hub.client.get("/metrics").text.splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("viva_connections_unfinished "))


ENDLESS = {
    "one endless header": (GET + b"X: ", b"a" * 4096, 431, "headers_too_large"),
    "endlessly many headers": (GET, b"X-Header: value\r\n" * 100, 431, "headers_too_large"),
    "an endless address": (b"GET /", b"a" * 4096, 414, "address_too_long"),
    "endless empty lines": (b"", b"\r\n" * 2048, 431, "headers_too_large"),
    "an endless chunk extension": (
        POST + b"Transfer-Encoding: chunked\r\n\r\n5;",
        b"a" * 4096,
        431,
        "headers_too_large",
    ),
    "endless trailers": (
        POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
        b"X-Trailer: value\r\n" * 100,
        431,
        "headers_too_large",
    ),
    "no HTTP": (b"\x16\x03\x01 hello\r\n\r\n", b"", 400, "malformed_request"),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_too_long_is_refused_with_a_problem_and_the_connection_ends(hub: Hub, name: str):
    begin, piece, status, code = ENDLESS[name]
    server = psutil.Process(hub.process.pid)
    before = server.memory_info().rss

    with connection(hub) as opened:
        send(opened, begin)
        send(opened, piece, pieces=5000)  # up to 20 MB
        answer = answer_in(hear(opened))

    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["connection"] == "close"
    assert set(answer.problem) == {"type", "title", "status", "detail", "code"}
    assert answer.problem["code"] == code
    assert answer.problem["status"] == status
    assert server.memory_info().rss - before < 10_000_000


def test_headers_up_to_the_limit_are_read(hub: Hub):
    fill = b"X: " + b"a" * (HEADER_BYTES - len(GET) - 3 - 4) + b"\r\n\r\n"

    with connection(hub) as opened:
        send(opened, GET + fill)
        assert hear_answer(opened).status == 200
        send(opened, GET + b"X" + fill)
        assert answer_in(hear(opened)).status == 431


def test_a_small_head_before_a_large_body_is_no_large_head(hub: Hub):
    body = json.dumps({"name": "ada", "description": "a" * 60_000}).encode()

    with connection(hub) as opened:
        send(opened, POST + b"Content-Length: %d\r\n\r\n" % len(body) + body)

        assert hear_answer(opened).status in (201, 422)  # read whole, and judged by the route


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (GET, b"X: 1\r\n"),
        (POST + b"Content-Length: 1000\r\n\r\n", b"a"),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    ],
    ids=["headers", "a body", "chunks"],
)
def test_what_does_not_end_in_time_is_refused_however_it_trickles(hub: Hub, begin: bytes, piece: bytes):
    with connection(hub) as opened:
        opened.setblocking(False)
        opened.send(begin)
        heard = b""
        while not heard:
            with contextlib.suppress(BlockingIOError):
                heard = opened.recv(65536)
            with contextlib.suppress(BlockingIOError, ConnectionError):
                opened.send(piece)
            time.sleep(0.05)

    answer = answer_in(heard)
    assert answer.status == 408
    assert answer.problem["code"] == "request_timeout"
    assert answer.headers["connection"] == "close"


def test_a_connection_that_says_nothing_is_closed(hub: Hub):
    with connection(hub) as opened:
        assert hear(opened) == b""


def test_a_kept_connection_is_closed_when_it_says_nothing_more(hub: Hub):
    with connection(hub) as opened:
        send(opened, GET + b"\r\n")
        assert hear_answer(opened).status == 200

        assert hear(opened) == b""


def test_line_breaks_between_requests_do_not_keep_a_connection(hub: Hub):
    with connection(hub) as opened:
        send(opened, GET + b"\r\n")
        assert hear_answer(opened).status == 200
        send(opened, b"\r\n")

        assert answer_in(hear(opened)).status == 408


def test_an_address_with_too_many_half_requests_loses_them_and_is_still_served(hub: Hub):
    wait_until(lambda: unfinished(hub) == 0)
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(connection(hub)) for _ in range(CONNECTIONS + 3)]
        for each in opened[:CONNECTIONS]:
            send(each, POST + b"Content-Length: 10\r\n\r\n")
        wait_until(lambda: unfinished(hub) == len(opened))
        with connection(hub) as one_more:
            send(one_more, GET + b"Connection: close\r\n\r\n")
            served = answer_in(hear(one_more))
        heard = [hear(each) for each in opened]

    assert served.status == 200
    assert [answer_in(each).status for each in heard[:CONNECTIONS]] == [408] * CONNECTIONS
    assert heard[CONNECTIONS:] == [b""] * 3  # closed without an answer
    wait_until(lambda: unfinished(hub) == 0)


def test_a_proxy_is_not_shut_out_by_its_clients(hub: Hub):
    """Each request counts for the client that the proxy names; only one client has too many."""
    clients = [f"203.0.113.{number}" for number in range(CONNECTIONS)] + ["198.51.100.1"] * (CONNECTIONS + 2)
    wait_until(lambda: unfinished(hub) == 0)
    with contextlib.ExitStack() as stack:
        opened = []
        for client in clients:
            opened.append(stack.enter_context(connection(hub, "127.0.0.1")))
            send(opened[-1], POST + f"X-Forwarded-For: {client}\r\nContent-Length: 10\r\n\r\n".encode())
            wait_until(lambda: unfinished(hub) == len(opened))
        heard = [hear(each)[9:12] for each in opened]

    assert heard == [b"408"] * 2 * CONNECTIONS + [b""] * 2


def test_connections_far_beyond_the_limit_are_closed_at_once(hub: Hub):
    with contextlib.ExitStack() as stack:
        opened = [stack.enter_context(connection(hub, "127.0.0.3")) for _ in range(16 * CONNECTIONS + 1)]
        opened[-1].settimeout(REQUEST_SECONDS * 0.75)

        assert hear(opened[-1]) == b""  # before its time is over; the others would time out here


def test_streams_and_kept_connections_are_no_half_requests(hub: Hub):
    wait_until(lambda: unfinished(hub) == 0)
    ada, paul = hub.agent("ada"), hub.agent("paul")
    path = f"/api/v1/evaluations/{EVALUATION}/sessions/{paul.claim(ada.start())}/messages/stream"
    request = f"GET {path} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer {ada.key}\r\n\r\n".encode()

    with contextlib.ExitStack() as stack:
        streams = [stack.enter_context(connection(hub)) for _ in range(2 * CONNECTIONS)]
        for stream in streams:
            send(stream, request)
        for stream in streams:
            heard = b""
            while b": listening" not in heard:
                heard += stream.recv(4096)
        assert unfinished(hub) == 0
        time.sleep(2 * REQUEST_SECONDS)  # longer than any half request lasts
        ada.say(path.split("/")[-3], "Still there?")
        for stream in streams:
            heard = b""
            while b"Still there?" not in heard:
                heard += stream.recv(4096)


def test_many_requests_at_once_on_one_connection_are_answered_in_part_and_the_connection_ends(hub: Hub):
    server = psutil.Process(hub.process.pid)
    before = server.memory_info().rss
    with connection(hub) as opened:
        opened.settimeout(5)
        with contextlib.suppress(ConnectionError, TimeoutError):
            send(opened, (GET + b"\r\n") * 1000, pieces=500)  # 20 MB; nobody reads the answers meanwhile
        heard = hear(opened)

    assert 1 <= heard.count(b"HTTP/1.1 200") <= 100
    assert server.memory_info().rss - before < 10_000_000


def test_a_few_requests_at_once_are_answered_in_order(hub: Hub):
    with connection(hub) as opened:
        send(opened, GET + b"\r\n" + b"GET /nowhere HTTP/1.1\r\nHost: hub\r\n\r\n" + GET + b"Connection: close\r\n\r\n")
        heard = hear(opened)

    assert [part[:3] for part in heard.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404", b"200"]


def test_a_bad_request_after_a_good_one_gets_no_answer_in_its_place(hub: Hub):
    with connection(hub) as opened:
        send(opened, GET + b"\r\n" + b"no HTTP\r\n\r\n")
        heard = hear(opened)

    assert [part[:3] for part in heard.split(b"HTTP/1.1 ")[1:]] == [b"200"]


def test_whoever_asks_to_upgrade_is_answered_plainly(hub: Hub):
    with connection(hub) as opened:
        send(opened, GET + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n")
        answer = answer_in(hear(opened))

    assert (answer.status, answer.headers["connection"]) == (200, "close")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/healthz",
        "/metrics",
        "/nowhere",
        "/api/v1/evaluations",
        "/api/v1/nowhere",
        "/static/viva.css",
        "/SKILL.md",
        f"/api/v1/evaluations/{EVALUATION}/results/export",
    ],
)
def test_no_answer_lets_a_browser_guess_its_type_or_come_back_without_tls(hub: Hub, path: str):
    headers = hub.client.get(path).headers

    assert headers.get_list("x-content-type-options") == ["nosniff"]
    assert headers.get_list("strict-transport-security") == ["max-age=31536000"]


def test_a_refusal_carries_them_too(hub: Hub):
    with connection(hub) as opened:
        send(opened, b"no HTTP\r\n\r\n")
        answer = answer_in(hear(opened))

    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "strict-transport-security" in answer.headers

"""Attacks on a hub over loopback. Each prepares itself and returns a function that runs it and counts the statuses."""

import contextlib
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import httpx
import psycopg

from bench.filling import FilledIds
from tests.hub import EVALUATION, Hub, at_once

ATTACK_SECONDS = 8
MIB = 1024 * 1024
ENDLESS_BYTES = 100 * MIB
SENDERS = 20  # the hub stops reading from a refused connection, so one sender would not send much
READERS = 8
CLAIMS = 40
LOCK_SECONDS = 6
BENCHMARK = "careful-work"
COMBINING_MARKS = 19_998  # an answer has at most 20,000 characters
HOSTILE_MARKDOWN = (
    "[" * 60_000,
    "*_" * 30_000,
    "> " * 30_000,
    "- " * 30_000,
    "![" * 30_000,
    "<a " * 20_000,
    "`" * 60_000,
)
GET_REQUEST = b"GET / HTTP/1.1\r\nHost: hub\r\n"
POST_REQUEST = b"POST /api/v1/agents/register HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"

Statuses = Counter[str]
AttackRun = Callable[[], Statuses]


class Target(NamedTuple):
    """A running hub, and ids of what its database was filled with. An attack may write to the folder."""

    hub: Hub
    folder: Path
    ids: FilledIds | None = None


class Attack(NamedTuple):
    name: str
    prepare: Callable[[Target], AttackRun]
    allowed: frozenset[str]  # statuses that a client may see; "closed" means no answer
    path: str = "/healthz"  # what the probe requests during the attack


def status_of(connection: socket.socket) -> str:
    """The status of the answer."""
    try:
        received = connection.recv(65536)
    except TimeoutError:
        return "open"
    except OSError:
        return "closed"
    return received.split()[1].decode() if received else "closed"


def connect(target: Target) -> socket.socket:
    return socket.create_connection(("127.0.0.1", target.hub.port), timeout=ATTACK_SECONDS)


def send_endlessly(begin: bytes, piece: bytes) -> Callable[[Target], AttackRun]:
    """Send 100 MB after the beginning. Open a new connection if the hub closes one."""

    def prepare(target: Target) -> AttackRun:
        def send(size: int) -> Statuses:
            seen, end = Statuses(), time.monotonic() + ATTACK_SECONDS
            while size > 0 and time.monotonic() < end:
                with connect(target) as connection:
                    with contextlib.suppress(OSError):
                        connection.sendall(begin)
                        while size > 0 and time.monotonic() < end:
                            connection.sendall(piece)
                            size -= len(piece)
                    seen[status_of(connection)] += 1
            return seen

        share = ENDLESS_BYTES // SENDERS
        return lambda: sum(at_once([lambda: send(share)] * SENDERS), Statuses())

    return prepare


def leave_open(begin: bytes, count: int) -> Callable[[Target], AttackRun]:
    """Begin `count` requests and finish none."""

    def prepare(target: Target) -> AttackRun:
        def attack() -> Statuses:
            with contextlib.ExitStack() as stack:
                connections = [stack.enter_context(connect(target)) for _ in range(count)]
                for connection in connections:
                    with contextlib.suppress(OSError):
                        connection.sendall(begin)
                return Statuses(map(status_of, connections))

        return attack

    return prepare


def submit_combining_marks(target: Target) -> AttackRun:
    agents = [target.hub.agent("eve") for _ in range(READERS)]
    for agent in agents:
        agent.start(BENCHMARK)
    hostile = "a" + "\N{COMBINING GRAVE ACCENT}\N{COMBINING GRAVE ACCENT BELOW}" * (COMBINING_MARKS // 2)
    body = {"answers": {"weekday": hostile, "backwards": hostile}}
    path = f"/evaluations/{BENCHMARK}/submit"
    return lambda: Statuses(
        at_once([lambda agent=agent: str(agent.post(path, body).status_code) for agent in agents])  # type: ignore[misc]
    )


def read_pages(url: str, paths: list[str]) -> AttackRun:
    """One reader for each path requests it again and again."""

    def read(path: str) -> Statuses:
        seen, end = Statuses(), time.monotonic() + ATTACK_SECONDS
        with httpx.Client(base_url=url, timeout=60, verify=False) as client:
            while time.monotonic() < end:
                seen[str(client.get(path).status_code)] += 1
        return seen

    return lambda: sum(at_once([lambda path=path: read(path) for path in paths]), Statuses())  # type: ignore[misc]


def read_large_pages(target: Target) -> AttackRun:
    assert target.ids
    evaluation_id, long_result_id = target.ids.evaluation_id, target.ids.long_result_id
    paths = [f"/api/v1/evaluations/{evaluation_id}/results?limit=200", f"/evaluations/{evaluation_id}"]
    return read_pages(target.hub.url, [*paths, f"/evaluations/result/{long_result_id}", "/agents"] * (READERS // 4))


def read_hostile_markdown(target: Target) -> AttackRun:
    evaluation = target.hub.evaluation(target.folder)
    candidate, proctor = target.hub.agent("mallory"), target.hub.agent("paul")
    registration_id = candidate.start(evaluation)
    session_id = proctor.claim(registration_id, evaluation)
    for text in HOSTILE_MARKDOWN:
        candidate.say(session_id, text, evaluation)
    body = {"registration_id": registration_id, "passed": True}
    decided = proctor.post(f"/evaluations/{evaluation}/proctor/submit", body)
    path = f"/evaluations/result/{decided.json()['result']['id']}"
    return read_pages(target.hub.url, [path] * READERS)


def claim_behind_lock(target: Target) -> AttackRun:
    """Lock the row of a registration, like a stalled transaction, while many proctors claim it."""
    registration_id = target.hub.agent("ada").start()
    proctors = [target.hub.agent("paul") for _ in range(CLAIMS)]
    body = {"registration_id": registration_id}
    path = f"/evaluations/{EVALUATION}/proctor/claim"

    def attack() -> Statuses:
        locked = threading.Event()
        holder = threading.Thread(target=hold_lock, args=(target, registration_id, locked))
        holder.start()
        locked.wait()
        seen = at_once([lambda proctor=proctor: str(proctor.post(path, body).status_code) for proctor in proctors])  # type: ignore[misc]
        holder.join()
        return Statuses(seen)

    return attack


def hold_lock(target: Target, registration_id: str, locked: threading.Event) -> None:
    with psycopg.connect(target.hub.database_url) as db:
        db.execute("SELECT 1 FROM evaluation_registrations WHERE id = %s FOR UPDATE", [registration_id])
        locked.set()
        time.sleep(LOCK_SECONDS)


ON_SQLITE = (
    Attack("100 MB of headers", send_endlessly(GET_REQUEST, b"X-Header: value\r\n" * 4096), frozenset({"431"})),
    Attack("an endless address line", send_endlessly(b"GET /", b"a" * 65536), frozenset({"414"})),
    Attack("600 half requests", leave_open(GET_REQUEST, 600), frozenset({"408", "closed"})),
    Attack("60 unfinished bodies", leave_open(POST_REQUEST + b"{", 60), frozenset({"408"})),
    Attack("8 answers of 20,000 combining marks", submit_combining_marks, frozenset({"201", "413", "422"})),
    Attack("8 readers of the largest pages", read_large_pages, frozenset({"200"})),
    Attack("8 readers of hostile Markdown", read_hostile_markdown, frozenset({"200"})),
)
LOCK_STATUSES = frozenset({"201", "409", "503"})
ON_POSTGRESQL = (
    Attack("40 claims that wait for a lock", claim_behind_lock, LOCK_STATUSES),
    Attack("40 claims that wait for a lock, /readyz", claim_behind_lock, LOCK_STATUSES, "/readyz"),
)

"""Attacks on a hub over loopback. Each prepares what it needs, and gives a deed that answers the statuses it saw."""

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

from bench.filling import Made
from tests.hub import EVALUATION, Hub, at_once

ATTACK_SECONDS = 8
MIB = 1024 * 1024
ENDLESS_BYTES = 100 * MIB
SENDERS = 20  # the hub stops reading a connection that it refuses, so one alone would not send much
READERS = 8
CLAIMS = 40
LOCK_SECONDS = 6
BENCHMARK = "careful-work"
MARKS = 19_998  # an answer has at most 20,000 characters
HOSTILE_MARKDOWN = (
    "[" * 60_000,
    "*_" * 30_000,
    "> " * 30_000,
    "- " * 30_000,
    "![" * 30_000,
    "<a " * 20_000,
    "`" * 60_000,
)
HEAD = b"GET / HTTP/1.1\r\nHost: hub\r\n"
POST = b"POST /api/v1/agents/register HTTP/1.1\r\nHost: hub\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"

Statuses = Counter[str]
Deed = Callable[[], Statuses]


class Target(NamedTuple):
    """A served hub, and what its database was filled with; an attack may write into the folder."""

    hub: Hub
    folder: Path
    made: Made | None = None


class Attack(NamedTuple):
    name: str
    prepare: Callable[[Target], Deed]
    allowed: frozenset[str]  # statuses that a client may see; "closed" is the end without an answer
    path: str = "/healthz"  # what others ask for meanwhile


def status_of(opened: socket.socket) -> str:
    """The status of the answer, once it has come."""
    try:
        heard = opened.recv(65536)
    except TimeoutError:
        return "open"
    except OSError:
        return "closed"
    return heard.split()[1].decode() if heard else "closed"


def connect(target: Target) -> socket.socket:
    return socket.create_connection(("127.0.0.1", target.hub.port), timeout=ATTACK_SECONDS)


def send_endlessly(begin: bytes, piece: bytes) -> Callable[[Target], Deed]:
    """Send 100 MB after the beginning, over new connections where the hub closes them."""

    def prepare(target: Target) -> Deed:
        def send(size: int) -> Statuses:
            seen, end = Statuses(), time.monotonic() + ATTACK_SECONDS
            while size > 0 and time.monotonic() < end:
                with connect(target) as opened:
                    with contextlib.suppress(OSError):
                        opened.sendall(begin)
                        while size > 0 and time.monotonic() < end:
                            opened.sendall(piece)
                            size -= len(piece)
                    seen[status_of(opened)] += 1
            return seen

        share = ENDLESS_BYTES // SENDERS
        return lambda: sum(at_once([lambda: send(share)] * SENDERS), Statuses())

    return prepare


def leave_open(begin: bytes, count: int) -> Callable[[Target], Deed]:
    """Begin so many requests and end none."""

    def prepare(target: Target) -> Deed:
        def attack() -> Statuses:
            with contextlib.ExitStack() as stack:
                opened = [stack.enter_context(connect(target)) for _ in range(count)]
                for each in opened:
                    with contextlib.suppress(OSError):
                        each.sendall(begin)
                return Statuses(map(status_of, opened))

        return attack

    return prepare


def submit_combining_marks(target: Target) -> Deed:
    agents = [target.hub.agent("eve") for _ in range(READERS)]
    for agent in agents:
        agent.start(BENCHMARK)
    hostile = "a" + "\N{COMBINING GRAVE ACCENT}\N{COMBINING GRAVE ACCENT BELOW}" * (MARKS // 2)
    body = {"answers": {"weekday": hostile, "backwards": hostile}}
    path = f"/evaluations/{BENCHMARK}/submit"
    return lambda: Statuses(
        at_once([lambda agent=agent: str(agent.post(path, body).status_code) for agent in agents])  # type: ignore[misc]
    )


def read_pages(url: str, paths: list[str]) -> Deed:
    """Each path has one reader, who asks again and again."""

    def read(path: str) -> Statuses:
        seen, end = Statuses(), time.monotonic() + ATTACK_SECONDS
        with httpx.Client(base_url=url, timeout=60, verify=False) as client:
            while time.monotonic() < end:
                seen[str(client.get(path).status_code)] += 1
        return seen

    return lambda: sum(at_once([lambda path=path: read(path) for path in paths]), Statuses())  # type: ignore[misc]


def read_large_pages(target: Target) -> Deed:
    assert target.made
    evaluation_id, talked = target.made.evaluation_id, target.made.talked
    paths = [f"/api/v1/evaluations/{evaluation_id}/results?limit=200", f"/evaluations/{evaluation_id}"]
    return read_pages(target.hub.url, [*paths, f"/evaluations/result/{talked}", "/agents"] * (READERS // 4))


def read_hostile_markdown(target: Target) -> Deed:
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


def claim_behind_lock(target: Target) -> Deed:
    """Hold the row of a registration, as a stalled transaction does, while many claim it."""
    registration_id = target.hub.agent("ada").start()
    proctors = [target.hub.agent("paul") for _ in range(CLAIMS)]
    body = {"registration_id": registration_id}
    path = f"/evaluations/{EVALUATION}/proctor/claim"

    def attack() -> Statuses:
        held = threading.Event()
        holder = threading.Thread(target=hold_lock, args=(target, registration_id, held))
        holder.start()
        held.wait()
        seen = at_once([lambda proctor=proctor: str(proctor.post(path, body).status_code) for proctor in proctors])  # type: ignore[misc]
        holder.join()
        return Statuses(seen)

    return attack


def hold_lock(target: Target, registration_id: str, held: threading.Event) -> None:
    with psycopg.connect(target.hub.database_url) as db:
        db.execute("SELECT 1 FROM evaluation_registrations WHERE id = %s FOR UPDATE", [registration_id])
        held.set()
        time.sleep(LOCK_SECONDS)


ON_SQLITE = (
    Attack("100 MB of headers", send_endlessly(HEAD, b"X-Header: value\r\n" * 4096), frozenset({"431"})),
    Attack("an endless address line", send_endlessly(b"GET /", b"a" * 65536), frozenset({"414"})),
    Attack("600 half requests", leave_open(HEAD, 600), frozenset({"408", "closed"})),
    Attack("60 unfinished bodies", leave_open(POST + b"{", 60), frozenset({"408"})),
    Attack("8 answers of 20,000 combining marks", submit_combining_marks, frozenset({"201", "413", "422"})),
    Attack("8 readers of the largest pages", read_large_pages, frozenset({"200"})),
    Attack("8 readers of hostile Markdown", read_hostile_markdown, frozenset({"200"})),
)
LOCK_STATUSES = frozenset({"201", "409", "503"})
ON_POSTGRESQL = (
    Attack("40 claims behind a held lock", claim_behind_lock, LOCK_STATUSES),
    Attack("40 claims behind a held lock, /readyz", claim_behind_lock, LOCK_STATUSES, "/readyz"),
)

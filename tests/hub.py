"""A served hub, and the agents that talk to it over HTTP."""

import contextlib
import io
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar
from unittest.mock import patch

import httpx
import psutil
import psycopg
import yaml

from viva import cli

EVALUATION = "plain-dealing"
WAIT_SECONDS = 120  # for what is going to happen; a busy machine is slow

# The tables in which everything that is said, earned and made is kept.
TABLES = (
    "agents",
    "evaluation_registrations",
    "evaluation_sessions",
    "evaluation_session_participants",
    "evaluation_messages",
    "evaluation_results",
)

ROUNDS = int(os.environ.get("VIVA_ROUNDS") or 1)  # how often each kill and race is tried; `make soak` sets it

# Connections stay: with more threads than it keeps, the client may close one that another thread was just given.
KEPT = httpx.Limits(max_connections=None, max_keepalive_connections=None)


def load(usual: int, in_soak: int) -> int:
    """How much a test of kills and races does: less in the suite, so that it stays short, and more in a soak."""
    return usual if ROUNDS == 1 else in_soak


Answer = TypeVar("Answer")
Seen = TypeVar("Seen")


class Hub:
    """`viva serve` as a process of its own; use it as a context."""

    options: tuple[str, ...] = ()  # of the command, besides those of every hub

    def __init__(self, database_url: str, folder: Path, processes: int = 1, **settings: str) -> None:
        self.database_url = database_url
        self.folder = folder
        self.processes = processes
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = environment_without_settings() | {
            "VIVA_DATA_DIR": str(folder),
            "VIVA_DATABASE_URL": database_url,
            "VIVA_RATE_LIMIT": "off",
            **settings,
        }
        self.closed_at_end = contextlib.ExitStack()
        # No certificates are read: the hub is on this machine, and reading them takes longer than an exam.
        self.client = self.closed_at_end.enter_context(httpx.Client(base_url=self.url, timeout=60, verify=False))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.closed_at_end.close()

    def start(self) -> None:
        command = [sys.executable, "-m", "viva", "serve", "--port", str(self.port), "--processes", str(self.processes)]
        command += self.options
        self.log = (self.folder / "serve.log").open("a")
        # A group of its own, so that a kill reaches every server process.
        self.process = subprocess.Popen(command, env=self.environment, stderr=self.log, start_new_session=True)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            try:
                if self.client.get("/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass  # not listening yet
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "serve.log").read_text())
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)
        self.process.wait(timeout=60)
        self.log.close()

    def viva(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command of the program, on the same hub."""
        return run_viva(arguments, self.environment)

    def agent(self, name: str) -> "AgentClient":
        """A new agent; the name gets an ending of its own, so that tests share a hub."""
        answer = self.client.post("/api/v1/agents/register", json={"name": f"{name}-{uuid.uuid4().hex[:8]}"})
        assert answer.status_code == 201, answer.text
        return self.caller(answer.json()["api_key"], answer.json()["agent"])

    def anybody(self) -> "AgentClient":
        return self.caller(None, {})

    def caller(self, key: str | None, agent: dict[str, Any]) -> "AgentClient":
        """A client of its own, closed with the hub."""
        caller = AgentClient(self.url, key, agent)
        self.closed_at_end.callback(caller.http.close)
        return caller

    def maintainer(self, name: str) -> "AgentClient":
        """A new maintainer, made by the command."""
        made = self.viva("maintainer", f"{name}-{uuid.uuid4().hex[:8]}")
        assert made.returncode == 0, made.stderr
        return self.with_key(made.stdout.splitlines()[-1])

    def with_key(self, key: str) -> "AgentClient":
        answer = self.client.get("/api/v1/agents/me", headers={"Authorization": f"Bearer {key}"})
        assert answer.status_code == 200, answer.text
        return self.caller(key, answer.json()["agent"])

    def page_for(self, agent: "AgentClient", path: str) -> str:
        """A page as the agent sees it in a browser of its own."""
        with httpx.Client(base_url=self.url, timeout=60, verify=False) as browser:
            assert browser.post("/login", data={"key": str(agent.key)}).status_code == 303
            answer = browser.get(path)
        assert answer.status_code == 200, answer.text
        return answer.text

    def evaluation(self, folder: Path, **changes: Any) -> str:
        """An evaluation of the test's own, written as a SIP file and synced; its id."""
        written = write_sip(folder, **changes)
        synced = self.viva("sync", str(folder))
        assert synced.returncode == 0, synced.stderr
        return written

    @property
    def secret(self) -> bytes:
        """What the hub signs with."""
        return (self.folder / "secret").read_bytes().strip()

    def broken_chains(self) -> list[dict[str, Any]]:
        """What `viva check` finds in chains and statements. Tests that share a hub may change its sums."""
        findings: list[dict[str, Any]] = json.loads(self.viva("check", "--json").stdout)["findings"]
        return [finding for finding in findings if finding["subject"] in ("message", "session", "event", "statement")]

    def counts(self) -> dict[str, int]:
        """How many rows each table has."""
        sql = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in TABLES)
        return dict(self.driver.execute(sql).fetchall())

    @cached_property
    def driver(self) -> "sqlite3.Connection | psycopg.Connection[Any]":
        """A connection to its database."""
        if self.database_url.startswith("sqlite:///"):
            driver = sqlite3.connect(self.database_url.removeprefix("sqlite:///"))
            return self.closed_at_end.enter_context(contextlib.closing(driver))
        return self.closed_at_end.enter_context(psycopg.connect(self.database_url, autocommit=True))

    def processes_behind(self, readers: "Sequence[Reader]") -> int:
        """How many server processes the readers are connected with."""
        ports = {reader.port for reader in readers}
        server = psutil.Process(self.process.pid)
        return sum(
            any(connection.raddr and connection.raddr.port in ports for connection in process.net_connections("tcp"))
            for process in [server, *server.children(recursive=True)]
        )


def environment_without_settings() -> dict[str, str]:
    """The environment of the tests, without any setting of Viva."""
    return {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")}


def run_viva(
    arguments: Sequence[str], environment: dict[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command inside this process, because starting a new one takes a second; it answers as a process would."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    handlers = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}
    with (
        patch.dict(os.environ, environment, clear=True),
        patch.object(sys, "argv", ["viva", *arguments]),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")),
        patch("uvicorn.run", side_effect=AssertionError("The server started and would not return.")),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = exit_code_of(cli.main)
    for kind, handler in handlers.items():
        signal.signal(kind, handler)
    said, told = (stream.buffer.getvalue().decode().replace("\r\n", "\n") for stream in (out, err))
    return subprocess.CompletedProcess(list(arguments), code, said, told)


def exit_code_of(command: Callable[[], None]) -> int:
    """The exit code with which the interpreter would end; an exception is printed and is 1."""
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


class AgentClient:
    """One agent's calls; paths are below /api/v1."""

    def __init__(self, url: str, key: str | None, agent: dict[str, Any]) -> None:
        self.key = key
        self.id = agent.get("id", "")
        self.name = agent.get("name", "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60, verify=False, limits=KEPT)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.http.get(path, **options)

    def post(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return self.http.post(path, json=json, **options)

    def start(self, evaluation: str = EVALUATION) -> str:
        """Register and start; the registration's id."""
        assert self.post(f"/evaluations/{evaluation}/register").status_code == 201
        answer = self.post(f"/evaluations/{evaluation}/start")
        assert answer.status_code == 200, answer.text
        return answer.json()["registration"]["id"]

    def claim(self, registration_id: str, evaluation: str = EVALUATION) -> str:
        """Claim; the session's id."""
        answer = self.post(f"/evaluations/{evaluation}/proctor/claim", {"registration_id": registration_id})
        assert answer.status_code == 201, answer.text
        return answer.json()["session_id"]

    def say(self, session_id: str, content: str, evaluation: str = EVALUATION) -> httpx.Response:
        return self.post(f"/evaluations/{evaluation}/sessions/{session_id}/messages", {"content": content})

    def submit(
        self, registration_id: str, passed: bool = True, evaluation: str = EVALUATION, **more: Any
    ) -> httpx.Response:
        body = {"registration_id": registration_id, "passed": passed, **more}
        return self.post(f"/evaluations/{evaluation}/proctor/submit", body)

    def messages(self, session_id: str, evaluation: str = EVALUATION) -> list[dict[str, Any]]:
        """Every message of the session, over all pages."""
        found: list[dict[str, Any]] = []
        since: int | None = 0
        while since is not None:
            answer = self.get(
                f"/evaluations/{evaluation}/sessions/{session_id}/messages", params={"since": since}
            ).json()
            found += answer["messages"]
            since = answer["next_cursor"]
        return found


class Event(NamedTuple):
    """One server-sent event."""

    id: str | None
    name: str
    data: Any


class Reader:
    """One open stream of a session's events; use it as a context."""

    def __init__(self, agent: AgentClient, session_id: str, evaluation: str = EVALUATION, **options: Any) -> None:
        path = f"/evaluations/{evaluation}/sessions/{session_id}/messages/stream"
        self._opening = agent.http.stream("GET", path, **options)

    def __enter__(self) -> Self:
        self.answer = self._opening.__enter__()
        self._events = events_in(lines_of(self.answer))
        return self

    def __exit__(self, *_: object) -> None:
        self._opening.__exit__(None, None, None)

    @property
    def port(self) -> int:
        """The reader's end of the connection."""
        return int(self.answer.extensions["network_stream"].get_extra_info("client_addr")[1])

    def next(self) -> Event:
        return next(self._events)

    def take(self, count: int) -> list[Event]:
        return [self.next() for _ in range(count)]

    def rest(self) -> list[Event]:
        """Every event until the server closes the stream."""
        return list(self._events)


def lines_of(answer: httpx.Response) -> Iterator[str]:
    """Lines as server-sent events have them: httpx would also break them at characters such as U+2028."""
    kept = b""
    for part in answer.iter_raw():
        *whole, kept = (kept + part).split(b"\n")
        yield from (line.decode() for line in whole)


def events_in(lines: Iterator[str]) -> Iterator[Event]:
    fields: dict[str, str] = {}
    for line in lines:
        if line == "":
            if "data" in fields:
                yield Event(fields.get("id"), fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}
        elif not line.startswith(":"):  # a comment, which keeps the connection awake
            name, _, value = line.partition(": ")
            fields[name] = value


def at_once(calls: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """What the calls answer when each runs in a thread of its own and all begin together."""
    barrier = threading.Barrier(len(calls))

    def begin(call: Callable[[], Answer]) -> Answer:
        barrier.wait(timeout=60)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(begin, calls))


def until(see: Callable[[], Seen]) -> Seen:
    """What is seen, once there is something to see."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not (seen := see()):
        assert time.monotonic() < deadline, seen
        time.sleep(0.05)
    return seen


PROCEDURE = "# Good manners\n\n## Procedure\n\n1. Ask for something.\n"


def write_sip(folder: Path, file: str = "SIP-1.md", body: str = PROCEDURE, **changes: Any) -> str:
    """A small proctored evaluation as a SIP file in the folder; its id."""
    front = {
        "sip": int(uuid.uuid4().hex[:7], 16) + 1_000,
        "id": f"good-manners-{uuid.uuid4().hex[:8]}",
        "name": "Good manners",
        "module": "safety",
        "type": "proctored",
        "status": "active",
        "version": "1.0.0",
        "points": 10,
        "prerequisites": [],
        "author": "Viva",
        "created_at": "2026-11-15",
        "updated_at": "2026-11-15",
        "config": {"summary": "Whether an agent says please.", "max_score": 50},
        "executable": {"handler": "proctored"},
        **changes,
    }
    (folder / file).write_text(f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n\n{body}")
    return str(front["id"])


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

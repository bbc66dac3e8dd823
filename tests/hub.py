"""A served hub, and the agents that talk to it over HTTP."""

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any, Self

import httpx

EVALUATION = "plain-dealing"


class Hub:
    """`viva serve` as a process of its own; use it as a context."""

    def __init__(self, database_url: str, folder: Path, processes: int = 1, **settings: str) -> None:
        self.database_url = database_url
        self.folder = folder
        self.processes = processes
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | {
            "VIVA_DATA_DIR": str(folder),
            "VIVA_DATABASE_URL": database_url,
            "VIVA_RATE_LIMIT": "off",
            **settings,
        }
        self.client = httpx.Client(base_url=self.url, timeout=60)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.client.close()

    def start(self) -> None:
        command = [sys.executable, "-m", "viva", "serve", "--port", str(self.port), "--processes", str(self.processes)]
        self.log = (self.folder / "serve.log").open("a")
        # A group of its own, so that a kill reaches every server process.
        self.process = subprocess.Popen(command, env=self.environment, stderr=self.log, start_new_session=True)
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + 30
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
        self.process.wait(timeout=20)
        self.log.close()

    def viva(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Another command of the program, on the same hub."""
        return subprocess.run(
            [sys.executable, "-m", "viva", *arguments], env=self.environment, capture_output=True, text=True, timeout=60
        )

    def agent(self, name: str) -> "AgentClient":
        """A new agent; the name gets an ending of its own, so that tests share a hub."""
        answer = self.client.post("/api/v1/agents/register", json={"name": f"{name}-{uuid.uuid4().hex[:8]}"})
        assert answer.status_code == 201, answer.text
        return AgentClient(self.url, answer.json()["api_key"], answer.json()["agent"])

    def anybody(self) -> "AgentClient":
        return AgentClient(self.url, None, {})


class AgentClient:
    """One agent's calls; paths are below /api/v1."""

    def __init__(self, url: str, key: str | None, agent: dict[str, Any]) -> None:
        self.key = key
        self.id = agent.get("id", "")
        self.name = agent.get("name", "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.http = httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60)

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

    def submit(self, registration_id: str, passed: bool = True, evaluation: str = EVALUATION, **more: Any) -> httpx.Response:
        body = {"registration_id": registration_id, "passed": passed, **more}
        return self.post(f"/evaluations/{evaluation}/proctor/submit", body)

    def messages(self, session_id: str, evaluation: str = EVALUATION) -> list[dict[str, Any]]:
        """Every message of the session, over all pages."""
        found: list[dict[str, Any]] = []
        since: int | None = 0
        while since is not None:
            answer = self.get(f"/evaluations/{evaluation}/sessions/{session_id}/messages", params={"since": since}).json()
            found += answer["messages"]
            since = answer["next_since"]
        return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

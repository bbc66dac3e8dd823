"""Doing the work that asks A2A agents in a test, and servers that answer as no A2A agent should."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests import make
from viva.agents.model import Agent
from viva.exams import a2a_answering, proctoring, registering, starting
from viva.exams.a2a_calls import A2aCaller
from viva.exams.model import HubFacts, Registration
from viva.jobs import queue
from viva.jobs.model import Job
from viva.jobs.workers import keep_result
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.asking import ASK_WORK
from viva.sessions.model import Message, Session

EXAM = "good-manners"
MAX_BYTES = 1_000


class StrangeAgent(BaseHTTPRequestHandler):
    """Answers every POST in one way, and shows one card."""

    card: Any = None
    answer: bytes = b""
    status = 200
    location = ""

    def do_GET(self) -> None:
        self.respond(200 if self.card else 404, json.dumps(self.card).encode())

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.respond(self.status, self.answer)

    def respond(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if self.location:
            self.send_header("Location", self.location)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Tests read the outcome, not a log."""


@contextmanager
def serve_strange(**ways: Any) -> Iterator[str]:
    """The host and port of an agent with these ways."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Strange", (StrangeAgent,), ways))
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class A2aExam(NamedTuple):
    """A running exam whose candidate is the A2A agent at `host`."""

    db: Connection
    host: str
    ada: Agent
    paul: Agent
    registration: Registration
    session: Session

    def say(self, text: str, prompt_id: str | None = None) -> Message:
        return channel.send(self.db, EXAM, self.session.id, self.paul.id, text, MAX_BYTES, prompt_id)

    def transcript(self) -> list[tuple[str, str]]:
        return [(each.role, each.content) for each in sessions.transcript(self.db, self.session.id)]

    def fault(self) -> str | None:
        sql = "SELECT a2a_fault FROM evaluation_sessions WHERE id = ?"
        row = self.db.execute(sql, [self.session.id]).fetchone()
        return None if row is None else row[0]

    def work(self) -> Any:
        return a2a_answering.work(A2aCaller((self.host,)), MAX_BYTES)

    def take(self) -> Job | None:
        self.db.execute("SELECT 1")  # so that all is one transaction: as its first statement, `take` would commit
        self.db.execute("UPDATE jobs SET due_at = ? WHERE status = 'waiting'", [now()])
        return queue.take(self.db, 30)

    def do_one(self) -> Job | None:
        """Do the next job, whatever its pause; None if there is none."""
        job = self.take()
        if job is None:
            return None
        assert job.work == ASK_WORK
        work = self.work()
        question = work.read(self.db, job.data)
        return keep_result(self.db, job, work, question, work.think(question))

    def do_all(self) -> list[str]:
        """Do all jobs with all their tries; how each try ended."""
        ends: list[str] = []
        while job := self.do_one():
            ends.append(job.status)
        return ends


def begin_exam(db: Connection, host: str) -> A2aExam:
    make.evaluation(db)
    ada, paul = make.agent(db, "ada"), make.agent(db, "paul")
    registering.register(db, EXAM, ada)
    hub = HubFacts(make.HALL.secret, make.HALL.base_url, proctors="anyone", webhook_hosts=(host,))
    registration = starting.start(db, hub, EXAM, ada, "", a2a_url=f"http://{host}").registration
    db.execute("DELETE FROM jobs")  # of notices about it
    session = proctoring.claim(db, EXAM, registration.id, paul).session
    db.execute("DELETE FROM jobs")
    return A2aExam(db, host, ada, paul, registration, session)

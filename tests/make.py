"""One call for what a test needs but does not care about."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from viva.agents import accounts
from viva.agents.model import Agent
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable, Sip
from viva.exams import proctoring, registering, starting
from viva.exams.handlers.proctored import Verdict
from viva.exams.model import HubFacts, Registration
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.results.model import NamedResult

HALL = HubFacts(b"the secret of a hub in tests", "http://hub.example")


def agent(db: Connection, name: str) -> Agent:
    return accounts.register(db, name, "").agent


def sip(**changes: object) -> Sip:
    """A small proctored evaluation."""
    fields = {
        "sip": 7,
        "id": "good-manners",
        "name": "Good manners",
        "title": None,
        "module": "safety",
        "department": None,
        "type": "proctored",
        "status": "active",
        "version": "1.0.0",
        "points": 10,
        "prerequisites": (),
        "author": "Viva",
        "created_at": "2026-11-15",
        "updated_at": "2026-11-15",
        "config": {"summary": "Whether an agent says please.", "max_score": 100},
        "executable": Executable("proctored", None),
        "extra": {},
        "body": "# Good manners\n\n## Procedure\n\n1. Ask for something.\n",
    }
    return Sip(**(fields | changes))  # type: ignore[arg-type]


def evaluation(db: Connection, **changes: object) -> Evaluation:
    return catalogue.put(db, sip(**changes))


def registration(db: Connection, candidate: Agent, evaluation_id: str = "good-manners") -> Registration:
    """A started registration."""
    registering.register(db, evaluation_id, candidate)
    return start(db, evaluation_id, candidate)


def start(db: Connection, evaluation_id: str, candidate: Agent) -> Registration:
    return starting.start(db, HALL, evaluation_id, candidate, "").registration


def claim(
    db: Connection, candidate: Agent, proctor: Agent, evaluation_id: str = "good-manners"
) -> tuple[Registration, proctoring.Claim]:
    started = registration(db, candidate, evaluation_id)
    return started, proctoring.claim(db, evaluation_id, started.id, proctor)


def result(
    db: Connection,
    candidate: Agent,
    proctor: Agent,
    passed: bool = True,
    evaluation_id: str = "good-manners",
    **verdict: Any,
) -> NamedResult:
    started, _ = claim(db, candidate, proctor, evaluation_id)
    return proctoring.submit(db, evaluation_id, started.id, proctor, Verdict(passed, **verdict))


def silence(db: Connection, session_id: str, minutes: float = 31) -> None:
    """Let nobody have spoken in the session for so long."""
    db.execute(
        "UPDATE evaluation_sessions SET active_at = ? WHERE id = ?", [now() - timedelta(minutes=minutes), session_id]
    )


@contextmanager
def unit(db: Connection) -> Iterator[None]:
    """Take back what happens inside if it raises, as the database does with a unit of work."""
    db.execute("SAVEPOINT unit_of_test")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK TO unit_of_test")
        raise
    finally:
        db.execute("RELEASE unit_of_test")


def together(*works: Callable[[], Any]) -> list[Any]:
    """What came of each, all begun at once in threads of their own: its answer, or the exception it raised."""
    start = threading.Barrier(len(works))
    outcomes: list[Any] = [None] * len(works)

    def work_at(place: int) -> None:
        start.wait()
        try:
            outcomes[place] = works[place]()
        except Exception as error:
            outcomes[place] = error

    threads = [threading.Thread(target=work_at, args=[place], daemon=True) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive(), "a thread waits for ever"
    return outcomes

"""One call for what a test needs but does not care about."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from viva.agents import accounts
from viva.agents import store as agents
from viva.agents.model import Agent, name_key
from viva.evaluations import catalogue
from viva.evaluations.model import Evaluation
from viva.evaluations.sip import Executable, Sip
from viva.exams import marking, proctoring, registering, starting
from viva.exams.handlers.proctored import Verdict
from viva.exams.marking import GivenMark
from viva.exams.model import HubFacts, Paper, Registration
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.model import Session

HALL = HubFacts(b"the secret of a hub in tests", "http://hub.example", proctors="anyone")
STRICT_HALL = HubFacts(HALL.secret, HALL.base_url, proctors="qualified")


# The fields of a result that most tests do not care about: it is official, and nothing more is known of it.
OFFICIAL: dict[str, Any] = {
    "official": True,
    "official_reasons": [],
    "agent_owner": None,
    "agent_model": None,
    "agent_framework": None,
    "agent_version": None,
    "is_private": False,
    "voided_at": None,
    "void_reason": None,
    "voided_by": None,
}


def agent(db: Connection, name: str) -> Agent:
    return accounts.register(db, name, "").agent


def found_agent(db: Connection, name: str) -> Agent:
    """The agent with this name, which exists."""
    return agents.get_by_name_or_id(db, name, name_key(name))


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
    return started, proctoring.claim(db, evaluation_id, started.id, proctor, HALL.proctors)


def result(
    db: Connection,
    candidate: Agent,
    proctor: Agent,
    passed: bool = True,
    evaluation_id: str = "good-manners",
    **verdict: Any,
) -> NamedResult:
    started, claimed = claim(db, candidate, proctor, evaluation_id)
    talk(db, claimed.session, proctor, candidate)
    return decide(db, started, proctor, passed, **verdict)


def decide(db: Connection, started: Registration, proctor: Agent, passed: bool = True, **verdict: Any) -> NamedResult:
    """The proctor's verdict about a registration that it has claimed."""
    return proctoring.submit(db, started.evaluation_id, started.id, proctor, Verdict(passed, **verdict), HALL.proctors)


def submit(db: Connection, evaluation_id: str, registration_id: str, proctor: Agent, verdict: Verdict) -> NamedResult:
    """A verdict that is official where anyone may examine: both sides have said something."""
    session = sessions.find_by_registration(db, registration_id)
    if session and session.status == "active" and session.message_count == 0:
        talk(db, session, *(agents.get(db, each.agent_id) for each in sessions.list_participants(db, session.id)))
    return proctoring.submit(db, evaluation_id, registration_id, proctor, verdict, HALL.proctors)


def talk(db: Connection, session: Session, *speakers: Agent) -> None:
    """Let each of them say something, so that the exam is not empty."""
    for speaker in speakers:
        channel.send(db, session.evaluation_id, session.id, speaker.id, "Good morning.", 1_000)


def take_sheet(db: Connection, evaluation_id: str, subject_id: str, proctor: Agent) -> Paper:
    """What the proctor sees on the sheet that it takes."""
    return marking.take(db, evaluation_id, subject_id, proctor, HALL.proctors).paper


def mark_sheet(
    db: Connection,
    evaluation_id: str,
    subject_id: str,
    proctor: Agent,
    given: Sequence[GivenMark],
    feedback: str | None = None,
) -> list[NamedResult]:
    """The results of a sheet that the proctor takes and marks, if that settles it."""
    take_sheet(db, evaluation_id, subject_id, proctor)
    return marking.give_marks(db, evaluation_id, subject_id, proctor, given, feedback, HALL.proctors)


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


@contextmanager
def undone(db: Connection) -> Iterator[None]:
    """Take back what happens inside."""
    db.execute("SAVEPOINT undone_in_test")
    try:
        yield
    finally:
        db.execute("ROLLBACK TO undone_in_test")
        db.execute("RELEASE undone_in_test")


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

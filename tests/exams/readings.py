"""Proctored exams that were decided officially, and markers who read them again."""

from typing import Any

from tests import make
from viva.agents.model import Agent
from viva.exams import proctoring, rereading
from viva.exams.handlers.proctored import Verdict
from viva.exams.proctored_rows import GivenReading
from viva.kit.db import Connection
from viva.results import second_readings
from viva.results.model import NamedResult
from viva.results.second_readings import SecondReading
from viva.sessions import channel

EXAM = "good-manners"
ANYONE = make.HALL.proctors
MESSAGE_BYTES = 10_000


def evaluation(db: Connection, second_reading: float = 1.0, **config: Any) -> None:
    make.evaluation(
        db,
        config={
            "summary": "Whether an agent says please.",
            "max_score": 100,
            "second_reading": second_reading,
            **config,
        },
    )


def decided(
    db: Connection, candidate: Agent, proctor: Agent, passed: bool = True, score: float | None = None, **more: Any
) -> NamedResult:
    """An exam in which both have spoken, decided by the proctor."""
    registration, claim = make.claim(db, candidate, proctor)
    for agent, text in ((proctor, "Pass me the salt."), (candidate, "Here you are.")):
        channel.send(db, EXAM, claim.session.id, agent.id, text, MESSAGE_BYTES, None)
    score = (90.0 if passed else 10.0) if score is None else score
    return proctoring.submit(db, EXAM, registration.id, proctor, Verdict(passed, score=score, **more), ANYONE)


def silent(db: Connection, candidate: Agent, proctor: Agent) -> NamedResult:
    """An exam in which nothing was said, so that its verdict is only practice."""
    registration, _ = make.claim(db, candidate, proctor)
    return proctoring.submit(db, EXAM, registration.id, proctor, Verdict(False), ANYONE)


def open_reading_of(db: Connection, result: NamedResult) -> SecondReading:
    (reading,) = [each for each in second_readings.list_of(db, result.id) if each.status == "open"]
    return reading


def read_again(
    db: Connection, reading: SecondReading, marker: Agent, passed: bool, score: float | None = None, **more: Any
) -> SecondReading:
    """The marker takes the reading and decides."""
    rereading.take(db, EXAM, reading.id, marker, ANYONE)
    score = (90.0 if passed else 10.0) if score is None else score
    given = GivenReading([], passed, score, more.get("feedback"))
    return rereading.give_verdict(db, EXAM, reading.id, marker, given, ANYONE)

"""What tests of maintainers share: a maintainer who acts, and an exam with words in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from tests import make
from viva.agents import accounts
from viva.agents.model import Agent
from viva.exams import proctoring
from viva.exams.handlers.proctored import Verdict
from viva.kit.actors import Actor
from viva.kit.db import Connection
from viva.results.model import NamedResult
from viva.sessions import channel, store

SPAM = "Buy zorkmids at zorkmid dot example"


def maintainer(db: Connection, name: str = "mary") -> Agent:
    """A maintainer, who is the actor of the unit from now on."""
    agent = accounts.promote(db, name).agent
    act_as(db, agent)
    return agent


def act_as(db: Connection, agent: Agent) -> None:
    db.actor = Actor("api", agent.id, "viva_test", "0" * 32)


@contextmanager
def acting(db: Connection, agent: Agent) -> Iterator[None]:
    before = db.actor
    act_as(db, agent)
    yield
    db.actor = before


class Exam(NamedTuple):
    """A decided exam of ada by paul, in which ada wrote spam."""

    candidate: Agent
    proctor: Agent
    session_id: str
    message_id: str
    result: NamedResult


def exam(db: Connection, name: str = "ada", proctor: str = "paul", feedback: str = "Quite good.") -> Exam:
    make.evaluation(db)
    ada, paul = make.agent(db, name), make.agent(db, proctor)
    registration, claim = make.claim(db, ada, paul)
    session_id = claim.session.id
    channel.send(db, "good-manners", session_id, paul.id, "What do you say?", 10_000)
    message = channel.send(db, "good-manners", session_id, ada.id, SPAM, 10_000)
    result = proctoring.submit(db, "good-manners", registration.id, paul, Verdict(True, feedback=feedback))
    return Exam(ada, paul, session_id, message.id, result)


def texts_in(db: Connection, session_id: str) -> list[str]:
    return [message.content for message in store.transcript(db, session_id)]


def actions_in(db: Connection) -> list[str]:
    return [action for (action,) in db.execute("SELECT action FROM events ORDER BY id").fetchall()]

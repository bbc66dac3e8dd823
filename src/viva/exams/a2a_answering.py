"""Answering for a candidate that is an A2A agent: the background work that asks it and posts its reply."""

from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct

from viva.adapters.model import AgentFault
from viva.exams.a2a_calls import A2aCaller, A2aMessage
from viva.jobs.model import Work
from viva.kit.db import Connection
from viva.kit.errors import VivaError
from viva.kit.fetch_addresses import NotFetchable
from viva.kit.fetching import Unreachable
from viva.kit.rows import find
from viva.sessions import asking, channel

QUESTIONS_PER_SWEEP = 100
CANDIDATE_SUSPENDED = "The account of the candidate is suspended."
HUB_FAULT = "It was interrupted by a fault of this hub."


class OpenQuestion(Struct, frozen=True):
    """A message of the proctor that the candidate's agent is asked."""

    message_id: str
    session_id: str
    evaluation_id: str
    sequence: int
    content: str
    prompt_id: str | None
    candidate_id: str
    is_suspended: bool
    a2a_url: str


class AgentAnswer(NamedTuple):
    """The agent's reply, or why there is none."""

    text: str = ""
    fault: str | None = None


def work(caller: A2aCaller, max_message_bytes: int) -> Work:
    """The background work "ask_a2a_agent"."""
    return Work(read, partial(think, caller, max_message_bytes), partial(keep, max_message_bytes))


def read(db: Connection, data: dict[str, Any]) -> OpenQuestion | None:
    """The question; None if it is settled, or the session has ended, or the address is gone with its account."""
    return find(
        OpenQuestion,
        db.execute(
            """
            SELECT m.id AS message_id, s.id AS session_id, s.evaluation_id, m.sequence, m.content, m.prompt_id,
                r.agent_id AS candidate_id, a.suspended_at IS NOT NULL AS is_suspended, r.a2a_url
            FROM evaluation_sessions s JOIN evaluation_registrations r ON r.id = s.registration_id
                JOIN agents a ON a.id = r.agent_id
                JOIN evaluation_messages m ON m.session_id = s.id AND m.sequence = s.a2a_asked
            WHERE s.id = ? AND s.a2a_asked = ? AND s.status = 'active' AND r.a2a_url IS NOT NULL
            """,
            [data["session_id"], data["sequence"]],
        ),
    )


def think(caller: A2aCaller, max_message_bytes: int, question: OpenQuestion | None) -> AgentAnswer:
    """Ask the agent. If the worker dies before the reply is kept, the agent gets the same message again."""
    if question is None:
        return AgentAnswer()
    if question.is_suspended:
        return AgentAnswer(fault=CANDIDATE_SUSPENDED)
    try:
        message = A2aMessage(question.message_id, question.session_id, question.content)
        return check_reply(caller.ask(question.a2a_url, message), max_message_bytes)
    except (AgentFault, NotFetchable, Unreachable) as error:
        return AgentAnswer(fault=str(error))


def check_reply(text: str, max_message_bytes: int) -> AgentAnswer:
    """The reply, if it can be a message of this hub."""
    if "\0" in text:
        return AgentAnswer(fault="The agent's reply has a null character.")
    fault: VivaError | None = channel.find_fault(text, max_message_bytes)
    return AgentAnswer(fault=f"The agent's reply is no message. {fault}") if fault else AgentAnswer(text)


def keep(
    max_message_bytes: int, db: Connection, question: OpenQuestion | None, answer: AgentAnswer, is_last: bool
) -> str | None:
    """Post the reply, unless the question was settled meanwhile. After the last try there is none."""
    if question is None:
        return None
    if answer.fault:
        if is_last:
            asking.settle(db, question.session_id, question.sequence, answer.fault)
        return answer.fault
    if asking.settle(db, question.session_id, question.sequence):
        channel.send(
            db,
            question.evaluation_id,
            question.session_id,
            question.candidate_id,
            answer.text,
            max_message_bytes,
            question.prompt_id,
        )
    return None


def settle_failed(db: Connection) -> int:
    """Settle questions whose job failed because of a fault of this hub. Returns how many there were."""
    rows = db.execute(
        """
        SELECT s.id, s.a2a_asked FROM jobs j JOIN evaluation_sessions s ON s.id = j.data ->> 'session_id'
        WHERE j.status = 'failed' AND j.work = ? AND s.status = 'active'
            AND s.a2a_asked = CAST(j.data ->> 'sequence' AS INTEGER)
        LIMIT ?
        """,
        [asking.ASK_WORK, QUESTIONS_PER_SWEEP],
    ).fetchall()
    return sum(asking.settle(db, session_id, sequence, HUB_FAULT) for session_id, sequence in rows)

"""The demo's candidates: one always waits for an examiner, and all answer from a script."""

from viva.config import MESSAGE_BYTES
from viva.demo.cast import Cast, find_answer
from viva.demo.hub import DEMO_HUB_FACTS, DEMO_KEY_HASH
from viva.exams import registering, starting, store
from viva.kit.db import Connection
from viva.sessions import channel
from viva.sessions import store as sessions
from viva.sessions.model import OwnSession

WAITED_FOR = "plain-dealing"  # the evaluation in which somebody always waits
SESSIONS_LOOKED_AT = 10  # of each agent
MESSAGES_READ = 200


def keep_somebody_waiting(db: Connection, cast: Cast) -> None:
    """Register the waiting agent again after each of its exams."""
    if store.find_open(db, cast.waiting.id, WAITED_FOR) is None:
        registering.register(db, WAITED_FOR, cast.waiting)
        starting.start(db, DEMO_HUB_FACTS, WAITED_FOR, cast.waiting, DEMO_KEY_HASH)


def answer_examiners(db: Connection, cast: Cast) -> None:
    """Answer where a stranger examines an agent of the demo. What two of the demo say to each other stands still."""
    for agent_id in cast.agents:
        for session in sessions.list_by_agent(db, agent_id, "active", SESSIONS_LOOKED_AT, None).items:
            if session.kind == "proctored" and session.role == "candidate" and has_stranger(db, cast, session):
                answer(db, session, agent_id)


def has_stranger(db: Connection, cast: Cast, session: OwnSession) -> bool:
    return any(each.agent_id not in cast.agents for each in sessions.list_participants(db, session.id))


def answer(db: Connection, session: OwnSession, agent_id: str) -> None:
    store.hold(db, session.evaluation_id, session.registration_id or "")  # one process answers, not each
    messages = sessions.transcript(db, session.id, limit=MESSAGES_READ)
    if messages and messages[-1].role == "proctor":
        text = find_answer(messages[-1].content)
        channel.send(db, session.evaluation_id, session.id, agent_id, text, MESSAGE_BYTES)

"""The analysis of a proctored session: the proctor is the user, and the candidate is the agent."""

from datetime import timedelta

from viva.analyses import running
from viva.analyses.model import Subject
from viva.engine.model import Interaction, Trace, TraceAgent, Turn
from viva.exams.hosted_turns import split_turns
from viva.kit.db import Connection
from viva.sessions import store as sessions
from viva.sessions.model import Message
from viva.traces.reading import pack_content

MAX_ANALYSED_MESSAGES = 1_000  # from the start of a session, and as many from its end
MAX_ANALYSED_MESSAGE_CHARACTERS = 20_000
ANALYSIS_PAUSE = timedelta(seconds=5)  # nobody waits for it, and exams that end together are analysed together
CANDIDATE = "candidate"


def request_analysis(db: Connection, session_id: str) -> None:
    """Ask for the analysis of a session that has ended. A session without messages has none."""
    turns = split_turns(list_messages(db, session_id, 1), CANDIDATE)
    if any(turn.answers for turn in turns):
        running.request(db, Subject("session", session_id), len(turns), pause=ANALYSIS_PAUSE)


def list_messages(db: Connection, session_id: str, characters: int = MAX_ANALYSED_MESSAGE_CHARACTERS) -> list[Message]:
    """The messages that are analysed, each cut to this length."""
    return sessions.list_first_and_last_messages(db, session_id, MAX_ANALYSED_MESSAGES, characters)


def read_content(db: Connection, session_id: str) -> bytes | None:
    """The session as a stored trace; None if nothing was said in it."""
    messages = list_messages(db, session_id)
    return pack_content(make_trace(session_id, messages)) if messages else None


def make_trace(session_id: str, messages: list[Message]) -> Trace:
    """Nobody is named in the trace, so that a deleted account leaves no name in it."""
    return Trace(
        id=session_id,
        turns=tuple(
            Turn(
                index,
                "\n\n".join(message.content for message in turn.asked) or None,
                agent_interactions=tuple(Interaction(CANDIDATE, message.content) for message in turn.answers),
            )
            for index, turn in enumerate(split_turns(messages, CANDIDATE))
        ),
        agents=(TraceAgent(CANDIDATE),),
    )

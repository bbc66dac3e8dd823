"""Posting messages: each takes the next turn of its session and becomes the last link of its chain."""

from datetime import datetime
from functools import cache
from typing import NamedTuple

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.hashing import hash_text, new_salt
from viva.kit.ids import new_id
from viva.kit.rows import moment
from viva.sessions.chain import HashForms, MessageLines, forms_of, lines_of, link_sql
from viva.sessions.model import Message


class MessageDraft(NamedTuple):
    """A message before its turn: everything but its sequence, role and time."""

    id: str
    session_id: str
    sender_id: str
    content: str
    prompt_id: str | None
    salt: str
    lines: MessageLines


def new_draft(session_id: str, sender_id: str, content: str, prompt_id: str | None) -> MessageDraft:
    message_id, salt = new_id("eval_msg"), new_salt()
    lines = lines_of(session_id, message_id, sender_id, hash_text(salt, content), prompt_id)
    return MessageDraft(message_id, session_id, sender_id, content, prompt_id, salt, lines)


class SpeakingTurn(NamedTuple):
    """The right to send one message: its sequence, time and hash, the sender's role, and what an A2A agent is asked."""

    sequence: int
    created_at: datetime
    hash: str
    role: str | None
    a2a_asked: int | None  # see asking.py


def take_turn(db: Connection, evaluation_id: str, draft: MessageDraft) -> SpeakingTurn | None:
    """The next sequence of an active session. The row stays locked until commit, so sequences are unique and gapless.

    The last hash is read from the same row: another table may show what was there before the lock. A time is never
    earlier than that of the message before, also if this process waited for the lock."""
    row = db.execute(
        turn_sql(forms_of(db)),
        {
            "now": now(),
            "session_id": draft.session_id,
            "evaluation_id": evaluation_id,
            "sender_id": draft.sender_id,
            "before": draft.lines.before,
            "after": draft.lines.after,
        },
    ).fetchone()
    return None if row is None else SpeakingTurn(row[0], moment(row[1]), row[2], row[3], row[4])


@cache  # a new string for every message would also be parsed every time
def turn_sql(forms: HashForms) -> str:
    role = """(SELECT role FROM evaluation_session_participants
        WHERE session_id = evaluation_sessions.id AND agent_id = :sender_id AND left_at IS NULL)"""
    at = "CASE WHEN active_at > :now THEN active_at ELSE :now END"
    turn = ("(message_count + 1)", f"coalesce({role}, '')", at)
    link = link_sql(forms, ":before", turn, "chain_head", ":after")
    return f"""
        UPDATE evaluation_sessions SET message_count = message_count + 1, active_at = {at}, chain_head = {link}
        WHERE id = :session_id AND evaluation_id = :evaluation_id AND status = 'active'
        RETURNING message_count, active_at, chain_head, {role}, a2a_asked
    """


def add_message(db: Connection, draft: MessageDraft, turn: SpeakingTurn) -> Message:
    message = Message(
        draft.id,
        draft.sender_id,
        turn.role or "",
        draft.content,
        turn.created_at,
        turn.sequence,
        draft.prompt_id,
        draft.salt,
        turn.hash,
    )
    db.execute(INSERT_MESSAGE, values_of(draft.session_id, message))
    db.notify(draft.session_id)
    return message


INSERT_MESSAGE = """
    INSERT INTO evaluation_messages
        (session_id, id, sender_agent_id, role, content, created_at, sequence, prompt_id, salt, hash)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def values_of(session_id: str, message: Message) -> list[object]:
    """The values of a new message in the order of INSERT_MESSAGE."""
    return [
        session_id,
        message.id,
        message.sender_agent_id,
        message.role,
        message.content,
        message.created_at,
        message.sequence,
        message.prompt_id,
        message.salt,
        message.hash,
    ]

"""Posting messages: each takes the next turn of its session and becomes the last link of its chain."""

from datetime import datetime
from functools import cache
from typing import NamedTuple

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.hashing import hash_text, new_salt
from viva.kit.ids import new_id
from viva.kit.rows import many, moment
from viva.sessions.chain import MESSAGE_COLUMNS, MESSAGE_FORMAT, HashForms, MessageLines, forms_of, lines_of, link_sql
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
    db.execute(
        """
        INSERT INTO evaluation_messages
            (session_id, id, sender_agent_id, role, content, created_at, sequence, prompt_id, salt, hash)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            draft.session_id,
            message.id,
            message.sender_agent_id,
            message.role,
            message.content,
            message.created_at,
            message.sequence,
            message.prompt_id,
            message.salt,
            message.hash,
        ],
    )
    db.notify(draft.session_id)
    return message


class Post(NamedTuple):
    """A message to be sent, with the hash of its sender's key."""

    key_hash: str
    evaluation_id: str
    session_id: str
    content: str
    prompt_id: str | None


@cache
def posts_sql(forms: HashForms) -> str:
    before = f"'{MESSAGE_FORMAT}\n' || said.session_id || '\n' || said.id || '\n' || agent_id || '\n'"
    after = "'\n' || content_hash || '\n' || coalesce(prompt_id, '')"
    first, next_ = (
        link_sql(forms, before, ("said.sequence", "role", "created_at"), previous, after)
        for previous in ("chain_head", "link.hash")
    )
    return f"""
        WITH RECURSIVE post AS (
            SELECT * FROM unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
                WITH ORDINALITY
                AS post (id, salt, content_hash, key_hash, evaluation_id, session_id, content, prompt_id, place)
        ), session AS (
            SELECT id, evaluation_id, message_count, chain_head, active_at FROM evaluation_sessions
            WHERE id IN (SELECT session_id FROM post) AND status = 'active' AND a2a_asked IS NULL
            ORDER BY id FOR NO KEY UPDATE
        ), said AS (
            SELECT post.*, p.agent_id, p.role, session.chain_head, greatest(clock_timestamp(), active_at) AS created_at,
                message_count + row_number() OVER turns AS sequence, row_number() OVER turns AS turn
            FROM post JOIN session ON session.id = post.session_id AND session.evaluation_id = post.evaluation_id
                JOIN agent_keys k ON k.hash = post.key_hash
                    AND k.agent_id NOT IN (SELECT id FROM agents WHERE suspended_at IS NOT NULL)
                JOIN evaluation_session_participants p
                    ON p.session_id = post.session_id AND p.agent_id = k.agent_id AND p.left_at IS NULL
            WINDOW turns AS (PARTITION BY post.session_id ORDER BY place)
        ), link AS (
            SELECT session_id, sequence, {first} AS hash FROM said WHERE turn = 1
            UNION ALL
            SELECT said.session_id, said.sequence, {next_} FROM link
                JOIN said ON said.session_id = link.session_id AND said.sequence = link.sequence + 1
        ), last AS (
            SELECT DISTINCT ON (session_id) session_id, sequence, hash, created_at
            FROM link JOIN said USING (session_id, sequence) ORDER BY session_id, sequence DESC
        ), turn AS (
            UPDATE evaluation_sessions s
            SET message_count = last.sequence, active_at = last.created_at, chain_head = last.hash
            FROM last WHERE s.id = last.session_id
        )
        INSERT INTO evaluation_messages
            (session_id, id, sender_agent_id, role, content, created_at, sequence, prompt_id, salt, hash)
        SELECT session_id, id, agent_id, role, content, created_at, sequence, prompt_id, salt, hash
        FROM said JOIN link USING (session_id, sequence) ORDER BY sequence
        RETURNING {MESSAGE_COLUMNS}
    """


def add_messages(db: Connection, posts: list[Post]) -> list[Message | None]:
    """Identify the callers, take their turns and add their messages, in one statement; None for a post without a turn.

    This is for PostgreSQL, where each statement is a round trip. Sessions with an A2A agent are left out: their
    messages need a job. Rows are locked in the order of their ids, so that two processes cannot deadlock. A time is
    read after its row is locked, so times grow with the sequence. Several messages of one session follow each other in
    the chain."""
    ids = [new_id("eval_msg") for _ in posts]
    salts = [new_salt() for _ in posts]
    hashes = [hash_text(salt, post.content) for salt, post in zip(salts, posts, strict=True)]
    rows = db.execute_whole(
        posts_sql(forms_of(db)),
        [ids, salts, hashes, *map(list, zip(*posts, strict=True))],
    )
    added = {message.id: message for message in many(Message, rows)}
    for session_id in {post.session_id for post, id in zip(posts, ids, strict=True) if id in added}:
        db.notify(session_id)
    return [added.get(id) for id in ids]

"""Posting the messages of many callers together: each takes the next turn of its session, and becomes the last link of its chain."""

from datetime import datetime
from functools import cache, partial
from typing import NamedTuple

from msgspec import structs

from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.hashing import hash_text, new_salt
from viva.kit.ids import new_id
from viva.kit.rows import many, moment
from viva.sessions.chain import MESSAGE_COLUMNS, MESSAGE_FORMAT, HashForms, forms_of, hash_message, link_sql
from viva.sessions.model import Message
from viva.sessions.posting import INSERT_MESSAGE, values_of


class Post(NamedTuple):
    """A message to be sent, with the hash of its sender's key."""

    key_hash: str
    evaluation_id: str
    session_id: str
    content: str
    prompt_id: str | None


def add_messages(db: Connection, posts: list[Post]) -> list[Message | None]:
    """Identify the callers, take their turns and add their messages; None for a post without a turn.

    Sessions with an A2A agent are left out: their messages need a job."""
    added = add_in_one_statement(db, posts) if db.has_round_trips else add_in_turn(db, posts)
    for session_id in {post.session_id for post, message in zip(posts, added, strict=True) if message}:
        db.notify(session_id)
    return added


class LastMessage(NamedTuple):
    """What the next message of a session follows on."""

    sequence: int
    created_at: datetime
    hash: str


class Speaker(NamedTuple):
    """Who may speak in a session, and the last message there."""

    agent_id: str
    role: str
    last: LastMessage


def add_in_turn(db: Connection, posts: list[Post]) -> list[Message | None]:
    """For SQLite, where nobody else writes meanwhile. A speaker is read once and a session is updated once, however much is said."""
    find = cache(partial(find_speaker, db))
    last: dict[str, LastMessage] = {}
    added: list[Message | None] = []
    rows = []
    for post in posts:
        speaker = find(post.key_hash, post.evaluation_id, post.session_id)
        if speaker is None:
            added.append(None)
            continue
        message = follow(post, speaker, last.get(post.session_id, speaker.last))
        last[post.session_id] = LastMessage(message.sequence, message.created_at, message.hash or "")
        added.append(message)
        rows.append(values_of(post.session_id, message))
    db.execute_many(INSERT_MESSAGE, rows)
    db.execute_many(
        "UPDATE evaluation_sessions SET message_count = ?, active_at = ?, chain_head = ? WHERE id = ?",
        [(*message, session_id) for session_id, message in last.items()],
    )
    return added


def find_speaker(db: Connection, key_hash: str, evaluation_id: str, session_id: str) -> Speaker | None:
    row = db.execute(
        """
        SELECT p.agent_id, p.role, s.message_count, s.active_at, s.chain_head FROM agent_keys k
            JOIN agents a ON a.id = k.agent_id AND a.suspended_at IS NULL
            JOIN evaluation_session_participants p ON p.agent_id = a.id AND p.left_at IS NULL
            JOIN evaluation_sessions s ON s.id = p.session_id AND s.status = 'active' AND s.a2a_asked IS NULL
        WHERE k.hash = ? AND s.evaluation_id = ? AND p.session_id = ?
        """,
        [key_hash, evaluation_id, session_id],
    ).fetchone()
    return row and Speaker(row[0], row[1], LastMessage(row[2], moment(row[3]), row[4]))


def follow(post: Post, speaker: Speaker, last: LastMessage) -> Message:
    """The message of a post, with its place in the chain."""
    message = Message(
        new_id("eval_msg"),
        speaker.agent_id,
        speaker.role,
        post.content,
        max(now(), last.created_at),
        last.sequence + 1,
        post.prompt_id,
        new_salt(),
    )
    return structs.replace(message, hash=hash_message(post.session_id, message, last.hash))


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


def add_in_one_statement(db: Connection, posts: list[Post]) -> list[Message | None]:
    """For PostgreSQL, where each statement is a round trip. Rows are locked in the order of their ids, so that two processes cannot
    deadlock. A time is read after its row is locked, so times grow with the sequence."""
    ids = [new_id("eval_msg") for _ in posts]
    salts = [new_salt() for _ in posts]
    hashes = [hash_text(salt, post.content) for salt, post in zip(salts, posts, strict=True)]
    rows = db.execute_whole(
        posts_sql(forms_of(db)),
        [ids, salts, hashes, *map(list, zip(*posts, strict=True))],
    )
    added = {message.id: message for message in many(Message, rows)}
    return [added.get(id) for id in ids]

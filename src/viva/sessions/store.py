"""Sessions, their participants and their messages in the database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.deleted import name_of
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import MAX_PAGE_BYTES, Page, page, read_cursor, take_fitting
from viva.kit.rows import each, find, many, one
from viva.sessions.model import Kind, Message, OwnSession, Participant, Role, Session

SESSION = ", ".join(Session.__struct_fields__)
MESSAGE = ", ".join(Message.__struct_fields__)
END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)


class NoSuchSession(NotFound):
    """There is no session with this id in this evaluation."""


class AlreadyClaimed(Conflict):
    """This registration is claimed already."""


def open_session(db: Connection, evaluation_id: str, kind: Kind, registration_id: str | None = None) -> Session:
    started_at = now()
    session = Session(
        new_id("eval_sess"), evaluation_id, kind, registration_id, None, "active", started_at, None, 0, started_at
    )
    # Two proctors may claim at once; the UNIQUE registration_id lets one in.
    with refusing({"evaluation_sessions_registration_id_key": AlreadyClaimed}):
        db.execute(
            """
            INSERT INTO evaluation_sessions (id, evaluation_id, kind, registration_id, status, started_at, active_at)
            VALUES (?, ?, ?, ?, 'active', ?, ?)
            """,
            [session.id, evaluation_id, kind, registration_id, started_at, started_at],
        )
    return session


def add_participant(db: Connection, session: Session, agent_id: str, role: Role) -> None:
    db.execute(
        "INSERT INTO evaluation_session_participants (id, session_id, kind, agent_id, role, joined_at) VALUES (?, ?, ?, ?, ?, ?)",
        [new_id("eval_part"), session.id, session.kind, agent_id, role, now()],
    )


def get(db: Connection, evaluation_id: str, session_id: str) -> Session:
    return one(
        Session,
        db.execute(
            f"SELECT {SESSION} FROM evaluation_sessions WHERE id = ? AND evaluation_id = ?", [session_id, evaluation_id]
        ),
        NoSuchSession,
    )


def with_id(db: Connection, session_id: str) -> Session:
    found = find(Session, db.execute(f"SELECT {SESSION} FROM evaluation_sessions WHERE id = ?", [session_id]))
    if found is None:
        raise NoSuchSession("There is no session with this id.")
    return found


def of_registration(db: Connection, registration_id: str) -> Session | None:
    """The session in which the registration is examined; a released one is not."""
    return find(
        Session, db.execute(f"SELECT {SESSION} FROM evaluation_sessions WHERE registration_id = ?", [registration_id])
    )


def participants(db: Connection, session_id: str) -> list[Participant]:
    return many(
        Participant,
        db.execute(
            f"""
            SELECT p.agent_id, {name_of("a")} AS name, p.role, p.joined_at, p.left_at
            FROM evaluation_session_participants p JOIN agents a ON a.id = p.agent_id
            WHERE p.session_id = ? ORDER BY p.joined_at, p.id
            """,
            [session_id],
        ),
    )


def role_of(db: Connection, session_id: str, agent_id: str) -> str | None:
    row = db.execute(
        "SELECT role FROM evaluation_session_participants WHERE session_id = ? AND agent_id = ?", [session_id, agent_id]
    ).fetchone()
    return None if row is None else row[0]


def leave(db: Connection, session_id: str, agent_id: str) -> None:
    """The participant takes no more turns; it may go on reading."""
    db.execute(
        """
        UPDATE evaluation_session_participants SET left_at = ?
        WHERE session_id = ? AND agent_id = ? AND left_at IS NULL
        """,
        [now(), session_id, agent_id],
    )


class Speaker(NamedTuple):
    """Who wants to say something: an agent by its id, or by the hash of a key, which then needs no lookup before."""

    agent_id: str | None = None
    key_hash: str | None = None


class Post(NamedTuple):
    """A message that has no place in its session yet."""

    evaluation_id: str
    session_id: str
    speaker: Speaker
    content: str
    prompt_id: str | None = None


def add_message(db: Connection, post: Post, is_all: bool = False) -> Message | None:
    """Give the message the next sequence of an active session. None if the speaker has no turn there.

    `is_all` says that the unit writes nothing else.

    The session's row is locked until the commit, so sequences have no gaps and no doubles. With None, the caller
    has to raise, since a turn may have been taken."""
    message = add_in_one_statement(db, post, is_all) if db.writes_in_with else add_in_steps(db, post)
    if message is not None:
        db.wake(post.session_id)
    return message


def add_in_one_statement(db: Connection, post: Post, is_all: bool) -> Message | None:
    """One round trip for all of it. The time is taken once the row is locked, so it grows with the sequence."""
    execute = db.execute_whole if is_all else db.execute
    return find(
        Message,
        execute(
            f"""
            WITH speaker AS (
                SELECT agent_id, role FROM evaluation_session_participants
                WHERE session_id = :session_id AND left_at IS NULL AND agent_id =
                    coalesce(:agent_id, (SELECT agent_id FROM agent_keys WHERE hash = :key_hash))
            ), turn AS (
                UPDATE evaluation_sessions SET message_count = message_count + 1, active_at = :active_at
                WHERE id = :session_id AND evaluation_id = :evaluation_id AND status = 'active'
                    AND EXISTS (SELECT 1 FROM speaker)
                RETURNING message_count
            )
            INSERT INTO evaluation_messages
                (session_id, id, sender_agent_id, role, content, created_at, sequence, prompt_id)
            SELECT :session_id, :id, agent_id, role, :content, clock_timestamp(), message_count, :prompt_id
            FROM turn, speaker
            RETURNING {MESSAGE}
            """,
            {
                "evaluation_id": post.evaluation_id,
                "session_id": post.session_id,
                "agent_id": post.speaker.agent_id,
                "key_hash": post.speaker.key_hash,
                "active_at": now(),
                "id": new_id("eval_msg"),
                "content": post.content,
                "prompt_id": post.prompt_id,
            },
        ),
    )


def add_in_steps(db: Connection, post: Post) -> Message | None:
    sender_id = post.speaker.agent_id or agent_of_key(db, post.speaker.key_hash)
    turn = db.execute(
        """
        UPDATE evaluation_sessions SET message_count = message_count + 1, active_at = ?
        WHERE id = ? AND evaluation_id = ? AND status = 'active'
        RETURNING message_count,
            (SELECT role FROM evaluation_session_participants
                WHERE session_id = evaluation_sessions.id AND agent_id = ? AND left_at IS NULL)
        """,
        [now(), post.session_id, post.evaluation_id, sender_id],
    ).fetchone()
    if sender_id is None or turn is None or turn[1] is None:
        return None
    sequence, role = turn
    message = Message(new_id("eval_msg"), sender_id, role, post.content, now(), sequence, post.prompt_id)
    db.execute(
        """
        INSERT INTO evaluation_messages (session_id, id, sender_agent_id, role, content, created_at, sequence, prompt_id)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
            post.session_id,
            message.id,
            sender_id,
            role,
            message.content,
            message.created_at,
            sequence,
            message.prompt_id,
        ],
    )
    return message


def agent_of_key(db: Connection, key_hash: str | None) -> str | None:
    row = db.execute("SELECT agent_id FROM agent_keys WHERE hash = ?", [key_hash]).fetchone()
    return None if row is None else row[0]


def transcript(
    db: Connection, session_id: str, since: int | datetime = 0, limit: int = 200, characters: int | None = None
) -> list[Message]:
    """At most `limit` messages after a sequence or a moment, in order; fewer where they are long."""
    column = "created_at" if isinstance(since, datetime) else "sequence"
    return read_messages(db, f"session_id = ? AND {column} > ?", [session_id, since], limit, characters)


def of_prompt(
    db: Connection, session_id: str, prompt_id: str, since: int = 0, limit: int = 200, characters: int | None = None
) -> list[Message]:
    """At most `limit` messages that belong to the prompt, after a sequence, in order; fewer where they are long."""
    condition = "session_id = ? AND prompt_id = ? AND sequence > ?"
    return read_messages(db, condition, [session_id, prompt_id, since], limit, characters)


def latest(db: Connection, session_id: str, before: int, limit: int, characters: int) -> list[Message]:
    """At most `limit` of the last messages before a sequence, in order; fewer where they are long."""
    condition = "session_id = ? AND sequence < ?"
    return read_messages(db, condition, [session_id, before], limit, characters, "sequence DESC")[::-1]


def read_messages(
    db: Connection,
    condition: str,
    values: Sequence[object],
    limit: int,
    characters: int | None,
    order: str = "sequence",
) -> list[Message]:
    """A page of messages. It ends after so many characters, or where that is None, as every page of the API does."""
    statement = f"SELECT {MESSAGE} FROM evaluation_messages WHERE {condition} ORDER BY {order} LIMIT ?"
    if not db.reads_row_by_row:
        # JSON has no fewer bytes than the text has characters, so this leaves out no message that fits.
        statement = f"""
            SELECT {MESSAGE} FROM (
                SELECT listed.*, sum(length(content)) OVER (ORDER BY {order} ROWS UNBOUNDED PRECEDING) AS characters
                FROM ({statement}) listed
            ) counted WHERE characters - length(content) <= {characters or MAX_PAGE_BYTES} ORDER BY {order}
        """
    messages = each(Message, db.execute(statement, [*values, limit]))
    if characters is None:
        return take_fitting(messages)
    return take_fitting(messages, lambda message: len(message.content), characters)


def both_ends(db: Connection, session_id: str, messages: int, characters: int) -> list[Message]:
    """So many of the first messages and so many of the last, in order, each with so many of its first characters."""
    return many(
        Message,
        db.execute(
            """
            SELECT id, sender_agent_id, role, substr(content, 1, :characters) AS content, created_at, sequence, prompt_id
            FROM evaluation_messages
            WHERE session_id = :session_id AND (sequence <= :messages OR sequence >
                (SELECT message_count FROM evaluation_sessions WHERE id = :session_id) - :messages)
            ORDER BY sequence
            """,
            {"session_id": session_id, "messages": messages, "characters": characters},
        ),
    )


class State(NamedTuple):
    status: str
    message_count: int


def state(db: Connection, session_id: str) -> State:
    return State(
        *db.execute("SELECT status, message_count FROM evaluation_sessions WHERE id = ?", [session_id]).fetchone()
    )


def sequence_at(db: Connection, session_id: str, moment: datetime) -> int:
    """The sequence of the last message up to a moment, 0 before the first."""
    (sequence,) = db.execute(
        "SELECT coalesce(max(sequence), 0) FROM evaluation_messages WHERE session_id = ? AND created_at <= ?",
        [session_id, moment],
    ).fetchone()
    return int(sequence)


def end(db: Connection, session_id: str) -> None:
    db.execute(
        "UPDATE evaluation_sessions SET status = 'ended', ended_at = ? WHERE id = ? AND status = 'active'",
        [now(), session_id],
    )
    db.wake(session_id)


def release(db: Connection, session_id: str, if_silent_since: datetime = END_OF_TIME) -> bool:
    """End an active session and give its registration back, so that another proctor can claim it; whether it was done.

    That nobody has spoken is asked in the same statement, since somebody may speak meanwhile."""
    released = db.execute(
        """
        UPDATE evaluation_sessions
        SET status = 'ended', ended_at = ?, released_registration_id = registration_id, registration_id = NULL
        WHERE id = ? AND status = 'active' AND active_at < ?
        """,
        [now(), session_id, if_silent_since],
    ).rowcount
    db.wake(session_id)
    return released == 1


def proctored_by(db: Connection, agent_id: str) -> list[Session]:
    """The running sessions in which the agent is the proctor."""
    return many(
        Session,
        db.execute(
            f"""
            SELECT {SESSION} FROM evaluation_sessions WHERE kind = 'proctored' AND status = 'active' AND id IN
                (SELECT session_id FROM evaluation_session_participants WHERE agent_id = ? AND role = 'proctor')
            """,
            [agent_id],
        ),
    )


def silent(db: Connection, evaluation_id: str, since: datetime, limit: int) -> list[Session]:
    """Running proctored sessions of the evaluation in which nobody has spoken since then."""
    return many(
        Session,
        db.execute(
            f"""
            SELECT {SESSION} FROM evaluation_sessions
            WHERE status = 'active' AND kind = 'proctored' AND evaluation_id = ? AND active_at < ?
            ORDER BY started_at LIMIT ?
            """,
            [evaluation_id, since, limit],
        ),
    )


def of_agent(db: Connection, agent_id: str, status: str | None, limit: int, cursor: str | None) -> Page[OwnSession]:
    """The agent's sessions, newest first."""
    conditions = ["p.agent_id = :agent_id"]
    values: dict[str, object] = {"agent_id": agent_id, "limit": limit + 1}
    if status:
        conditions.append("s.status = :status")
        values["status"] = status
    if cursor:
        (values["after"],) = read_cursor(cursor, tuple[str])
        conditions.append("s.id < :after")
    rows = db.execute(
        f"""
        SELECT {", ".join(f"s.{name}" for name in Session.__struct_fields__)}, p.role
        FROM evaluation_session_participants p JOIN evaluation_sessions s ON s.id = p.session_id
        WHERE {" AND ".join(conditions)} ORDER BY s.id DESC LIMIT :limit
        """,
        values,
    )
    return page(many(OwnSession, rows), limit, lambda session: (session.id,))

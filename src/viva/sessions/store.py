"""Sessions, their participants and their messages in the database."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple

from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.deleted import name_of
from viva.kit.errors import Conflict, NotFound
from viva.kit.ids import new_id
from viva.kit.paging import MAX_PAGE_BYTES, Page, page, read_cursor, take_fitting
from viva.kit.rows import find, iterate, many, one
from viva.sessions.chain import MESSAGE_COLUMNS
from viva.sessions.model import Message, OwnSession, Participant, Role, Session, SessionKind

SESSION_COLUMNS = ", ".join(Session.__struct_fields__)
MAX_ESCAPE_BYTES = 6  # of a character in JSON: control characters have as many
MAX_FIELDS_BYTES = 2_000  # of a message in JSON without its content; its prompt's id has at most 100 characters
END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)


class NoSuchSession(NotFound):
    """There is no session with this id in this evaluation."""


class AlreadyClaimed(Conflict):
    """This registration is claimed already."""


def open_session(
    db: Connection,
    evaluation_id: str,
    kind: SessionKind,
    registration_id: str | None = None,
    asks_a2a_agent: bool = False,
    may_be_official: bool = False,
) -> Session:
    """Open a session. `may_be_official` says that the verdict of its proctor can be official."""
    started_at = now()
    session = Session(
        new_id("eval_sess"), evaluation_id, kind, registration_id, None, "active", started_at, None, 0, started_at, None
    )
    # Two proctors may claim at once; the UNIQUE registration_id admits one.
    with refusing({"evaluation_sessions_registration_id_key": AlreadyClaimed}):
        db.execute(
            """
            INSERT INTO evaluation_sessions (id, evaluation_id, kind, registration_id, status, started_at, active_at,
                a2a_asked, may_be_official)
            VALUES (?, ?, ?, ?, 'active', ?, ?, ?, ?)
            """,
            [
                session.id,
                evaluation_id,
                kind,
                registration_id,
                started_at,
                started_at,
                0 if asks_a2a_agent else None,
                may_be_official,
            ],
        )
    return session


def add_participant(db: Connection, session: Session, agent_id: str, role: Role) -> None:
    db.execute(
        "INSERT INTO evaluation_session_participants (id, session_id, kind, agent_id, role, joined_at) VALUES (?, ?, ?, ?, ?, ?)",
        [new_id("eval_part"), session.id, session.kind, agent_id, role, now()],
    )
    db.notify(agent_id)


def get(db: Connection, evaluation_id: str, session_id: str) -> Session:
    return one(
        Session,
        db.execute(
            f"SELECT {SESSION_COLUMNS} FROM evaluation_sessions WHERE id = ? AND evaluation_id = ?",
            [session_id, evaluation_id],
        ),
        NoSuchSession,
    )


def get_by_id(db: Connection, session_id: str) -> Session:
    session = find(Session, db.execute(f"SELECT {SESSION_COLUMNS} FROM evaluation_sessions WHERE id = ?", [session_id]))
    if session is None:
        raise NoSuchSession("There is no session with this id.")
    return session


def find_by_registration(db: Connection, registration_id: str) -> Session | None:
    """The session in which the registration is examined, unless it was released."""
    return find(
        Session,
        db.execute(f"SELECT {SESSION_COLUMNS} FROM evaluation_sessions WHERE registration_id = ?", [registration_id]),
    )


def list_participants(db: Connection, session_id: str) -> list[Participant]:
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
    """The participant takes no more turns, but may still read."""
    db.execute(
        """
        UPDATE evaluation_session_participants SET left_at = ?
        WHERE session_id = ? AND agent_id = ? AND left_at IS NULL
        """,
        [now(), session_id, agent_id],
    )


def transcript(
    db: Connection, session_id: str, since: int | datetime = 0, limit: int = 200, characters: int | None = None
) -> list[Message]:
    """At most `limit` messages after a sequence or a moment, in order; fewer if they are long."""
    column = "created_at" if isinstance(since, datetime) else "sequence"
    return read_messages(db, f"session_id = ? AND {column} > ?", [session_id, since], limit, characters)


def list_prompt_messages(
    db: Connection, session_id: str, prompt_id: str, since: int = 0, limit: int = 200, characters: int | None = None
) -> list[Message]:
    """At most `limit` messages of the prompt, after a sequence, in order; fewer if they are long."""
    condition = "session_id = ? AND prompt_id = ? AND sequence > ?"
    return read_messages(db, condition, [session_id, prompt_id, since], limit, characters)


def list_latest_messages(db: Connection, session_id: str, before: int, limit: int, characters: int) -> list[Message]:
    """At most `limit` of the last messages before a sequence, in order; fewer if they are long."""
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
    """A page of messages of at most so many characters; with None, the size limit of the API's pages applies."""
    statement = f"SELECT {MESSAGE_COLUMNS} FROM evaluation_messages WHERE {condition} ORDER BY {order} LIMIT ?"
    if not db.reads_row_by_row:
        # JSON has at least one byte for each character, so this leaves out no message that fits.
        statement = f"""
            SELECT {MESSAGE_COLUMNS} FROM (
                SELECT listed.*, sum(length(content)) OVER (ORDER BY {order} ROWS UNBOUNDED PRECEDING) AS characters
                FROM ({statement}) listed
            ) counted WHERE characters - length(content) <= {characters or MAX_PAGE_BYTES} ORDER BY {order}
        """
    messages = iterate(Message, db.execute(statement, [*values, limit]))
    if characters is None:
        return take_page(messages)
    return take_fitting(messages, lambda message: len(message.content), characters)


def take_page(messages: Iterator[Message]) -> list[Message]:
    """The first messages that fit on a page of the API. Their JSON is measured only if it could be too large."""
    taken, bytes_at_most = [], 0
    for message in messages:
        taken.append(message)
        bytes_at_most += MAX_ESCAPE_BYTES * len(message.content) + MAX_FIELDS_BYTES
        if bytes_at_most > MAX_PAGE_BYTES:
            return take_fitting(chain(taken, messages))
    return taken


def list_first_and_last_messages(db: Connection, session_id: str, messages: int, characters: int) -> list[Message]:
    """The first and the last `messages` messages, in order, each cut to `characters` characters."""
    return many(
        Message,
        db.execute(
            """
            SELECT id, sender_agent_id, role, substr(content, 1, :characters) AS content, created_at, sequence, prompt_id,
                hidden_at
            FROM evaluation_messages
            WHERE session_id = :session_id AND (sequence <= :messages OR sequence >
                (SELECT message_count FROM evaluation_sessions WHERE id = :session_id) - :messages)
            ORDER BY sequence
            """,
            {"session_id": session_id, "messages": messages, "characters": characters},
        ),
    )


class MessagePlace(NamedTuple):
    """Where a message stands, and who sent it."""

    session_id: str
    sender_agent_id: str
    sequence: int


def locate_message(db: Connection, message_id: str) -> MessagePlace | None:
    sql = "SELECT session_id, sender_agent_id, sequence FROM evaluation_messages WHERE id = ?"
    row = db.execute(sql, [message_id]).fetchone()
    return None if row is None else MessagePlace(*row)


def list_shown_ids(db: Connection, agent_id: str, limit: int) -> list[str]:
    """The ids of the agent's newest messages that are not hidden."""
    rows = db.execute(
        """
        SELECT id FROM evaluation_messages WHERE hidden_at IS NULL AND sender_agent_id = :agent AND session_id IN
            (SELECT session_id FROM evaluation_session_participants WHERE agent_id = :agent)
        ORDER BY created_at DESC LIMIT :limit
        """,
        {"agent": agent_id, "limit": limit},
    )
    return [message_id for (message_id,) in rows.fetchall()]


class SessionState(NamedTuple):
    status: str
    message_count: int


def read_state(db: Connection, session_id: str) -> SessionState:
    return SessionState(
        *db.execute("SELECT status, message_count FROM evaluation_sessions WHERE id = ?", [session_id]).fetchone()
    )


def may_be_official(db: Connection, session_id: str) -> bool:
    """Whether the verdict of its proctor could be official when it was claimed."""
    (value,) = db.execute("SELECT may_be_official FROM evaluation_sessions WHERE id = ?", [session_id]).fetchone()
    return bool(value)


def was_examined(db: Connection, registration_id: str) -> bool:
    """Whether a proctor whose verdict could be official has written to the candidate, also if it was released later."""
    row = db.execute(
        """
        SELECT 1 FROM evaluation_sessions s
            JOIN evaluation_session_participants p ON p.session_id = s.id AND p.role = 'proctor'
            JOIN evaluation_messages m ON m.session_id = s.id AND m.sender_agent_id = p.agent_id
        WHERE (s.registration_id = :id OR s.released_registration_id = :id) AND s.may_be_official LIMIT 1
        """,
        {"id": registration_id},
    ).fetchone()
    return row is not None


def count_by_sender(db: Connection, session_id: str) -> dict[str, int]:
    """How many messages each agent wrote, by agent id; those who wrote none are left out."""
    rows = db.execute(
        "SELECT sender_agent_id, count(*) FROM evaluation_messages WHERE session_id = ? GROUP BY sender_agent_id",
        [session_id],
    )
    return dict(rows.fetchall())


def sequence_at(db: Connection, session_id: str, moment: datetime) -> int:
    """The sequence of the last message up to a moment; 0 if there is none."""
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
    db.notify(session_id)


def release(db: Connection, session_id: str, if_silent_since: datetime = END_OF_TIME) -> bool:
    """End an active session and free its registration for another proctor; returns whether it was released.

    The same statement checks that nobody has spoken, because somebody may speak at the same time."""
    released = db.execute(
        """
        UPDATE evaluation_sessions
        SET status = 'ended', ended_at = ?, released_registration_id = registration_id, registration_id = NULL
        WHERE id = ? AND status = 'active' AND active_at < ?
        """,
        [now(), session_id, if_silent_since],
    ).rowcount
    db.notify(session_id)
    notify_participants(db, session_id)
    return released == 1


def notify_participants(db: Connection, session_id: str) -> None:
    """Notify those who wait for a change of their registrations."""
    rows = db.execute("SELECT agent_id FROM evaluation_session_participants WHERE session_id = ?", [session_id])
    for (agent_id,) in rows.fetchall():
        db.notify(agent_id)


def list_proctored_by(db: Connection, agent_id: str) -> list[Session]:
    """The running sessions in which the agent is the proctor."""
    return many(
        Session,
        db.execute(
            f"""
            SELECT {SESSION_COLUMNS} FROM evaluation_sessions WHERE kind = 'proctored' AND status = 'active' AND id IN
                (SELECT session_id FROM evaluation_session_participants WHERE agent_id = ? AND role = 'proctor')
            """,
            [agent_id],
        ),
    )


def list_silent(db: Connection, evaluation_id: str, since: datetime, limit: int) -> list[Session]:
    """Running proctored sessions of the evaluation in which nobody has spoken since then."""
    return many(
        Session,
        db.execute(
            f"""
            SELECT {SESSION_COLUMNS} FROM evaluation_sessions
            WHERE status = 'active' AND kind = 'proctored' AND evaluation_id = ? AND active_at < ?
            ORDER BY started_at LIMIT ?
            """,
            [evaluation_id, since, limit],
        ),
    )


def list_by_agent(
    db: Connection, agent_id: str, status: str | None, limit: int, cursor: str | None
) -> Page[OwnSession]:
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

"""What can be hidden: where each kind of text stands in the database, and whose it is."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from viva.agents import names, store
from viva.agents.model import name_key
from viva.agents.name_locks import keep_lock
from viva.agents.naming import hidden_name_of
from viva.agents.skeletons import skeleton_of
from viva.agents.store import NewName
from viva.analyses import deleting
from viva.exams import class_analysis, session_analysis
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.rows import Cursor
from viva.maintaining import derived_texts, hidden_texts, profiles, text_copies, verdicts
from viva.maintaining.hidden_texts import HiddenSubject
from viva.sessions import chain
from viva.sessions import store as sessions
from viva.traces import store as traces


class NoSuchText(NotFound):
    """There is no such text on this hub."""


class ShownText(NamedTuple):
    """A text as it stands, and the account that wrote it."""

    text: str
    author_id: str | None


class HideableText(NamedTuple):
    """How a kind of text is read, replaced by a line, and put back.

    The salts of its hashes in chains and statements go with it, so that nobody can guess the text from a hash."""

    read: Callable[[Connection, str], ShownText]
    take_salts: Callable[[Connection, str], str | None]
    replace: Callable[[Connection, str, str], None]
    put_back: Callable[[Connection, str, str, str | None], None]
    # The ids of the texts of an author that are not hidden, up to a number.
    list_shown: Callable[[Connection, str, int], list[str]]
    # Whether the author has written another text in the place of a hidden one.
    is_rewritten: Callable[[Connection, str], bool] = lambda db, subject_id: False
    # Forgets what was derived from texts that changed.
    forget_derived: Callable[[Connection, Sequence[str]], None] = lambda db, subject_ids: None
    # Deletes the copies of the original that hiding leaves.
    erase_copies: Callable[[Connection, str, str], None] = lambda db, subject_id, original: None


def list_ids(db: Connection, sql: str, author_id: str, limit: int) -> list[str]:
    return [subject_id for (subject_id,) in db.execute(sql, [author_id, limit]).fetchall()]


def read_row(db: Connection, sql: str, subject_id: str) -> ShownText:
    row = db.execute(sql, [subject_id]).fetchone()
    if row is None or row[0] is None:
        raise NoSuchText()
    return ShownText(*row)


# Messages


def read_message(db: Connection, message_id: str) -> ShownText:
    return read_row(db, "SELECT content, sender_agent_id FROM evaluation_messages WHERE id = ?", message_id)


def take_message_salt(db: Connection, message_id: str) -> str | None:
    """Take the salt out of the message. The hash of its text stays, so that the chain still holds."""
    return chain.take_salt(db, message_id)


def replace_message(db: Connection, message_id: str, line: str) -> None:
    session_id, before = find_session(db, message_id), read_message(db, message_id).text
    derived_texts.swap_in_sheet(db, session_id, before, line)
    db.execute(
        "UPDATE evaluation_messages SET content = ?, hidden_at = coalesce(hidden_at, ?) WHERE id = ?",
        [line, now(), message_id],
    )
    mark_changed(db, session_id)
    derived_texts.erase_words(db, session_id, before)


def put_back_message(db: Connection, message_id: str, text: str, salt: str | None) -> None:
    session_id, before = find_session(db, message_id), read_message(db, message_id).text
    derived_texts.swap_in_sheet(db, session_id, before, text)
    db.execute(
        "UPDATE evaluation_messages SET content = ?, salt = ?, content_hash = NULL, hidden_at = NULL WHERE id = ?",
        [text, salt, message_id],
    )
    mark_changed(db, session_id)


def find_session(db: Connection, message_id: str) -> str:
    row = db.execute("SELECT session_id FROM evaluation_messages WHERE id = ?", [message_id]).fetchone()
    if row is None:
        raise NoSuchText()
    return str(row[0])


def mark_changed(db: Connection, session_id: str) -> None:
    """Forget cached pages. The session stays locked until commit, so that nobody keeps marks of the other text."""
    db.execute("UPDATE evaluation_sessions SET texts_changed_at = ? WHERE id = ?", [now(), session_id])


def forget_derived(db: Connection, message_ids: Sequence[str]) -> None:
    """Forget the analyses that quote the other texts, and ask for new ones."""
    if not message_ids:
        return
    rows = db.execute(
        f"""
        SELECT id, status FROM evaluation_sessions WHERE id IN
            (SELECT session_id FROM evaluation_messages WHERE id IN ({", ".join("?" for _ in message_ids)}))
        """,
        message_ids,
    )
    analyse_again(db, rows)


def analyse_again(db: Connection, found: Cursor) -> None:
    """Forget the analyses of these sessions, and ask for new ones where the session has ended."""
    for session_id, status in found.fetchall():
        forget_analyses(db, session_id)
        if status == "ended":
            session_analysis.request_analysis(db, session_id)
            class_analysis.request_analysis(db, session_id)
        db.notify(session_id)


def forget_analyses(db: Connection, session_id: str) -> None:
    db.execute(
        """
        DELETE FROM analyses WHERE (subject_kind = 'session' AND subject_id = :session) OR (subject_kind = 'cohort'
            AND subject_id IN (SELECT id FROM evaluation_cohorts WHERE session_id = :session))
        """,
        {"session": session_id},
    )


# Feedback, and what else markers wrote about a result


def read_feedback(db: Connection, result_id: str) -> ShownText:
    """What markers wrote about the result, with what is hidden of it already."""
    found = verdicts.find(db, result_id)
    if found is None:
        raise NoSuchText()
    return ShownText(found.text, found.author_id)


def is_marked_again(db: Connection, result_id: str) -> bool:
    """Whether a marker has written about the result since its feedback was hidden."""
    return hidden_texts.find_hidden(db, "feedback", result_id) is not None and verdicts.has_words(db, result_id)


# Names


def read_name(db: Connection, agent_id: str) -> ShownText:
    return read_row(db, "SELECT name, id FROM agents WHERE id = ?", agent_id)


def take_name_salts(db: Connection, agent_id: str) -> str:
    """Take the name out of the agent's history, with its salts. Hashes of it stay in results and events."""
    return names.take_name(db, agent_id, read_name(db, agent_id).text)


def replace_name(db: Connection, agent_id: str, line: str) -> None:
    """Give the agent a name of the hub's own. The line stands on its page."""
    write_name(db, agent_id, hidden_name_of(agent_id))


def is_renamed(db: Connection, agent_id: str) -> bool:
    return read_name(db, agent_id).text != hidden_name_of(agent_id)


def list_shown_name(db: Connection, agent_id: str, limit: int) -> list[str]:
    """The id of the agent, unless it is deleted or its name is hidden."""
    (name,) = db.execute("SELECT name FROM agents WHERE id = ?", [agent_id]).fetchone()
    return [agent_id][:limit] if name not in (None, hidden_name_of(agent_id)) else []


def put_back_name(db: Connection, agent_id: str, text: str, salts: str | None) -> None:
    """Give the name back, unless the agent has chosen another one meanwhile."""
    names.put_back(db, agent_id, text, salts)
    if read_name(db, agent_id).text == hidden_name_of(agent_id):
        write_name(db, agent_id, text)


def erase_name(db: Connection, agent_id: str, name: str) -> None:
    """Erase the copies of the name. Analyses of a class name its participants."""
    text_copies.erase_name(db, agent_id, name)
    rows = db.execute(
        """
        SELECT s.id, s.status FROM evaluation_sessions s JOIN evaluation_cohorts c ON c.session_id = s.id
            JOIN evaluation_session_participants p ON p.session_id = s.id WHERE p.agent_id = ?
        """,
        [agent_id],
    )
    analyse_again(db, rows)


# Contributions keep the names of their people as they were written.
NAME_COPIES = (
    "UPDATE evaluation_contributions SET author = :name WHERE contributor_id = :id AND author = contributor_name",
    "UPDATE evaluation_contributions SET contributor_name = :name WHERE contributor_id = :id",
    "UPDATE evaluation_contribution_revisions SET editor_name = :name WHERE editor_id = :id",
    "UPDATE evaluation_contribution_comments SET author_name = :name WHERE author_id = :id",
)


def write_name(db: Connection, agent_id: str, name: str) -> None:
    (skeleton,) = db.execute("SELECT skeleton FROM agents WHERE id = ?", [agent_id]).fetchone()
    before = read_name(db, agent_id).text
    keep_lock(db, agent_id, before)
    # A name from before there were skeletons may look like another one; it has its agent's id behind a slash.
    suffix = f"/{agent_id}" if "/" in (skeleton or "") else ""
    store.rename(db, agent_id, NewName(name, name_key(name), skeleton_of(name) + suffix))
    names.give(db, agent_id, name)
    for statement in NAME_COPIES:
        db.execute(statement, {"name": name, "id": agent_id})
    text_copies.rename_in_notices(db, agent_id, before, name)


# What an agent says of itself. The subject is still called "description", as in releases that hid nothing else of it.


def read_profile(db: Connection, agent_id: str) -> ShownText:
    read_row(db, "SELECT name, id FROM agents WHERE id = ?", agent_id)
    found = profiles.find(db, agent_id, *read_hidden_profile(db, agent_id))
    return ShownText(profiles.write_words(found), agent_id)


def read_hidden_profile(db: Connection, agent_id: str) -> tuple[str | None, str | None]:
    """What is hidden of the agent already, and its line."""
    hidden = hidden_texts.find_hidden(db, "description", agent_id)
    return hidden_texts.read_salts(db, "description", agent_id), hidden.line if hidden else None


def take_profile(db: Connection, agent_id: str) -> str:
    return profiles.take(db, agent_id, *read_hidden_profile(db, agent_id))


def is_described_again(db: Connection, agent_id: str) -> bool:
    _, line = read_hidden_profile(db, agent_id)
    return line is not None and profiles.has_words(db, agent_id, line)


def list_shown_profile(db: Connection, agent_id: str, limit: int) -> list[str]:
    """The id of the agent, if it or a result of it says something that is not hidden."""
    _, line = read_hidden_profile(db, agent_id)
    return [agent_id][:limit] if profiles.has_words(db, agent_id, line) else []


def take_no_salts(db: Connection, subject_id: str) -> None:
    """Comments and traces stand in no chain."""


# Traces: their text is compressed and only shared by link, so it stays where it is, and the link stops.


def read_trace(db: Connection, trace_id: str) -> ShownText:
    return read_row(db, "SELECT '', owner_id FROM traces WHERE id = ?", trace_id)


def replace_trace(db: Connection, trace_id: str, line: str) -> None:
    db.execute("UPDATE traces SET hidden_at = coalesce(hidden_at, ?) WHERE id = ?", [now(), trace_id])
    db.execute(
        """
        UPDATE hidden_texts SET original = ? WHERE subject_type = 'trace' AND subject_id = ? AND erased_at IS NULL
        """,
        [line, trace_id],
    )


def put_back_trace(db: Connection, trace_id: str, text: str, salts: str | None) -> None:
    db.execute("UPDATE traces SET hidden_at = NULL WHERE id = ?", [trace_id])


def erase_trace(db: Connection, trace_id: str, original: str) -> None:
    """Delete the trace with its analyses, unless its owner has."""
    with suppress(traces.NoSuchTrace):
        deleting.delete_stored(db, traces.get(db, trace_id))


def list_shared_traces(db: Connection, agent_id: str, limit: int) -> list[str]:
    """Only shared ones: nobody else can see the others."""
    sql = "SELECT id FROM traces WHERE owner_id = ? AND share_digest IS NOT NULL AND hidden_at IS NULL LIMIT ?"
    return list_ids(db, sql, agent_id, limit)


# Comments on contributions


def read_comment(db: Connection, comment_id: str) -> ShownText:
    return read_row(db, "SELECT text, author_id FROM evaluation_contribution_comments WHERE id = ?", comment_id)


def replace_comment(db: Connection, comment_id: str, line: str) -> None:
    db.execute("UPDATE evaluation_contribution_comments SET text = ? WHERE id = ?", [line, comment_id])


def put_back_comment(db: Connection, comment_id: str, text: str, salts: str | None) -> None:
    replace_comment(db, comment_id, text)


def list_shown_comments(db: Connection, agent_id: str, limit: int) -> list[str]:
    return list_ids(
        db,
        """
        SELECT id FROM evaluation_contribution_comments c WHERE author_id = ? AND NOT EXISTS
            (SELECT 1 FROM hidden_texts h WHERE h.subject_type = 'comment' AND h.subject_id = c.id) LIMIT ?
        """,
        agent_id,
        limit,
    )


HIDEABLE_TEXTS: dict[HiddenSubject, HideableText] = {
    "name": HideableText(
        read_name,
        take_name_salts,
        replace_name,
        put_back_name,
        list_shown_name,
        is_renamed,
        erase_copies=erase_name,
    ),
    "description": HideableText(
        read_profile,
        take_profile,
        profiles.replace,
        profiles.put_back,
        list_shown_profile,
        is_described_again,
    ),
    "message": HideableText(
        read_message,
        take_message_salt,
        replace_message,
        put_back_message,
        sessions.list_shown_ids,
        forget_derived=forget_derived,
    ),
    "feedback": HideableText(
        read_feedback,
        verdicts.take,
        verdicts.replace,
        verdicts.put_back,
        verdicts.list_shown,
        is_rewritten=is_marked_again,
        erase_copies=text_copies.erase_feedback,
    ),
    "trace": HideableText(
        read_trace, take_no_salts, replace_trace, put_back_trace, list_shared_traces, erase_copies=erase_trace
    ),
    "comment": HideableText(read_comment, take_no_salts, replace_comment, put_back_comment, list_shown_comments),
}

"""Copies that hiding leaves: of feedback with markers and second readings, of a name in class work and what people were told."""

import re

import msgspec

from viva.agents.naming import hidden_name_of
from viva.contributions.announcing import shorten
from viva.kit.db import Connection
from viva.maintaining.verdict_words import dicts_in, silence

# Notices whose text begins with the name of who did it.
NAMING_EVENTS = "event IN ('contribution.submitted', 'contribution.commented')"

SHEETS_OF_RESULT = """
    SELECT s.id FROM evaluation_results r JOIN evaluation_sheets s ON s.registration_id = r.registration_id
        OR s.cohort_id IN (SELECT id FROM evaluation_cohorts c WHERE c.session_id = r.session_id)
    WHERE r.id = ?
"""


def erase_feedback(db: Connection, result_id: str, original: str) -> None:
    """In the marks and the words of the markers from which it was put together, and in the verdicts of second readings."""
    erase_in_marks(db, result_id)
    markings = db.execute(
        f"""
        SELECT sheet_id, marker, feedback FROM evaluation_markings
        WHERE feedback <> '' AND sheet_id IN ({SHEETS_OF_RESULT})
        """,
        [result_id],
    ).fetchall()
    for sheet_id, marker, feedback in markings:
        if feedback in original:
            db.execute(
                "UPDATE evaluation_markings SET feedback = NULL WHERE sheet_id = ? AND marker = ?", [sheet_id, marker]
            )
    db.execute(
        """
        UPDATE blind_verdicts SET feedback = NULL
        WHERE feedback = ? AND second_reading_id IN (SELECT id FROM second_readings WHERE result_id = ?)
        """,
        [original, result_id],
    )
    for reading_id, first in db.execute(
        "SELECT id, first FROM second_readings WHERE result_id = ?", [result_id]
    ).fetchall():
        verdict = msgspec.json.decode(first)
        if verdict["proctor_feedback"] == original:
            without = msgspec.json.encode(verdict | {"proctor_feedback": None}).decode()
            db.execute("UPDATE second_readings SET first = ? WHERE id = ?", [without, reading_id])


def erase_in_marks(db: Connection, result_id: str) -> None:
    """The marks stay, without their words. Those of a class for all its participants are part of each result."""
    (data,) = db.execute("SELECT result_data FROM evaluation_results WHERE id = ?", [result_id]).fetchone()
    rows = {row.get("id") for row in dicts_in((msgspec.json.decode(data) if data else {}).get("criteria"))}
    marks = db.execute(
        f"SELECT sheet_id, marker, row_id, notes FROM evaluation_marks WHERE sheet_id IN ({SHEETS_OF_RESULT})",
        [result_id],
    ).fetchall()
    for sheet_id, marker, row_id, notes in marks:
        if row_id in rows:
            silent = silence({"notes": msgspec.json.decode(notes)})["notes"]
            db.execute(
                """
                UPDATE evaluation_marks SET reason = '', quote = '', notes = ?
                WHERE sheet_id = ? AND marker = ? AND row_id = ?
                """,
                [msgspec.json.encode(silent).decode(), sheet_id, marker, row_id],
            )


def erase_name(db: Connection, agent_id: str, name: str) -> None:
    """Put the name of the hub in its place."""
    shown = hidden_name_of(agent_id)
    db.execute(
        "UPDATE evaluation_contribution_collaborators SET name = ? WHERE agent_id = ? AND name = ?",
        [shown, agent_id, name],
    )
    swap_in_notices(db, f"{shorten(name)} has ", f"{shown} has ")
    erase_in_sheets(db, agent_id, name, shown)


def rename_in_notices(db: Connection, agent_id: str, before: str, after: str) -> None:
    """In what people are told of its proposals and comments, also where it waits to be sent. Few agents have any."""
    has_some = db.execute(
        """
        SELECT 1 FROM evaluation_contributions WHERE contributor_id = :agent
        UNION ALL SELECT 1 FROM evaluation_contribution_comments WHERE author_id = :agent LIMIT 1
        """,
        {"agent": agent_id},
    ).fetchone()
    if has_some:
        swap_in_notices(db, f"{shorten(before)} has ", f"{shorten(after)} has ")


def swap_in_notices(db: Connection, start: str, shown: str) -> None:
    """In notices, e-mails and deliveries that begin like this."""
    values = {"start": start, "shown": shown, "length": len(start), "rest": len(start) + 1}
    for table in ("notices", "notice_emails"):
        db.execute(
            f"""
            UPDATE {table} SET text = CAST(:shown AS TEXT) || substr(text, :rest)
            WHERE {NAMING_EVENTS} AND substr(text, 1, :length) = :start
            """,
            values,
        )
    deliveries = db.execute(f"SELECT id, content FROM webhook_deliveries WHERE {NAMING_EVENTS}").fetchall()
    for delivery_id, content in deliveries:
        notice = msgspec.json.decode(content)
        if notice["text"].startswith(start):
            changed = msgspec.json.encode(notice | {"text": shown + notice["text"][len(start) :]}).decode()
            db.execute("UPDATE webhook_deliveries SET content = ? WHERE id = ?", [changed, delivery_id])


def erase_in_sheets(db: Connection, agent_id: str, name: str, shown: str) -> None:
    """In the texts by which a class is marked. There a name is a line, or stands before what its agent said."""
    speaker = re.compile(rf"^{re.escape(name)}(?=: |$)", re.MULTILINE)
    sheets = db.execute(
        """
        SELECT s.id, s.texts FROM evaluation_sheets s JOIN evaluation_cohorts c ON c.id = s.cohort_id
            JOIN evaluation_session_participants p ON p.session_id = c.session_id
        WHERE p.agent_id = ? AND s.texts IS NOT NULL
        """,
        [agent_id],
    ).fetchall()
    for sheet_id, texts in sheets:
        changed = [speaker.sub(shown, text) for text in msgspec.json.decode(texts, type=list[str])]
        db.execute(
            "UPDATE evaluation_sheets SET texts = ? WHERE id = ?", [msgspec.json.encode(changed).decode(), sheet_id]
        )

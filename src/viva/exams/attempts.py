"""Attempts in the database, and the answers that were saved before handing in."""

from collections.abc import Mapping
from typing import Any

import msgspec

from viva.exams.model import Attempt
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.rows import find

ATTEMPT_COLUMNS = ", ".join(Attempt.__struct_fields__)


def add(db: Connection, registration_id: str, content: dict[str, Any]) -> None:
    db.execute(
        "INSERT INTO evaluation_attempts (registration_id, content, submitted_at) VALUES (?, ?, ?)",
        [registration_id, msgspec.json.encode(content).decode(), now()],
    )


def change_content(db: Connection, registration_id: str, content: dict[str, Any]) -> None:
    """Replace the content by one that includes what code found in it."""
    db.execute(
        "UPDATE evaluation_attempts SET content = ? WHERE registration_id = ?",
        [msgspec.json.encode(content).decode(), registration_id],
    )


def find_of(db: Connection, registration_id: str) -> Attempt | None:
    """What was handed in; None if nothing was handed in yet."""
    return find(
        Attempt,
        db.execute(f"SELECT {ATTEMPT_COLUMNS} FROM evaluation_attempts WHERE registration_id = ?", [registration_id]),
    )


def save_answers(db: Connection, registration_id: str, answers: Mapping[str, Any]) -> None:
    """Save answers; each replaces an earlier answer to the same question. Answers saved together have the same time."""
    answered_at = now()
    for question_id, answer in answers.items():
        db.execute(
            """
            INSERT INTO evaluation_answers (registration_id, question_id, answer, answered_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (registration_id, question_id)
            DO UPDATE SET answer = excluded.answer, answered_at = excluded.answered_at
            """,
            [registration_id, question_id, msgspec.json.encode(answer).decode(), answered_at],
        )


def read_answers(db: Connection, registration_id: str) -> dict[str, Any]:
    """The answers saved so far, by question id."""
    rows = db.execute(
        "SELECT question_id, answer FROM evaluation_answers WHERE registration_id = ? ORDER BY question_id",
        [registration_id],
    ).fetchall()
    return {question_id: msgspec.json.decode(answer) for question_id, answer in rows}

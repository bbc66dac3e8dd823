"""Hidden texts in the database: what was hidden, by whom, when and why. The original is kept for maintainers alone."""

from datetime import datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from viva.kit.clock import now
from viva.kit.db import Connection, refusing
from viva.kit.deleted import HIDDEN_LINE_START, name_of
from viva.kit.errors import Conflict, NotFound
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many, one

HiddenSubject = Literal["message", "feedback", "name", "description", "trace", "comment"]
OPERATOR = "the operator of this hub"  # who uses commands, without an account


class HiddenAlready(Conflict):
    """This is hidden already."""


class NotHidden(NotFound):
    """Nothing is hidden there."""


class TextErased(Conflict):
    """The original was erased for good."""


class HiddenText(Struct, frozen=True):
    """What a maintainer hid. `original` is the text; for a trace, whose text stays where it is, the line.

    It is empty once the text was erased for good."""

    subject_type: HiddenSubject
    subject_id: str
    original: str
    author_id: str | None
    author_name: str | None
    hidden_by: str | None
    hidden_by_name: str
    hidden_at: datetime
    reason: str
    erased_at: datetime | None

    @property
    def line(self) -> str:
        """The line that stands where the text was."""
        return f"{HIDDEN_LINE_START}{self.hidden_by_name} on {self.hidden_at:%Y-%m-%d}. Reason: {self.reason}"


HIDDEN_TEXTS = f"""
    SELECT h.subject_type, h.subject_id, h.original, h.author_id, a.name AS author_name, h.hidden_by,
        CASE WHEN h.hidden_by IS NULL THEN '{OPERATOR}' ELSE {name_of("m")} END AS hidden_by_name,
        h.hidden_at, h.reason, h.erased_at
    FROM hidden_texts h LEFT JOIN agents a ON a.id = h.author_id LEFT JOIN agents m ON m.id = h.hidden_by
"""


def add(
    db: Connection,
    subject_type: HiddenSubject,
    subject_id: str,
    original: str,
    salts: str | None,
    author_id: str | None,
    reason: str,
    with_others: bool = False,
) -> HiddenText:
    with refusing({"hidden_texts_subject_type_subject_id_key": HiddenAlready}):
        db.execute(
            """
            INSERT INTO hidden_texts
                (subject_type, subject_id, original, salts, author_id, hidden_by, hidden_at, reason, with_others)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [subject_type, subject_id, original, salts, author_id, db.actor.account_id, now(), reason, with_others],
        )
    return get(db, subject_type, subject_id)


def get(db: Connection, subject_type: str, subject_id: str) -> HiddenText:
    rows = db.execute(f"{HIDDEN_TEXTS} WHERE h.subject_type = ? AND h.subject_id = ?", [subject_type, subject_id])
    return one(HiddenText, rows, NotHidden)


def find_hidden(db: Connection, subject_type: HiddenSubject, subject_id: str) -> HiddenText | None:
    rows = db.execute(f"{HIDDEN_TEXTS} WHERE h.subject_type = ? AND h.subject_id = ?", [subject_type, subject_id])
    return find(HiddenText, rows)


def read_salts(db: Connection, subject_type: HiddenSubject, subject_id: str) -> str | None:
    """The salts of the hidden text, as its kind has written them."""
    row = db.execute(
        "SELECT salts FROM hidden_texts WHERE subject_type = ? AND subject_id = ?", [subject_type, subject_id]
    ).fetchone()
    return None if row is None else row[0]


def delete(db: Connection, subject_type: str, subject_id: str) -> None:
    db.execute("DELETE FROM hidden_texts WHERE subject_type = ? AND subject_id = ?", [subject_type, subject_id])


class TakenText(NamedTuple):
    """A text that was hidden, and the salts of its hashes."""

    text: str
    salts: str | None


def take(db: Connection, subject_type: str, subject_id: str) -> TakenText:
    """Take the text out of the hidden ones."""
    row = db.execute(
        """
        DELETE FROM hidden_texts WHERE subject_type = ? AND subject_id = ? AND erased_at IS NULL
        RETURNING original, salts
        """,
        [subject_type, subject_id],
    ).fetchone()
    if row is None:
        get(db, subject_type, subject_id)
        raise TextErased()
    return TakenText(*row)


def hold(db: Connection, subject_type: str, subject_id: str) -> HiddenText:
    """Lock the hidden text until commit, so that nobody shows it again while it is erased."""
    held = db.execute(
        """
        UPDATE hidden_texts SET hidden_at = hidden_at WHERE subject_type = ? AND subject_id = ? AND erased_at IS NULL
        """,
        [subject_type, subject_id],
    ).rowcount
    hidden = get(db, subject_type, subject_id)
    if not held:
        raise TextErased()
    return hidden


def hold_any(db: Connection, subject_type: HiddenSubject, subject_id: str) -> HiddenText | None:
    """Lock the hidden text until commit, also one that was erased for good."""
    db.execute(
        "UPDATE hidden_texts SET hidden_at = hidden_at WHERE subject_type = ? AND subject_id = ?",
        [subject_type, subject_id],
    )
    return find_hidden(db, subject_type, subject_id)


def rewrite(db: Connection, subject_type: HiddenSubject, subject_id: str, original: str, salts: str) -> None:
    """Write the original again: there is more to it, or words of another hidden text were taken out. The caller holds it."""
    db.execute(
        "UPDATE hidden_texts SET original = ?, salts = ? WHERE subject_type = ? AND subject_id = ?",
        [original, salts, subject_type, subject_id],
    )


def erase(db: Connection, subject_type: str, subject_id: str) -> None:
    """Delete the original and its salts. Who hid it, when and why stays."""
    db.execute(
        """
        UPDATE hidden_texts SET original = '', salts = NULL, erased_at = ? WHERE subject_type = ? AND subject_id = ?
        """,
        [now(), subject_type, subject_id],
    )


def forget_originals(db: Connection, agent_id: str) -> None:
    """Delete the hidden name and description of an agent whose account is deleted."""
    db.execute("DELETE FROM hidden_texts WHERE subject_id = ? AND subject_type IN ('name', 'description')", [agent_id])


def list_hidden(db: Connection, limit: int, cursor: str | None) -> Page[HiddenText]:
    """What is hidden, newest first."""
    before = "TRUE"
    values: dict[str, Any] = {"limit": limit + 1}
    if cursor:
        before = "(h.hidden_at, h.subject_id) < (:at, :id)"
        values["at"], values["id"] = read_cursor(cursor, tuple[datetime, str])
    rows = db.execute(
        f"{HIDDEN_TEXTS} WHERE {before} ORDER BY h.hidden_at DESC, h.subject_id DESC LIMIT :limit", values
    )
    return page(many(HiddenText, rows), limit, lambda hidden: (hidden.hidden_at, hidden.subject_id))


def list_hidden_by(db: Connection, agent_id: str) -> list[HiddenText]:
    return many(HiddenText, db.execute(f"{HIDDEN_TEXTS} WHERE h.hidden_by = ?", [agent_id]))


def list_hidden_with_others(db: Connection, author_id: str, limit: int) -> list[HiddenText]:
    """What was hidden of the author when many agents were cleaned up, and can be shown again."""
    return many(
        HiddenText,
        db.execute(
            f"{HIDDEN_TEXTS} WHERE h.author_id = ? AND h.with_others AND h.erased_at IS NULL LIMIT ?",
            [author_id, limit],
        ),
    )


def list_of_agent(db: Connection, agent_id: str) -> list[HiddenText]:
    """The hidden name and description of an agent."""
    sql = f"{HIDDEN_TEXTS} WHERE h.subject_id = ? AND h.subject_type IN ('name', 'description')"
    return many(HiddenText, db.execute(sql, [agent_id]))

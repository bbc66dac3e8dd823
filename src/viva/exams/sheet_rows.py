"""The rows of sheets in the database. They are stored when a sheet opens, so that a new release cannot change them."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from viva.exams.model import SheetRow
from viva.kit.db import Connection
from viva.kit.rows import many

ROW_COLUMNS = ("row_id", "position", "ask", "most", "points", "texts", "prompt_id", "agent_id", "guidance")
ROW_PLACEHOLDERS = ", ".join(f":{name}" for name in ROW_COLUMNS)
ROW_UPDATES = ", ".join(f"{name} = excluded.{name}" for name in ROW_COLUMNS[1:])


class StoredRow(Struct, frozen=True):
    """A row as it is stored; `texts` has the index of each text in the sheet's list of texts."""

    row_id: str
    ask: str
    most: float
    points: float
    texts: dict[str, int]
    prompt_id: str | None
    agent_id: str | None
    guidance: str


def store_rows(db: Connection, sheet_id: str, rows: Sequence[SheetRow]) -> bool:
    """Store the rows; False if the sheet already has its rows, which then stay."""
    texts = dict.fromkeys(text for row in rows for text in row.texts.values())
    stored = db.execute(
        "UPDATE evaluation_sheets SET texts = ? WHERE id = ? AND texts IS NULL",
        [msgspec.json.encode(list(texts)).decode(), sheet_id],
    ).rowcount
    if not stored:
        return False
    indexes = {text: index for index, text in enumerate(texts)}
    for position, row in enumerate(rows):
        put_row(db, sheet_id, position, row, indexes)
    return True


def put_row(db: Connection, sheet_id: str, position: int, row: SheetRow, indexes: dict[str, int]) -> None:
    """Insert the row, or complete the one that an earlier release added when it was marked."""
    values = msgspec.structs.asdict(row) | {
        "sheet_id": sheet_id,
        "row_id": row.id,
        "position": position,
        "texts": msgspec.json.encode({name: indexes[text] for name, text in row.texts.items()}).decode(),
    }
    del values["id"]
    db.execute(
        f"""
        INSERT INTO evaluation_sheet_rows (sheet_id, {", ".join(ROW_COLUMNS)}) VALUES (:sheet_id, {ROW_PLACEHOLDERS})
        ON CONFLICT (sheet_id, row_id) DO UPDATE SET {ROW_UPDATES}
        """,
        values,
    )


def find_rows(db: Connection, sheet_id: str) -> list[SheetRow] | None:
    """The rows in order; None if they are not stored, as in a sheet from an earlier release."""
    (texts,) = db.execute("SELECT texts FROM evaluation_sheets WHERE id = ?", [sheet_id]).fetchone()
    if texts is None:
        return None
    sheet_texts = msgspec.json.decode(texts, type=list[str])
    stored = db.execute(
        """
        SELECT row_id, ask, most, points, texts, prompt_id, agent_id, guidance FROM evaluation_sheet_rows
        WHERE sheet_id = ? ORDER BY position
        """,
        [sheet_id],
    )
    return [row_of(row, sheet_texts) for row in many(StoredRow, stored)]


def row_of(row: StoredRow, sheet_texts: list[str]) -> SheetRow:
    return SheetRow(
        id=row.row_id,
        ask=row.ask,
        most=row.most,
        texts={name: sheet_texts[index] for name, index in row.texts.items()},
        prompt_id=row.prompt_id,
        agent_id=row.agent_id,
        guidance=row.guidance,
        points=row.points,
    )


def list_sheets_without_rows(db: Connection, limit: int) -> list[str]:
    """Ids of open sheets whose rows are not stored yet."""
    rows = db.execute(
        "SELECT id FROM evaluation_sheets WHERE texts IS NULL AND status <> 'closed' ORDER BY id LIMIT ?", [limit]
    )
    return [sheet_id for (sheet_id,) in rows.fetchall()]

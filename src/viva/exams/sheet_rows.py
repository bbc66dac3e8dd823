"""The rows of sheets in the database: stored when a sheet opens, so that no later release derives others."""

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
    """A row as it is stored; `texts` has the place of each text in the sheet's list."""

    row_id: str
    ask: str
    most: float
    points: float
    texts: dict[str, int]
    prompt_id: str | None
    agent_id: str | None
    guidance: str


def store_rows(db: Connection, sheet_id: str, rows: Sequence[SheetRow]) -> bool:
    """Store the rows; False where the sheet has its rows already, which then stay."""
    texts = dict.fromkeys(text for row in rows for text in row.texts.values())
    stored = db.execute(
        "UPDATE evaluation_sheets SET texts = ? WHERE id = ? AND texts IS NULL",
        [msgspec.json.encode(list(texts)).decode(), sheet_id],
    ).rowcount
    if not stored:
        return False
    places = {text: place for place, text in enumerate(texts)}
    for position, row in enumerate(rows):
        put_row(db, sheet_id, position, row, places)
    return True


def put_row(db: Connection, sheet_id: str, position: int, row: SheetRow, places: dict[str, int]) -> None:
    """Where the row was marked before rows were stored, its id is there already."""
    values = msgspec.structs.asdict(row) | {
        "sheet_id": sheet_id,
        "row_id": row.id,
        "position": position,
        "texts": msgspec.json.encode({name: places[text] for name, text in row.texts.items()}).decode(),
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
    """The rows in their order; None where they are not stored, as in a sheet that an earlier release opened."""
    (texts,) = db.execute("SELECT texts FROM evaluation_sheets WHERE id = ?", [sheet_id]).fetchone()
    if texts is None:
        return None
    words = msgspec.json.decode(texts, type=list[str])
    stored = db.execute(
        """
        SELECT row_id, ask, most, points, texts, prompt_id, agent_id, guidance FROM evaluation_sheet_rows
        WHERE sheet_id = ? ORDER BY position
        """,
        [sheet_id],
    )
    return [row_of(row, words) for row in many(StoredRow, stored)]


def row_of(row: StoredRow, words: list[str]) -> SheetRow:
    return SheetRow(
        id=row.row_id,
        ask=row.ask,
        most=row.most,
        texts={name: words[place] for name, place in row.texts.items()},
        prompt_id=row.prompt_id,
        agent_id=row.agent_id,
        guidance=row.guidance,
        points=row.points,
    )


def list_sheets_without_rows(db: Connection, limit: int) -> list[str]:
    """Ids of open sheets whose rows are not stored yet."""
    found = db.execute(
        "SELECT id FROM evaluation_sheets WHERE texts IS NULL AND status <> 'closed' ORDER BY id LIMIT ?", [limit]
    )
    return [sheet_id for (sheet_id,) in found.fetchall()]

"""Reading all results of an evaluation in batches, oldest first, for an export."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from viva.kit.clock import format_time
from viva.kit.db import Connection
from viva.kit.deleted import name_of

READ_BATCH_ROWS = 200  # on SQLite such a read delays other requests by 1 or 2 milliseconds
FIRST_BATCH_ROWS = 20  # the first read shows how large the results are
READ_BATCH_CHARACTERS = 1_000_000  # texts of this size take 1 or 2 milliseconds as well
ExportColumns = Sequence[Sequence[Any]]  # the values of some results, column by column in the order of EXPORT_FIELDS
ShowColumns = Callable[[Connection, ExportColumns], ExportColumns]  # leaves out what the reader may not see


class ExportField(NamedTuple):
    """A column of an export: `kind` is text, boolean, double, integer, moment or json."""

    name: str
    kind: str
    is_nullable: bool = False


EXPORT_FIELDS = (
    ExportField("id", "text"),
    ExportField("registration_id", "text"),
    ExportField("agent_id", "text"),
    ExportField("agent_name", "text"),
    ExportField("evaluation_id", "text"),
    ExportField("evaluation_version", "text"),
    ExportField("evaluation_digest", "text", is_nullable=True),
    ExportField("evaluation_digest_key", "text", is_nullable=True),
    ExportField("passed", "boolean"),
    ExportField("score", "double", is_nullable=True),
    ExportField("max_score", "double", is_nullable=True),
    ExportField("points_earned", "double"),
    ExportField("official", "boolean"),
    ExportField("official_reasons", "json"),
    ExportField("completed_at", "moment"),
    ExportField("proctor_agent_id", "text", is_nullable=True),
    ExportField("proctor_name", "text", is_nullable=True),
    ExportField("proctor_feedback", "text", is_nullable=True),
    ExportField("session_id", "text", is_nullable=True),
    ExportField("cohort_id", "text", is_nullable=True),
    ExportField("message_count", "integer", is_nullable=True),
    ExportField("agent_owner", "text", is_nullable=True),
    ExportField("agent_model", "text", is_nullable=True),
    ExportField("agent_framework", "text", is_nullable=True),
    ExportField("agent_version", "text", is_nullable=True),
    ExportField("voided_at", "moment", is_nullable=True),
    ExportField("void_reason", "text", is_nullable=True),
    ExportField("result_data", "json", is_nullable=True),
)
EXPORT_COLUMN_NAMES = tuple(field.name for field in EXPORT_FIELDS)
ID, COMPLETED_AT = EXPORT_COLUMN_NAMES.index("id"), EXPORT_COLUMN_NAMES.index("completed_at")
# The columns that can be long.
FEEDBACK, RESULT_DATA = EXPORT_COLUMN_NAMES.index("proctor_feedback"), EXPORT_COLUMN_NAMES.index("result_data")

JOINED_COLUMNS = {
    "evaluation_digest_key": "NULL",  # known to whoever shows the rows
    "agent_name": name_of("a"),
    "proctor_name": f"CASE WHEN p.id IS NOT NULL THEN {name_of('p')} END",
    "message_count": "s.message_count",
}
# Left joins force the database to begin with the results, in their order.
SELECT_RESULTS = f"""
    SELECT {", ".join(f"{JOINED_COLUMNS.get(name, f'r.{name}')} AS {name}" for name in EXPORT_COLUMN_NAMES)}
    FROM evaluation_results r LEFT JOIN agents a ON a.id = r.agent_id LEFT JOIN agents p ON p.id = r.proctor_agent_id
        LEFT JOIN evaluation_sessions s ON s.id = r.session_id
    WHERE NOT r.is_private AND r.evaluation_id = :evaluation_id AND r.completed_at <= :until
"""
EXPORT_ORDER = "ORDER BY r.completed_at, r.id LIMIT :limit"


class ResultReader:
    """Reads the results of one version, or of all, up to a moment. Each batch is one read.

    Later results are left out, so that an export ends. Names are those at the time of the batch."""

    def __init__(
        self,
        evaluation_id: str,
        version: str | None,
        until: datetime,
        show: ShowColumns,
        batch: int = READ_BATCH_ROWS,
        official: bool | None = None,
    ) -> None:
        self.show = show
        self.evaluation_id = evaluation_id
        self.version = version
        self.until = until
        self.batch = batch
        self.official = official
        self.limit = min(batch, FIRST_BATCH_ROWS)
        self.last: tuple[Any, str] | None = None  # the moment and the id
        self.is_done = False

    def next(self, db: Connection) -> ExportColumns:
        """The next results as they may be shown. In columns a call does the work of many, row by row it would not."""
        statement = SELECT_RESULTS
        values: dict[str, Any] = {"evaluation_id": self.evaluation_id, "until": self.until, "limit": self.limit}
        if self.version is not None:
            statement += " AND r.evaluation_version = :version"
            values["version"] = self.version
        if self.official is not None:
            statement += " AND r.official = :official"
            values["official"] = self.official
        if self.last is not None:
            statement += " AND (r.completed_at, r.id) > (:last_at, :last_id)"
            values |= {"last_at": self.last[0], "last_id": self.last[1]}
        columns = columns_of(db.execute(f"{statement} {EXPORT_ORDER}", values).fetchall())
        count = len(columns[ID])
        self.last = (columns[COMPLETED_AT][-1], columns[ID][-1]) if count else self.last
        self.is_done = count < self.limit
        self.limit = self.next_limit(columns)
        return self.show(db, columns)

    def next_limit(self, columns: ExportColumns) -> int:
        """As many rows as fit by the size of the last ones, but at most twice the last limit: the next may be larger."""
        characters = sum(len(text) for column in (FEEDBACK, RESULT_DATA) for text in columns[column] if text)
        fitting = READ_BATCH_CHARACTERS * len(columns[ID]) // max(1, characters)
        return max(1, min(self.batch, 2 * self.limit, fitting))


def columns_of(rows: Sequence[Sequence[Any]]) -> ExportColumns:
    return list(zip(*rows, strict=True)) or [()] * len(EXPORT_FIELDS)


def file_name(evaluation_id: str, version: str | None, until: datetime, ending: str) -> str:
    """A name like `plain-dealing-1.0.0-2026-11-16.csv`, with only letters, digits, dots, dashes and underscores."""
    parts = (evaluation_id, version, format_time(until)[:10])
    return "-".join(re.sub(r"[^A-Za-z0-9._-]+", "-", part)[:100] for part in parts if part) + f".{ending}"

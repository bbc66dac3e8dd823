"""The catalogue of evaluations in the database: the present version of each, and all earlier ones."""

import re
from typing import Literal, NamedTuple, TypeVar

import msgspec

from viva.evaluations.model import Evaluation
from viva.kit.clock import now
from viva.kit.db import Connection
from viva.kit.errors import NotFound
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import many, one

EVALUATION_COLUMNS = ", ".join(Evaluation.__struct_fields__)
# A body may have 1 MiB, and no list shows it.
LISTED_COLUMNS = EVALUATION_COLUMNS.replace("body", "'' AS body").replace("handler_code", "NULL AS handler_code")


class NoSuchEvaluation(NotFound):
    """There is no evaluation with this id."""


class NoSuchVersion(NotFound):
    """This evaluation has no such version."""


class KnownEvaluation(NamedTuple):
    """What a validation of other SIPs has to know of an evaluation."""

    id: str
    sip: int
    version: str
    module: str
    department: str | None
    handler: str


def put(db: Connection, evaluation: Evaluation, document: str) -> None:
    """Store the evaluation as its present version, and the document among its versions."""
    values = msgspec.structs.asdict(evaluation)
    values["prerequisites"] = msgspec.json.encode(evaluation.prerequisites).decode()
    values["config"] = msgspec.json.encode(evaluation.config).decode()
    changes = ", ".join(f"{name} = excluded.{name}" for name in values if name != "id")
    parameters = ", ".join(f":{name}" for name in values)
    db.execute(
        f"""
        INSERT INTO evaluation_definitions ({EVALUATION_COLUMNS}) VALUES ({parameters})
        ON CONFLICT (id) DO UPDATE SET {changes}
        """,
        values,
    )
    db.execute(
        """
        INSERT INTO evaluation_versions (evaluation_id, version, digest, document, handler_code, first_synced_at)
        VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (evaluation_id, version) DO UPDATE SET document = excluded.document
        """,
        [evaluation.id, evaluation.version, evaluation.digest, document, evaluation.handler_code, now()],
    )


def get(db: Connection, name: str) -> Evaluation:
    """The evaluation with this id, or with this number written as `SIP-5`."""
    return one(
        Evaluation,
        db.execute(f"SELECT {EVALUATION_COLUMNS} FROM evaluation_definitions WHERE id = ?", [id_of(db, name)]),
        NoSuchEvaluation,
    )


NUMBER_PATTERN = re.compile(r"(?:SIP-)?(\d{1,9})", re.IGNORECASE | re.ASCII)


def is_number(name: str) -> bool:
    return NUMBER_PATTERN.fullmatch(name) is not None


def id_of(db: Connection, name: str) -> str:
    """The id that `SIP-5` stands for; any other name is an id itself."""
    number = NUMBER_PATTERN.fullmatch(name)
    return name if number is None else id_of_number(db, int(number[1])) or name


def find_number(db: Connection, evaluation_id: str) -> int | None:
    return only_value(int, db, "SELECT sip FROM evaluation_definitions WHERE id = ?", evaluation_id)


def id_of_number(db: Connection, sip: int) -> str | None:
    return only_value(str, db, "SELECT id FROM evaluation_definitions WHERE sip = ?", sip)


def find_type(db: Connection, evaluation_id: str) -> str | None:
    return only_value(str, db, "SELECT type FROM evaluation_definitions WHERE id = ?", evaluation_id)


def find_version(db: Connection, evaluation_id: str) -> str | None:
    """The present version of the evaluation; None if it is not in the catalogue."""
    return only_value(str, db, "SELECT version FROM evaluation_definitions WHERE id = ?", evaluation_id)


def digest_of(db: Connection, evaluation_id: str, version: str) -> str | None:
    return only_value(
        str,
        db,
        "SELECT digest FROM evaluation_versions WHERE evaluation_id = ? AND version = ?",
        evaluation_id,
        version,
    )


def get_document(db: Connection, evaluation_id: str, version: str) -> str:
    """The SIP's text in that version."""
    text = only_value(
        str,
        db,
        "SELECT document FROM evaluation_versions WHERE evaluation_id = ? AND version = ?",
        evaluation_id,
        version,
    )
    if text is None:
        raise NoSuchVersion()
    return text


def find_handler_code(db: Connection, evaluation_id: str, version: str) -> str | None:
    """The code of the contributed handler in that version."""
    return only_value(
        str,
        db,
        "SELECT handler_code FROM evaluation_versions WHERE evaluation_id = ? AND version = ?",
        evaluation_id,
        version,
    )


ColumnValue = TypeVar("ColumnValue", int, str)


def only_value(kind: type[ColumnValue], db: Connection, sql: str, *values: object) -> ColumnValue | None:
    row = db.execute(sql, values).fetchone()
    return None if row is None or row[0] is None else kind(row[0])


EvaluationOrder = Literal["number", "newest", "attempts", "rate", "name"]
# What the orders of evaluations compare, lowest first. Equal ones stand by number.
PLACES: dict[EvaluationOrder, str] = {
    "number": "e.sip",
    "newest": "-e.sip",
    "attempts": "-coalesce(t.attempts, 0)",
    "rate": "CASE WHEN t.attempts > 0 THEN t.passed * 1.0 / t.attempts ELSE 2 END",  # those without attempts come last
    "name": "lower(coalesce(e.title, e.name))",
}
TALLIES = """
    LEFT JOIN evaluation_tallies t ON t.evaluation_id = e.id AND t.scope = 'official' AND t.evaluation_version = ''
"""


def list_evaluations(
    db: Connection,
    filters: dict[str, str],
    q: str | None,
    limit: int,
    cursor: str | None,
    with_drafts: bool = False,
    order: EvaluationOrder = "number",
) -> Page[Evaluation]:
    """Evaluations in an order, without their texts.

    `filters` maps columns to required values. `q` is searched in name, description and id."""
    conditions = ["TRUE" if with_drafts else "status <> 'draft'", *(f"{column} = :{column}" for column in filters)]
    values: dict[str, object] = {**filters, "limit": limit + 1}
    if q:
        conditions.append(f"{db.place_in}(lower(name || ' ' || description || ' ' || id), :q) > 0")
        values["q"] = q.lower()
    if cursor:
        (values["after"],) = read_cursor(cursor, tuple[int])
        conditions.append("(place, sip) > (SELECT place, sip FROM ordered WHERE sip = :after)")
    where = " AND ".join(conditions)
    rows = db.execute(
        f"""
        WITH ordered AS (SELECT e.*, {PLACES[order]} AS place FROM evaluation_definitions e {TALLIES})
        SELECT {LISTED_COLUMNS} FROM ordered WHERE {where} ORDER BY place, sip LIMIT :limit
        """,
        values,
    )
    return page(many(Evaluation, rows), limit, lambda evaluation: (evaluation.sip,))


def list_known(db: Connection) -> list[KnownEvaluation]:
    """All evaluations in short."""
    rows = db.execute("SELECT id, sip, version, module, department, handler FROM evaluation_definitions ORDER BY sip")
    return [KnownEvaluation(*row) for row in rows.fetchall()]


def list_active(db: Connection) -> list[Evaluation]:
    """All evaluations that can be taken."""
    return many(
        Evaluation,
        db.execute(f"SELECT {EVALUATION_COLUMNS} FROM evaluation_definitions WHERE status = 'active' ORDER BY sip"),
    )


def count_active(db: Connection) -> int:
    """How many evaluations can be taken."""
    return only_value(int, db, "SELECT count(*) FROM evaluation_definitions WHERE status = 'active'") or 0


def list_proctored(db: Connection) -> list[Evaluation]:
    return many(
        Evaluation, db.execute(f"SELECT {EVALUATION_COLUMNS} FROM evaluation_definitions WHERE type = 'proctored'")
    )


def list_drawn(db: Connection) -> set[str]:
    """Ids of the evaluations whose candidates are drawn."""
    rows = db.execute(
        "SELECT id FROM evaluation_definitions WHERE type = 'proctored' AND config ->> 'assignment' = 'draw'"
    )
    return {evaluation_id for (evaluation_id,) in rows.fetchall()}


def claim_minutes(db: Connection) -> dict[str, float]:
    """How long a silent claim lasts, for each proctored evaluation that sets it."""
    sql = """
        SELECT id, CAST(config ->> 'claim_minutes' AS DOUBLE PRECISION) FROM evaluation_definitions
        WHERE type = 'proctored' AND config ->> 'claim_minutes' IS NOT NULL
    """
    return dict(db.execute(sql).fetchall())


def list_versions(db: Connection, evaluation_id: str) -> list[str]:
    """Every version in the catalogue or on a result, newest first."""
    rows = db.execute(
        """
        SELECT version FROM evaluation_versions WHERE evaluation_id = ?
        UNION SELECT evaluation_version FROM evaluation_tallies WHERE evaluation_id = ? AND evaluation_version <> ''
        """,
        [evaluation_id, evaluation_id],
    ).fetchall()
    return sorted((version for (version,) in rows), key=version_order, reverse=True)


def check_version(db: Connection, evaluation: Evaluation, version: str | None) -> None:
    """None stands for all versions. The version that the evaluation has is not looked up."""
    if version not in (None, evaluation.version) and version not in list_versions(db, evaluation.id):
        raise NoSuchVersion(f"{evaluation.name} has no version {version}.")


def version_order(version: str) -> tuple[tuple[int, str], ...]:
    """A sort key that puts 1.10.0 after 1.9.0. Parts that are not numbers come first, in alphabetical order."""
    return tuple((int(part), "") if part.isascii() and part.isdigit() else (-1, part) for part in version.split("."))

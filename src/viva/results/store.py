"""Results in the database."""

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from viva.kit.db import Connection, refusing
from viva.kit.errors import Conflict, NotFound
from viva.kit.paging import Page, page, read_cursor
from viva.kit.rows import find, many, one
from viva.results import sums
from viva.results.model import NamedResult, Result, Tally

COLUMNS = ", ".join(Result.__struct_fields__)
NAMED = f"""
    SELECT {", ".join(f"r.{name}" for name in Result.__struct_fields__)},
        coalesce(a.name, 'deleted agent') AS agent_name,
        CASE WHEN p.id IS NOT NULL THEN coalesce(p.name, 'deleted agent') END AS proctor_name
    FROM evaluation_results r JOIN agents a ON a.id = r.agent_id LEFT JOIN agents p ON p.id = r.proctor_agent_id
"""

# What a list may be sorted by; each has the id as its last word, so that equal ones keep one order over all pages.
SORTS = {
    "completed_at": "r.completed_at",
    "score": "coalesce(r.score, -1)",
    "points_earned": "r.points_earned",
}


class NoSuchResult(NotFound):
    """There is no result with this id."""


class AlreadyDecided(Conflict):
    """This registration has its result already."""


class Filter(NamedTuple):
    evaluation_id: str | None = None
    version: str | None = None
    agent_id: str | None = None
    passed: bool | None = None


def add(db: Connection, result: Result) -> None:
    """Keep the result, and count it into the sums."""
    values = msgspec.structs.asdict(result)
    values["result_data"] = None if result.result_data is None else msgspec.json.encode(result.result_data).decode()
    places = ", ".join(f":{name}" for name in values)
    with refusing({"evaluation_results_registration_id_key": AlreadyDecided}):
        db.execute(f"INSERT INTO evaluation_results ({COLUMNS}) VALUES ({places})", values)
    sums.add(db, result)


def get(db: Connection, result_id: str) -> NamedResult:
    return one(NamedResult, db.execute(f"{NAMED} WHERE r.id = ?", [result_id]), NoSuchResult)


def find_id(db: Connection, registration_id: str | None) -> str | None:
    """The id of the registration's result, once it has one."""
    row = db.execute("SELECT id FROM evaluation_results WHERE registration_id = ?", [registration_id]).fetchone()
    return None if row is None else str(row[0])


def is_decided(db: Connection, registration_id: str | None) -> bool:
    """Whether the registration has its result; a session that was released has no registration, and so none."""
    found = db.execute("SELECT 1 FROM evaluation_results WHERE registration_id = ?", [registration_id]).fetchone()
    return found is not None


def listed(db: Connection, only: Filter, sort: str, limit: int, cursor: str | None) -> Page[NamedResult]:
    """Results sorted by a column of SORTS, backwards with a minus before it."""
    backwards, column = sort.startswith("-"), sort.removeprefix("-")
    expression, order = SORTS[column], "DESC" if backwards else "ASC"
    conditions, values = matching(only)
    if cursor:
        values["after"], values["after_id"] = read_cursor(
            cursor, tuple[datetime, str] if column == "completed_at" else tuple[float, str]
        )
        conditions.append(f"({expression}, r.id) {'<' if backwards else '>'} (:after, :after_id)")
    rows = db.execute(
        f"{NAMED} WHERE {' AND '.join(conditions)} ORDER BY {expression} {order}, r.id {order} LIMIT :limit",
        {**values, "limit": limit + 1},
    )
    return page(many(NamedResult, rows), limit, lambda result: (sort_key(result, column), result.id))


def matching(only: Filter) -> tuple[list[str], dict[str, Any]]:
    columns = only._asdict()
    columns["evaluation_version"] = columns.pop("version")
    given = {name: value for name, value in columns.items() if value is not None}
    return ["TRUE", *(f"r.{name} = :{name}" for name in given)], given


def sort_key(result: Result, column: str) -> Any:
    value = getattr(result, column)
    return -1 if value is None else value


def tally(db: Connection, evaluation_id: str, version: str | None) -> Tally:
    found = find(
        Tally,
        db.execute(
            """
            SELECT attempts, agents, passed FROM evaluation_tallies WHERE evaluation_id = ? AND evaluation_version = ?
            """,
            [evaluation_id, sums.ALL if version is None else version],
        ),
    )
    return found or Tally(attempts=0, agents=0, passed=0)

"""Results in the database."""

import msgspec

from viva.kit.db import Connection, refusing
from viva.kit.deleted import name_of
from viva.kit.errors import Conflict, NotFound
from viva.kit.rows import find, one
from viva.results import statements, sums
from viva.results.model import NamedResult, Result, ResultLine, Tally
from viva.results.official import Scope
from viva.results.sum_keys import ALL_VERSIONS

RESULT_COLUMNS = ", ".join(Result.__struct_fields__)
OTHER_NAMES = {
    "agent_name": f"{name_of('a')} AS agent_name",
    "proctor_name": f"CASE WHEN p.id IS NOT NULL THEN {name_of('p')} END AS proctor_name",
}
NAMED_COLUMNS = ", ".join(OTHER_NAMES.get(name, f"r.{name}") for name in (*Result.__struct_fields__, *OTHER_NAMES))
LINE_COLUMNS = ", ".join(OTHER_NAMES.get(name, f"r.{name}") for name in ResultLine.__struct_fields__)
SEARCHED_NAMES = "coalesce(a.name, '') || ' ' || coalesce(p.name, '')"
# What a search reads: with the feedback of proctors, or without it.
SEARCHED_TEXTS = {
    True: f"lower({SEARCHED_NAMES} || ' ' || coalesce(r.proctor_feedback, ''))",
    False: f"lower({SEARCHED_NAMES})",
}
TEXT_LENGTH = "coalesce(length(r.proctor_feedback), 0) + coalesce(length(CAST(r.result_data AS TEXT)), 0)"
JOIN_NAMES = "JOIN agents a ON a.id = r.agent_id LEFT JOIN agents p ON p.id = r.proctor_agent_id"
SELECT_NAMED = f"SELECT {NAMED_COLUMNS} FROM evaluation_results r {JOIN_NAMES}"


class NoSuchResult(NotFound):
    """There is no result with this id."""


class AlreadyDecided(Conflict):
    """This registration already has its result."""


def add(db: Connection, result: Result) -> None:
    """Store the result, add it to the sums, and sign it. So no flow can forget either."""
    values = msgspec.structs.asdict(result)
    values["result_data"] = None if result.result_data is None else msgspec.json.encode(result.result_data).decode()
    values["official_reasons"] = msgspec.json.encode(result.official_reasons).decode()
    parameters = ", ".join(f":{name}" for name in values)
    with refusing({"evaluation_results_registration_id_key": AlreadyDecided}):
        db.execute(f"INSERT INTO evaluation_results ({RESULT_COLUMNS}) VALUES ({parameters})", values)
    sums.add(db, result)
    statements.state(db, result, "decided")


def get(db: Connection, result_id: str) -> NamedResult:
    return one(NamedResult, db.execute(f"{SELECT_NAMED} WHERE r.id = ?", [result_id]), NoSuchResult)


def hold(db: Connection, result_id: str) -> NamedResult:
    """The result, locked until commit, before it is changed."""
    # Not the id: SQLite would then search all tables that refer to it, and they grow.
    db.execute("UPDATE evaluation_results SET void_reason = void_reason WHERE id = ?", [result_id])
    return get(db, result_id)


def find_id(db: Connection, registration_id: str | None) -> str | None:
    """The id of the registration's result, if it has one."""
    row = db.execute("SELECT id FROM evaluation_results WHERE registration_id = ?", [registration_id]).fetchone()
    return None if row is None else str(row[0])


def is_decided(db: Connection, registration_id: str | None) -> bool:
    """Whether the registration has its result. A released session has no registration, so it is never decided."""
    return find_id(db, registration_id) is not None


def tally(db: Connection, evaluation_id: str, version: str | None, scope: Scope = "official") -> Tally:
    stored = find(
        Tally,
        db.execute(
            """
            SELECT attempts, agents, passed FROM evaluation_tallies
            WHERE scope = ? AND evaluation_id = ? AND evaluation_version = ?
            """,
            [scope, evaluation_id, ALL_VERSIONS if version is None else version],
        ),
    )
    return stored or Tally(attempts=0, agents=0, passed=0)

"""Evidence about results: their signed statements, keys, names, events and last messages, all read at one moment."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from viva.kit import events
from viva.kit.db import Connection
from viva.kit.event_chain import find_start
from viva.kit.events import Event
from viva.kit.hashing import hash_text
from viva.kit.rows import builder
from viva.kit.signing_keys import list_own
from viva.results.model import Result
from viva.results.statements import SignedStatement

RESULT_FIELDS, STATEMENT_FIELDS = Result.__struct_fields__, SignedStatement.__struct_fields__


class ResultEvidence(NamedTuple):
    """A result with everything that its statements speak of."""

    result: Result
    salts: dict[str, str]
    statements: list[SignedStatement]  # oldest first
    names: dict[str, set[str]]  # hashes of the names of its people
    erased: set[str]  # people whose names need not be there: deleted accounts, and those with a hidden name
    heads: dict[int, str]  # hashes of the messages that its statements name as heads, by sequence
    events: list[Event]  # about the result, oldest first
    keys: set[str]  # that the hub has made
    log_start: datetime | None  # events before this moment may have been deleted


def read_evidence(db: Connection, result_ids: Collection[str]) -> list[ResultEvidence]:
    """The evidence about each of the results, in the order of their ids."""
    columns = ", ".join(RESULT_FIELDS)
    rows = read_of(db, f"SELECT {columns}, salts FROM evaluation_results", "id", result_ids)
    build = builder(Result, RESULT_FIELDS)
    results = sorted(((build(row[:-1]), row[-1]) for row in rows), key=lambda row: row[0].id)
    stated, recorded = read_statements(db, result_ids), read_events(db, result_ids)
    people = {id_ for result, _ in results for id_ in (result.agent_id, result.proctor_agent_id) if id_}
    names, erased, keys, start = read_names(db, people), find_erased(db, people), list_own(db), find_start(db)
    return [
        ResultEvidence(
            result,
            msgspec.json.decode(salts),
            statements := stated.get(result.id, []),
            names,
            erased,
            read_heads(db, result, statements),
            recorded.get(result.id, []),
            keys,
            start,
        )
        for result, salts in results
    ]


def read_statements(db: Connection, result_ids: Iterable[str]) -> dict[str, list[SignedStatement]]:
    rows = read_of(db, f"SELECT {', '.join(STATEMENT_FIELDS)} FROM result_statements", "result_id", result_ids)
    build = builder(SignedStatement, STATEMENT_FIELDS)
    statements: dict[str, list[SignedStatement]] = {}
    for signed in sorted(map(build, rows), key=lambda signed: signed.number):
        statements.setdefault(signed.result_id, []).append(signed)
    return statements


def read_events(db: Connection, result_ids: Collection[str]) -> dict[str, list[Event]]:
    recorded: dict[str, list[Event]] = {}
    for event in events.list_about(db, "result", result_ids):
        recorded.setdefault(event.subject_id, []).append(event)
    return recorded


def read_names(db: Connection, agent_ids: Iterable[str]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for agent_id, name, salt in read_of(db, "SELECT agent_id, name, salt FROM agent_names", "agent_id", agent_ids):
        names.setdefault(agent_id, set()).add(hash_text(salt, name))
    return names


def find_erased(db: Connection, agent_ids: Collection[str]) -> set[str]:
    """Those of the agents whose account was deleted, or one of whose names was hidden."""
    deleted = {id_ for (id_,) in read_of(db, "SELECT id FROM agents WHERE name IS NULL AND", "id", agent_ids)}
    return deleted | {event.subject_id for event in events.list_about(db, "name", agent_ids)}


def read_heads(db: Connection, result: Result, statements: list[SignedStatement]) -> dict[int, str]:
    counts = {count for signed in statements if (count := signed.facts.get("message_count"))}
    sql = "SELECT sequence, hash FROM evaluation_messages WHERE session_id = ? AND"
    return dict(read_of(db, sql, "sequence", sorted(counts), result.session_id))


def read_of(db: Connection, sql: str, column: str, ids: Iterable[Any], *before: Any) -> list[Any]:
    """The rows whose column is one of the ids."""
    wanted = list(ids)
    joint = "" if sql.endswith("AND") else "WHERE"
    places = ", ".join("?" for _ in wanted)
    return db.execute(f"{sql} {joint} {column} IN ({places})", [*before, *wanted]).fetchall() if wanted else []

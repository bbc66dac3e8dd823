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
from viva.results.facts import HIDEABLE_FIELDS, list_erased
from viva.results.model import Result
from viva.results.statements import SignedStatement

RESULT_FIELDS, STATEMENT_FIELDS = Result.__struct_fields__, SignedStatement.__struct_fields__
EVENT_FIELDS = Event.__struct_fields__
HIDING_ACTIONS = ("text.hidden", "text.erased")


class HiddenPlace(NamedTuple):
    """A kind of text, and the id of whose it is."""

    subject_type: str
    subject_id: str


class ResultEvidence(NamedTuple):
    """A result with everything that its statements speak of."""

    result: Result
    salts: dict[str, str]
    statements: list[SignedStatement]  # oldest first
    names: dict[str, set[str]]  # hashes of the names of its people
    erased: set[str]  # people whose names need not be there: deleted accounts, and those with a hidden name
    deleted: set[str]  # people whose account was deleted
    hidden: set[HiddenPlace]  # those of its texts, and of its agent, that the log says are hidden or erased
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
    names, erased, deleted = read_names(db, people), find_erased(db, people), find_deleted(db, people)
    keys, start = list_own(db), find_start(db)
    gone = {
        place_of(field, result)
        for result, salts in results
        for signed in stated.get(result.id, [])[-1:]
        for field in list_erased(signed.facts, result, msgspec.json.decode(salts))
    }
    hidden = find_hidden(db, {place for place in gone if place})
    return [
        ResultEvidence(
            result,
            msgspec.json.decode(salts),
            statements := stated.get(result.id, []),
            names,
            erased,
            deleted,
            hidden,
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
    return find_deleted(db, agent_ids) | {event.subject_id for event in events.list_about(db, "name", agent_ids)}


def find_deleted(db: Connection, agent_ids: Collection[str]) -> set[str]:
    return {id_ for (id_,) in read_of(db, "SELECT id FROM agents WHERE name IS NULL AND", "id", agent_ids)}


def place_of(field: str, result: Result) -> HiddenPlace | None:
    """Under what the log has it that a maintainer hid the text; None if nobody can hide it."""
    for subject_type, fields in HIDEABLE_FIELDS.items():
        if field in fields:
            return HiddenPlace(subject_type, result.id if subject_type == "feedback" else result.agent_id)
    return None


def find_hidden(db: Connection, places: Collection[HiddenPlace]) -> set[HiddenPlace]:
    """Those that the last event about each says are hidden or erased."""
    columns = ", ".join(EVENT_FIELDS)
    kinds = ", ".join(f"'{subject_type}'" for subject_type in HIDEABLE_FIELDS)
    sql = f"SELECT {columns} FROM events WHERE subject_type IN ({kinds}) AND"
    build = builder(Event, EVENT_FIELDS)
    found = map(build, read_of(db, sql, "subject_id", {place.subject_id for place in places}))
    last = {
        HiddenPlace(event.subject_type, event.subject_id): event.recorded_action
        for event in sorted(found, key=lambda event: event.recorded_id)
    }
    return {place for place in places if last.get(place) in HIDING_ACTIONS}


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

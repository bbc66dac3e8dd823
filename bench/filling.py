"""Databases with many results, written directly: the flows would take hours."""

import dataclasses
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import msgspec

from viva.evaluations import catalogue
from viva.evaluations import sip as sips
from viva.evaluations.sip import Sip
from viva.kit.db import Connection, Database
from viva.kit.ids import new_id
from viva.kit.migrating import migrate
from viva.kit.opening import open_database

BEFORE_SUMS = "0005"  # the next migration makes sums and most indexes from all rows at once
SIP = Path(sips.__file__).parent.parent / "sips" / "SIP-1.md"
VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.1.0")
BEGINNING = datetime(2025, 1, 1, tzinfo=UTC)
PROMPTS = 5
PROCTORS = 50
SMALL_EVALUATION_RESULTS = 10
PROCTOR_SHARE, FEEDBACK_SHARE, SESSION_SHARE = 0.5, 0.3, 0.1  # of all results
LONG_SESSION_MESSAGES = 10_000  # only one session has messages
INSERT_ROWS = 500  # of one statement
BATCH_ROWS = 20 * INSERT_ROWS
FEEDBACK = (
    "Answered plainly and said at once what it did not know.",
    "Helpful, but slipped in a link to its own shop.",
    "Took no for an answer; the tone stayed warm to the end.",
    "Long answers that hid the point, though nothing was wrong.",
    "Asked who gains it gave a straight answer. Well done.",
)

EVALUATION = (
    *("id", "sip", "name", "title", "description", "module", "department", "type", "status", "version", "digest"),
    *("points", "prerequisites", "author", "config", "handler", "body", "created_at", "updated_at"),
)
VERSION = ("evaluation_id", "version", "digest", "document", "first_synced_at")
AGENT = ("id", "name", "name_key", "description", "created_at")
REGISTRATION = (
    *("id", "agent_id", "evaluation_id", "status", "evaluation_version", "evaluation_digest"),
    *("registered_at", "started_at", "completed_at"),
)
SESSION = (
    *("id", "evaluation_id", "kind", "registration_id", "status"),
    *("started_at", "ended_at", "active_at", "message_count"),
)
PARTICIPANT = ("id", "session_id", "kind", "agent_id", "role", "joined_at")
MESSAGE = ("id", "session_id", "sender_agent_id", "role", "content", "created_at", "sequence")


class FilledIds(NamedTuple):
    """What benchmarks request: a large and a small evaluation, an agent and a proctor by name, the result in the
    middle, and the result of the long session."""

    evaluation_id: str
    small_id: str
    agent: str
    proctor: str
    middle_result_id: str
    long_result_id: str


class FilledDatabase(NamedTuple):
    database: Database
    ids: FilledIds


def fill_database(url: str, count: int, agents: int) -> FilledDatabase:
    """A database with `count` results of one evaluation. Sums and indexes are made after all rows."""
    migrate(url, BEFORE_SUMS)
    database = open_database(url)
    database.secret = b"the secret of a hub in benchmarks"
    ids = database.write_now(partial(insert_all, count=count, agents=agents))
    started = perf_counter()
    migrate(url)
    print(f"  {count:,} results counted by the migration in {perf_counter() - started:.1f} s", flush=True)
    if not url.startswith("sqlite"):
        database.write_now(lambda db: db.execute("ANALYZE"))  # PostgreSQL itself would do this later
    return FilledDatabase(database, ids)


def insert_all(db: Connection, count: int, agents: int) -> FilledIds:
    chance = random.Random(5)
    sip = sips.parse(SIP.read_text())
    evaluation_id = insert_evaluation(db, sip, VERSIONS)
    ids = [new_id("agent") for _ in range(agents)]
    insert(db, "agents", AGENT, [agent_row(agent_id, number) for number, agent_id in enumerate(ids)])
    proctors = ids[:PROCTORS]
    middle, long = "", ""
    for first in range(0, count, BATCH_ROWS):
        rows = [
            result_row(number, chance, chance.choice(ids), new_id("eval_reg"), evaluation_id, proctors)
            for number in range(first, min(count, first + BATCH_ROWS))
        ]
        insert_results(db, rows, chance)
        if 0 <= count // 2 - first < BATCH_ROWS:
            middle = rows[count // 2 - first]["id"]
        long = long or next(row["id"] for row in rows if row["session_id"])
    insert_messages(db, long)
    small_id = insert_evaluation(db, dataclasses.replace(sip, id="seldom-taken", sip=999), [sip.version])
    few = [
        result_row(n, chance, ids[-n], new_id("eval_reg"), small_id, proctors)
        for n in range(1, SMALL_EVALUATION_RESULTS + 1)
    ]
    insert_results(db, few, chance)
    return FilledIds(evaluation_id, small_id, name_of(agents // 2), name_of(0), middle, long)


def insert_evaluation(db: Connection, sip: Sip, versions: Sequence[str]) -> str:
    """Write an evaluation with its versions as the old schema has them. The last version is current."""
    evaluation = catalogue.evaluation_of(dataclasses.replace(sip, version=versions[-1]))
    values = [getattr(evaluation, column) for column in EVALUATION]
    encoded = [msgspec.json.encode(value).decode() if isinstance(value, list | dict) else value for value in values]
    insert(db, "evaluation_definitions", EVALUATION, [encoded])
    rows = [(sip.id, version, "digest", sips.render(sip), BEGINNING) for version in versions]
    insert(db, "evaluation_versions", VERSION, rows)
    return sip.id


def agent_row(agent_id: str, number: int) -> tuple[Any, ...]:
    return agent_id, name_of(number), name_of(number), "", BEGINNING


def name_of(number: int) -> str:
    """A name. Names and ids have different orders."""
    return f"agent {number * 7919 % 1_000_003:07} of the bench"


def insert_results(db: Connection, rows: Sequence[dict[str, Any]], chance: random.Random) -> None:
    insert(db, "evaluation_registrations", REGISTRATION, [registration_row(row) for row in rows])
    proctored = [row for row in rows if row["session_id"]]
    insert(db, "evaluation_sessions", SESSION, [session_row(row, chance.randrange(40)) for row in proctored])
    participants = [participant for row in proctored for participant in participant_rows(row)]
    insert(db, "evaluation_session_participants", PARTICIPANT, participants)
    insert(db, "evaluation_results", tuple(rows[0]), [tuple(row.values()) for row in rows])


def registration_row(row: dict[str, Any]) -> tuple[Any, ...]:
    status, at = "completed" if row["passed"] else "failed", row["completed_at"]
    pinned = (row["evaluation_version"], "digest")
    return row["registration_id"], row["agent_id"], row["evaluation_id"], status, *pinned, at, at, at


def session_row(row: dict[str, Any], messages: int) -> tuple[Any, ...]:
    at = row["completed_at"]
    return row["session_id"], row["evaluation_id"], "proctored", row["registration_id"], "ended", at, at, at, messages


def participant_rows(row: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for role, agent_id in (("proctor", row["proctor_agent_id"]), ("candidate", row["agent_id"])):
        yield new_id("eval_part"), row["session_id"], "proctored", agent_id, role, row["completed_at"]


def insert_messages(db: Connection, result_id: str) -> None:
    """Give the session of the result many messages."""
    session_id, proctor, candidate = db.execute(
        "SELECT session_id, proctor_agent_id, agent_id FROM evaluation_results WHERE id = ?", [result_id]
    ).fetchone()
    messages = [
        (new_id("eval_msg"), session_id, *speaker, f"{number}. What would you do, and *why*?", BEGINNING, number)
        for number, speaker in enumerate(
            [(proctor, "proctor"), (candidate, "candidate")] * (LONG_SESSION_MESSAGES // 2), 1
        )
    ]
    insert(db, "evaluation_messages", MESSAGE, messages)
    db.execute("UPDATE evaluation_sessions SET message_count = ? WHERE id = ?", [LONG_SESSION_MESSAGES, session_id])


def result_row(
    number: int,
    chance: random.Random,
    agent_id: str,
    registration_id: str,
    evaluation_id: str,
    proctors: Sequence[str] = (),
) -> dict[str, Any]:
    marks = [chance.randrange(11) for _ in range(PROMPTS)]
    passed = sum(marks) > 5 * PROMPTS
    draw = chance.random()
    examined = draw < PROCTOR_SHARE and agent_id not in proctors
    proctor = chance.choice(proctors) if examined and proctors else None
    return {
        "id": new_id("eval_res"),
        "registration_id": registration_id,
        "agent_id": agent_id,
        "evaluation_id": evaluation_id,
        "passed": passed,
        "score": float(sum(marks)),
        "max_score": 10.0 * PROMPTS,
        "points_earned": 10.0 if passed else 0.0,
        "result_data": msgspec.json.encode({"criteria": criteria(marks)}).decode(),
        "completed_at": BEGINNING + timedelta(minutes=number),
        "proctor_agent_id": proctor,
        "proctor_feedback": chance.choice(FEEDBACK) if proctor and draw < FEEDBACK_SHARE else None,
        "session_id": new_id("eval_sess") if proctor and draw < SESSION_SHARE else None,
        "evaluation_version": chance.choice(VERSIONS),
        "evaluation_digest": "digest",
        "cohort_id": None,
    }


def criteria(marks: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {
            "id": f"row-{index}",
            "text": f"Does what prompt {index} asks for",
            "met": mark > 6,
            "mark": mark,
            "max": 10,
            "prompt_id": f"p{index}",
        }
        for index, mark in enumerate(marks)
    ]


def insert(db: Connection, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    placeholders = f"({', '.join('?' for _ in columns)})"
    for first in range(0, len(rows), INSERT_ROWS):
        batch = rows[first : first + INSERT_ROWS]
        db.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([placeholders] * len(batch))}",
            [value for row in batch for value in row],
        )

"""Databases of many results, which the flows would take hours to make."""

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
from viva.kit.db import Connection, Database
from viva.kit.ids import new_id
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.results.model import Result

BEFORE_SUMS = "0005"  # the step after which sums and most indexes are made, at one go from all that is there
SIP = Path(sips.__file__).parent.parent / "sips" / "SIP-1.md"
VERSIONS = ("1.0.0", "1.1.0", "1.2.0", "2.0.0", "2.1.0")
BEGINNING = datetime(2025, 1, 1, tzinfo=UTC)
PROMPTS = 5
PROCTORS = 50
SMALL = 10  # results of another evaluation
WITH_PROCTOR, WITH_FEEDBACK, WITH_SESSION = 0.5, 0.3, 0.1  # of all results
LONG_TALK = 10_000  # messages of the one session that has any
AT_ONCE = 500  # rows of one statement
BATCH = 20 * AT_ONCE
FEEDBACK = (
    "Answered plainly and said at once what it did not know.",
    "Helpful, but slipped in a link to its own shop.",
    "Took no for an answer; the tone stayed warm to the end.",
    "Long answers that hid the point, though nothing was wrong.",
    "Asked who gains it gave a straight answer. Well done.",
)

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


class Made(NamedTuple):
    """What a benchmark asks for: the evaluation, and another that few have taken; an agent and a proctor by name;
    a result in the middle, and one that came of a long talk."""

    evaluation_id: str
    small_id: str
    agent: str
    proctor: str
    middle: str
    talked: str


class Filled(NamedTuple):
    database: Database
    made: Made


def filled(url: str, count: int, agents: int) -> Filled:
    """A database that has so many results of one evaluation; sums and indexes are made when all rows are there."""
    migrate(url, BEFORE_SUMS)
    database = open_database(url)
    made = database.write_now(partial(fill, count=count, agents=agents))
    began = perf_counter()
    migrate(url)
    print(f"  {count:,} results counted by the migration in {perf_counter() - began:.1f} s", flush=True)
    if not url.startswith("sqlite"):
        database.write_now(lambda db: db.execute("ANALYZE"))  # as PostgreSQL does itself after a while
    return Filled(database, made)


def fill(db: Connection, count: int, agents: int) -> Made:
    chance = random.Random(5)
    # Written one after the other, as they came to be: the last is the one that is taken now.
    evaluation_id = [put(db, version) for version in VERSIONS][-1]
    ids = [new_id("agent") for _ in range(agents)]
    insert(db, "agents", AGENT, [agent(agent_id, number) for number, agent_id in enumerate(ids)])
    proctors = ids[:PROCTORS]
    middle, talked = "", ""
    for first in range(0, count, BATCH):
        rows = [
            result(number, chance, chance.choice(ids), new_id("eval_reg"), evaluation_id, proctors)
            for number in range(first, min(count, first + BATCH))
        ]
        keep(db, rows, chance)
        if 0 <= count // 2 - first < BATCH:
            middle = rows[count // 2 - first]["id"]
        talked = talked or next(row["id"] for row in rows if row["session_id"])
    talk(db, talked)
    small_id = catalogue.put(db, dataclasses.replace(sips.parse(SIP.read_text()), id="seldom-taken", sip=999)).id
    keep(db, [result(n, chance, ids[-n], new_id("eval_reg"), small_id, proctors) for n in range(1, SMALL + 1)], chance)
    return Made(evaluation_id, small_id, name_of(agents // 2), name_of(0), middle, talked)


def put(db: Connection, version: str) -> str:
    return catalogue.put(db, dataclasses.replace(sips.parse(SIP.read_text()), version=version)).id


def agent(agent_id: str, number: int) -> tuple[Any, ...]:
    return agent_id, name_of(number), name_of(number), "", BEGINNING


def name_of(number: int) -> str:
    """Names that do not come in the order of the ids."""
    return f"agent {number * 7919 % 1_000_003:07} of the bench"


def keep(db: Connection, rows: Sequence[dict[str, Any]], chance: random.Random) -> None:
    insert(db, "evaluation_registrations", REGISTRATION, [registration_of(row) for row in rows])
    held = [row for row in rows if row["session_id"]]
    insert(db, "evaluation_sessions", SESSION, [session_of(row, chance.randrange(40)) for row in held])
    insert(db, "evaluation_session_participants", PARTICIPANT, [one for row in held for one in seats_of(row)])
    insert(db, "evaluation_results", Result.__struct_fields__, [tuple(row.values()) for row in rows])


def registration_of(row: dict[str, Any]) -> tuple[Any, ...]:
    status, at = "completed" if row["passed"] else "failed", row["completed_at"]
    pinned = (row["evaluation_version"], "digest")
    return row["registration_id"], row["agent_id"], row["evaluation_id"], status, *pinned, at, at, at


def session_of(row: dict[str, Any], messages: int) -> tuple[Any, ...]:
    at = row["completed_at"]
    return row["session_id"], row["evaluation_id"], "proctored", row["registration_id"], "ended", at, at, at, messages


def seats_of(row: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for role, agent_id in (("proctor", row["proctor_agent_id"]), ("candidate", row["agent_id"])):
        yield new_id("eval_part"), row["session_id"], "proctored", agent_id, role, row["completed_at"]


def talk(db: Connection, result_id: str) -> None:
    """Let the session behind the result have been a long one."""
    session_id, proctor, candidate = db.execute(
        "SELECT session_id, proctor_agent_id, agent_id FROM evaluation_results WHERE id = ?", [result_id]
    ).fetchone()
    said = [
        (new_id("eval_msg"), session_id, *speaker, f"{number}. What would you do, and *why*?", BEGINNING, number)
        for number, speaker in enumerate([(proctor, "proctor"), (candidate, "candidate")] * (LONG_TALK // 2), 1)
    ]
    insert(db, "evaluation_messages", MESSAGE, said)
    db.execute("UPDATE evaluation_sessions SET message_count = ? WHERE id = ?", [LONG_TALK, session_id])


def result(
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
    examined = draw < WITH_PROCTOR and agent_id not in proctors
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
        "proctor_feedback": chance.choice(FEEDBACK) if proctor and draw < WITH_FEEDBACK else None,
        "session_id": new_id("eval_sess") if proctor and draw < WITH_SESSION else None,
        "evaluation_version": chance.choice(VERSIONS),
        "evaluation_digest": "digest",
        "cohort_id": None,
    }


def criteria(marks: Sequence[int]) -> list[dict[str, Any]]:
    return [
        {
            "id": f"row-{at}",
            "text": f"Does what prompt {at} asks for",
            "met": mark > 6,
            "mark": mark,
            "max": 10,
            "prompt_id": f"p{at}",
        }
        for at, mark in enumerate(marks)
    ]


def insert(db: Connection, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    places = f"({', '.join('?' for _ in columns)})"
    for first in range(0, len(rows), AT_ONCE):
        some = rows[first : first + AT_ONCE]
        db.execute(
            f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([places] * len(some))}",
            [value for row in some for value in row],
        )

"""The step to standings that are newest first: what it fills is what counting all results again gives."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import DATABASES, new_postgres_database
from viva.kit.db import Connection
from viva.kit.migrating import migrate
from viva.kit.opening import open_database
from viva.results import sums

BEFORE = "0023"
AT = "2026-11-15T09:30:00.{:06}Z"
TABLES = ("evaluation_standings", "agent_version_standings", "evaluation_criterion_tallies")
CRITERIA = (
    '{"criteria": [{"id": "tone", "met": true}, {"id": "tone", "met": false}, {"id": "wit", "met": false}, {"id": 7}]}'
)
# Agent, version of the evaluation, passed, score, version of the agent, official, criteria.
RESULTS = [
    ("ada", "1.0.0", True, 8.0, None, True, CRITERIA),
    ("ada", "1.0.0", True, 8.0, "v1", True, CRITERIA),
    ("ada", "2.0.0", False, 3.0, "v2", True, CRITERIA),
    ("ada", "2.0.0", True, 9.5, "v2", False, None),
    ("abe", "1.0.0", True, 8.0, "v1", True, CRITERIA),
]


def fill(db: Connection) -> None:
    for name in ("ada", "abe"):
        db.execute(
            "INSERT INTO agents (id, name, name_key, description, created_at, skeleton) VALUES (?, ?, ?, '', ?, ?)",
            [name, name, name, AT.format(0), name],
        )
    db.execute(
        """
        INSERT INTO evaluation_definitions (id, sip, name, description, module, type, status, version, digest, points,
            prerequisites, author, config, handler, body, created_at, updated_at) VALUES
            ('tea', 8, 'Tea', '', 'm', 'proctored', 'active', '2.0.0', 'd', 1, '[]', 'a', '{}', 'proctored', '', ?, ?)
        """,
        [AT.format(0), AT.format(0)],
    )
    for number, (agent, version, passed, score, agent_version, official, data) in enumerate(RESULTS):
        at, registration = AT.format(number), f"reg_{number}"
        db.execute(
            """
            INSERT INTO evaluation_registrations (id, agent_id, evaluation_id, status, evaluation_version,
                evaluation_digest, registered_at, started_at, completed_at)
            VALUES (?, ?, 'tea', 'completed', ?, 'd', ?, ?, ?)
            """,
            [registration, agent, version, at, at, at],
        )
        db.execute(
            """
            INSERT INTO evaluation_results (id, registration_id, agent_id, evaluation_id, passed, score, max_score,
                points_earned, result_data, completed_at, evaluation_version, official, official_reasons, is_private,
                agent_version) VALUES (?, ?, ?, 'tea', ?, ?, 10, ?, ?, ?, ?, ?, ?, FALSE, ?)
            """,
            [
                f"res_{number}",
                registration,
                agent,
                passed,
                score,
                1 if passed and official else 0,
                data,
                at,
                version,
                official,
                "[]" if official else '["too_few_messages"]',
                agent_version,
            ],
        )


def keep_old_sums(db: Connection) -> None:
    """What the release before has stored for these results, as far as the step reads it."""
    for scope, version in (("any", ""), ("any", "1.0.0"), ("any", "2.0.0"), ("official", "")):
        for criterion in ("tone", "wit"):
            db.execute(
                "INSERT INTO evaluation_criterion_tallies VALUES (?, 'tea', ?, ?, '', 0, 0, 0)",
                [scope, version, criterion],
            )
    db.execute(
        """
        INSERT INTO evaluation_standings (scope, evaluation_id, evaluation_version, agent_id, share, passed,
            points_earned, earliness, result_id, score, max_score, completed_at, result_version, attempts, most_points)
        VALUES ('official', 'tea', '', 'abe', 0.8, TRUE, 1, -1794735000000004, 'res_4', 8, 10, ?, '1.0.0', 1, 1)
        """,
        [AT.format(4)],
    )


def rows_of(db: Connection, table: str, columns: str, order: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in db.execute(f"SELECT {columns} FROM {table} ORDER BY {order}").fetchall()]


STORED = {
    "agent_version_standings": (
        "scope, evaluation_version, agent_id, agent_version, recency, result_id, score, attempts, passes",
        "scope, evaluation_version, agent_id, agent_version",
    ),
    "evaluation_standings WHERE agent_id = 'abe' AND scope = 'official' AND evaluation_version = ''": (
        "recency, result_id",
        "recency",
    ),
    "evaluation_criterion_tallies WHERE scope = 'any' OR evaluation_version = ''": (
        "scope, evaluation_version, criterion_id, met_passed, not_met_passed",
        "scope, evaluation_version, criterion_id",
    ),
}


def stored_rows(db: Connection) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows_of(db, table, *stored) for table, stored in STORED.items()}


@pytest.mark.parametrize("kind", DATABASES)
def test_the_step_stores_what_counting_again_gives(kind: str, request: pytest.FixtureRequest, tmp_path: Path):
    url = f"sqlite:///{tmp_path}/viva.db"
    if kind == "postgresql":
        url = new_postgres_database(request.getfixturevalue("postgres"))
    migrate(url, BEFORE)
    database = open_database(url)
    database.write_now(fill)
    database.write_now(keep_old_sums)

    migrate(url)

    filled = database.read_now(stored_rows)
    database.write_now(lambda db: sums.recount(db, "tea"))
    counted = database.read_now(stored_rows)
    assert filled == counted
    assert all(filled.values())
    database.close()

"""Standings newest first among equals, standings of agents' versions, and criteria counted apart for passed results."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from alembic import op
from sqlalchemy import text

revision = "0024"
down_revision = "0023"

BATCH_RESULTS = 500
MAX_CRITERIA_PER_RESULT = 100
MAX_CRITERION_ID_CHARACTERS = 100

# `recency` is the time of the verdict in microseconds from 1970. An index takes the new name with the column.
NEWEST_FIRST = (
    "ALTER TABLE evaluation_standings RENAME COLUMN earliness TO recency",
    "UPDATE evaluation_standings SET recency = -recency",
)
# One row for each model, framework and version with which an agent took an evaluation; '' if it did not say.
AGENT_VERSIONS = (
    """
    CREATE TABLE agent_version_standings (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_version TEXT NOT NULL,
        scope TEXT NOT NULL CONSTRAINT agent_version_standings_scope CHECK (scope IN ('official', 'any')),
        agent_id TEXT NOT NULL REFERENCES agents (id),
        agent_version TEXT NOT NULL,
        agent_model TEXT NOT NULL,
        agent_framework TEXT NOT NULL,
        share DOUBLE PRECISION NOT NULL,
        passed BOOLEAN NOT NULL,
        points_earned DOUBLE PRECISION NOT NULL,
        recency BIGINT NOT NULL,
        result_id TEXT NOT NULL REFERENCES evaluation_results (id),
        score DOUBLE PRECISION,
        max_score DOUBLE PRECISION,
        completed_at TIMESTAMPTZ NOT NULL,
        result_version TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        passes INTEGER NOT NULL,
        CONSTRAINT agent_version_standings_key PRIMARY KEY (evaluation_id, evaluation_version, scope, agent_id,
            agent_version, agent_model, agent_framework)
    )
    """,
    """
    CREATE INDEX agent_version_standings_best ON agent_version_standings
        (evaluation_id, evaluation_version, scope, share, passed, points_earned, recency, result_id)
    """,
    """
    CREATE INDEX agent_version_standings_of_agent ON agent_version_standings (agent_id, recency)
        WHERE evaluation_version = '' AND scope = 'official'
    """,
)
RECENCY = {
    "sqlite": "CAST(strftime('%s', completed_at) AS INTEGER) * 1000000 + CAST(substr(completed_at, 21, 6) AS INTEGER)",
    "postgresql": "CAST(extract(epoch FROM completed_at) * 1000000 AS BIGINT)",
}
HOLDER = "scope, evaluation_id, sum_version, agent_id, version_named, model_named, framework_named"
# Each result that counts stands in up to four sums: of all results or the official ones, of its version or of all.
FILL_AGENT_VERSIONS = f"""
    INSERT INTO agent_version_standings (scope, evaluation_id, evaluation_version, agent_id, agent_version, agent_model,
        agent_framework, share, passed, points_earned, recency, result_id, score, max_score, completed_at, result_version,
        attempts, passes)
    SELECT {HOLDER}, share, passed, points_earned, recency, id, score, max_score, completed_at, evaluation_version,
        attempts, passes
    FROM (
        SELECT counted.*, count(*) OVER (PARTITION BY {HOLDER}) AS attempts,
            sum(CASE WHEN passed THEN 1 ELSE 0 END) OVER (PARTITION BY {HOLDER}) AS passes,
            row_number() OVER (PARTITION BY {HOLDER}
                ORDER BY share DESC, passed DESC, points_earned DESC, recency, id DESC) AS place
        FROM (
            SELECT r.*, scope, CASE WHEN is_all THEN '' ELSE evaluation_version END AS sum_version,
                coalesce(agent_version, '') AS version_named, coalesce(agent_model, '') AS model_named,
                coalesce(agent_framework, '') AS framework_named, {{recency}} AS recency,
                CASE WHEN score IS NOT NULL AND max_score > 0 THEN score / max_score ELSE -1 END AS share
            FROM evaluation_results r
                CROSS JOIN (SELECT TRUE AS is_all UNION ALL SELECT FALSE) versions
                CROSS JOIN (SELECT 'any' AS scope UNION ALL SELECT 'official') scopes
            WHERE NOT is_private AND voided_at IS NULL AND (scope = 'any' OR official)
        ) counted
    ) placed WHERE place = 1
"""
CRITERION_COLUMNS = ("met_passed", "not_met_passed")
PASSED_RESULTS = """
    SELECT id, evaluation_id, evaluation_version, official, CAST(result_data AS TEXT) AS result_data FROM evaluation_results
    WHERE passed AND NOT is_private AND voided_at IS NULL AND result_data IS NOT NULL AND id > :after
    ORDER BY id LIMIT :batch
"""
UPDATE_CRITERION = """
    UPDATE evaluation_criterion_tallies SET met_passed = :met, not_met_passed = :not_met
    WHERE scope = :scope AND evaluation_id = :evaluation_id AND evaluation_version = :version AND criterion_id = :id
"""


def upgrade() -> None:
    for statement in (*NEWEST_FIRST, *AGENT_VERSIONS):
        op.execute(statement)
    op.execute(text(FILL_AGENT_VERSIONS.replace("{recency}", RECENCY[op.get_bind().dialect.name])))
    for name in CRITERION_COLUMNS:
        op.execute(f"ALTER TABLE evaluation_criterion_tallies ADD {name} INTEGER NOT NULL DEFAULT 0")
    fill_criteria()


def fill_criteria() -> None:
    """Count the criteria of passed results. Rows that are not stored stay out: each evaluation has a limit of them."""
    db = op.get_bind()
    stored = text("SELECT scope, evaluation_id, evaluation_version, criterion_id FROM evaluation_criterion_tallies")
    counts = {tuple(row): Counter[bool]() for row in db.execute(stored)}
    for row in passed_results():
        scopes = ("any", "official") if row.official else ("any",)
        for name, met in judged_criteria(json.loads(row.result_data)).items():
            for key in (
                (scope, row.evaluation_id, version, name)
                for scope in scopes
                for version in ("", row.evaluation_version)
            ):
                if key in counts and met is not None:
                    counts[key][met] += 1
    for (scope, evaluation_id, version, name), count in counts.items():
        if count:
            at = {"scope": scope, "evaluation_id": evaluation_id, "version": version, "id": name}
            db.execute(text(UPDATE_CRITERION), {**at, "met": count[True], "not_met": count[False]})


def passed_results() -> Iterator[Any]:
    after = ""
    while rows := op.get_bind().execute(text(PASSED_RESULTS), {"after": after, "batch": BATCH_RESULTS}).fetchall():
        yield from rows
        after = rows[-1].id


def judged_criteria(data: Any) -> dict[str, bool | None]:
    """Whether each criterion is met, by id; the first row of an id counts."""
    rows = data.get("criteria") if isinstance(data, dict) else None
    found: dict[str, bool | None] = {}
    for row in rows[:MAX_CRITERIA_PER_RESULT] if isinstance(rows, list) else []:
        name = row.get("id") if isinstance(row, dict) else None
        if isinstance(name, str) and name:
            met = row.get("met")
            found.setdefault(name[:MAX_CRITERION_ID_CHARACTERS], met if isinstance(met, bool) else None)
    return found

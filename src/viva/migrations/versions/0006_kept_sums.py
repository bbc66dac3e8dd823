"""Sums of results, kept with each new one: standings, tallies of evaluations, of groups and of criteria."""

import json
from typing import Any

from alembic import op
from sqlalchemy import text

revision = "0006"
down_revision = "0005"

BINS = range(10)
BATCH = 500
MOST = 100
MOST_CRITERIA = 200

# The version '' stands for all versions together.
STATEMENTS = (
    # An agent's best result. share is -1 where there was no score; earliness is minus the microseconds from 1970 to its
    # end: every column of the order counts upwards.
    """
    CREATE TABLE evaluation_standings (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_version TEXT NOT NULL,
        agent_id TEXT NOT NULL REFERENCES agents (id),
        share DOUBLE PRECISION NOT NULL,
        passed BOOLEAN NOT NULL,
        points_earned DOUBLE PRECISION NOT NULL,
        earliness BIGINT NOT NULL,
        result_id TEXT NOT NULL REFERENCES evaluation_results (id),
        score DOUBLE PRECISION,
        max_score DOUBLE PRECISION,
        completed_at TIMESTAMPTZ NOT NULL,
        result_version TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        PRIMARY KEY (evaluation_id, evaluation_version, agent_id)
    )
    """,
    """
    CREATE INDEX evaluation_standings_best ON evaluation_standings
        (evaluation_id, evaluation_version, share, passed, points_earned, earliness, result_id)
    """,
    # share_sum and share_squares are of the score as a share of the most; bin_3 counts shares from 0.3 to below 0.4.
    f"""
    CREATE TABLE evaluation_tallies (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_version TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        passed INTEGER NOT NULL,
        agents INTEGER NOT NULL DEFAULT 0,
        scored INTEGER NOT NULL,
        share_sum DOUBLE PRECISION NOT NULL,
        share_squares DOUBLE PRECISION NOT NULL,
        {", ".join(f"bin_{n} INTEGER NOT NULL" for n in BINS)},
        first_at TIMESTAMPTZ NOT NULL,
        last_at TIMESTAMPTZ NOT NULL,
        PRIMARY KEY (evaluation_id, evaluation_version)
    )
    """,
    # By kind: a month such as 2026-11, or the number of messages from which on the talk counts as so long.
    """
    CREATE TABLE evaluation_group_tallies (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_version TEXT NOT NULL,
        kind TEXT NOT NULL,
        value TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        passed INTEGER NOT NULL,
        PRIMARY KEY (evaluation_id, evaluation_version, kind, value)
    )
    """,
    """
    CREATE TABLE evaluation_criterion_tallies (
        evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
        evaluation_version TEXT NOT NULL,
        criterion_id TEXT NOT NULL,
        text TEXT NOT NULL,
        met INTEGER NOT NULL,
        not_met INTEGER NOT NULL,
        unscored INTEGER NOT NULL,
        PRIMARY KEY (evaluation_id, evaluation_version, criterion_id)
    )
    """,
)

MONTH = {"sqlite": "substr(completed_at, 1, 7)", "postgresql": "to_char(completed_at AT TIME ZONE 'UTC', 'YYYY-MM')"}
EARLINESS = {
    "sqlite": """-(CAST(strftime('%s', completed_at) AS INTEGER) * 1000000
        + CAST(substr(completed_at, 21, 6) AS INTEGER))""",
    "postgresql": "CAST(-extract(epoch FROM completed_at) * 1000000 AS BIGINT)",
}
LENGTH = """CASE WHEN message_count >= 64 THEN '64' WHEN message_count >= 32 THEN '32' WHEN message_count >= 16 THEN '16'
    WHEN message_count >= 8 THEN '8' WHEN message_count >= 4 THEN '4' WHEN message_count >= 2 THEN '2' ELSE '0' END"""

# Each result twice: as one of its version, and as one of all.
TAKEN = """
    (SELECT r.*, CASE WHEN is_all THEN '' ELSE evaluation_version END AS version,
        CASE WHEN max_score > 0 THEN score / max_score END AS share
     FROM evaluation_results r CROSS JOIN (SELECT TRUE AS is_all UNION ALL SELECT FALSE) twice) taken
"""
FILL = (
    """
    INSERT INTO evaluation_standings (evaluation_id, evaluation_version, agent_id, share, passed, points_earned,
        earliness, result_id, score, max_score, completed_at, result_version, attempts)
    SELECT evaluation_id, version, agent_id, share_or_none, passed, points_earned, earliness, id,
        score, max_score, completed_at, evaluation_version, attempts FROM (
        SELECT placed.*, count(*) OVER (PARTITION BY evaluation_id, version, agent_id) AS attempts,
            row_number() OVER (PARTITION BY evaluation_id, version, agent_id
                ORDER BY share_or_none DESC, passed DESC, points_earned DESC, earliness DESC, id DESC) AS place
        FROM (SELECT taken.*, coalesce(share, -1) AS share_or_none, {earliness} AS earliness FROM {taken}) placed
    ) best WHERE place = 1
    """,
    f"""
    INSERT INTO evaluation_tallies (evaluation_id, evaluation_version, attempts, passed, agents, scored, share_sum,
        share_squares, {", ".join(f"bin_{n}" for n in BINS)}, first_at, last_at)
    SELECT evaluation_id, version, count(*), count(CASE WHEN passed THEN 1 END), count(DISTINCT agent_id), count(share),
        coalesce(sum(share), 0), coalesce(sum(share * share), 0),
        {", ".join(f"count(CASE WHEN share * 10 >= {n} AND (share * 10 < {n + 1} OR {n} = 9) THEN 1 END)" for n in BINS)},
        min(completed_at), max(completed_at)
    FROM {{taken}} GROUP BY evaluation_id, version
    """,
    """
    INSERT INTO evaluation_group_tallies (evaluation_id, evaluation_version, kind, value, attempts, passed)
    SELECT evaluation_id, version, 'month', month, count(*), count(CASE WHEN passed THEN 1 END)
    FROM (SELECT taken.*, {month} AS month FROM {taken}) dated GROUP BY evaluation_id, version, month
    """,
    f"""
    INSERT INTO evaluation_group_tallies (evaluation_id, evaluation_version, kind, value, attempts, passed)
    SELECT evaluation_id, version, 'messages', length, count(*), count(CASE WHEN passed THEN 1 END)
    FROM (SELECT taken.evaluation_id, version, passed, {LENGTH} AS length
          FROM {{taken}} JOIN evaluation_sessions s ON s.id = taken.session_id WHERE taken.cohort_id IS NULL) talked
    GROUP BY evaluation_id, version, length
    """,
)
NEXT = """
    SELECT id, evaluation_version, result_data, completed_at FROM evaluation_results
    WHERE evaluation_id = :evaluation_id AND result_data IS NOT NULL {after} ORDER BY completed_at, id LIMIT :batch
"""
AFTER = "AND (completed_at, id) > (:at, :id)"
ADD = """
    INSERT INTO evaluation_criterion_tallies
        (evaluation_id, evaluation_version, criterion_id, text, met, not_met, unscored)
    VALUES (:evaluation_id, :version, :id, :text, :met, :not_met, :unscored)
"""

Criteria = dict[str, dict[str, Any]]


def upgrade() -> None:
    kind = op.get_bind().dialect.name
    for statement in STATEMENTS:
        op.execute(statement)
    for statement in FILL:
        filled = statement.replace("{taken}", TAKEN).replace("{month}", MONTH[kind])
        op.get_bind().exec_driver_sql(filled.replace("{earliness}", EARLINESS[kind]))
    for (evaluation_id,) in op.get_bind().execute(text("SELECT id FROM evaluation_definitions")).fetchall():
        for version, criteria in criteria_of(evaluation_id).items():
            for name, counts in criteria.items():
                key = {"evaluation_id": evaluation_id, "version": version, "id": name}
                op.get_bind().execute(text(ADD), {**key, **counts})


def criteria_of(evaluation_id: str) -> dict[str, Criteria]:
    """The criteria of each version, some results at a time; only here does a result's data have to be looked into."""
    sums: dict[str, Criteria] = {}
    asked: dict[str, Any] = {"evaluation_id": evaluation_id, "batch": BATCH}
    while True:
        statement = text(NEXT.format(after=AFTER if "id" in asked else ""))
        rows = op.get_bind().execute(statement, asked).fetchall()
        for row in rows:
            data = json.loads(row.result_data) if isinstance(row.result_data, str) else row.result_data
            for version in dict.fromkeys(("", row.evaluation_version)):
                count(sums.setdefault(version, {}), data)
        if len(rows) < BATCH:
            return sums
        asked |= {"at": rows[-1].completed_at, "id": rows[-1].id}


def count(criteria: Criteria, data: Any) -> None:
    given = data.get("criteria") if isinstance(data, dict) else None
    seen: set[str] = set()
    for row in given[:MOST] if isinstance(given, list) else []:
        name = row.get("id") if isinstance(row, dict) else None
        if not isinstance(name, str) or not name or name[:100] in seen:
            continue
        seen.add(name := name[:100])
        if name not in criteria and len(criteria) >= MOST_CRITERIA:
            continue
        kept = criteria.setdefault(name, {"text": "", "met": 0, "not_met": 0, "unscored": 0})
        met, told = row.get("met"), row.get("text")
        kept["met" if met is True else "not_met" if met is False else "unscored"] += 1
        kept["text"] = told[:300] if isinstance(told, str) else ""

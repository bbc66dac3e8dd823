"""Official and practice results, sums for both, profiles as of the attempt, void results, and appointed proctors."""

import json
from collections.abc import Iterator
from typing import Any

from alembic import op
from sqlalchemy import text

revision = "0019"
down_revision = "0018"

BINS = range(10)
BATCH_RESULTS = 500
MAX_CRITERIA_PER_RESULT = 100
MAX_CRITERIA_PER_VERSION = 200
PROFILE_FIELDS = ("owner", "model", "framework", "version")

AGENT_COLUMNS = (
    *(
        f"ALTER TABLE agents ADD COLUMN {name} TEXT CONSTRAINT agents_{name} CHECK (length({name}) BETWEEN 1 AND 200)"
        for name in PROFILE_FIELDS
    ),
    "ALTER TABLE agents ADD COLUMN verified_owner TEXT",
    "ALTER TABLE agents ADD COLUMN verified_at TIMESTAMPTZ",
    # A keyed hash of the verified owner. It stays when the account is deleted, so that its tries still count.
    "ALTER TABLE agents ADD COLUMN owner_key TEXT",
    "CREATE INDEX agents_of_owner ON agents (owner_key) WHERE owner_key IS NOT NULL",
    "CREATE INDEX agents_of_verified_owner ON agents (verified_owner) WHERE verified_owner IS NOT NULL",
)
# A practice result earns no points. The first check holds for the results there are, since all begin as official.
RESULT_COLUMNS = (
    """
    ALTER TABLE evaluation_results ADD COLUMN official BOOLEAN NOT NULL DEFAULT TRUE
        CONSTRAINT evaluation_results_points_if_official CHECK (official OR points_earned = 0)
    """,
    """
    ALTER TABLE evaluation_results ADD COLUMN official_reasons JSONB NOT NULL DEFAULT '[]'
        CONSTRAINT evaluation_results_reasons CHECK (official = (CAST(official_reasons AS TEXT) = '[]'))
    """,
    *(f"ALTER TABLE evaluation_results ADD COLUMN agent_{name} TEXT" for name in PROFILE_FIELDS),
    """
    ALTER TABLE evaluation_results ADD COLUMN is_private BOOLEAN NOT NULL DEFAULT FALSE
        CONSTRAINT evaluation_results_private_is_practice CHECK (NOT is_private OR NOT official)
    """,
    """
    ALTER TABLE evaluation_results ADD COLUMN voided_at TIMESTAMPTZ
        CONSTRAINT evaluation_results_void_is_practice CHECK (voided_at IS NULL OR NOT official)
    """,
    """
    ALTER TABLE evaluation_results ADD COLUMN void_reason TEXT
        CONSTRAINT evaluation_results_void_has_reason CHECK ((voided_at IS NULL) = (void_reason IS NULL))
    """,
    "ALTER TABLE evaluation_results ADD COLUMN voided_by TEXT REFERENCES agents (id)",
    # Whether the candidate asked for practice. Such an attempt never counts.
    "ALTER TABLE evaluation_registrations ADD COLUMN is_practice BOOLEAN NOT NULL DEFAULT FALSE",
)
# Lists show no private results, so their indexes have none. An index of the same name is built again.
SORTED = "evaluation_results (evaluation_id, {}, completed_at, id)"
RESULT_INDEXES = {
    "evaluation_results_newest": "evaluation_results (evaluation_id, completed_at, id)",
    "evaluation_results_latest": "evaluation_results (completed_at, id)",
    "idx_eval_results_eval_version": SORTED.format("evaluation_version"),
    "evaluation_results_by_agent": SORTED.format("agent_id"),
    "evaluation_results_by_verdict": SORTED.format("passed"),
    "evaluation_results_by_score": SORTED.format("score_key"),
    "evaluation_results_by_version_and_score": SORTED.format("evaluation_version, score_key"),
    "evaluation_results_by_points": SORTED.format("points_earned"),
    "evaluation_results_by_proctor": SORTED.format("proctor_agent_id"),
}
FEEDBACK_INDEXES = {
    "evaluation_results_with_feedback": "evaluation_results (evaluation_id, completed_at, id)",
    "evaluation_results_of_version_with_feedback": SORTED.format("evaluation_version"),
}
OTHER_INDEXES = (
    "CREATE INDEX evaluation_results_of_agent ON evaluation_results (agent_id, completed_at, id) WHERE NOT is_private",
    """
    CREATE INDEX evaluation_registrations_withdrawn ON evaluation_registrations (evaluation_id, completed_at, id)
        WHERE status = 'cancelled' AND is_try AND NOT is_practice
    """,
    """
    CREATE INDEX evaluation_registrations_withdrawn_by ON evaluation_registrations (agent_id, completed_at, id)
        WHERE status = 'cancelled' AND is_try AND NOT is_practice
    """,
    "CREATE INDEX evaluation_markings_marker ON evaluation_markings (marker, marked_at) WHERE kind = 'proctor'",
    "CREATE INDEX events_of_registered_agents ON events (subject_id) WHERE action = 'agent.registered'",
)
# No evaluation stands for all of them. `appointed_by` is NULL if a command did it.
APPOINTMENTS = (
    """
    CREATE TABLE proctor_appointments (
        agent_id TEXT NOT NULL REFERENCES agents (id),
        evaluation_id TEXT REFERENCES evaluation_definitions (id),
        appointed_by TEXT REFERENCES agents (id),
        appointed_at TIMESTAMPTZ NOT NULL
    )
    """,
    "CREATE UNIQUE INDEX proctor_appointments_key ON proctor_appointments (agent_id, (coalesce(evaluation_id, '')))",
)

# A handler or judges decided, or a proctor after each side had spoken. Judges that failed a control decided nothing.
# In a class, whoever it is about has to have said something, whoever marked it.
MISLED = """EXISTS (SELECT 1 FROM evaluation_sheets s JOIN evaluation_marks m ON m.sheet_id = s.id
    WHERE (s.registration_id = evaluation_results.registration_id OR s.cohort_id = evaluation_results.cohort_id)
        AND CAST(m.notes AS TEXT) LIKE '%"misled"%')"""
SILENT = """(SELECT count(DISTINCT m.role) FROM evaluation_messages m
    WHERE m.session_id = evaluation_results.session_id AND m.role IN ('proctor', 'candidate')) < 2"""
SILENT_IN_CLASS = """NOT EXISTS (SELECT 1 FROM evaluation_messages m
    WHERE m.session_id = evaluation_results.session_id AND m.sender_agent_id = evaluation_results.agent_id)"""
DEMOTE = (
    'UPDATE evaluation_results SET official = FALSE, points_earned = 0, official_reasons = \'["{}", "before_rules"]\''
)
DEMOTIONS = (
    f"""
    {DEMOTE.format("judge_failed_control")} WHERE official AND proctor_agent_id IS NULL AND {MISLED}
    """,
    f"""
    {DEMOTE.format("too_few_messages")}
    WHERE official AND proctor_agent_id IS NOT NULL AND session_id IS NOT NULL AND cohort_id IS NULL AND {SILENT}
    """,
    f"""
    {DEMOTE.format("too_few_messages")} WHERE official AND cohort_id IS NOT NULL AND {SILENT_IN_CLASS}
    """,
)

# Each table of sums again, with the scope in its key. The rows there are count all results.
SUM_KEYS = {
    "standings": ("evaluation_id", "evaluation_version", "agent_id"),
    "tallies": ("evaluation_id", "evaluation_version"),
    "group_tallies": ("evaluation_id", "evaluation_version", "kind", "value"),
    "criterion_tallies": ("evaluation_id", "evaluation_version", "criterion_id"),
}
TALLY_SUMS = ("attempts", "passed", "agents", "scored")
SUM_COLUMNS = {
    "standings": (
        "agent_id TEXT NOT NULL REFERENCES agents (id)",
        "share DOUBLE PRECISION NOT NULL",
        "passed BOOLEAN NOT NULL",
        "points_earned DOUBLE PRECISION NOT NULL",
        "earliness BIGINT NOT NULL",
        "result_id TEXT NOT NULL REFERENCES evaluation_results (id)",
        "score DOUBLE PRECISION",
        "max_score DOUBLE PRECISION",
        "completed_at TIMESTAMPTZ NOT NULL",
        "result_version TEXT NOT NULL",
        "attempts INTEGER NOT NULL",
        "most_points DOUBLE PRECISION NOT NULL",
    ),
    "tallies": (
        *(f"{name} INTEGER NOT NULL DEFAULT 0" for name in TALLY_SUMS),
        *(f"{name} DOUBLE PRECISION NOT NULL DEFAULT 0" for name in ("share_sum", "share_squares", "points_sum")),
        *(f"bin_{n} INTEGER NOT NULL" for n in BINS),
        "first_at TIMESTAMPTZ NOT NULL",
        "last_at TIMESTAMPTZ NOT NULL",
    ),
    "group_tallies": (
        "kind TEXT NOT NULL",
        "value TEXT NOT NULL",
        "attempts INTEGER NOT NULL",
        "passed INTEGER NOT NULL",
    ),
    "criterion_tallies": (
        "criterion_id TEXT NOT NULL",
        "text TEXT NOT NULL",
        *(f"{name} INTEGER NOT NULL" for name in ("met", "not_met", "unscored")),
    ),
}
SUM_INDEXES = (
    """
    CREATE INDEX evaluation_standings_best ON evaluation_standings
        (evaluation_id, evaluation_version, scope, share, passed, points_earned, earliness, result_id)
    """,
    """
    CREATE INDEX evaluation_standings_of_agent ON evaluation_standings (agent_id)
        WHERE evaluation_version = '' AND scope = 'official'
    """,
)

MONTH = {"sqlite": "substr(completed_at, 1, 7)", "postgresql": "to_char(completed_at AT TIME ZONE 'UTC', 'YYYY-MM')"}
EARLINESS = {
    "sqlite": """-(CAST(strftime('%s', completed_at) AS INTEGER) * 1000000
        + CAST(substr(completed_at, 21, 6) AS INTEGER))""",
    "postgresql": "CAST(-extract(epoch FROM completed_at) * 1000000 AS BIGINT)",
}
LENGTHS = " ".join(f"WHEN message_count >= {n} THEN '{n}'" for n in (64, 32, 16, 8, 4, 2))
LENGTH = f"CASE {LENGTHS} ELSE '0' END"
PASSED = "count(CASE WHEN passed THEN 1 END)"

# Each official result twice: for its version, and for all versions, which the version '' stands for.
OFFICIAL = """
    (SELECT r.*, CASE WHEN is_all THEN '' ELSE evaluation_version END AS sum_version,
        CASE WHEN max_score > 0 THEN score / max_score END AS share
     FROM evaluation_results r CROSS JOIN (SELECT TRUE AS is_all UNION ALL SELECT FALSE) twice WHERE official) taken
"""
FILL_OFFICIAL = (
    """
    INSERT INTO evaluation_standings (scope, evaluation_id, evaluation_version, agent_id, share, passed, points_earned,
        earliness, result_id, score, max_score, completed_at, result_version, attempts, most_points)
    SELECT 'official', evaluation_id, sum_version, agent_id, share_or_none, passed, points_earned, earliness, id,
        score, max_score, completed_at, evaluation_version, attempts, most_points FROM (
        SELECT placed.*, count(*) OVER (PARTITION BY evaluation_id, sum_version, agent_id) AS attempts,
            max(points_earned) OVER (PARTITION BY evaluation_id, sum_version, agent_id) AS most_points,
            row_number() OVER (PARTITION BY evaluation_id, sum_version, agent_id
                ORDER BY share_or_none DESC, passed DESC, points_earned DESC, earliness DESC, id DESC) AS place
        FROM (SELECT taken.*, coalesce(share, -1) AS share_or_none, {earliness} AS earliness FROM {official}) placed
    ) best WHERE place = 1
    """,
    f"""
    INSERT INTO evaluation_tallies (scope, evaluation_id, evaluation_version, attempts, passed, agents, scored,
        share_sum, share_squares, points_sum, {", ".join(f"bin_{n}" for n in BINS)}, first_at, last_at)
    SELECT 'official', evaluation_id, sum_version, count(*), {PASSED}, count(DISTINCT agent_id), count(share),
        coalesce(sum(share), 0), coalesce(sum(share * share), 0), sum(points_earned),
        {", ".join(f"count(CASE WHEN share * 10 >= {n} AND (share * 10 < {n + 1} OR {n} = 9) THEN 1 END)" for n in BINS)},
        min(completed_at), max(completed_at)
    FROM {{official}} GROUP BY evaluation_id, sum_version
    """,
    f"""
    INSERT INTO evaluation_group_tallies (scope, evaluation_id, evaluation_version, kind, value, attempts, passed)
    SELECT 'official', evaluation_id, sum_version, 'month', month, count(*), {PASSED}
    FROM (SELECT taken.*, {{month}} AS month FROM {{official}}) dated GROUP BY evaluation_id, sum_version, month
    """,
    f"""
    INSERT INTO evaluation_group_tallies (scope, evaluation_id, evaluation_version, kind, value, attempts, passed)
    SELECT 'official', evaluation_id, sum_version, 'messages', length, count(*), {PASSED}
    FROM (SELECT taken.evaluation_id, sum_version, passed, {LENGTH} AS length
          FROM {{official}} JOIN evaluation_sessions s ON s.id = taken.session_id WHERE taken.cohort_id IS NULL) talked
    GROUP BY evaluation_id, sum_version, length
    """,
)
FILL_AGENTS = """
    UPDATE agents SET points = (SELECT coalesce(sum(most_points), 0) FROM evaluation_standings
        WHERE agent_id = agents.id AND evaluation_version = '' AND scope = 'official')
"""
# Practice results earn no points, so the sums over all results change with the demotions.
UPDATE_POINTS = (
    """
    UPDATE evaluation_standings SET
        points_earned = (SELECT r.points_earned FROM evaluation_results r WHERE r.id = result_id),
        most_points = (SELECT max(r.points_earned) FROM evaluation_results r
            WHERE r.evaluation_id = evaluation_standings.evaluation_id AND r.agent_id = evaluation_standings.agent_id
                AND evaluation_standings.evaluation_version IN ('', r.evaluation_version))
    WHERE scope = 'any' AND evaluation_id IN (SELECT evaluation_id FROM evaluation_results WHERE NOT official)
    """,
    """
    UPDATE evaluation_tallies SET points_sum = (SELECT coalesce(sum(r.points_earned), 0) FROM evaluation_results r
        WHERE r.evaluation_id = evaluation_tallies.evaluation_id
            AND evaluation_tallies.evaluation_version IN ('', r.evaluation_version))
    WHERE scope = 'any' AND evaluation_id IN (SELECT evaluation_id FROM evaluation_results WHERE NOT official)
    """,
)
COPY_CRITERIA = """
    INSERT INTO evaluation_criterion_tallies (scope, evaluation_id, evaluation_version, criterion_id, text, met, not_met, unscored)
    SELECT 'official', evaluation_id, evaluation_version, criterion_id, text, met, not_met, unscored
    FROM evaluation_criterion_tallies
    WHERE evaluation_id NOT IN (SELECT evaluation_id FROM evaluation_results WHERE NOT official)
"""
ADD_CRITERION = """
    INSERT INTO evaluation_criterion_tallies
        (scope, evaluation_id, evaluation_version, criterion_id, text, met, not_met, unscored)
    VALUES ('official', :evaluation_id, :version, :id, :text, :met, :not_met, :unscored)
"""
NEXT_RESULTS = """
    SELECT id, evaluation_version, CAST(result_data AS TEXT) AS result_data, completed_at FROM evaluation_results
    WHERE evaluation_id = :evaluation_id AND official AND result_data IS NOT NULL {after}
    ORDER BY completed_at, id LIMIT :batch
"""
AFTER = "AND (completed_at, id) > (:at, :id)"

Criteria = dict[str, dict[str, Any]]


def upgrade() -> None:
    for statement in (*AGENT_COLUMNS, *RESULT_COLUMNS, *APPOINTMENTS):
        op.execute(statement)
    for name, columns in RESULT_INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON {columns} WHERE NOT is_private")
    for name, columns in FEEDBACK_INDEXES.items():
        op.execute(f"DROP INDEX {name}")
        op.execute(f"CREATE INDEX {name} ON {columns} WHERE proctor_feedback IS NOT NULL AND official")
        op.execute(f"CREATE INDEX {name}_any ON {columns} WHERE proctor_feedback IS NOT NULL AND NOT is_private")
    for statement in (*OTHER_INDEXES, *DEMOTIONS):
        op.execute(statement)
    for table in SUM_KEYS:
        add_scope(table)
    for statement in (*SUM_INDEXES, *UPDATE_POINTS):
        op.execute(statement)
    fill_official_sums()
    op.execute(FILL_AGENTS)


def add_scope(table: str) -> None:
    """Build the table again: SQLite cannot change a key."""
    name, new = f"evaluation_{table}", f"evaluation_{table}_new"
    of_evaluation, others = SUM_KEYS[table][:2], SUM_KEYS[table][2:]
    key, columns = (*of_evaluation, "scope", *others), SUM_COLUMNS[table]
    copied = ("evaluation_id", "evaluation_version", *(column.split()[0] for column in columns))
    op.execute(f"""
        CREATE TABLE {new} (
            scope TEXT NOT NULL CONSTRAINT {name}_scope CHECK (scope IN ('official', 'any')),
            evaluation_id TEXT NOT NULL REFERENCES evaluation_definitions (id),
            evaluation_version TEXT NOT NULL,
            {", ".join(columns)},
            CONSTRAINT {name}_scoped_key PRIMARY KEY ({", ".join(key)})
        )
    """)
    op.execute(f"INSERT INTO {new} (scope, {', '.join(copied)}) SELECT 'any', {', '.join(copied)} FROM {name}")
    op.execute(f"DROP TABLE {name}")
    op.execute(f"ALTER TABLE {new} RENAME TO {name}")


def fill_official_sums() -> None:
    connection, kind = op.get_bind(), op.get_bind().dialect.name
    for statement in FILL_OFFICIAL:
        filled = statement.replace("{official}", OFFICIAL).replace("{month}", MONTH[kind])
        op.execute(filled.replace("{earliness}", EARLINESS[kind]))
    op.execute(COPY_CRITERIA)
    demoted = "SELECT DISTINCT evaluation_id FROM evaluation_results WHERE NOT official"
    for (evaluation_id,) in connection.execute(text(demoted)).fetchall():
        for version, criteria in official_criteria(evaluation_id).items():
            for name, counts in criteria.items():
                key = {"evaluation_id": evaluation_id, "version": version, "id": name}
                connection.execute(text(ADD_CRITERION), {**key, **counts})


def official_criteria(evaluation_id: str) -> dict[str, Criteria]:
    """The judged criteria of each version, and of all versions, counted over the official results."""
    sums: dict[str, Criteria] = {}
    for row in official_results(evaluation_id):
        for version in dict.fromkeys(("", row.evaluation_version)):
            count(sums.setdefault(version, {}), json.loads(row.result_data))
    return sums


def official_results(evaluation_id: str) -> Iterator[Any]:
    asked: dict[str, Any] = {"evaluation_id": evaluation_id, "batch": BATCH_RESULTS}
    while True:
        statement = text(NEXT_RESULTS.format(after=AFTER if "id" in asked else ""))
        rows = op.get_bind().execute(statement, asked).fetchall()
        yield from rows
        if len(rows) < BATCH_RESULTS:
            return
        asked |= {"at": rows[-1].completed_at, "id": rows[-1].id}


def count(criteria: Criteria, data: Any) -> None:
    given = data.get("criteria") if isinstance(data, dict) else None
    seen: set[str] = set()
    for row in given[:MAX_CRITERIA_PER_RESULT] if isinstance(given, list) else []:
        name = row.get("id") if isinstance(row, dict) else None
        if not isinstance(name, str) or not name or name[:100] in seen:
            continue
        seen.add(name := name[:100])
        if name not in criteria and len(criteria) >= MAX_CRITERIA_PER_VERSION:
            continue
        stored = criteria.setdefault(name, {"text": "", "met": 0, "not_met": 0, "unscored": 0})
        met, told = row.get("met"), row.get("text")
        stored["met" if met is True else "not_met" if met is False else "unscored"] += 1
        stored["text"] = told[:300] if isinstance(told, str) else ""

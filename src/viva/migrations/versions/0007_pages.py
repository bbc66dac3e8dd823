"""What the pages read: prompts of messages, points of agents, and an index for each way in which results are listed."""

from alembic import op

revision = "0007"
down_revision = "0006"

SORTED = "evaluation_results (evaluation_id, {}, completed_at, id)"
STATEMENTS = (
    """
    ALTER TABLE evaluation_messages ADD COLUMN prompt_id TEXT
        CONSTRAINT evaluation_messages_prompt_id CHECK (length(prompt_id) BETWEEN 1 AND 100)
    """,
    "ALTER TABLE evaluation_tallies ADD COLUMN points_sum DOUBLE PRECISION NOT NULL DEFAULT 0",
    """
    UPDATE evaluation_tallies SET points_sum = (SELECT coalesce(sum(r.points_earned), 0) FROM evaluation_results r
        WHERE r.evaluation_id = evaluation_tallies.evaluation_id
            AND evaluation_tallies.evaluation_version IN ('', r.evaluation_version))
    """,
    # The most points that one attempt earned, which need not be the best attempt.
    "ALTER TABLE evaluation_standings ADD COLUMN most_points DOUBLE PRECISION NOT NULL DEFAULT 0",
    "CREATE INDEX evaluation_results_by_agent ON evaluation_results (evaluation_id, agent_id, completed_at, id)",
    """
    UPDATE evaluation_standings SET most_points = (SELECT max(r.points_earned) FROM evaluation_results r
        WHERE r.evaluation_id = evaluation_standings.evaluation_id AND r.agent_id = evaluation_standings.agent_id
            AND evaluation_standings.evaluation_version IN ('', r.evaluation_version))
    """,
    "CREATE INDEX evaluation_standings_of_agent ON evaluation_standings (agent_id) WHERE evaluation_version = ''",
    "ALTER TABLE agents ADD COLUMN points DOUBLE PRECISION NOT NULL DEFAULT 0",
    "ALTER TABLE agents ADD COLUMN results INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE agents ADD COLUMN last_result_at TIMESTAMPTZ",
    """
    UPDATE agents SET
        points = (SELECT coalesce(sum(most_points), 0) FROM evaluation_standings
            WHERE agent_id = agents.id AND evaluation_version = ''),
        results = (SELECT count(*) FROM evaluation_results WHERE agent_id = agents.id),
        last_result_at = (SELECT max(completed_at) FROM evaluation_results WHERE agent_id = agents.id)
    """,
    # A deleted agent has no name and is found under none.
    "CREATE INDEX agents_by_points ON agents (points, id) WHERE name IS NOT NULL",
    "CREATE INDEX agents_by_activity ON agents (coalesce(last_result_at, created_at), id) WHERE name IS NOT NULL",
    # By the characters' numbers, whatever the order of the database is.
    "CREATE INDEX agents_by_name ON agents ((coalesce(name_key, '') {by_character}), id)",
    "DROP INDEX idx_eval_results_eval_version",
    f"CREATE INDEX idx_eval_results_eval_version ON {SORTED.format('evaluation_version')}",
    f"CREATE INDEX evaluation_results_by_verdict ON {SORTED.format('passed')}",
    f"CREATE INDEX evaluation_results_by_score ON {SORTED.format('coalesce(score, -1)')}",
    f"CREATE INDEX evaluation_results_by_version_and_score ON {SORTED.format('evaluation_version, coalesce(score, -1)')}",
    f"CREATE INDEX evaluation_results_by_points ON {SORTED.format('points_earned')}",
    f"CREATE INDEX evaluation_results_by_proctor ON {SORTED.format('proctor_agent_id')}",
    """
    CREATE INDEX evaluation_results_with_feedback ON evaluation_results (evaluation_id, completed_at, id)
        WHERE proctor_feedback IS NOT NULL
    """,
    """
    CREATE INDEX evaluation_results_of_version_with_feedback
        ON evaluation_results (evaluation_id, evaluation_version, completed_at, id) WHERE proctor_feedback IS NOT NULL
    """,
    """
    CREATE INDEX evaluation_registrations_longest_waiting ON evaluation_registrations (started_at, id)
        WHERE status = 'in_progress'
    """,
    "CREATE INDEX evaluation_results_latest ON evaluation_results (completed_at, id)",
)
BY_CHARACTER = {"sqlite": "", "postgresql": 'COLLATE "C"'}


def upgrade() -> None:
    by_character = BY_CHARACTER[op.get_bind().dialect.name]
    for statement in STATEMENTS:
        op.execute(statement.replace("{by_character}", by_character))
